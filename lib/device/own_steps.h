/* own_steps.h - the step that a body takes for itself, the same on every device: define OWN_STEP_CALL first. */
#ifndef NB_OWN_STEPS_H
#define NB_OWN_STEPS_H

#include "device/device.h"

#include <math.h>

/* The next step of a body of mass m, from squares of its acceleration and of its jerk (nb_own_kick). What is not a
 * number limits nothing: the shortest steps would only put off that it is noticed. */
OWN_STEP_CALL double nb_own_step(const struct nb_own_kick *w, double a2, double j2, double m)
{
    const double by_acceleration = w->of_acceleration / sqrt(sqrt(a2)), by_jerk = w->of_jerk / cbrt(sqrt(j2)),
                 by_mass = w->of_mass / sqrt(m);
    double step = w->longest;
    while ((step > by_acceleration || step > by_jerk || step > by_mass) && step > w->shortest)
        step /= 2;
    return step;
}

/* The same where one was chosen before. */
OWN_STEP_CALL double nb_own_step_again(const struct nb_own_kick *w, double chosen)
{
    double step = w->longest;
    while (step > chosen && step > w->shortest)
        step /= 2;
    return step;
}

#endif
