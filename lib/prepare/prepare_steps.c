/* prepare_steps.c - chooses the size of a run's steps, and checks the extent and the accelerations before the first
 * step. Declared in prepare.h. */
#include "prepare/prepare.h"

#include "base/error.h"
#include "base/memory.h"
#include "device/range.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool nb_prepare_has_rungs(const struct nb_scheme *scheme)
{
    return (scheme->traits & (NB_OWN_STEPS | NB_ADAPTIVE)) == NB_OWN_STEPS;
}

bool nb_prepare_knows_field(const struct nb_meta *meta, const struct nb_force_spec *spec)
{
    char text[NB_FORCE_TEXT_BYTES];
    bool known = !(nb_force_spec_flags(spec) & NB_EXTERNAL);
    nb_force_print(spec, text, sizeof text);
    for (int j = 0; j < meta->force_count && !known; j++)
        known = strcmp(meta->forces[j], text) == 0;
    return known;
}

#define BLOCK 1024 /* number of bodies in one call of nb_force_set_frequency() */

double nb_prepare_frequency(const struct nb_bodies *b, const struct nb_force_set *set)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    double frequency = 0, x[3 * BLOCK];
    if (!(nb_force_set_flags(set) & NB_EXTERNAL))
        return 0;
    for (uint64_t i = 0; i < b->n; i += BLOCK) {
        const uint64_t end = i + BLOCK < b->n ? i + BLOCK : b->n;
        nb_column_get_f64(pos, i, end, x);
        frequency = fmax(frequency, nb_force_set_frequency(set, end - i, x, b->meta.time));
    }
    return frequency;
}

static bool knows_fields(const struct nb_meta *meta, const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (!nb_prepare_knows_field(meta, &set->force[k].spec))
            return false;
    return true;
}

/* Returns the reason why the step of the header cannot be used, or NULL if it can be used. */
static const char *objection(const struct nb_bodies *b, const struct nb_stepper *p)
{
    const struct nb_meta *meta = &b->meta;
    if (!(meta->dt > 0))
        return "the input suggests no step";
    if (meta->softening != p->softening)
        return "the input's step is for another softening";
    if (!knows_fields(meta, p->forces) && meta->dt * nb_prepare_frequency(b, p->forces) > NB_FIELD_SHARE)
        return "the input's step is too long for the external forces";
    return NULL;
}

static int find_bound(const struct nb_bodies *b, const struct nb_stepper *p, double *bound)
{
    const double frequency = nb_prepare_frequency(b, p->forces);
    if (nb_force_set_longest_step(p->forces, p->state, bound))
        return -1;
    if (frequency > 0)
        *bound = fmin(*bound, NB_FIELD_SHARE / frequency);
    return 0;
}

/* Returns the time to the end of the run, or 1 if the run has no end time. nb_prepare_dt uses this as the step size if
 * the forces neither accelerate a body nor limit the step. */
static double whole_span(const struct nb_prepare_options *o, const struct nb_meta *meta)
{
    return isnan(o->until) ? 1 : fmax(fabs(o->until - meta->time), 1e-300);
}

int nb_prepare_dt(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p,
                  struct nb_prepare_step *step)
{
    const bool adapts = o->tolerance > 0, bounds = nb_force_set_flags(p->forces) & NB_BOUNDS_STEP;
    const bool own = nb_prepare_has_rungs(p->scheme), split = p->scheme->traits & NB_SPLIT;
    const char *why = own ? "each body has its own" : split ? "it follows the distances of bodies" : objection(b, p);
    double dt = o->dt != 0 ? fabs(o->dt) : adapts || (bounds && o->steps != 0) || why ? 0 : b->meta.dt;
    *step = (struct nb_prepare_step){.objection = why};
    if (why && !own)
        b->meta.dt = b->meta.dt_asked = 0;
    if (dt > 0 || o->steps == 0) {
        step->dt = dt > 0 ? dt : 1;
        return 0;
    }
    if (bounds && find_bound(b, p, &dt))
        return -1;
    if (!bounds)
        dt = (own ? nb_step_suggest_longest : nb_step_suggest)(p);
    if (dt < 0)
        return -1;
    if (bounds && !isfinite(dt))
        dt = 0;
    step->dt = dt > 0 ? dt : whole_span(o, &b->meta);
    if (!adapts)
        step->by = dt == 0 ? NB_DT_ANY : own ? NB_DT_OWN : split ? NB_DT_SPLIT : bounds ? NB_DT_BOUND : NB_DT_SUGGESTED;
    return 0;
}

/* The default maximum of an adaptive step is GRAINS times the shortest time scale on which a value in the files of
 * external fields changes (nb_force_set_grain()). */
#define GRAINS 1

struct nb_control nb_prepare_control(const struct nb_prepare_options *o, const struct nb_force_set *set, double begin,
                                     double end, double dt)
{
    const double most = isnan(o->max_dt) ? GRAINS * nb_force_set_grain(set, begin, end) : o->max_dt;
    const double least = isnan(o->min_dt) ? fmin(1e-12 * fabs(end - begin), most) : o->min_dt;
    struct nb_control c = {.tolerance = o->tolerance, .min_step = least, .max_step = fmax(most, least)};
    c.step = fmin(fmax(dt, c.min_step), c.max_step);
    return c;
}

int nb_prepare_bounded(const struct nb_bodies *b, const struct nb_stepper *p, struct nb_bounded *bounded, double *bound)
{
    const double frequency = nb_prepare_frequency(b, p->forces);
    bounded->longest = frequency > 0 ? NB_FIELD_SHARE / frequency : INFINITY;
    if (p->scheme->traits & NB_OWN_STEPS)
        return 0;
    bounded->h = b->meta.dt;
    return bound ? find_bound(b, p, bound) : 0;
}

/* ---- checks before the first step ---- */

/* Fails if the square of a distance between bodies can overflow in this precision. After an overflow, the force between
 * distant bodies would be 0. */
static int check_extent(const struct nb_bodies *b, const struct nb_stepper *p)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    double extent = p->softening, low[3], high[3];
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min                      \
                                                    : low[:3]) reduction(max \
                                                                         : high[:3]) if (b->n > NB_LOOK_PARALLEL)
    for (uint64_t i = 0; i < b->n; i++)
        for (int k = 0; k < 3; k++) {
            const double x = nb_column_get(pos, i, k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    for (int k = 0; k < 3; k++)
        extent = hypot(extent, high[k] - low[k]);
    const enum nb_precision precision = p->state->precision;
    const double extent2 = extent * extent;
    if (precision != NB_QUAD && extent2 > (precision == NB_DOUBLE ? 1e307 : 1e37))
        return nb_fail("the bodies extend over %g, and its square does not fit %s precision (%sother units)", extent,
                       nb_precision_name(precision), extent2 < 1e307 ? "--precision double, or " : "");
    return 0;
}

static int fail_of_acceleration(const struct nb_bodies *b, enum nb_precision precision, uint64_t i)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    for (uint64_t j = 0; j < b->n; j++)
        if (j != i && nb_column_get(pos, j, 0) == nb_column_get(pos, i, 0) &&
            nb_column_get(pos, j, 1) == nb_column_get(pos, i, 1) &&
            nb_column_get(pos, j, 2) == nb_column_get(pos, i, 2))
            return nb_fail("bodies %" PRIu64 " and %" PRIu64
                           " are at the same position, where the force without softening is undefined (--softening L)",
                           i < j ? i : j, i < j ? j : i);
    return nb_fail("body %" PRIu64 ": the acceleration is not finite in %s precision%s", i,
                   nb_precision_name(precision),
                   precision == NB_SINGLE || precision == NB_MIXED ? " (--precision double, or other units)" : "");
}

/* Returns 0 if all accelerations are finite, else -1 with a message that names the body. */
static int check_acceleration(const struct nb_bodies *b, const struct nb_state *s)
{
    const void *const a = s->a;
    double extent;
    if (nb_device_extent(s->device, s->precision, s->n, s->stride, 1, &a, &extent))
        return -1;
    if (isfinite(extent))
        return 0;
    struct nb_column acc = {.type = s->precision == NB_SINGLE ? NB_F32 : NB_F64, .width = 3};
    acc.data = malloc(nb_column_bytes(&acc, b->n));
    if (!acc.data)
        return nb_fail("no memory for %" PRIu64 " bodies", b->n);
    int status = nb_state_fetch(s, s->a, &acc);
    const uint64_t bad = status ? b->n : nb_column_first_bad(&acc, b->n);
    free(acc.data);
    errno = 0; /* 0 tells the caller that the input is wrong; other values would mean that the device failed */
    if (bad < b->n)
        status = fail_of_acceleration(b, s->precision, bad);
    return status;
}

int nb_prepare_begin(const struct nb_bodies *b, struct nb_stepper *p)
{
    if (check_extent(b, p))
        return -1;
    if (p->scheme->traits & NB_PLANETARY && p->state->least > 0)
        return nb_fail("bodies of mass 0 are at the same position, which %s does not support (--integrator ias15)",
                       p->scheme->name);
    if (nb_step_begin(p))
        return -1;
    return check_acceleration(b, p->state);
}
