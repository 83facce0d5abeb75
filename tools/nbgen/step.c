/* step.c - computes the time step with which leapfrog can integrate a model. */

#include "nbgen.h"

#include "step/step.h"

#include <math.h>

double gen_step_period(double frequency)
{
    return 2 * M_PI / GEN_STEPS / frequency;
}

/* Returns the step that resolves encounters of two bodies of mass `mass` with the relative speed `speed`. The smallest
 * resolved impact parameter is `softening` or, if softening is 0, 2 * mass / speed^2 (G = 1), which gives a deflection
 * of 90 degrees. Closer encounters are rare, and no fixed step would resolve them. */
static double passage(double softening, double mass, double speed)
{
    double reach = softening > 0 ? softening : 2 * mass / (speed * speed);
    double share = 0.25 * fmin(1, pow(1e-3 / mass, 1.0 / 6));
    return share * reach / sqrt(speed * speed + 4 * mass / reach);
}

double gen_step_bodies(double softening, double radius, double heaviest, double largest, double speed)
{
    const double smooth = softening > 0 ? nb_step_softened(1, 1, heaviest, softening, largest) : INFINITY;
    if (softening > 0 && NB_MANY_BODIES * heaviest <= 1)
        return smooth;
    return fmin(smooth, passage(heaviest <= GEN_LIGHT ? radius / 100 : softening, heaviest, speed));
}
