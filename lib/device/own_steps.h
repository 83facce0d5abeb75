/* own_steps.h - the step that a body takes for itself, the same on every device: define OWN_STEP_CALL first. */
#ifndef NB_OWN_STEPS_H
#define NB_OWN_STEPS_H

#include "device/device.h"

#include <math.h>

/* What limits the step of a body of mass m, from squares of its acceleration and of its jerk (nb_own_kick). What is not
 * a number limits nothing: the shortest steps would only put off that it is noticed. */
OWN_STEP_CALL double nb_own_limit(const struct nb_own_kick *w, double a2, double j2, double m)
{
    return fmin(fmin(w->of_acceleration / sqrt(sqrt(a2)), w->of_jerk / cbrt(sqrt(j2))), w->of_mass / sqrt(m));
}

/* The step to take within that limit, or in place of one that was chosen before. */
OWN_STEP_CALL double nb_own_step(const struct nb_own_kick *w, double limit)
{
    double step = w->longest;
    while (step > limit && step > w->shortest)
        step /= 2;
    return step;
}

#endif
