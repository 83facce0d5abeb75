/* gadget_header.h - what the groups Header, Units, Parameters, Cosmology and Provenance of a file say, whichever of
 * GADGET-2, GADGET-4, AREPO, GIZMO and SWIFT wrote it. */
#ifndef NBCONV_GADGET_HEADER_H
#define NBCONV_GADGET_HEADER_H

#include "hdf.h"

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

/* Dies where there is no header, or a value that cannot be. */
void gadget_header_read(struct hdf *h, const char *name, struct gadget_header *head);
/* The age of the universe at scale factor a, without radiation, in units of 1 / H0. With x = a^(1/2) the integrand is
 * smooth, t = int 2 x^2 dx / sqrt(matter + curvature x^2 + lambda x^6), by Simpson's rule. Negative where there is
 * none. */
double gadget_age(double a, double matter, double lambda);

#endif
