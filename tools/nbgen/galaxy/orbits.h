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
 * Across the plane stars are drawn where they are farthest out, at any phase of going up and down. Of stars with one
 * energy in the plane the action across is distributed as in a layer sech^2 at the radius of the circle of that energy
 * (Abel's inversion), times a factor. From there each is carried in the smooth field of all components for a random
 * share of its way in, or out: the phases of both motions are then even, with no law for how the one acts on the other,
 * and nothing changes as stars mix. Stars that swing wide, near the centre, exchange energy between the two: they are
 * carried on for up to three turns. The factors are fitted such that the rms height is that of sech^2(z / height) at
 * all R.
 *
 * The disk of milkyway in the smooth field for five turns: with heights drawn at R alone it thickens by 9 % within a
 * turn, with heights that follow R by a law by 4.6 % in all and 20 % outside, with stars that are carried by 0.5 %. */
#pragma once

#include "nbgen/numeric.h"
#include "simd/rng.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* t of the way from a to b. */
static inline double mixed(double a, double b, double t)
{
    return a + t * (b - a);
}

/* ---- rows of a table at 1, 1 + 1/n, 1 + 2/n, ... 2, 2 + 2/n, ... 4 and so on: n = 2^bits to an octave ---- */

/* Of row k, which may be negative. */
static inline double octaves_value(int k, int bits)
{
    int octave = k >> bits;
    return ldexp(1 + ldexp(k - octave * (1 << bits), -bits), octave);
}

/* The row, with the fraction of the way to the next, of x > 0 that is a normal float. A few instructions: it is the
 * exponent and the mantissa as they stand, one behind the other. */
static inline double octaves_row(double x, int bits)
{
    float rounded = (float)x;
    int32_t digits;
    memcpy(&digits, &rounded, sizeof digits);
    return (digits - 0x3f800000) * (1.0 / (1 << (23 - bits)));
}

/* ---- the pull of an exponential disk with a sech^2 profile across, and tables of what it does; G = 1: layer.c ---- */

/* Surface density mass / (2 pi scale^2) exp(-R / scale), times sech^2(z / height) / (2 height). */
struct layer {
    double mass, scale, height;
};

#define LAYER_HEIGHTS 41 /* of a table */
#define LAYER_BITS    3  /* its rows are those octaves of 1 + height */

/* Row k of the heights, in heights of the layer, from 0 to 31: eighths to 1, fourths to 3 and so on. */
double layer_height(int k);
/* The mean over the heights, by mass, of what has these values at them. */
double layer_mean(const double values[LAYER_HEIGHTS]);

/* Inward pull in the plane, softened (Plummer): R times it is the square of the circular speed. */
double layer_pull_plane(const struct layer *source, double softening, double R);

/* The pull of `source` at radii R[0..n) and at the heights of `at`: inward and towards the plane, both are added to.
 * The source has no edge; rows of z by numerical Hankel transforms (Toomre 1963; Binney & Tremaine 2008, 2.6.2), to
 * about 1e-4 of the pull. */
void layer_add_pull(const struct layer *source, const struct layer *at, double softening, size_t n, const double *R,
                    double (*inward)[LAYER_HEIGHTS], double (*across)[LAYER_HEIGHTS]);

/* ---- tables of orbits, and stars from them: orbits.c, orbits_draw.c ---- */

#define ORBITS_ROWS   256 /* guiding radii */
#define ORBITS_PLACES 65  /* quantiles of R for each, of a normal number from -4.8 to 4.8 */
#define ORBITS_RADII  209 /* of the pull of disks */
#define ORBITS_ROUND  1473
#define ORBITS_ACROSS 64   /* radii of motions across */
#define ORBITS_PHASES 17   /* of a fourth of these */
#define ORBITS_SWINGS 33   /* radial speeds at the guiding radius, */
#define ORBITS_SWING  0.25 /* in steps of so many dispersions */
#define ORBITS_CUT    8    /* no star's guiding radius is beyond, in scale lengths */
#define ORBITS_REACH  20   /* of the tables, in scale lengths */
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
    double dispersion[ORBITS_BINS];               /* sigma_R that was had */
    double inverse_scale, inverse_height;         /* of the layer */
    float disks[ORBITS_RADII][LAYER_HEIGHTS][2];  /* pull: inwards over R, and towards the plane over z */
    float round[ORBITS_ROUND];                    /* over r */
    double energy[ORBITS_ROWS];                   /* of circles in the middle of two edges */
    double farthest[ORBITS_ROWS][ORBITS_SWINGS];  /* from the centre, of stars with swings k ORBITS_SWING */
    double half_turn[ORBITS_ROWS][ORBITS_SWINGS]; /* the time from the nearest to there */
    double lift[ORBITS_ROWS]; /* actions across of stars with the energy of a circle, in those of sech^2 there */
    float actions[ORBITS_ACROSS][LAYER_HEIGHTS];  /* of motions across up to layer_height(), at fixed radii */
    float rarities[ORBITS_ACROSS][LAYER_HEIGHTS]; /* of these, -log of the share of stars of sech^2 that go higher */
    float across[ORBITS_ACROSS][LAYER_HEIGHTS][ORBITS_PHASES][2]; /* their height and velocity, from plane to top */
    struct numeric_spline *pull;                                  /* mean inward pull on the layer at R */
    struct numeric_spline *potential;                             /* its integral, 0 at the centre */
    double vertical_frequency;                                    /* the greatest of small motions across */
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
/* Star i: two draws, four uniform numbers and four normal ones: share of stars within the guiding radius, azimuth,
 * phase across, phase in the plane; place and speed out and in, and two for the action across. With `quiet`, the number
 * of stars, 6 k to 6 k + 5 are one star turned by sixths of a turn, every other one mirrored in the plane, and guiding
 * radii go outwards in equal shares; 0: all stars are random. pos or vel may be NULL. */
void orbits_draw(const struct orbits *o, const struct nb_rng *rng, uint64_t quiet, uint64_t i, double pos[3],
                 double vel[3]);

/* ---- motions across a disk: orbits_across.c ---- */

/* Radius of row k of a table with so many rows from 0 to reach: more are near the centre, where things change. */
double orbits_radius(double k, int rows, double reach);

/* Fills in actions, rarities and across, of motions at fixed radii. */
void orbits_find_across(struct orbits *o);

/* Fills in lift, when all else is there. */
void orbits_find_actions(struct orbits *o);

/* The action that a share exp(-rarity) of stars exceed which are a layer sech^2 at R. */
double orbits_action(const struct orbits *o, double R, double rarity);
/* Height and velocity across at R of a star with that action and phase, 0 to 1: from the plane upwards. */
void orbits_rise(const struct orbits *o, double R, double action, double phase, double *z, double *velocity);

/* The star of these random numbers, as orbits_draw() has them, at `count` moments of its orbit, at azimuths that mean
 * nothing. */
void orbits_place(const struct orbits *o, const double u[4], const double g[4], int count, double (*pos)[3],
                  double (*vel)[3]);

/* ---- the smooth field of a galaxy, and stars carried on in it: orbits_carry.c ---- */

/* Fills in the tables `disks` and `round`, and mean[ORBITS_RADII]: the pull of disks inwards, the mean over the layer's
 * heights, at the radii of orbits_table_radius(). */
void orbits_find_pull(struct orbits *o, const struct orbits_field *field, double *mean);
double orbits_table_radius(const struct orbits *o, int k);

/* The acceleration at pos, to some 1e-3 of it. Returns the square of the frequency of small motions there. */
double orbits_pull(const struct orbits *o, const double pos[3], double acc[3]);

/* Carries a star on for that time, or for a thousand steps if these are less. */
void orbits_carry(const struct orbits *o, double time, double pos[3], double vel[3]);

#define ORBITS_STATIONS 128

/* A star's way from where it goes neither out nor in to where it does so again. */
struct orbits_way {
    int count;
    double time; /* that it takes */
    struct orbits_station {
        double time, pos[3], vel[3];
    } stations[ORBITS_STATIONS];
};

/* From pos, with a velocity that is not radial; `usual` is about the time. */
void orbits_go(const struct orbits *o, double usual, const double pos[3], const double vel[3], struct orbits_way *way);
/* Where the star is after that share, 0 to 1, of the time. */
void orbits_on_way(const struct orbits *o, const struct orbits_way *way, double share, double pos[3], double vel[3]);
