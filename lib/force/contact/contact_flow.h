/* contact_flow.h - the gas of a flow and how the inlet lets it in (contact.h), for C and CUDA. CONTACT_CALL, to be
 * defined before, says how a function is declared. */
#ifndef NB_CONTACT_FLOW_H
#define NB_CONTACT_FLOW_H

#include "force/contact/contact.h"

#include <math.h>

/* Standard deviation of a velocity's component where the speed of sound is `sound` and disks of that mass and radius
 * have that mass per area (nb_contact_sigma). */
CONTACT_CALL double contact_sigma(double sound, double density, double radius, double mass)
{
    const double f = density / mass * M_PI * radius * radius, g = 1 - f;
    const double z = (1 + f * f / 8) / (g * g), slope = f / (4 * g * g) + 2 * z / g;
    return sound / sqrt(z + f * slope + z * z);
}

/* What a disk of that mass adds to the stock. Masses that are none make no sense of it, and no harm. */
CONTACT_CALL uint64_t contact_stock(const struct nb_contact_inlet *in, double mass)
{
    return (uint64_t)rint(fmax(0.0, fmin(mass * in->units_per_mass, 0x1p62)));
}

/* The density of the chamber over the flow's. */
CONTACT_CALL double contact_filling(uint64_t stock)
{
    return (double)stock / NB_CONTACT_STOCK;
}

/* The speed at x, before the outlet. */
CONTACT_CALL double contact_inlet_speed(const struct nb_contact_inlet *in, double filling, double x)
{
    const double chamber = fmax(filling, 1.0), q = chamber * chamber;
    if (x < in->chamber)
        return in->speed;
    return in->speed / (x < in->nozzle ? chamber : sqrt(q + (1 - q) * (x - in->nozzle) / (in->outlet - in->nozzle)));
}

#endif
