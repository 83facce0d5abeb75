/* contact_flow.h - the velocities of a gas of hard disks, for C and CUDA. CONTACT_CALL, to be defined before, says how
 * a function is declared. */
#ifndef NB_CONTACT_FLOW_H
#define NB_CONTACT_FLOW_H

#include <math.h>

/* Standard deviation of a velocity's component where the speed of sound is `sound` and disks of that mass and radius
 * have that mass per area (nb_contact_sigma). */
CONTACT_CALL double contact_sigma(double sound, double density, double radius, double mass)
{
    const double f = density / mass * M_PI * radius * radius, g = 1 - f;
    const double z = (1 + f * f / 8) / (g * g), slope = f / (4 * g * g) + 2 * z / g;
    return sound / sqrt(z + f * slope + z * z);
}

#endif
