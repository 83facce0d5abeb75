/* advance.c - advances a system in time. Declared in nbtools.h. */
#include "system.h"

#include <math.h>
#include <string.h>

static int take_adaptive(struct nbt_system *s, nb_quad left)
{
    const struct nb_control first = nb_prepare_control(&s->used, &s->forces, s->time, s->time + (double)left, s->dt);
    const uint64_t before = s->control.taken;
    if (s->control.tolerance == 0)
        s->control = first;
    s->control.min_step = first.min_step;
    s->control.max_step = first.max_step;
    const int status = nb_steps_adaptive(&s->stepper, &s->control, &left, UINT64_MAX);
    s->step += s->control.taken - before;
    return status;
}

static int take_bounded(struct nbt_system *s, nb_quad left)
{
    const uint64_t before = s->bounded.taken;
    const int status = nb_steps_bounded(&s->stepper, &s->bounded, &left, UINT64_MAX);
    s->step += s->bounded.taken - before;
    return status;
}

#define STEPS_MAX 1e15

static int take_fixed(struct nbt_system *s, nb_quad left)
{
    const uint64_t steps = nb_step_count(fabs((double)left), s->dt);
    s->step += steps;
    s->taken = fabs((double)(left / steps));
    return nb_steps(&s->stepper, left / steps, steps);
}

/* Restarts the scheme if the direction of time changes. Returns -1 on error. */
static int turn(struct nbt_system *s, double direction)
{
    if (s->direction == -direction) {
        if (system_fetch(s))
            return -1;
        system_reset(s, CHOSEN);
        s->bounded.rest = 0;
    }
    s->direction = direction;
    return system_prepare(s, NAN);
}

/* Returns -1 if the system cannot be advanced by `span`. Possible reasons: damping or a flow would run backwards in
 * time, there would be too many fixed steps, or the files of the forces do not cover the time. */
static int check_span(const struct nbt_system *s, double span)
{
    const unsigned flags = nb_force_set_flags(&s->forces);
    const bool fixed = nb_prepare_steps_are_fixed(&s->used);
    if (span < 0 && flags & NB_OPEN && flags & NB_CONTACT)
        return nb_fail("cannot go back from time %g to %g, because damping or a flow cannot run backwards", s->time,
                       s->time + span);
    if (fixed && !(fabs(span) / s->dt < STEPS_MAX))
        return nb_fail("the way to time %g needs %g steps; the maximum is %g", s->time + span, fabs(span) / s->dt,
                       STEPS_MAX);
    return nb_force_set_covers(&s->forces, s->time, s->time + span);
}

/* Makes the system ready to advance to `time`. The choice of integrator and step size may depend on the time span. The
 * choice is therefore made again if
 * - it was made for another end time, and no step has been taken since, or
 * - the step size was determined by the time span only. */
static int make_ready(struct nbt_system *s, double time)
{
    const bool begins = s->direction == 0 && s->used.until != time;
    if (s->stage != OPEN && (begins || s->any_step)) {
        if (system_take(s))
            return -1;
        system_reset(s, OPEN);
    }
    return system_prepare(s, time);
}

int nbt_advance(struct nbt_system *s, double time)
{
    const double span = time - s->time;
    if (!isfinite(span))
        return nb_fail("cannot advance to time %g", time);
    if (make_ready(s, time) || check_span(s, span))
        return -1;
    if (span == 0)
        return 0;
    if (turn(s, span > 0 ? 1 : -1))
        return -1;
    s->fetched = false;
    const int status = s->used.tolerance > 0 ? take_adaptive(s, span)
                       : s->used.bounded     ? take_bounded(s, span)
                                             : take_fixed(s, span);
    if (status || nb_device_sync(s->device)) { /* after a failure the time that the state has reached is unknown */
        s->failure = strdup(nb_error());
        return -1;
    }
    s->time = time;
    return 0;
}
