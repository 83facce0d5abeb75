/* orbits.h - the motions of a thin disk's stars, drawn orbit by orbit.
 *
 * In the plane the distribution function is Shu's (1969): of the stars with the angular momentum L of the circle at
 * radius x each has the energy of that circle and an excess, which is distributed exponentially with the mean
 * sigma^2(x). It depends on integrals of the motion alone, so the disk neither heats nor drifts at the start, however
 * hot it is. For one x the radial velocity is normal with dispersion sigma(x) at any R, and R has the density
 * exp(-(effective potential(R) - that of the circle) / sigma^2). How many stars belong to x, and sigma(x), are found
 * such that the surface density and the radial dispersion are those asked for (as Dehnen 1999 does, here with Lucy's
 * 1974 iteration).
 *
 * Across the plane the stars of one guiding radius x are, when they are at x, a layer sech^2(z / height(x)) with normal
 * velocities whose dispersion carries the weight of what is above in the whole field (Jeans's equation). Further out
 * they are higher and slower across, further in lower and faster (flare), and going out they go up (tilt): with heights
 * drawn at R alone a disk of Q = 1.5 thickens by 9 % within a turn as its stars mix, so by 3 %. height(x) is fitted
 * such that the rms height is the same at all R and that of sech^2(z / height); layers of some heights in one make the
 * profile hardly another (within 0.02 of the share below any z). */
#ifndef GALAXY_ORBITS_H
#define GALAXY_ORBITS_H

#include "nbgen/galaxy/layer.h"
#include "nbgen/numeric.h"
#include "rng.h"

#include <stdint.h>

#define ORBITS_ROWS   256 /* guiding radii */
#define ORBITS_PLACES 65  /* quantiles of R for each, of a normal number from -4.8 to 4.8 */
#define ORBITS_RADII  160 /* of the pull across */
#define ORBITS_CUT    8   /* no star's guiding radius is beyond, in scale lengths */
#define ORBITS_REACH  20  /* of the tables, in scale lengths */
#define ORBITS_BINS   64

struct orbits {
    struct layer layer;
    double toomre;                    /* the least Q asked for, and what was had: */
    double least_Q, least_at, misfit; /* where; the largest relative error of the surface density within 5 scales */
    double lost;                      /* share of the stars that are further out than the outermost guiding radius */
    double edge[ORBITS_ROWS + 1];     /* guiding radii are between these */
    double below[ORBITS_ROWS + 1];    /* the share of stars within */
    double momentum[ORBITS_ROWS];     /* of circles in the middle of two edges */
    double sigma[ORBITS_ROWS];
    double place[ORBITS_ROWS][ORBITS_PLACES];
    double height[ORBITS_ROWS];                  /* of the row's stars, when they are at their guiding radius */
    double vertical[ORBITS_ROWS][LAYER_HEIGHTS]; /* and their dispersions across */
    double dispersion[ORBITS_BINS];              /* sigma_R that was had */
    double across[ORBITS_RADII][LAYER_HEIGHTS];  /* pull of disks, towards the plane */
    struct numeric_spline *tilt;                 /* d ln(height of a star)/dR as it goes out and in */
    struct numeric_spline *flare;                /* its integral: log of the height over that at the centre */
    struct numeric_spline *pull;                 /* mean inward pull on the layer at R */
    struct numeric_spline *potential;            /* its integral, 0 at the centre */
    double vertical_frequency;                   /* the greatest of small motions across */
};

/* What pulls on a layer. */
struct orbits_field {
    const struct layer *layers;
    int layer_count;
    numeric_function *round; /* r^2 times the pull of round components */
    const void *context;
    double softening;
};

/* Fills in the tables from layer and toomre. */
void orbits_make(struct orbits *o, const struct orbits_field *field);
/* Epicyclic frequency of the mean pull on the layer. */
double orbits_epicyclic(const struct orbits *o, double R);

/* Star i: two draws, four uniform numbers and four normal ones. With `quiet`, the number of stars, 6 k to 6 k + 5 are
 * one star turned by sixths of a turn, every other one mirrored in the plane, and guiding radii go outwards in equal
 * shares; 0: all stars are random. pos or vel may be NULL. */
void orbits_draw(const struct orbits *o, const struct nb_rng *rng, uint64_t quiet, uint64_t i, double pos[3],
                 double vel[3]);

#endif
