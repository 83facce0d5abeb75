/* contact_flow.h - the gas of a flow and how the inlet lets it in (contact_inlet.h), for C and CUDA. CONTACT_CALL,
 * to be defined before, says how a function is declared.
 *
 * J, what the nozzle lets out over the flow: where as much comes round as goes out J is 1, and DENSITY SPEED goes out
 * per time and height. Where less comes, e < 1 (or more, up to 2) of the flow's density in the entry, the chamber thins
 * out, and the nozzle with it, which lets out its own besides. J(1) = 1 at the nozzle's end then takes J(s) = 1 +
 * (e - 1) G(s) / (C + G(0)), with G(s) the integral of dn/dq from s to 1 and C the chamber's length over the nozzle's,
 * from the masses of both being conserved. Without it a flow is too dense by 2 % while its reserve is being used up. */
#pragma once

#include "force/contact/contact_inlet.h"

#include <math.h>

#define CONTACT_DENSEST 0.9069 /* share of the area: disks of one radius cannot lie closer (pi / sqrt 12) */

/* Returns the effective radius (nb_contact_effective), half of the integral of 1 - exp(-u / kT) over the distance d,
 * u = k (2 r - d)^2 / 2, kT = m sigma^2. The integral is taken to d = -infinity, which changes the radius by less than
 * 1e-5 r where it is above 0.7 r. */
CONTACT_CALL double contact_effective(double radius, double mass, double stiffness, double sigma)
{
    const double depth = sqrt(M_PI / 8 * mass / stiffness) * sigma;
    return fmax(radius - depth, 0.0);
}

/* Returns the speed of sound over sigma of hard disks that take the share f of the area. */
CONTACT_CALL double contact_sound(double f)
{
    const double g = 1 - f, z = (1 + f * f / 8) / (g * g), slope = f / (4 * g * g) + 2 * z / g;
    return sqrt(z + f * slope + z * z);
}

/* Returns sigma of hard disks of the radius that those of `radius` have at the sigma `at`. */
CONTACT_CALL double contact_sigma_at(double sound, double density, double radius, double mass, double stiffness,
                                     double at)
{
    const double r = contact_effective(radius, mass, stiffness, at);
    return sound / contact_sound(fmin(density / mass * M_PI * r * r, CONTACT_DENSEST));
}

/* Standard deviation of a velocity's component where the speed of sound is `sound` and disks of that mass, radius and
 * stiffness have that mass per area (nb_contact_sigma). The radius depends on the result: a fixed point, by two
 * iterations and Aitken's extrapolation. */
CONTACT_CALL double contact_sigma(double sound, double density, double radius, double mass, double stiffness)
{
    const double s0 = contact_sigma_at(sound, density, radius, mass, stiffness, 0);
    const double s1 = contact_sigma_at(sound, density, radius, mass, stiffness, s0);
    const double s2 = contact_sigma_at(sound, density, radius, mass, stiffness, s1);
    const double bend = s2 - s1 - (s1 - s0);
    return bend < 0 ? s2 - (s2 - s1) * (s2 - s1) / bend : s2;
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
