/* neighbours_cpu.c - the neighbour scheme on the CPU (force/neighbours.h): advances all bodies by a base step.
 *
 * - During a base step the bodies are stored as an array of structures.
 * - Irregular steps are the steps for the forces of neighbours. Rung k is a linked list of all bodies whose irregular
 *   step is (base step) / 2^k.
 * - A body is due when its irregular step ends. If few bodies are due, only these and their neighbours are predicted.
 * - The forces on a body are summed by one thread, in a fixed order. Results are therefore bitwise identical for any
 *   number of threads. */
#include "force/direct/cpu/neighbours_cpu.h"

#define OWN_STEP_CALL static inline
#include "base/error.h"
#include "device/own_regular.h"
#include "device/own_steps.h"
#include "force/direct/cpu/direct_simd.h"
#include "force/direct/cpu/neighbours_run.h"
#include "force/neighbours.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOBODY UINT32_MAX
#define RUNGS  (NB_OWN_PARTS + 1)

/* ---- rungs ---- */

static int rung_of(double step)
{
    return -ilogb(step);
}

static void put_on_rung(struct near_run *r, uint32_t i)
{
    const int k = rung_of(r->body[i].a[3]);
    r->next[i] = r->first[k];
    r->first[k] = i;
    r->regular_on[rung_of(r->regular_step[i])]++;
}

/* Returns the size of the shortest irregular step (for the forces of neighbours). The unit is the base step divided by
 * 2^NB_OWN_PARTS. */
static uint64_t shortest_step(const struct near_run *r)
{
    int k = NB_OWN_PARTS;
    while (k > 0 && r->first[k] == NOBODY)
        k--;
    return (uint64_t)1 << (NB_OWN_PARTS - k);
}

/* Moves all bodies of rung k and of higher rungs (shorter steps) to the list of due bodies, whose steps end now. Rung k
 * has the bodies with a step of (base step) / 2^k. */
static void take_due(struct near_run *r, int k)
{
    r->due_count = r->regular_count = 0;
    for (; k < RUNGS; k++) {
        for (uint32_t i = r->first[k]; i != NOBODY; i = r->next[i])
            r->due[r->due_count++] = i;
        r->first[k] = NOBODY;
    }
}

/* Sets r->regular_due to the due bodies whose regular steps (for the forces of distant bodies) also end now. All
 * steps of size (base step) / 2^k, and all shorter steps, end now. */
static void take_regular(struct near_run *r, int k)
{
    const double longest = ldexp(1, -k);
    for (uint32_t f = 0; f < r->due_count; f++) {
        const uint32_t i = r->due[f];
        const bool ends = r->regular_step[i] <= longest;
        r->regular_on[rung_of(r->regular_step[i])]--;
        r->regular_at[f] = ends ? r->regular_count : NOBODY;
        r->regular_due[r->regular_count] = i;
        r->regular_count += ends;
    }
}

/* ---- a time at which steps end ---- */

static void predict_all(struct near_run *r)
{
    const uint64_t n = r->w->own.n, chunk = 256;
#pragma omp parallel for schedule(static) if (n > 4 * chunk)
    for (uint64_t i0 = 0; i0 < n; i0 += chunk)
        r->set->predict(r->body, r->place, r->w->own.base, r->now, i0, n - i0 < chunk ? n : i0 + chunk);
}

/* Copies the predicted positions and velocities from r->place to the vectors d_px and d_pv. The functions that sum the
 * forces of distant bodies read these vectors. */
static void place_rows(struct near_run *r)
{
    const uint64_t n = r->w->own.n, stride = r->w->own.stride;
    double *px = r->w->own.d_px, *pv = r->w->own.d_pv;
#pragma omp parallel for schedule(static) if (n > 1024)
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < 3; k++) {
            px[i + k * stride] = r->place[i].x[k];
            pv[i + k * stride] = r->place[i].v[k];
        }
}

static struct nb_near_sum pull_of(const struct near_run *r, uint32_t i)
{
    const struct nb_neighbours *w = r->w;
    struct nb_near_sum sum =
        r->set->pull(r->place, w->own.n, &r->place[i], r->eps2, w->d_count[i], w->d_list + (uint64_t)i * w->most);
    for (int k = 0; k < 3; k++) {
        sum.a[k] *= r->s->G;
        sum.j[k] *= r->s->G;
    }
    return sum;
}

static uint64_t pairs_of_due(const struct near_run *r)
{
    uint64_t pairs = 0;
    for (uint32_t f = 0; f < r->due_count; f++)
        pairs += r->w->d_count[r->due[f]];
    return pairs;
}

/* Predicts the due bodies (bodies whose steps end now) and their neighbours. If `all` is true, predicts all bodies. */
static void predict(struct near_run *r, bool all)
{
    const struct nb_neighbours *w = r->w;
    if (all) {
        predict_all(r);
        return;
    }
    r->set->predict_listed(r->body, r->place, w->own.base, r->now, r->due_count, r->due);
    for (uint32_t f = 0; f < r->due_count; f++)
        r->set->predict_listed(r->body, r->place, w->own.base, r->now, w->d_count[r->due[f]],
                               w->d_list + (uint64_t)r->due[f] * w->most);
}

/* Computes the irregular parts (forces of neighbours) of the accelerations and jerks of the due bodies, whose irregular
 * steps end now. Also computes the regular parts (forces of distant bodies) for due bodies whose regular steps end. */
static void evaluate(struct near_run *r)
{
    const uint64_t pairs = pairs_of_due(r);
    r->w->pairs += pairs + (uint64_t)r->regular_count * r->w->own.n;
    predict(r, r->regular_count > 0 || pairs > 2 * r->w->own.n);
#pragma omp parallel for schedule(static) if (pairs > NB_DIRECT_PARALLEL_PAIRS)
    for (uint32_t f = 0; f < r->due_count; f++)
        r->irregular[f] = pull_of(r, r->due[f]);
    if (r->regular_count == 0)
        return;
    place_rows(r);
#pragma omp parallel for schedule(dynamic) if (r->regular_count * r->w->own.n > NB_DIRECT_PARALLEL_PAIRS)
    for (uint32_t k = 0; k < r->regular_count; k += NB_NEAR_TARGETS)
        nb_near_regular(r, k, r->regular_count - k < NB_NEAR_TARGETS ? r->regular_count : k + NB_NEAR_TARGETS);
}

/* Corrects due body f at the end of its steps, and chooses its next step sizes. `own` and `regular` are arguments of
 * nb_own_next: `own` for the irregular step (forces of neighbours), `regular` for the regular step (other forces). */
static void end_steps(struct near_run *r, uint32_t f, const struct nb_own_hermite *own,
                      const struct nb_own_hermite *regular)
{
    const uint32_t i = r->due[f];
    struct nb_near_body *b = &r->body[i];
    struct nb_own_regular *far = &r->far[i];
    struct nb_own_body at;
    double a[3], j[3];
    memcpy(a, r->irregular[f].a, sizeof a);
    memcpy(j, r->irregular[f].j, sizeof j);
    nb_regular_add(far, own->base * (r->now - r->regular_begun[i]), a, j);
    memcpy(at.x, b->x, sizeof at.x);
    memcpy(at.v, b->v, sizeof at.v);
    memcpy(at.a, b->a, sizeof at.a);
    memcpy(at.j, b->j, sizeof at.j);
    const double scale = nb_own_correct(&at, own->base * (r->now - b->v[3]), a, j, own->least);
    if (r->regular_at[f] != NOBODY) {
        const struct near_regular *now = &r->regular[r->regular_at[f]];
        const double far_scale = nb_regular_correct(far, own->base * (r->now - r->regular_begun[i]), now->sum.a,
                                                    now->sum.j, own->least, at.x, at.v);
        for (int k = 0; k < 3; k++) {
            at.a[k] = r->irregular[f].a[k] + now->sum.a[k];
            at.j[k] = r->irregular[f].j[k] + now->sum.j[k];
            far->a[k] += now->change_a[k];
            far->j[k] += now->change_j[k];
            far->s[k] += now->change_s[k];
        }
        r->regular_step[i] = nb_own_next(regular, r->regular_step[i], far_scale);
        r->regular_begun[i] = r->now;
    }
    memcpy(b->x, at.x, sizeof at.x);
    memcpy(b->v, at.v, sizeof at.v);
    memcpy(b->a, at.a, sizeof at.a);
    memcpy(b->j, at.j, sizeof at.j);
    b->a[3] = nb_own_next(own, b->a[3], scale);
    if (!own->ends)
        b->a[3] = fmin(b->a[3], r->regular_step[i]);
    b->v[3] = r->now;
}

static void correct(struct near_run *r, const struct nb_own_hermite *own)
{
    struct nb_own_hermite regular = *own;
    regular.eta = r->w->regular_eta;
#pragma omp parallel for schedule(static) if (r->due_count > 4096)
    for (uint32_t f = 0; f < r->due_count; f++)
        end_steps(r, f, own, &regular);
}

/* Updates the statistics run->rung[rung] after steps of this rung and of higher rungs (shorter steps) have ended at one
 * simulated time. count: number of these steps. Adds the wall time since *clock, and sets *clock to the time now. */
static void note(struct nb_own_run *run, int rung, uint64_t count, struct timespec *clock)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    run->rung[rung].times++;
    run->rung[rung].steps += count;
    run->rung[rung].seconds += (double)(now.tv_sec - clock->tv_sec) + 1e-9 * (double)(now.tv_nsec - clock->tv_nsec);
    run->times++;
    run->steps += count;
    *clock = now;
}

/* Advances all bodies to the next time at which steps end, and ends these steps. */
static void go(struct near_run *r, struct nb_own_run *run, struct timespec *clock)
{
    struct nb_own_hermite own = r->w->own;
    run->done += shortest_step(r);
    r->now = ldexp((double)run->done, -NB_OWN_PARTS);
    own.task = NB_OWN_CORRECT;
    own.now = r->now;
    own.longest = ldexp((double)(run->done & -run->done), -NB_OWN_PARTS);
    own.ends = run->times + 1 >= run->most || run->done == run->whole;
    const int rung = own.ends ? 0 : rung_of(own.longest);
    take_due(r, rung);
    take_regular(r, rung);
    evaluate(r);
    correct(r, &own);
    for (uint32_t f = 0; f < r->due_count && !own.ends; f++)
        put_on_rung(r, r->due[f]);
    note(run, rung, r->due_count, clock);
    r->ended = own.ends;
}

/* Chooses the first step sizes of a base step from the bodies' time scales. */
static void open_steps(struct near_run *r)
{
    struct nb_own_hermite own = r->w->own, regular = own;
    own.task = regular.task = NB_OWN_OPEN;
    own.longest = regular.longest = 1;
    regular.eta = r->w->regular_eta;
    for (uint32_t i = 0; i < own.n; i++) {
        r->regular_step[i] = nb_own_next(&regular, 1, r->regular_step[i]);
        r->body[i].a[3] = fmin(r->regular_step[i], nb_own_next(&own, 1, r->body[i].a[3]));
        put_on_rung(r, i);
    }
}

static void find_range(const struct near_run *r, double range[2])
{
    range[0] = INFINITY;
    range[1] = 0;
    for (uint64_t i = 0; i < r->w->own.n; i++) {
        const double scale = r->body[i].a[3];
        range[0] = fmin(range[0], fmin(r->w->own.eta * scale, r->w->regular_eta * r->regular_step[i]));
        range[1] = fmax(range[1], scale);
    }
}

static int neighbours_step(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w,
                           struct nb_own_run *run, double range[2])
{
    struct near_run r;
    struct timespec clock;
    (void)device, (void)work;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    if (nb_near_begin(&r, s, w)) {
        nb_near_end(&r);
        return -1;
    }
    for (int k = 0; k < RUNGS; k++)
        r.first[k] = NOBODY;
    open_steps(&r);
    while (!r.ended)
        go(&r, run, &clock);
    find_range(&r, range);
    nb_near_store(&r);
    nb_near_end(&r);
    return 0;
}

const struct nb_force_neighbours nb_direct_neighbours = {.start = nb_near_start, .step = neighbours_step};
