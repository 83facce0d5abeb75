#include "sphere.h"

#include <math.h>

void sphere_direction(const double u[2], double length, double out[3])
{
    double z = 2 * u[0] - 1, across = sqrt(1 - z * z), angle = 2 * M_PI * u[1];
    out[0] = length * across * cos(angle);
    out[1] = length * across * sin(angle);
    out[2] = length * z;
}

double sphere_softening(double radius, uint64_t n)
{
    return 0.5 * radius * cbrt(4 * M_PI / 3 / (double)n);
}

double sphere_step(const struct gen_plan *plan, double mass, double radius, double speed)
{
    double reach = mass <= GEN_LIGHT ? fmax(plan->softening, radius / 100) : plan->softening;
    return gen_step_passage(reach, mass, speed);
}
