/* own_steps.h - the step that a body takes for itself, the same on every device: define OWN_STEP_CALL first. */
#pragma once

#include "device/device.h"

#include <math.h>

/* What limits the step of a body of mass m, from squares of its acceleration and of its jerk (nb_own_kick). What is not
 * a number limits nothing: the shortest steps would only put off that it is noticed. */
OWN_STEP_CALL double nb_own_limit(const struct nb_own_kick *w, double a2, double j2, double m)
{
    return fmin(fmin(w->of_acceleration / sqrt(sqrt(a2)), w->of_jerk / cbrt(sqrt(j2))), w->of_mass / sqrt(m));
}

/* Returns longest / 2^k, the largest that is within the limit, and not less than `shortest`. */
OWN_STEP_CALL double nb_own_step(double longest, double shortest, double limit)
{
    double step = longest;
    while (step > limit && step > shortest)
        step /= 2;
    return step;
}

/* Returns what a task writes into d_step: the time scale, or the step that begins. `before`: the step that ends. One
 * that was shorter than the base step is followed by one of twice its length at most. */
OWN_STEP_CALL double nb_own_next(const struct nb_own_hermite *w, double before, double scale)
{
    const double base = fabs(w->base), most = before < 1 ? 2 * before : INFINITY;
    if (w->task == NB_OWN_START)
        return scale;
    if (w->ends)
        return fmin(scale, most * base / w->eta);
    return nb_own_step(w->longest, NB_OWN_SHORTEST,
                       fmin(w->eta * scale / base, w->task == NB_OWN_OPEN ? INFINITY : most));
}
