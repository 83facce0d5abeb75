/* step_ahmad_cohen.c - Hermite scheme with neighbours (force/neighbours.h; Ahmad & Cohen 1973, J. Comput. Phys. 12,
 * 389; Makino & Aarseth 1992, Publ. Astron. Soc. Japan 44, 141).
 *
 * Each body has two step sizes, each of them the base step divided by a power of 2:
 *   - Irregular step: ends with the computation of the irregular acceleration (by the body's neighbours). Its size is
 *     given by Aarseth's criterion with the total acceleration, as in step_hermite_block.c.
 *   - Regular step: ends with the computation of the irregular and the regular acceleration (by all other bodies). Its
 *     size is given by Aarseth's criterion with the regular acceleration.
 *
 * All steps end together at the end of a base step. The base step is at most the longest irregular step that the
 * criterion gives for a body. With step-size control, a base step ends early if it would take too long (TIMES).
 * Additional steps then bring all bodies to the same time. */
#include "step/scheme.h"

#include "base/error.h"
#include "device/timing.h"
#include "step/step_aarseth.h"

#include <math.h>
#include <stdlib.h>

enum { A, J, REGULAR_A, REGULAR_J, REGULAR_S, REGULAR_C, PREDICTED_X, PREDICTED_V, VECTORS };

#define WHOLE ((uint64_t)1 << NB_OWN_PARTS) /* (base step) / (shortest possible step) */
#define SHARE 0.7                           /* (eta of regular steps) / (eta of irregular steps) */
/* With step-size control, a base step of n bodies ends early when steps have ended at max(4 n, TIMES) different
 * times. */
#define TIMES 4096

/* Upper bounds of the memory that the scheme needs, in units of one vector of the state. MEMORY: work space of a base
 * step (neighbours_run.h). LISTS: neighbour lists for the largest default number of neighbours. */
#define MEMORY 23
#define LISTS  88

struct parts {
    double longest; /* longest time scale of a body; first member, because step_aarseth.c reads it there */
    struct nb_neighbours w;
    uint64_t pairs; /* evaluated pairs of bodies that `kicks` does not include yet; n pairs are one force on a body */
    uint64_t kicks; /* forces on single bodies that p->evaluations does not include yet; n forces are one evaluation */
    const struct nb_opened_force *force;
};

/* Returns the default number of neighbours for n bodies. With this number, the simulation of a Plummer sphere takes the
 * least time (bench/README.md). */
static uint32_t usual_neighbours(uint64_t n)
{
    return (uint32_t)fmin(256, 8 + sqrt((double)n) / 2);
}

/* Sets *least to an estimate of the rounding errors in accelerations. For time scales, an acceleration below *least is
 * replaced by *least (step_hermite_block.c). */
static int least_acceleration(struct nb_stepper *p, double *least)
{
    double largest;
    if (nb_step_combine(p, 0, NULL, 1, &(struct nb_combination){.base = p->vectors[A]}, &largest))
        return -1;
    *least = fmin(1e5 * nb_step_force_epsilon(p->state->precision), 3e-3) * largest;
    return 0;
}

static struct nb_sources sources(const struct nb_stepper *p, const void *d_x, const void *d_v)
{
    struct nb_sources s = nb_sources_of(p->state, p->G, p->softening);
    s.x = d_x, s.v = d_v;
    return s;
}

/* Computes the bodies' initial time scales from acceleration, jerk and snap. Regular and irregular steps have the same
 * initial time scales. Then finds the neighbour lists. */
static int start(struct nb_stepper *p)
{
    struct parts *w = p->memory;
    void *const *v = p->vectors;
    const struct nb_state *s = p->state;
    struct nb_own_hermite own = w->w.own;
    const struct nb_sources from = sources(p, s->x, s->v);
    double range[2];
    own.task = NB_OWN_START;
    own.d_field_a = v[PREDICTED_X];
    if (nb_step_evaluate_snap(p, s->x, s->v, s->a, v[A], v[J], v[PREDICTED_X]) || least_acceleration(p, &own.least) ||
        nb_device_hermite_own(s->device, s->precision, &own, range))
        return -1;
    own.d_step = w->w.d_regular_step;
    w->longest = range[1];
    return nb_device_hermite_own(s->device, s->precision, &own, range) ||
                   w->force->entry->neighbours->start(s->device, w->force->work, &from, &w->w)
               ? -1
               : 0;
}

static int allocate(struct nb_stepper *p)
{
    struct parts *w = p->memory;
    struct nb_device *d = p->state->device;
    const uint64_t n = p->state->n;
    if (nb_step_vectors(p, A, VECTORS) || !(w->w.own.d_step = nb_state_row(p->state)) ||
        !(w->w.own.d_begun = nb_state_row(p->state)) || !(w->w.d_regular_step = nb_state_row(p->state)) ||
        !(w->w.d_reach2 = nb_state_row(p->state)) || !(w->w.d_count = nb_device_alloc(d, n * sizeof *w->w.d_count)) ||
        !(w->w.d_list = nb_device_alloc(d, n * w->w.most * sizeof *w->w.d_list)))
        return -1;
    for (int k = 0; k < 4; k++)
        w->w.d_regular[k] = p->vectors[REGULAR_A + k];
    return 0;
}

static int begin(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    const char *why = nb_scheme_refuse_state(p->scheme, s->device, s->precision, 0);
    if (why)
        return nb_fail("%s: %s", p->scheme->name, why);
    struct parts *w = nb_step_memory(p, sizeof *w);
    if (!w)
        return -1;
    w->force = nb_force_set_neighbours(p->forces);
    if (!w->force)
        return nb_fail("%s needs direct summation on the CPU or a CUDA device", p->scheme->name);
    w->w.wanted = p->own.neighbours > 0 ? (uint32_t)p->own.neighbours : usual_neighbours(s->n);
    w->w.most = 2 * w->w.wanted + 14;
    if (allocate(p))
        return -1;
    w->w.own = (struct nb_own_hermite){.n = s->n,
                                       .stride = s->stride,
                                       .d_x = s->x,
                                       .d_v = s->v,
                                       .d_a = p->vectors[A],
                                       .d_j = p->vectors[J],
                                       .d_begun = w->w.own.d_begun,
                                       .d_step = w->w.own.d_step,
                                       .d_px = p->vectors[PREDICTED_X],
                                       .d_pv = p->vectors[PREDICTED_V],
                                       .base = 1,
                                       .longest = 1,
                                       .eta = 1};
    return start(p);
}

static void end(struct nb_stepper *p)
{
    struct parts *w = p->memory;
    void *const all[] = {w->w.own.d_step, w->w.own.d_begun, w->w.d_regular_step,
                         w->w.d_reach2,   w->w.d_count,     w->w.d_list};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        nb_device_free(p->state->device, all[k]);
}

/* Adds the evaluations of the base step to the counts of p. n evaluated pairs count as the evaluation of one body
 * (n: number of bodies). Pairs left over remain in w->pairs for the next base step. */
static void count_pairs(struct nb_stepper *p, struct nb_own_run *run)
{
    struct parts *w = p->memory;
    double clock;
    w->pairs += w->w.pairs;
    run->steps = w->pairs / p->state->n;
    w->pairs %= p->state->n;
    w->w.pairs = 0;
    nb_step_note_run(p, run, &w->kicks, &clock);
}

static int base_step(struct nb_stepper *p, nb_quad h, double tolerance, bool cuts, uint64_t *done, double *least)
{
    const struct nb_state *s = p->state;
    struct parts *w = p->memory;
    const uint64_t most = 4 * s->n > TIMES ? 4 * s->n : TIMES;
    const struct nb_sources from = sources(p, p->vectors[PREDICTED_X], p->vectors[PREDICTED_V]);
    struct nb_own_run run = {.whole = WHOLE, .most = cuts ? most : UINT64_MAX};
    double range[2];
    w->w.own.base = (double)h;
    w->w.own.eta = nb_aarseth_eta(p, tolerance);
    w->w.regular_eta = SHARE * w->w.own.eta;
    if (least_acceleration(p, &w->w.own.least))
        return -1;
    nb_timing_stage(s->device, "bodies' own steps");
    if (w->force->entry->neighbours->step(s->device, w->force->work, &from, &w->w, &run, range))
        return -1;
    count_pairs(p, &run);
    p->stale = true;
    w->longest = range[1];
    *least = range[0];
    *done = run.done;
    return 0;
}

/* Implements nb_family.own. Copies the time scales of the bodies to `to`. Between base steps, d_step contains these
 * time scales. Sets *factor to eta, because a body's step is at most eta times its time scale. */
static int own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to, double *factor)
{
    const struct parts *w = p->memory;
    (void)h;
    *factor = nb_aarseth_eta(p, tolerance > 0 ? tolerance : p->scheme->usual_tolerance);
    return nb_state_fetch(p->state, w->w.own.d_step, to);
}

/* Checks the neighbour list of body i, loaded from a checkpoint: it must contain ascending indices of other bodies. */
static int check_list(const struct nb_stepper *p, uint64_t i, uint32_t count, const uint32_t *list)
{
    for (uint32_t j = 0; j < count; j++)
        if (list[j] >= p->state->n || list[j] == i || (j > 0 && list[j] <= list[j - 1]))
            return nb_fail("contains an invalid list of neighbours");
    return 0;
}

/* Saves or loads the neighbour lists of bodies i0 to i0 + many - 1. rows: host memory for these lists; each list has
 * room for w->most entries. */
static int pack_rows(struct nb_stepper *p, struct nb_pack *k, uint64_t i0, uint64_t many, const uint32_t *count,
                     uint32_t *rows)
{
    const struct nb_neighbours *w = &((struct parts *)p->memory)->w;
    uint32_t *d_rows = w->d_list + i0 * w->most;
    const size_t size_bytes = many * w->most * sizeof *rows;
    if (k->way == NB_PACK_SAVE && nb_device_from(p->state->device, rows, d_rows, size_bytes))
        return -1;
    for (uint64_t i = 0; i < many; i++) {
        uint32_t *list = rows + i * w->most;
        if (count[i0 + i] > w->most)
            return nb_fail("contains a list of neighbours that is too long");
        if (nb_pack_bytes(k, list, count[i0 + i] * sizeof *list) ||
            (k->way == NB_PACK_LOAD && check_list(p, i0 + i, count[i0 + i], list)))
            return -1;
    }
    return k->way == NB_PACK_LOAD ? nb_device_to(p->state->device, d_rows, rows, size_bytes) : 0;
}

/* Saves or loads the used entries of all neighbour lists, in batches of about a mebibyte of host memory. */
static int pack_lists(struct nb_stepper *p, struct nb_pack *k)
{
    const struct nb_neighbours *w = &((struct parts *)p->memory)->w;
    const uint64_t n = p->state->n, at_once = 1 + 262144 / w->most;
    const size_t size_bytes = n * sizeof *w->d_count;
    uint32_t *count = malloc(size_bytes), *rows = calloc(at_once * w->most, sizeof *rows);
    int status = count && rows ? 0 : nb_fail("no memory for lists of neighbours");
    if (status == 0)
        status = nb_device_pack(p->state->device, k, w->d_count, size_bytes);
    if (status == 0)
        status = nb_device_from(p->state->device, count, w->d_count, size_bytes);
    for (uint64_t i = 0; i < n && status == 0; i += at_once)
        status = pack_rows(p, k, i, n - i < at_once ? n - i : at_once, count, rows);
    free(count);
    free(rows);
    return status;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct parts *w = p->memory;
    uint64_t wanted = w->w.wanted;
    if (nb_pack_unsigned(k, &wanted, UINT32_MAX))
        return -1;
    if (wanted != w->w.wanted)
        return nb_fail("was saved with %g neighbours per body, but this run asks for %u (--neighbours)", (double)wanted,
                       w->w.wanted);
    return nb_step_pack_vectors(p, k, A, REGULAR_C + 1) || nb_state_pack_row(p->state, k, w->w.own.d_step) ||
                   nb_state_pack_row(p->state, k, w->w.d_regular_step) ||
                   nb_state_pack_row(p->state, k, w->w.d_reach2) || pack_lists(p, k) ||
                   nb_pack_bytes(k, &w->longest, sizeof w->longest) || nb_pack_unsigned(k, &w->pairs, UINT64_MAX) ||
                   nb_pack_unsigned(k, &w->kicks, UINT64_MAX)
               ? -1
               : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme, (void)adaptive, (void)velocity;
    return VECTORS + 2 + MEMORY + LISTS;
}

const struct nb_family nb_family_ahmad_cohen = {.vectors = vectors,
                                                .begin = begin,
                                                .steps = nb_aarseth_own_steps,
                                                .base = base_step,
                                                .attempt = nb_aarseth_own_attempt,
                                                .first = nb_aarseth_own_first,
                                                .own = own,
                                                .carry = carry,
                                                .carried = PREDICTED_X + 1 + LISTS,
                                                .end = end};
