/* units.h - systems of units, by name.
 *
 *   code       G = 1, no physical sizes. Some models use Henon's units (M = 1, E = -1/4)
 *   galactic   kpc, 10^10 Msun, km/s; G = 43009.17, the unit of time is 0.9778 Gyr
 *   solar      AU, Msun, Julian year of 365.25 d; G = 39.476926
 *   gauss      AU, Msun, 1/k = 58.13244 d with Gauss's constant k, so that G = 1
 *
 * Only G times a mass is known accurately. GM of the Sun is the IAU's nominal 1.3271244e20 m^3/s^2 (resolution B3,
 * 2015). The Sun's mass in grams is GM / G with CODATA's G of 2018. The IAU defined the AU in 2012 and the parsec in
 * 2015. */
#pragma once

#include "base/bodies.h"

/* Units and constants in cgs, for models of real systems. */
#define NB_AU_CGS          1.495978707e13
#define NB_DAY_CGS         86400.0
#define NB_YEAR_CGS        (365.25 * NB_DAY_CGS)
#define NB_KPC_CGS         (1e3 * 3.0856775814913673e18)
#define NB_G_CGS           6.67430e-8
#define NB_GM_SUN_CGS      1.3271244e26
#define NB_SUN_CGS         (NB_GM_SUN_CGS / NB_G_CGS)
#define NB_GAUSS_K_PER_DAY 0.01720209895 /* Gaussian gravitational constant k, AU^(3/2) Msun^(-1/2) / day */

struct nb_unit_system {
    struct nb_units units;
    double G;
};

extern const struct nb_unit_system nb_unit_systems[]; /* the last entry has an empty name */

/* Returns the system with that name. If there is none, returns NULL and sets an error message that lists all systems.
 */
const struct nb_unit_system *nb_units_find(const char *name);
/* Parses a column's unit such as M*L^2/T^2. powers: exponents of M, L and T. All units after a slash are divisors, as
 * in L/T/M or L/T*M. Returns false if `unit` is not a product of powers. */
bool nb_unit_powers(const char *unit, double powers[3]);
/* Returns whether both systems of units are the same. Compares the physical sizes of the units, or the names of the
 * systems if the sizes are unknown. */
bool nb_units_same(const struct nb_units *a, const struct nb_units *b);
