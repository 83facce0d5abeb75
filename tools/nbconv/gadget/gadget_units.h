/* gadget_units.h - what a snapshot of GADGET's kind says of itself, HDF5 or binary, and its units. */
#pragma once

#include "base/units.h"
#include "nbconv/nbconv.h"

#define GADGET_LENGTH   NB_KPC_CGS
#define GADGET_VELOCITY 1e5
#define GADGET_TIME     (GADGET_LENGTH / GADGET_VELOCITY)
/* SWIFT's reader rounds units to five digits, in Gyr. */
#define SWIFT_TIME  (0.97779e9 * NB_YEAR_CGS)
#define GADGET_MASS (1e10 * NB_SUN_CGS)

#define GADGET_TYPES 10 /* SWIFT has 7 */

struct gadget_header {
    int types;                       /* how many NumPart_ThisFile counts */
    double count[GADGET_TYPES];      /* bodies of each type in this file */
    double mass_table[GADGET_TYPES]; /* their one mass, where they have no table of masses; else 0 */
    int files;                       /* of the snapshot */
    double time;                     /* the scale factor, where it is cosmological */
    double box;
    bool has_units;
    double length_cgs, mass_cgs, velocity_cgs;
    bool swift;
    bool cosmological;
    double h, matter, lambda; /* the Hubble constant in 100 km/s/Mpc, and densities; read where it is cosmological */
    double G;                 /* in the file's units, 0 where it does not say */
    bool ours;                /* has Provenance, and: */
    double softening, dt, origin, every, step, shift;
    bool same_units; /* the stream that it was made of had the units of the file */
};

/* Multiplies (value - shift) of a column in f64 by factor. */
void gadget_scale(const struct nb_bodies *b, const char *column, double factor, double shift);
/* The units and G of a frame whose meta has what options say: the file's own or, said in a line, those of GADGET, which
 * the header then has. `name` of the file, for messages. -1 after nb_fail. */
int gadget_set_units(const struct conv_options *o, const char *name, struct gadget_header *head, struct nb_meta *meta);
/* Comoving numbers of a frame become physical, and its time the age of the universe; -1 after nb_fail: there is none.
 */
int gadget_make_physical(const char *name, const struct gadget_header *head, struct nb_bodies *b);
/* The age of the universe at scale factor a, without radiation, in units of 1 / H0. With x = a^(1/2) the integrand is
 * smooth, t = int 2 x^2 dx / sqrt(matter + curvature x^2 + lambda x^6), by Simpson's rule. Negative where there is
 * none. */
double gadget_age(double a, double matter, double lambda);
