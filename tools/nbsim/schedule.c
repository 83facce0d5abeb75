/* schedule.c - computes the times of outputs and the fixed step sizes from the options. */

#include "nbsim.h"

#include <float.h>
#include <math.h>

#define COUNT_MAX 1e15 /* maximum number of steps or frames; a larger number can only be a typing error */

static uint64_t count_checked(double count, const char *what)
{
    if (!(count <= COUNT_MAX))
        die_usage("the options ask for %g %s; a run has at most %g", count, what, COUNT_MAX);
    return (uint64_t)count;
}

/* Two times between `begin` and `end` are treated as equal if they differ by at most the returned value. This is the
 * larger of 1e-9 * unit and the rounding error of the times. unit: output interval or duration of the run. */
static double negligible(double unit, double begin, double end)
{
    return fmax(1e-9 * unit, 4 * DBL_EPSILON * fmax(fabs(begin), fabs(end)));
}

static uint64_t steps_for(double span, double dt)
{
    count_checked(span / dt, "steps");
    return nb_step_count(span, dt);
}

/* ---- the grid of output times ---- */

/* Chooses the grid of output times. By default the grid begins at the initial time. If the output interval in the
 * input's header equals --every, the grid begins at the time `origin` of this header. A simulation in several runs then
 * has the same output times as a single run. */
static void choose_grid(struct sim_schedule *s, const struct nb_meta *meta)
{
    const double place = (s->begin - meta->origin) / s->every;
    s->origin = s->begin;
    if (meta->every != fabs(s->every) || !(fabs(place) <= COUNT_MAX))
        return;
    const double slack = negligible(meta->every, s->begin, meta->origin) / meta->every;
    s->origin = meta->origin;
    s->index = floor(place + slack);
    if (place - s->index > slack)
        s->first = sim_schedule_time(s, 1) - s->begin;
}

/* Divides the time interval `distance` into equal steps of at most dt. Returns their signed size, and sets *steps to
 * their number. */
static nb_quad divide(double distance, double dt, uint64_t *steps)
{
    *steps = steps_for(fabs(distance), dt);
    return (nb_quad)distance / *steps;
}

/* ---- the schedule ---- */

/* Makes the schedule for --steps N. With --every, the last output interval may be shorter than the others. */
static void by_steps(struct sim_schedule *s, const struct sim_options *o, double dt, double sign)
{
    const uint64_t total = count_checked((double)o->run.steps, "steps");
    const double nearest = s->first != 0 ? fabs(s->first) : o->every;
    uint64_t left = total;
    s->h = s->last_h = sign * dt;
    if (o->every > 0 && nearest / dt <= (double)total + 1) {
        s->h = s->last_h = divide(s->every, dt, &s->steps);
        if (s->first != 0)
            s->first_h = divide(s->first, dt, &s->first_steps);
        if (s->first_steps > total)
            s->last_h = s->first_h;
        else {
            left -= s->first_steps;
            s->count = (s->first != 0) + left / s->steps;
            left %= s->steps;
        }
    }
    if (s->count == 0)
        s->first = 0;
    s->last_steps = left;
    s->last = (double)left * (double)s->last_h;
    s->end = s->origin == s->begin ? s->begin + (double)total * (double)s->h : sim_schedule_time(s, s->count) + s->last;
}

static void by_time(struct sim_schedule *s, const struct sim_options *o, double dt, double sign)
{
    const double span = sign * (o->run.until - s->begin);
    if (span < 0)
        die_usage("--until %g is %s the input's time %g%s", o->run.until, sign > 0 ? "before" : "after", s->begin,
                  sign > 0 ? " (a negative --dt runs backwards)" : " and --dt is negative");
    if (o->every > 0) {
        const double slack = negligible(o->every, s->begin, o->run.until) / o->every;
        const double most = floor((o->run.until - s->origin) / s->every + slack) - s->index;
        s->count = count_checked(fmax(most, 0), "frames");
    }
    if (s->count == 0)
        s->first = 0;
    if (s->count > 0 && nb_prepare_steps_are_fixed(&o->run)) {
        s->h = divide(s->every, dt, &s->steps);
        if (s->first != 0)
            s->first_h = divide(s->first, dt, &s->first_steps);
    }
    s->end = sim_schedule_time(s, s->count);
    double remaining = sign * (o->run.until - s->end);
    if (remaining > negligible(s->count > 0 ? o->every : span, s->begin, o->run.until)) {
        s->end = o->run.until;
        s->last = sign * remaining;
        if (nb_prepare_steps_are_fixed(&o->run))
            s->last_h = divide(s->last, dt, &s->last_steps);
    }
}

struct sim_schedule sim_schedule_make(const struct sim_options *o, const struct nb_meta *meta, double dt)
{
    const double sign = o->run.dt < 0 ? -1 : 1, begin = meta->time;
    struct sim_schedule s = {.begin = begin, .origin = begin, .every = sign * o->every, .end = begin};
    if (o->every > 0)
        choose_grid(&s, meta);
    if (o->run.steps >= 0)
        by_steps(&s, o, dt, sign);
    else
        by_time(&s, o, dt, sign);
    return s;
}

double sim_schedule_time(const struct sim_schedule *s, uint64_t k)
{
    return k == 0 ? s->begin : s->origin + (s->index + (double)k) * s->every;
}

struct sim_interval sim_schedule_interval(const struct sim_schedule *s, uint64_t k)
{
    struct sim_interval i = {sim_schedule_time(s, k), sim_schedule_time(s, k + 1), s->every, s->steps, s->h};
    if (k == 0 && s->first != 0)
        i.span = s->first, i.steps = s->first_steps, i.h = s->first_h;
    if (k == s->count)
        i.end = s->end, i.span = s->last, i.steps = s->last_steps, i.h = s->last_h;
    return i;
}

uint64_t sim_schedule_intervals(const struct sim_schedule *s)
{
    return s->count + (s->last != 0);
}

uint64_t sim_schedule_frames(const struct sim_schedule *s)
{
    return 1 + sim_schedule_intervals(s);
}

uint64_t sim_schedule_steps(const struct sim_schedule *s)
{
    const uint64_t whole = s->first != 0 ? s->count - 1 : s->count;
    return s->first_steps * (s->first != 0) + whole * s->steps + s->last_steps;
}
