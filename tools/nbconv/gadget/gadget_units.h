/* gadget_units.h - properties and units of a GADGET snapshot, HDF5 or binary. */
#pragma once

#include "base/units.h"
#include "nbconv/nbconv.h"

#define GADGET_LENGTH   NB_KPC_CGS
#define GADGET_VELOCITY 1e5
#define GADGET_TIME     (GADGET_LENGTH / GADGET_VELOCITY)
/* Unit of time of SWIFT's files. In Gyr it has only five digits, 0.97779, because SWIFT's reader rounds units in Gyr to
 * five digits. */
#define SWIFT_TIME  (0.97779e9 * NB_YEAR_CGS)
#define GADGET_MASS (1e10 * NB_SUN_CGS)

#define GADGET_TYPES 10 /* maximum number of types of bodies; SWIFT has 7 */

struct gadget_header {
    int types;                  /* number of types in the attribute NumPart_ThisFile */
    double count[GADGET_TYPES]; /* number of bodies of each type in this file */
    /* Mass of every body of a type. 0: the file lists the masses of the bodies of this type. */
    double mass_table[GADGET_TYPES];
    int files;   /* number of files of the snapshot */
    double time; /* time; in a cosmological run the scale factor */
    double box;
    bool has_units;
    double length_cgs, mass_cgs, velocity_cgs;
    bool swift;
    bool cosmological;
    /* Hubble constant in 100 km/s/Mpc, and density parameters of matter and of the cosmological constant. Set only if
     * `cosmological`. */
    double h, matter, lambda;
    double G; /* gravitational constant in the file's units; 0: unknown */
    bool
        ours; /* true: nbconv wrote the file, and its group Provenance gives the members below. false: they are unset */
    double softening, dt, origin, every, step, shift;
    bool same_units; /* true: nbconv did not convert units when it wrote the file from a stream */
};

/* Replaces each value of an f64 column by (value - shift) * factor. */
void gadget_scale(const struct nb_bodies *b, const char *column, double factor, double shift);
/* Sets the units and G of a frame in `meta`, which must already contain the values of --units and --G.
 * - If the file gives its units (*head), uses them. Fails if options give units, too.
 * - If only --units gives units, keeps the units of `meta`.
 * - If neither gives units, uses GADGET's units, or the units given by --length-unit and --mass-unit. Stores them in
 *   *head and prints them.
 * name: name of the file, for messages. Returns 0, or -1 after nb_fail. */
int gadget_set_units(const struct conv_options *o, const char *name, struct gadget_header *head, struct nb_meta *meta);
/* Converts the positions, masses and velocities of a cosmological frame to physical values. Replaces its time, a scale
 * factor, by the age of the universe. Returns -1 after nb_fail if the cosmological parameters are impossible. */
int gadget_make_physical(const char *name, const struct gadget_header *head, struct nb_bodies *b);
/* Returns the age of a universe without radiation at the scale factor a, in units of 1 / H0. This is the integral of
 *     2 x^2 / sqrt(matter + curvature * x^2 + lambda * x^6),    curvature = 1 - matter - lambda,
 * over x from 0 to sqrt(a). Uses Simpson's rule. Returns -1 if the universe never reaches the scale factor a. */
double gadget_age(double a, double matter, double lambda);
