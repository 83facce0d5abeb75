/* step_block.c - leapfrog (kick-drift-kick) in which each body has its own step size h = base / 2^k (Springel 2005,
 * Mon. Not. R. Astron. Soc. 364, 1105).
 *
 * - All bodies drift together by the shortest of their steps, so that forces are computed from positions at one time.
 * - Bodies whose step ends at the new time are called due. Due bodies are kicked and choose a new step
 *   (nb_device_kick_own). The new step may be longer only if the time is a multiple of the new step.
 * - At the end of a base step, all bodies are due.
 *
 * A step is at most the least of three limits. a: acceleration; j: jerk; m: mass; eps: softening length.
 *     eta (eps / |a|)^(1/2)           the acceleration moves the body by at most eta^2/2 softening lengths
 *     2 eta (eps / |j|)^(1/3)         for positions where a is 0 and changes fast, as in a core
 *     eta (eps^3 / (0.385 G m))^(1/2) the first limit, for the largest acceleration that this body can cause in another
 *                                     body: 0.385 G m / eps^2, at the distance eps/sqrt(2)
 *
 * The last limit shortens the steps of heavy bodies, which accelerate little. Without it, a heavy body would be kicked
 * too rarely, and would attract passing bodies from an inaccurate position. */
#include "step/scheme.h"

#include "device/timing.h"
#include "step/step_touch.h"

#include <math.h>

struct block {
    void *d_step;      /* step of each body (device memory) */
    uint32_t *d_index; /* indices of the due bodies */
    void *d_field;     /* accelerations of all due bodies; each device of a group of devices has a copy */
    double least;      /* shortest step of all bodies */
    /* force that can advance bodies through many steps in one call (nb_force_own); NULL if no force can */
    const struct nb_opened_force *force;
    nb_quad begin; /* time at the beginning of the base step */
    /* number of forces on single bodies that p->evaluations does not include yet; n forces are one evaluation */
    uint64_t kicks;
};

static int begin(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    struct block *w = nb_step_memory(p, sizeof *w);
    if (!w)
        return -1;
    w->d_step = nb_state_row(s);
    w->d_index = nb_device_alloc(s->device, s->n * sizeof *w->d_index);
    w->d_field = nb_device_alloc(s->device, 3 * s->stride * nb_precision_size(s->precision));
    w->force = nb_force_set_own(p->forces, s->precision, s->n);
    return nb_step_vectors(p, 0, 1) == 0 && w->d_step && w->d_index && w->d_field ? 0 : -1;
}

static void end(struct nb_stepper *p)
{
    struct block *w = p->memory;
    nb_device_free(p->state->device, w->d_step);
    nb_device_free(p->state->device, w->d_index);
    nb_device_free(p->state->device, w->d_field);
}

/* Returns the arguments of a kick of all bodies. The caller sets the members that differ from kick to kick. */
static struct nb_own_kick kick_of(const struct nb_stepper *p, nb_quad h)
{
    const struct nb_state *s = p->state;
    const struct block *w = p->memory;
    return (struct nb_own_kick){
        .n = s->n,
        .stride = s->stride,
        .field_stride = s->stride,
        .d_m = s->m,
        .d_a = s->a,
        .d_v = s->v,
        .d_step = w->d_step,
        .close = true,
        .open = true,
        .backwards = h < 0,
        .shortest = ldexp((double)nb_quad_abs(h), -p->own.most_rungs),
        .of_acceleration = p->own.eta * sqrt(p->softening),
        .of_jerk = 2 * p->own.eta * cbrt(p->softening),
        .of_mass = p->own.eta * sqrt(p->softening * p->softening * p->softening / (0.385 * p->G)),
    };
}

/* Kicks the `count` due bodies, or all bodies if count is n. If `close` is true, this kick ends their steps. If `open`
 * is true, it begins their next steps, which are at most `longest` (nb_own_kick). h: size of the base step. */
static int kick(struct nb_stepper *p, nb_quad h, uint64_t count, double longest, bool close, bool open)
{
    const struct nb_state *s = p->state;
    struct block *w = p->memory;
    struct nb_own_kick own = kick_of(p, h);
    own.count = count;
    own.d_index = count < s->n ? w->d_index : NULL;
    own.d_field = count < s->n ? w->d_field : close ? p->vectors[0] : NULL;
    own.close = close, own.open = open;
    own.longest = longest;
    nb_timing_stage(s->device, "kick and drift");
    /* The kick sets w->least to the shortest step of the kicked bodies. This is also the shortest step of all bodies,
     * because bodies with the shortest step are always due. */
    return nb_device_kick_own(s->device, s->precision, &own, &w->least);
}

static int evaluate(struct nb_stepper *p, uint64_t count)
{
    const struct nb_state *s = p->state;
    struct block *w = p->memory;
    if (count == s->n)
        return nb_step_evaluate(p, s->x, s->v, p->vectors[0], NULL);
    return nb_step_evaluate_due(p, s->m, s->x, s->v, count, w->d_index, s->stride, w->d_field, NULL, &w->kicks);
}

/* Drifts all bodies to the next time at which steps end. Increases *done, the time since the beginning of the base step
 * in units of the shortest possible step. */
static int drift(struct nb_stepper *p, nb_quad h, uint64_t *done)
{
    const struct block *w = p->memory;
    const int rung = (int)lround(log2((double)nb_quad_abs(h) / w->least)); /* rounded, because steps are inexact in
                                                                              single precision */
    *done += (uint64_t)1 << (p->own.most_rungs - rung);
    return nb_step_kick_drift(p, 0, 0, ldexp((double)h, -rung));
}

/* Calls the force w->force, which advances all bodies to the next time at which steps end, or past several such
 * times (nb_force_own). Increases *done, the time since the beginning of the base step, and updates w->least. If
 * *moved is true on return, all bodies have drifted to the time *done, but the bodies whose steps end then are not
 * kicked yet: the caller must kick them. */
static int go_through(struct nb_stepper *p, nb_quad h, uint64_t *done, bool *moved, double *clock)
{
    const struct nb_state *s = p->state;
    struct block *w = p->memory;
    const double part = ldexp((double)h, -p->own.most_rungs);
    const struct nb_sources from = nb_sources_of(s, p->G, p->softening);
    const struct nb_own_kick own = kick_of(p, h);
    struct nb_own_run run = {.whole = (uint64_t)1 << p->own.most_rungs,
                             .done = *done,
                             .shortest = (uint64_t)llround(w->least / fabs(part)),
                             .most = UINT64_MAX};
    nb_timing_stage(s->device, "bodies' own steps");
    if (w->force->entry->own->kick(s->device, w->force->work, s->precision, &from, &own, part, &run))
        return -1;
    nb_step_note_run(p, &run, &w->kicks, clock);
    *done = run.done;
    *moved = run.moved;
    w->least = fabs(part) * (double)run.shortest;
    return 0;
}

/* Looks for contacts in the steps of the `count` due bodies, or in the steps of all bodies if `all` is true. All bodies
 * move on straight lines in these steps. h: size of the base step. The steps end at the time share * h after the
 * beginning of the base step. */
static int look(struct nb_stepper *p, nb_quad h, double share, uint64_t count, bool all)
{
    const struct block *w = p->memory;
    const struct nb_state *s = p->state;
    const struct nb_touch_due due = {.d_x = s->x,
                                     .d_v = s->v,
                                     .d_length = w->d_step,
                                     .count = count,
                                     .d_index = all ? NULL : w->d_index,
                                     .now = h * (nb_quad)share,
                                     .unit = h < 0 ? -1 : 1,
                                     .straight = true};
    return p->watch ? nb_touch_look(p, &due) : 0;
}

static bool is_touched(const struct nb_stepper *p)
{
    return p->watch && p->watch->found;
}

/* Advances the bodies to the next time at which steps end, or past several such times if w->force is set. Increases
 * *done, the time since the beginning of the base step in units of the shortest possible step. If `last` is set, no
 * steps begin at the end of the base step. */
static int advance(struct nb_stepper *p, nb_quad h, uint64_t *done, bool last, double *clock)
{
    struct block *w = p->memory;
    const uint64_t whole = (uint64_t)1 << p->own.most_rungs;
    bool moved = true;
    uint64_t count;
    p->stale = true;
    if (w->force && !p->watch ? go_through(p, h, done, &moved, clock) : drift(p, h, done))
        return -1;
    if (p->timed)
        nb_step_at(p, w->begin + h * (nb_quad)*done / (nb_quad)whole);
    if (!moved)
        return 0;
    const double share = (double)(*done & -*done) / (double)whole, longest = (double)nb_quad_abs(h) * share;
    const bool ends = *done == whole;
    if (nb_step_find_due(p, w->d_step, ends ? INFINITY : longest, w->d_index, &count) ||
        look(p, h, (double)*done / (double)whole, count, ends))
        return -1;
    if (is_touched(p))
        return 0;
    if (evaluate(p, count))
        return -1;
    p->stale = !ends;
    if (kick(p, h, count, longest, true, !(ends && last)))
        return -1;
    nb_step_note_rung(p, (int)-log2(share), count, clock);
    return 0;
}

static int steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    struct block *w = p->memory;
    const uint64_t whole = (uint64_t)1 << p->own.most_rungs;
    double clock;
    if (kick(p, h, p->state->n, (double)nb_quad_abs(h), false, true))
        return -1;
    nb_step_note_rung(p, 0, 0, &clock);
    for (; count > 0; count--) {
        w->begin = p->time;
        for (uint64_t done = 0; done < whole && !is_touched(p);)
            if (advance(p, h, &done, count == 1, &clock))
                return -1;
    }
    return 0;
}

/* Implements nb_family.own: writes the step size of each body to `to`, and sets *factor to 1. Before the first step,
 * bodies have no step sizes yet. The function then computes the sizes of the first steps, but does not store them in
 * w->d_step. */
static int own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to, double *factor)
{
    struct block *w = p->memory;
    (void)tolerance;
    *factor = 1;
    if (w->least > 0)
        return nb_state_fetch(p->state, w->d_step, to);
    const double base = h > 0 ? h : nb_step_suggest_longest(p);
    if (base < 0 || kick(p, base, p->state->n, base, false, false) || nb_state_fetch(p->state, w->d_step, to))
        return -1;
    nb_device_free(p->state->device, w->d_step);
    w->d_step = nb_state_row(p->state);
    w->least = 0;
    return w->d_step ? 0 : -1;
}

#define SPAN 64 /* wanted ratio (base step) / (shortest step) */

/* Implements nb_family.bound. Halves the base step if it is longer than 2 SPAN times the shortest step. Doubles it if
 * it is shorter than SPAN / 2 times the shortest step. Thus all steps end together often enough for outputs and
 * checks. */
static int bound(struct nb_stepper *p, double h, double *bound)
{
    const struct block *w = p->memory;
    const bool begun = w->least > 0 && h > 0;
    *bound = !begun                    ? nb_step_suggest_longest(p)
             : h > 2 * SPAN * w->least ? h / 2
             : h < SPAN / 2 * w->least ? 2 * h
                                       : h;
    return *bound < 0 ? -1 : 0;
}

static int carry(struct nb_stepper *p, struct nb_pack *k)
{
    struct block *w = p->memory;
    return nb_state_pack_row(p->state, k, w->d_step) || nb_pack_unsigned(k, &w->kicks, UINT64_MAX) ||
                   nb_pack_bytes(k, &w->least, sizeof w->least)
               ? -1
               : 0;
}

static int vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    (void)scheme, (void)adaptive, (void)velocity;
    return 3; /* number of vectors, including d_field */
}

const struct nb_family nb_family_block = {.looks = true,
                                          .vectors = vectors,
                                          .begin = begin,
                                          .steps = steps,
                                          .own = own,
                                          .bound = bound,
                                          .carry = carry,
                                          .carried = 1,
                                          .end = end};
