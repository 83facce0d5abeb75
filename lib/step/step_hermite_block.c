/* step_hermite_block.c - Hermite scheme of order 4 with individual steps, base / 2^k (Makino 1991, Publ. Astron. Soc.
 * Japan 43, 859).
 *
 * A body whose step ends is called due. At each time at which bodies are due, all bodies are predicted, and
 * acceleration and jerk are computed for the due bodies only. Aarseth's criterion (step_aarseth.h) gives the next steps
 * of the due bodies. A step can become shorter at any time. It can double only at multiples of the doubled step.
 *
 * The base step is at most the longest step that the criterion gives for any body. All bodies are due at its end. With
 * step-size control, a base step also ends after a maximum number of times at which bodies were due (TIMES). */
#include "step/scheme.h"

#include "base/error.h"
#include "device/timing.h"
#include "step/step_aarseth.h"
#include "step/step_touch.h"

#include <math.h>

enum { A, J, PREDICTED_X, PREDICTED_V, FIELD_A, FIELD_J, VECTORS };

#define WHOLE ((uint64_t)1 << NB_OWN_PARTS) /* (base step) / (shortest possible step) */
/* With step-size control, a base step of n bodies ends after at most max(n / 2, TIMES) different times at which bodies
 * were due. */
#define TIMES 1024

struct block {
    double longest;         /* longest time scale of a body; first member, because step_aarseth.c reads it there */
    void *d_step, *d_begun; /* for each body: size of its step, and time at which the step begins (nb_own_hermite).
                               Between base steps d_step contains the bodies' time scales instead */
    uint32_t *d_index;      /* indices of the due bodies */
    /* accelerations and jerks of all due bodies; each device of a group of devices has a copy */
    void *d_field_a, *d_field_j;
    /* p->evaluations increases by 1 for every n accelerations computed. kicks: number of accelerations that
     * p->evaluations does not include yet, less than n */
    uint64_t kicks;
    /* force that can advance bodies through many steps in one call (nb_force_own); NULL if no force can */
    const struct nb_opened_force *force;
};

static int task(struct nb_stepper *p, struct nb_own_hermite *own, enum nb_own_task what, double range[2])
{
    const struct nb_state *s = p->state;
    own->task = what;
    nb_timing_stage(s->device, "bodies' own steps");
    return nb_device_hermite_own(s->device, s->precision, own, range);
}

/* Sets *least to a small fraction of the largest acceleration of all bodies. When time scales are computed, *least
 * replaces smaller accelerations. Otherwise the time scale of a body with nearly no acceleration would depend on
 * the rounding errors of its derivatives, which increase when steps become shorter. */
static int least_acceleration(struct nb_stepper *p, double *least)
{
    double largest;
    if (nb_step_combine(p, 0, NULL, 1, &(struct nb_combination){.base = p->vectors[A]}, &largest))
        return -1;
    *least = fmin(1e5 * nb_step_force_epsilon(p->state->precision), 3e-3) * largest;
    return 0;
}

/* Returns arguments of nb_device_hermite_own for a base step. Only members that are the same for all tasks are set. */
static struct nb_own_hermite tasks_of(const struct nb_stepper *p, nb_quad h, double eta)
{
    const struct nb_state *s = p->state;
    const struct block *w = p->memory;
    return (struct nb_own_hermite){
        .n = s->n,
        .stride = s->stride,
        .field_stride = s->stride,
        .d_x = s->x,
        .d_v = s->v,
        .d_a = p->vectors[A],
        .d_j = p->vectors[J],
        .d_begun = w->d_begun,
        .d_step = w->d_step,
        .d_px = p->vectors[PREDICTED_X],
        .d_pv = p->vectors[PREDICTED_V],
        .base = (double)h,
        .longest = 1,
        .eta = eta,
    };
}

/* Computes the initial time scales from acceleration, jerk and snap. */
static int start(struct nb_stepper *p)
{
    struct block *w = p->memory;
    void *const *v = p->vectors;
    struct nb_own_hermite own = tasks_of(p, 1, 1);
    double range[2];
    own.d_field_a = v[PREDICTED_X];
    if (nb_step_evaluate_snap(p, p->state->x, p->state->v, p->state->a, v[A], v[J], v[PREDICTED_X]) ||
        least_acceleration(p, &own.least) || task(p, &own, NB_OWN_START, range))
        return -1;
    w->longest = range[1];
    return 0;
}

static int begin(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    const char *why = nb_scheme_refuse_state(p->scheme, s->device, s->precision, 0);
    const size_t size_bytes = 3 * s->stride * nb_precision_size(s->precision);
    if (why)
        return nb_fail("%s: %s", p->scheme->name, why);
    struct block *w = nb_step_memory(p, sizeof *w);
    if (w)
        w->force = nb_force_set_own(p->forces, s->precision, s->n);
    if (!w || nb_step_vectors(p, A, VECTORS) || !(w->d_step = nb_state_row(s)) || !(w->d_begun = nb_state_row(s)) ||
        !(w->d_index = nb_device_alloc(s->device, s->n * sizeof *w->d_index)) ||
        !(w->d_field_a = nb_device_alloc(s->device, size_bytes)) ||
        !(w->d_field_j = nb_device_alloc(s->device, size_bytes)))
        return -1;
    return start(p);
}

static void end(struct nb_stepper *p)
{
    struct block *w = p->memory;
    void *const all[] = {w->d_step, w->d_begun, w->d_index, w->d_field_a, w->d_field_j};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        nb_device_free(p->state->device, all[k]);
}

/* Evaluates acceleration and jerk of all bodies, or only of the `count` due bodies, at their predicted positions. */
static int evaluate(struct nb_stepper *p, struct nb_own_hermite *own, uint64_t count)
{
    struct block *w = p->memory;
    void *const *v = p->vectors;
    const bool all = count == p->state->n;
    own->count = count;
    own->d_index = all ? NULL : w->d_index;
    own->d_field_a = all ? v[FIELD_A] : w->d_field_a;
    own->d_field_j = all ? v[FIELD_J] : w->d_field_j;
    return all ? nb_step_evaluate(p, v[PREDICTED_X], v[PREDICTED_V], v[FIELD_A], v[FIELD_J])
               : nb_step_evaluate_due(p, p->state->m, v[PREDICTED_X], v[PREDICTED_V], count, w->d_index,
                                      p->state->stride, w->d_field_a, w->d_field_j, &w->kicks);
}

/* Advances *done and own->now by the shortest step, to the next time at which bodies are due. Predicts all bodies at
 * this time. shortest: (shortest step) / (base step). */
static int predict(struct nb_stepper *p, struct nb_own_hermite *own, uint64_t *done, double shortest)
{
    double none[2];
    *done += (uint64_t)ldexp(shortest, NB_OWN_PARTS);
    own->now = ldexp((double)*done, -NB_OWN_PARTS);
    return task(p, own, NB_OWN_PREDICT, none);
}

/* Calls the force w->force, which advances all bodies through at most `most` times at which bodies are due. Adds the
 * number of these times to *times. Updates *done and *shortest. If *moved is true on return, all bodies are
 * predicted at the time *done, but the bodies whose steps end then are not corrected yet: the caller must correct
 * them. */
static int go_through(struct nb_stepper *p, struct nb_own_hermite *own, uint64_t *done, uint64_t most, double *shortest,
                      uint64_t *times, bool *moved, double *clock)
{
    const struct nb_state *s = p->state;
    struct block *w = p->memory;
    struct nb_sources from = nb_sources_of(s, p->G, p->softening);
    struct nb_own_run run = {
        .whole = WHOLE, .done = *done, .shortest = (uint64_t)ldexp(*shortest, NB_OWN_PARTS), .most = most};
    from.x = own->d_px, from.v = own->d_pv;
    own->task = NB_OWN_CORRECT;
    nb_timing_stage(s->device, "bodies' own steps");
    if (w->force->entry->own->hermite(s->device, w->force->work, &from, own, &run))
        return -1;
    nb_step_note_run(p, &run, &w->kicks, clock);
    *done = run.done;
    own->now = ldexp((double)*done, -NB_OWN_PARTS);
    *shortest = ldexp((double)run.shortest, -NB_OWN_PARTS);
    *times += run.times;
    *moved = run.moved;
    return 0;
}

/* Looks for contacts in the steps of the `count` due bodies, which end at the predicted positions. */
static int look(struct nb_stepper *p, const struct nb_own_hermite *own, uint64_t count)
{
    const struct block *w = p->memory;
    const struct nb_touch_due due = {.d_x = p->vectors[PREDICTED_X],
                                     .d_v = p->vectors[PREDICTED_V],
                                     .d_length = w->d_begun,
                                     .count = count,
                                     .d_index = own->ends ? NULL : w->d_index,
                                     .now = (nb_quad)own->now * (nb_quad)own->base,
                                     .unit = own->base,
                                     .begun = true};
    return p->watch ? nb_touch_look(p, &due) : 0;
}

static bool is_touched(const struct nb_stepper *p)
{
    return p->watch && p->watch->found;
}

/* Advances the bodies to the next time at which bodies are due. If w->force is set, the force may advance them through
 * several such times. When *times reaches `most`, the steps of all bodies end.
 * - *done: time since the beginning of the base step, in units of base step / WHOLE
 * - *times: number of times at which bodies were due so far
 * - range: set to the sizes of the shortest and of the longest step that begins now. At the end of the base step, no
 *   steps begin; range is then set to the shortest and the longest time scale */
static int advance(struct nb_stepper *p, struct nb_own_hermite *own, uint64_t *done, uint64_t most, uint64_t *times,
                   double range[2], double *clock)
{
    const struct block *w = p->memory;
    const bool alone = w->force && !p->watch && *times + 1 < most;
    bool moved = true;
    uint64_t count;
    if (alone ? go_through(p, own, done, most - *times - 1, &range[0], times, &moved, clock)
              : predict(p, own, done, range[0]))
        return -1;
    if (!moved)
        return 0;
    ++*times;
    own->longest = ldexp((double)(*done & -*done), -NB_OWN_PARTS);
    own->ends = *times >= most || *done == WHOLE;
    if (nb_step_find_due(p, w->d_step, own->ends ? INFINITY : own->longest, w->d_index, &count) || look(p, own, count))
        return -1;
    if (is_touched(p))
        return 0;
    if (evaluate(p, own, count) || task(p, own, NB_OWN_CORRECT, range))
        return -1;
    nb_step_note_rung(p, own->ends ? 0 : (int)-log2(own->longest), count, clock);
    return 0;
}

static int base_step(struct nb_stepper *p, nb_quad h, double tolerance, bool cuts, uint64_t *done, double *least)
{
    struct block *w = p->memory;
    const uint64_t most = p->state->n / 2 > TIMES ? p->state->n / 2 : TIMES;
    const double eta = nb_aarseth_eta(p, tolerance);
    struct nb_own_hermite own = tasks_of(p, h, eta);
    double range[2], clock;
    *done = 0;
    if (least_acceleration(p, &own.least) || task(p, &own, NB_OWN_OPEN, range))
        return -1;
    nb_step_note_rung(p, 0, 0, &clock);
    for (uint64_t times = 0; *done < WHOLE && !own.ends && !is_touched(p);)
        if (advance(p, &own, done, cuts ? most : UINT64_MAX, &times, range, &clock))
            return -1;
    p->stale = true;
    if (is_touched(p)) {
        *done = WHOLE; /* a contact was found: the base step ends early, with an invalid state */
        *least = INFINITY;
        return 0;
    }
    w->longest = range[1];
    *least = eta * range[0];
    return 0;
}

/* Implements nb_family.own. Called between base steps, when d_step contains the time scales of the bodies. Copies these
 * to `to`. Sets *factor to eta, because a body's step is at most eta times its time scale. */
static int own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to, double *factor)
{
    const struct block *w = p->memory;
    (void)h;
    *factor = nb_aarseth_eta(p, tolerance > 0 ? tolerance : p->scheme->usual_tolerance);
    return nb_state_fetch(p->state, w->d_step, to);
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct block *w = p->memory;
    return nb_step_pack_vectors(p, k, A, J + 1) || nb_state_pack_row(p->state, k, w->d_step) ||
                   nb_pack_bytes(k, &w->longest, sizeof w->longest) || nb_pack_unsigned(k, &w->kicks, UINT64_MAX)
               ? -1
               : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme, (void)adaptive, (void)velocity;
    return VECTORS + 3; /* d_field_a, d_field_j, and one vector for d_step, d_begun and d_index together */
}

const struct nb_family nb_family_hermite_block = {.looks = true,
                                                  .vectors = vectors,
                                                  .begin = begin,
                                                  .steps = nb_aarseth_own_steps,
                                                  .base = base_step,
                                                  .attempt = nb_aarseth_own_attempt,
                                                  .first = nb_aarseth_own_first,
                                                  .own = own,
                                                  .carry = carry,
                                                  .carried = 3,
                                                  .end = end};
