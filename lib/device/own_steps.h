/* own_steps.h - computes the size of an individual time step, for all devices. Before this file is included, define
 * OWN_STEP_CALL, the specifiers of its functions. */
#pragma once

#include "device/device.h"

#include <math.h>

/* Returns the upper limit of the step of a body: the smallest of the three limits that struct nb_own_kick describes.
 * a2, j2: squares of the body's acceleration and jerk; m: its mass. A NaN is ignored, because it would shorten the
 * steps, and the NaN would be detected later. */
OWN_STEP_CALL double nb_own_limit(const struct nb_own_kick *w, double a2, double j2, double m)
{
    return fmin(fmin(w->of_acceleration / sqrt(sqrt(a2)), w->of_jerk / cbrt(sqrt(j2))), w->of_mass / sqrt(m));
}

/* Returns the next step: the largest of the sizes longest / 2^k that is at most `limit`. If even `shortest` is above
 * `limit`, returns `shortest`. */
OWN_STEP_CALL double nb_own_step(double longest, double shortest, double limit)
{
    double step = longest;
    while (step > limit && step > shortest)
        step /= 2;
    return step;
}

/* Returns the value that the task w->task writes to d_step for a body. This is the size of the body's next step,
 * divided by the base step. Two exceptions: the task NB_OWN_START, and a task with w->ends, write a time scale, from
 * which a later task computes the step. scale: the body's time scale. before: size of the body's previous step, divided
 * by the base step; ignored by NB_OWN_OPEN. If before < 1, the next step is at most 2 * before. */
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
