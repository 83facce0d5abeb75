#include "nbsim.h"

#include <float.h>
#include <math.h>

#define COUNT_MAX 1e15 /* more steps or frames than that are a slip of the keyboard */

static uint64_t count_checked(double count, const char *what)
{
    if (!(count <= COUNT_MAX))
        die_usage("that makes %g %s; the most is %g", count, what, COUNT_MAX);
    return (uint64_t)count;
}

/* Below this a span is rounding: of the counting, and of the absolute times that it lies between. */
static double negligible(double unit, double begin, double end)
{
    return fmax(1e-9 * unit, 4 * DBL_EPSILON * fmax(fabs(begin), fabs(end)));
}

static uint64_t steps_for(double span, double dt)
{
    count_checked(span / dt, "steps");
    return nb_step_count(span, dt);
}

/* N steps; with --every, whole intervals first. */
static void by_steps(struct sim_schedule *s, const struct sim_options *o, double dt, double sign)
{
    uint64_t total = count_checked((double)o->steps, "steps");
    s->h = s->last_h = sign * dt;
    if (o->every > 0 && o->every / dt <= (double)total + 1) {
        s->steps = steps_for(o->every, dt);
        s->h = s->last_h = sign * (nb_quad)o->every / s->steps;
        s->count = total / s->steps;
    }
    s->last_steps = total - s->count * s->steps;
    s->last = (double)s->last_steps * (double)s->last_h;
    s->end = s->begin + (double)total * (double)s->h;
}

static void by_time(struct sim_schedule *s, const struct sim_options *o, double dt, double sign)
{
    double span = sign * (o->until - s->begin);
    if (span < 0)
        die_usage("--until %g lies %s the input's time %g%s", o->until, sign > 0 ? "before" : "after", s->begin,
                  sign > 0 ? " (a negative --dt runs backwards)" : " and --dt is negative");
    if (o->every > 0) {
        double slack = negligible(o->every, s->begin, o->until) / o->every;
        s->count = count_checked(floor(span / o->every + slack), "frames");
    }
    if (s->count > 0 && o->tolerance == 0) {
        s->steps = steps_for(o->every, dt);
        s->h = sign * (nb_quad)o->every / s->steps;
    }
    s->end = sim_schedule_time(s, s->count);
    double remaining = sign * (o->until - s->end);
    if (remaining > negligible(s->count > 0 ? o->every : span, s->begin, o->until)) {
        s->end = o->until;
        s->last = sign * remaining;
        if (o->tolerance == 0) {
            s->last_steps = steps_for(remaining, dt);
            s->last_h = (nb_quad)s->last / s->last_steps;
        }
    }
}

struct sim_schedule sim_schedule_make(const struct sim_options *o, double begin, double dt)
{
    double sign = o->dt < 0 ? -1 : 1;
    struct sim_schedule s = {.begin = begin, .every = sign * o->every, .end = begin};
    if (o->steps >= 0)
        by_steps(&s, o, dt, sign);
    else
        by_time(&s, o, dt, sign);
    return s;
}

double sim_schedule_time(const struct sim_schedule *s, uint64_t k)
{
    return s->begin + (double)k * s->every;
}

uint64_t sim_schedule_frames(const struct sim_schedule *s)
{
    return 1 + s->count + (s->last != 0);
}

uint64_t sim_schedule_steps(const struct sim_schedule *s)
{
    return s->count * s->steps + s->last_steps;
}
