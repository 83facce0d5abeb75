/* contact_flow.h - formulas for the gas of a flow and its inlet (contact_inlet.h), for C and CUDA. Before inclusion
 * define CONTACT_CALL, the specifiers with which functions are declared (such as static inline).
 *
 * By conservation of mass, the mass flow in the nozzle is J(s) = 1 + (e - 1) * G(s) / (C + G(0)), where
 *
 *   s     position in the nozzle: 0 at its beginning, 1 at its end
 *   J(s)  mass flow at s, divided by the header's mass flow DENSITY * SPEED * height
 *   e     density in the zone `entry` divided by DENSITY, limited to 2
 *   q     density in the chamber divided by DENSITY, at least 1
 *   n(s)  density at s divided by DENSITY, sqrt(q^2 + (1 - q^2) s)
 *   G(s)  integral of dn/dq from s to 1
 *   C     length of the chamber divided by the length of the nozzle
 *
 * For e = 1, as much mass enters the chamber as leaves the nozzle, and J is 1 everywhere. For e < 1, the density in the
 * chamber and in the nozzle decreases with time: the nozzle loses mass, and J increases towards the nozzle's end.
 * If J = 1 were used also for e < 1, the flow would be 2 % too dense. */
#pragma once

#include "force/contact/contact_inlet.h"

#include <math.h>

#define CONTACT_DENSEST 0.9069 /* maximum area fraction of disks of equal radius (pi / sqrt 12) */

/* Returns the effective radius (nb_contact_effective) of disks of radius r. It is r minus half of the integral of
 * exp(-u/T) over the distance d of two disks, from d = 0 to 2 r. u = stiffness * (2 r - d)^2 / 2 is the energy of two
 * disks that overlap, and T is mass * sigma^2. The code integrates from d = -infinity, because this integral has a
 * closed formula. This changes the effective radius by less than 1e-5 r if it is above 0.7 r. */
CONTACT_CALL double contact_effective(double radius, double mass, double stiffness, double sigma)
{
    const double depth = sqrt(M_PI / 8 * mass / stiffness) * sigma;
    return fmax(radius - depth, 0.0);
}

/* Returns (speed of sound) / sigma for hard disks with area fraction f. sigma: standard deviation of a velocity
 * component. */
CONTACT_CALL double contact_sound(double f)
{
    const double g = 1 - f, z = (1 + f * f / 8) / (g * g), slope = f / (4 * g * g) + 2 * z / g;
    return sqrt(z + f * slope + z * z);
}

/* One iteration of contact_sigma. Computes the effective radius of the disks for the standard deviation `at` of a
 * velocity component. Returns the standard deviation for which disks of this radius have the speed of sound `sound`. */
CONTACT_CALL double contact_sigma_at(double sound, double density, double radius, double mass, double stiffness,
                                     double at)
{
    const double r = contact_effective(radius, mass, stiffness, at);
    return sound / contact_sound(fmin(density / mass * M_PI * r * r, CONTACT_DENSEST));
}

/* Returns the standard deviation of a velocity component (nb_contact_sigma) for the given speed of sound, mass per
 * area, and radius, mass and stiffness of the disks. The effective radius depends on the result, which is therefore
 * computed by two iterations and Aitken's extrapolation. */
CONTACT_CALL double contact_sigma(double sound, double density, double radius, double mass, double stiffness)
{
    const double s0 = contact_sigma_at(sound, density, radius, mass, stiffness, 0);
    const double s1 = contact_sigma_at(sound, density, radius, mass, stiffness, s0);
    const double s2 = contact_sigma_at(sound, density, radius, mass, stiffness, s1);
    const double bend = s2 - s1 - (s1 - s0);
    return bend < 0 ? s2 - (s2 - s1) * (s2 - s1) / bend : s2;
}

/* Returns mass * in->units_per_mass, rounded to an integer: a mass in the unit of nb_contact_stock. The result is at
 * least 0 and at most 2^62, also for an invalid mass. */
CONTACT_CALL uint64_t contact_stock(const struct nb_contact_inlet *in, double mass)
{
    return (uint64_t)rint(fmax(0.0, fmin(mass * in->units_per_mass, 0x1p62)));
}

/* Returns the density of the chamber divided by the density of the flow. The chamber is a zone of the inlet that holds
 * a reserve of disks (contact_inlet.h). */
CONTACT_CALL double contact_filling(const struct nb_contact_stock *stock)
{
    return (double)stock->chamber / NB_CONTACT_STOCK;
}

/* Returns the density of the entry divided by the density of the flow. The entry is the first zone of the fringe, the
 * region in which the inlet prescribes velocities (contact_inlet.h). */
CONTACT_CALL double contact_coming(const struct nb_contact_inlet *in, const struct nb_contact_stock *stock)
{
    return (double)stock->entry / NB_CONTACT_STOCK * (in->nozzle - in->chamber) / (in->chamber - in->low[0]);
}

/* Returns G(s), the integral of dn/dq from s to 1. Letters as at the top of this file: s is a position in the nozzle,
 * and n and q are the densities at s and in the chamber, divided by the density of the flow. G(s) * dq is the increase
 * of the mass between s and the nozzle's end if q increases by dq. The unit of this mass is the mass of a nozzle with
 * the density of the flow. */
CONTACT_CALL double contact_nozzle_gain(double q, double n, double s)
{
    const double part = (1 - s) / (n + 1);
    return 2 * q * (n + 2) / 3 * part * part;
}

/* Returns q and gain for the current stock, the masses in the inlet. q is the density in the chamber divided by the
 * density of the flow, but at least 1. gain is the factor in the mass flow 1 + gain * G(s) of the nozzle. It is 0 if q
 * is 1, otherwise (e - 1) / (C + G(0)). e: density in the entry divided by the density of the flow, at most 2. C:
 * length of the chamber divided by the length of the nozzle. G: contact_nozzle_gain. */
CONTACT_CALL struct nb_contact_rate contact_rate(const struct nb_contact_inlet *in,
                                                 const struct nb_contact_stock *stock)
{
    const double q = fmax(contact_filling(stock), 1.0), coming = fmin(contact_coming(in, stock), 2.0);
    const double room = (in->nozzle - in->chamber) / (in->outlet - in->nozzle) + contact_nozzle_gain(q, q, 0);
    struct nb_contact_rate rate = {q, q > 1 ? (coming - 1) / room : 0};
    return rate;
}

/* Returns the speed along x that the inlet prescribes for a disk at x. x must be less than in->outlet, so
 * that the disk is in the zone entry, chamber or nozzle. */
CONTACT_CALL double contact_inlet_speed(const struct nb_contact_inlet *in, const struct nb_contact_rate *rate, double x)
{
    const double q = rate->q, s = fmax(x - in->nozzle, 0.0) / (in->outlet - in->nozzle);
    const double n = sqrt(q * q + (1 - q * q) * s);
    return x < in->chamber ? in->speed : in->speed / n * (1 + rate->gain * contact_nozzle_gain(q, n, s));
}
