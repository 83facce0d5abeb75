/* contact_flow.h - the gas of a flow and how the inlet lets it in (contact.h), for C and CUDA. CONTACT_CALL, to be
 * defined before, says how a function is declared. */
#ifndef NB_CONTACT_FLOW_H
#define NB_CONTACT_FLOW_H

#include "force/contact/contact.h"

#include <math.h>

#define CONTACT_DENSEST 0.9069 /* share of the area: disks of one radius cannot lie closer (pi / sqrt 12) */

/* Standard deviation of a velocity's component where the speed of sound is `sound` and disks of that mass and radius
 * have that mass per area (nb_contact_sigma). */
CONTACT_CALL double contact_sigma(double sound, double density, double radius, double mass)
{
    const double f = fmin(density / mass * M_PI * radius * radius, CONTACT_DENSEST), g = 1 - f;
    const double z = (1 + f * f / 8) / (g * g), slope = f / (4 * g * g) + 2 * z / g;
    return sound / sqrt(z + f * slope + z * z);
}

/* What a disk of that mass adds to the stock. Masses that are none make no sense of it, and no harm. */
CONTACT_CALL uint64_t contact_stock(const struct nb_contact_inlet *in, double mass)
{
    return (uint64_t)rint(fmax(0.0, fmin(mass * in->units_per_mass, 0x1p62)));
}

/* The density of the chamber over the flow's. */
CONTACT_CALL double contact_filling(const struct nb_contact_stock *stock)
{
    return (double)stock->chamber / NB_CONTACT_STOCK;
}

/* That of the entry: of what comes round. */
CONTACT_CALL double contact_coming(const struct nb_contact_inlet *in, const struct nb_contact_stock *stock)
{
    return (double)stock->entry / NB_CONTACT_STOCK * (in->nozzle - in->chamber) / (in->chamber - in->low[0]);
}

/* How much more the nozzle holds from s on, over what the flow has in its length, for a chamber that is denser by the
 * flow's density: the integral of dn/dq, n = sqrt(q^2 + (1 - q^2) s); n is the density at s. */
CONTACT_CALL double contact_nozzle_gain(double q, double n, double s)
{
    const double part = (1 - s) / (n + 1);
    return 2 * q * (n + 2) / 3 * part * part;
}

CONTACT_CALL struct nb_contact_rate contact_rate(const struct nb_contact_inlet *in,
                                                 const struct nb_contact_stock *stock)
{
    const double q = fmax(contact_filling(stock), 1.0), coming = fmin(contact_coming(in, stock), 2.0);
    const double room = (in->nozzle - in->chamber) / (in->outlet - in->nozzle) + contact_nozzle_gain(q, q, 0);
    struct nb_contact_rate rate = {q, q > 1 ? (coming - 1) / room : 0};
    return rate;
}

/* The speed at x, before the outlet. */
CONTACT_CALL double contact_inlet_speed(const struct nb_contact_inlet *in, const struct nb_contact_rate *rate, double x)
{
    const double q = rate->q, s = fmax(x - in->nozzle, 0.0) / (in->outlet - in->nozzle);
    const double n = sqrt(q * q + (1 - q * q) * s);
    return x < in->chamber ? in->speed : in->speed / n * (1 + rate->gain * contact_nozzle_gain(q, n, s));
}

#endif
