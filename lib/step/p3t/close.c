/* close.c - moves bodies under the near part of their forces. The caller applies the far part as kicks. Declared in
 * close.h. */
#include "step/p3t/close.h"

#include "base/error.h"
#include "step/groups/near.h"
#include "step/kepler.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 512 /* a component (bodies connected by close pairs) of at least LARGE bodies is moved by all threads */
#define CLOSE 2   /* two bodies form a group if their orbit turns by a radian in less than CLOSE times the step */
/* a step of a particle is at most COME * (distance) / (approach velocity), for each other particle that approaches */
#define COME  0.05
#define HEAVY 8 /* heavy bodies (heavy.h) are moved in HEAVY equal parts of a step */

struct nb_p3t_worker {
    struct nb_cluster c;
    uint64_t room; /* number of stars for which memory is allocated */
    double *gm;
    struct nb_p3t_watch watch;
};

/* ---- memory ---- */

static void close_worker(struct nb_p3t_worker *k)
{
    free(k->gm);
    free(k->c.px);
    free(k->c.pv);
    free(k->c.field_a);
    free(k->c.field_j);
    nb_p3t_watch_free(&k->watch);
    nb_cluster_free(&k->c);
    memset(k, 0, sizeof *k);
}

static uint64_t row(uint64_t n)
{
    return (n + NB_STRIDE_UNIT_FEW - 1) / NB_STRIDE_UNIT_FEW * NB_STRIDE_UNIT_FEW;
}

static bool reserve(struct nb_p3t_worker *k, uint64_t n)
{
    double **const vectors[] = {&k->c.px, &k->c.pv, &k->c.field_a, &k->c.field_j};
    const uint64_t room = row(n < 64 ? 64 : 2 * n);
    if (n <= k->room)
        return true;
    close_worker(k);
    bool whole = nb_cluster_alloc(&k->c, room, room);
    for (size_t l = 0; l < sizeof vectors / sizeof *vectors; l++)
        whole = (*vectors[l] = calloc(3 * room, sizeof(double))) && whole;
    whole = (k->gm = calloc(room, sizeof *k->gm)) && whole;
    k->room = whole ? room : 0;
    return whole || nb_fail("no memory for %llu close bodies", (unsigned long long)n) == 0;
}

static int open_workers(struct nb_p3t *w)
{
    const int threads = omp_get_max_threads();
    if (w->workers >= threads)
        return 0;
    struct nb_p3t_worker *worker = realloc(w->worker, (size_t)threads * sizeof *worker);
    if (!worker)
        return nb_fail("no memory for close bodies");
    memset(worker + w->workers, 0, (size_t)(threads - w->workers) * sizeof *worker);
    if (w->workers == 0)
        nb_smooth_table_make(&w->smooth);
    w->worker = worker;
    w->workers = threads;
    return 0;
}

void nb_p3t_free(struct nb_p3t *w)
{
    for (int k = 0; k < w->workers; k++)
        close_worker(&w->worker[k]);
    free(w->worker);
    nb_heavy_free(&w->heavy);
    w->worker = NULL;
    w->workers = 0;
}

/* ---- forces between particles ---- */

/* Computes the near parts of acceleration and jerk of particle c->evaluated[q]. Also limits the next step of this
 * particle if another particle approaches (COME): the near part is 0 at large distances, so the force itself would
 * shorten the step too late. With twice the value of COME, energy would not be conserved well enough. */
static void near_field(struct nb_cluster *c, uint64_t q)
{
    const uint32_t i = c->evaluated[q];
    const struct nb_near_pull from = {.n = c->n,
                                      .stride = c->stride,
                                      .x = c->px,
                                      .v = c->pv,
                                      .gm = c->gm,
                                      .self = i,
                                      .inner2 = c->split.inner * c->split.inner,
                                      .outer2 = c->split.outer * c->split.outer,
                                      .base = c->base};
    double sum[6];
    const double rate = nb_near_in_use()->pull(&from, sum);
    nb_cluster_give(c, c->field_a, q, sum);
    nb_cluster_give(c, c->field_j, q, sum + 3);
    if (rate > COME)
        c->cap[i] = fmin(c->cap[i], COME / rate * fabs(c->base));
}

static int near_forces(void *data, uint64_t count, const uint32_t *index, double *a, double *j)
{
    struct nb_cluster *c = &((struct nb_p3t_worker *)data)->c;
    (void)index, (void)a, (void)j; /* not needed: c->evaluated, c->field_a and c->field_j are the same pointers */
    nb_cluster_each(c, count, count * c->n > 1u << 16, near_field);
    return 0;
}

/* ---- components ---- */

/* Moves the `count` bodies of a component for the time h, with the individual steps of nb_cluster. Uses the arrays of
 * worker k. */
static int drift_cluster(struct nb_p3t *w, struct nb_p3t_worker *k, uint32_t count, const uint32_t *body, double h)
{
    struct nb_cluster *c = &k->c;
    if (!reserve(k, count) || (w->watch && !nb_p3t_watch_open(&k->watch, w->watch, count, body)))
        return -1;
    c->n = count;
    c->stride = row(count);
    for (uint32_t q = 0; q < count; q++) {
        k->gm[q] = w->gm[body[q]];
        for (uint64_t d = 0; d < 3; d++) {
            c->px[d * c->stride + q] = w->x[d * w->stride + body[q]];
            c->pv[d * c->stride + q] = w->v[d * w->stride + body[q]];
        }
    }
    c->star_gm = k->gm;
    c->split = w->split;
    c->energy = w->energy;
    c->least = w->least;
    c->close_scale = CLOSE * fabs(h);
    c->eta = w->eta;
    c->chain_tolerance = w->chain_tolerance;
    c->share = w->share;
    c->care = 1;
    c->base = h;
    c->now = 0;
    c->forces = near_forces;
    c->forces_data = k;
    c->watch = w->watch ? &k->watch.here : NULL;
    memset(c->begun, 0, count * sizeof *c->begun);
    memset(c->patience, 0, count * sizeof *c->patience);
    nb_cluster_take_stars(c);
    if (nb_cluster_begin(c))
        return -1;
    nb_cluster_open(c, h);
    while (c->now < NB_WHOLE) {
        uint64_t due;
        if (nb_cluster_next(c, false, &due))
            return -1;
        if (c->watch && c->watch->found) {
            nb_p3t_watch_tell(&k->watch, w->watch, body);
            return 0;
        }
    }
    nb_cluster_give_stars(c);
    for (uint32_t q = 0; q < count; q++)
        for (uint64_t d = 0; d < 3; d++) {
            w->x[d * w->stride + body[q]] = c->px[d * c->stride + q];
            w->v[d * w->stride + body[q]] = c->pv[d * c->stride + q];
        }
    return 0;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Moves two bodies on a Kepler orbit by the time h. Returns false if their distance may exceed split.inner in this
 * time. Beyond this distance, the near part is not the entire force, and the orbit is not a Kepler orbit. */
static bool drift_orbit(struct nb_p3t *w, const uint32_t body[2], double h)
{
    const double gm[2] = {w->gm[body[0]], w->gm[body[1]]}, mu = gm[0] + gm[1];
    const double inner = w->split.inner;
    double x[3], v[3], dx[3], dv[3], end[3];
    for (uint64_t d = 0; d < 3; d++) {
        x[d] = w->x[d * w->stride + body[1]] - w->x[d * w->stride + body[0]];
        v[d] = w->v[d * w->stride + body[1]] - w->v[d * w->stride + body[0]];
    }
    const double r2 = dot(x, x), r = sqrt(r2);
    if (!(r < inner && mu > 0))
        return false;
    const double inverse = 2 / r - dot(v, v) / mu; /* 1 / semi-major axis */
    /* The apocentre distance is below 2 a (a: semi-major axis). So it can exceed `inner` only if 2 a exceeds
     * `inner`. */
    if (inverse > 0 && 2 > inner * inverse)
        return false;
    nb_kepler_advance(mu, h, x, v, dx, dv);
    for (int d = 0; d < 3; d++)
        end[d] = x[d] + dx[d];
    if (!(dot(end, end) < inner * inner))
        return false;
    if (w->watch)
        nb_p3t_touch_on_orbit(w->watch, body, mu, h, x, v);
    for (uint64_t d = 0; d < 3; d++) {
        double *const x0 = &w->x[d * w->stride + body[0]], *const x1 = &w->x[d * w->stride + body[1]];
        double *const v0 = &w->v[d * w->stride + body[0]], *const v1 = &w->v[d * w->stride + body[1]];
        const double move = h * (gm[0] / mu * *v0 + gm[1] / mu * *v1);
        *x0 += move - gm[1] / mu * dx[d];
        *x1 += move + gm[0] / mu * dx[d];
        *v0 -= gm[1] / mu * dv[d];
        *v1 += gm[0] / mu * dv[d];
    }
    return true;
}

/* Moves a few bodies by nb_smooth_drift. Returns false if bodies come too close to each other. */
static bool drift_smooth(const struct nb_p3t *w, uint32_t count, const uint32_t *body, double h)
{
    struct nb_smooth s = {.n = count};
    for (uint32_t q = 0; q < count; q++) {
        s.gm[q] = w->gm[body[q]];
        s.radius[q] = w->watch ? w->watch->radius[body[q]] : 0;
        for (uint64_t d = 0; d < 3; d++) {
            s.x[q][d] = w->x[d * w->stride + body[q]];
            s.v[q][d] = w->v[d * w->stride + body[q]];
        }
    }
    if (!nb_smooth_drift(&s, &w->smooth, w->split, h))
        return false;
    for (uint32_t q = 0; q < count; q++)
        for (uint64_t d = 0; d < 3; d++) {
            w->x[d * w->stride + body[q]] = s.x[q][d];
            w->v[d * w->stride + body[q]] = s.v[q][d];
        }
    return true;
}

static int drift_part(struct nb_p3t *w, const struct nb_components *parts, uint32_t k, double h)
{
    const uint32_t *body = parts->body + parts->begin[k], count = parts->begin[k + 1] - parts->begin[k];
    if ((count == 2 && drift_orbit(w, body, h)) || (count <= NB_SMOOTH_MOST && drift_smooth(w, count, body, h)))
        return 0;
    return drift_cluster(w, &w->worker[omp_get_thread_num()], count, body, h);
}

/* ---- all bodies ---- */

static void drift_straight(struct nb_p3t *w, const struct nb_components *parts, uint64_t i, double h)
{
    for (uint64_t d = 0; d < 3 && !parts->size[parts->root[i]]; d++)
        w->x[d * w->stride + i] += h * w->v[d * w->stride + i];
}

static bool goes_with_heavy(const struct nb_p3t *w, uint64_t i)
{
    return w->heavy.some > 0 && w->heavy.in[i];
}

/* Returns whether component k must be moved now. `heavy`: true to move only components with heavy bodies, false to move
 * only components without heavy bodies. `large`: true to move only components with at least LARGE bodies, false to move
 * only smaller components. */
static bool is_next(const struct nb_p3t *w, const struct nb_components *parts, uint32_t k, bool heavy, bool large)
{
    return (parts->begin[k + 1] - parts->begin[k] >= LARGE) == large &&
           goes_with_heavy(w, parts->body[parts->begin[k]]) == heavy;
}

/* Moves the components with heavy bodies if `heavy` is true, otherwise the components without heavy bodies. */
static int drift_parts(struct nb_p3t *w, const struct nb_components *parts, double h, bool heavy)
{
    /* copy of the error message of a thread that failed; nb_error() is thread-local */
    char why[NB_ERROR_MAX] = "";
    for (uint32_t k = 0; k < parts->count; k++)
        if (is_next(w, parts, k, heavy, true) && drift_part(w, parts, k, h))
            return -1;
#pragma omp parallel for schedule(dynamic, 8) if (parts->count > 8)
    for (uint32_t k = 0; k < parts->count; k++)
        if (is_next(w, parts, k, heavy, false) && drift_part(w, parts, k, h))
#pragma omp critical
            snprintf(why, sizeof why, "%s", nb_error());
    return why[0] ? nb_fail("%s", why) : 0;
}

/* Moves the heavy bodies and all other bodies of their components. */
static int drift_heavy(struct nb_p3t *w, const struct nb_components *parts, double h)
{
    for (uint64_t k = 0; k < w->heavy.some; k++)
        drift_straight(w, parts, w->heavy.with[k], h);
    return drift_parts(w, parts, h, true);
}

/* Moves all bodies that are neither heavy nor in a component with a heavy body. */
static int drift_light(struct nb_p3t *w, const struct nb_components *parts, double h)
{
#pragma omp parallel for schedule(static) if (w->n > 1u << 14)
    for (uint64_t i = 0; i < w->n; i++)
        if (!goes_with_heavy(w, i))
            drift_straight(w, parts, i, h);
    return drift_parts(w, parts, h, false);
}

static void kick_heavy(struct nb_p3t *w, double h)
{
    nb_heavy_kick(&w->heavy, w->stride, w->x, w->v, w->gm, w->split, h);
}

/* Moves heavy bodies and their components for the time h, in HEAVY equal parts. Before, between and after the parts,
 * the far forces between these bodies are applied as kicks. The caller's kicks for h/2, before and after the step,
 * contain these forces too. Therefore h/2 is subtracted from the first and from the last kick. */
static int drift_heavy_in_parts(struct nb_p3t *w, const struct nb_components *parts, double h)
{
    struct nb_touch_watch *const all = w->watch;
    const double part = h / HEAVY;
    int failed = 0;
    kick_heavy(w, part / 2 - h / 2);
    for (int k = 0; k < HEAVY && !failed; k++) {
        struct nb_touch_watch here;
        if (all) {
            here = *all;
            here.found = false;
            w->watch = &here;
        }
        failed = drift_heavy(w, parts, part);
        w->watch = all;
        if (all && here.found) {
            nb_touch_note(all, here.first.i, here.first.j, here.first.after + (nb_quad)part * k);
            return failed;
        }
        kick_heavy(w, k < HEAVY - 1 ? part : part / 2 - h / 2);
    }
    return failed;
}

int nb_p3t_drift(struct nb_p3t *w, const struct nb_components *parts, double h)
{
    if (open_workers(w) || nb_heavy_gather(&w->heavy, parts) || drift_light(w, parts, h))
        return -1;
    return w->heavy.some > 0 ? drift_heavy_in_parts(w, parts, h) : 0;
}
