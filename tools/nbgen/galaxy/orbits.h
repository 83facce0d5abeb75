/* orbits.h - draws the positions and velocities of a thin disk's stars, orbit by orbit.
 *
 * The motion in the plane follows the distribution function of Shu (1969). A star has the angular momentum of the
 * circular orbit at its guiding radius x. Its energy is the energy of this circular orbit plus a random amount with an
 * exponential distribution, whose mean is sigma^2(x). The distribution function depends only on integrals of motion, so
 * even a hot disk is in equilibrium at the start. For given x:
 *   - the radial velocity is normal with dispersion sigma(x) at any R;
 *   - R has the density exp(-(effective potential(R) - effective potential(x)) / sigma^2).
 * The number of stars at each x, and sigma(x), are fitted so that the disk gets the requested surface density and
 * radial dispersion (as in Dehnen 1999, here with Lucy's 1974 iteration).
 *
 * The vertical motion of a star is drawn in four steps:
 *   - The star begins at the apocentre of its motion in the plane, with a random vertical phase.
 *   - Its vertical action is drawn from the distribution of actions in a sech^2 layer (Abel's inversion). This is the
 *     distribution at the radius of the circular orbit that has the same energy as the star's motion in the plane. The
 *     action is multiplied by a factor (`lift`), which is fitted so that the rms height at all R is the same as for the
 *     profile sech^2(z / height).
 *   - The star's orbit is integrated in the smooth field of all components for a random fraction of the time from
 *     apocentre to pericentre. So the radial and the vertical phase are uniform, and phase mixing does not change the
 *     disk.
 *   - Stars with large radial oscillations near the centre exchange energy between their motion in the plane and their
 *     vertical motion. So their orbits are integrated for up to three more radial periods.
 *
 * In a test, the disk of the preset milkyway thickens by 0.5 % in five rotations in the smooth field. With a simpler
 * method (heights are drawn at the star's radius R, and orbits are not integrated), it thickens by 9 % within one
 * rotation. */
#pragma once

#include "nbgen/numeric.h"
#include "simd/rng.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double mixed(double a, double b, double t)
{
    return a + t * (b - a);
}

/* ---- tables with n = 2^bits rows per octave, at the values 1, 1 + 1/n, ..., 2, 2 + 2/n, ..., 4, 4 + 4/n, ... ---- */

/* Returns the value at row k of a table with 2^bits rows per octave (factor of 2): 1 for k = 0, and below 1 for
 * negative k. */
static inline double octaves_value(int k, int bits)
{
    int octave = k >> bits;
    return ldexp(1 + ldexp(k - octave * (1 << bits), -bits), octave);
}

/* Returns the position of x in the table of octaves_value(). The position is a row number k plus a fraction t, so
 * that x = (1 - t) value(k) + t value(k + 1), where value(k) = octaves_value(k, bits). x > 0 must be a normal float.
 * The bits of this float, read as an integer, are the position times 2^(23 - bits), plus a constant. */
static inline double octaves_row(double x, int bits)
{
    float rounded = (float)x;
    int32_t digits;
    memcpy(&digits, &rounded, sizeof digits);
    return (digits - 0x3f800000) * (1.0 / (1 << (23 - bits)));
}

/* ---- the attraction of an exponential disk with a vertical sech^2 profile, G = 1: layer.c ---- */

/* A layer with density mass / (2 pi scale^2) exp(-R / scale) times sech^2(z / height) / (2 height). */
struct layer {
    double mass, scale, height;
};

#define LAYER_HEIGHTS 41 /* number of heights in a table, see layer_height() */
#define LAYER_BITS    3  /* log2 of the number of rows in each octave (factor of 2) of 1 + z / height */

/* Returns the height of row k, divided by layer.height. Its values go from 0 to 31. The steps are 1/8 from 0 to 1, 1/4
 * from 1 to 3, 1/2 from 3 to 7, and so on. */
double layer_height(int k);
/* Returns the mean of a quantity in a layer, weighted by mass. values[k] is the quantity at height layer_height(k). */
double layer_mean(const double values[LAYER_HEIGHTS]);

/* Returns the inward attraction of layer `source` at radius R in its plane, with Plummer softening. */
double layer_pull_plane(const struct layer *source, double softening, double R);

/* Adds the attraction of layer `source` to `inward` (along -R) and `across` (towards the plane). Element [i][k] is at
 * the radius R[i], i < n, and at the height layer_height(k) * at->height, one of the tabulated heights of the layer
 * `at`. The source is taken as an infinite disk. Uses numerical Hankel transforms for each height (Toomre 1963; Binney
 * & Tremaine 2008, 2.6.2). The relative error is about 1e-4. */
void layer_add_pull(const struct layer *source, const struct layer *at, double softening, size_t n, const double *R,
                    double (*inward)[LAYER_HEIGHTS], double (*across)[LAYER_HEIGHTS]);

/* ---- tables of orbits, and stars drawn from them: orbits.c, orbits_draw.c ---- */

#define ORBITS_ROWS 256 /* number of guiding radii */
/* number of tabulated radii R per guiding radius: the quantiles of R that correspond to -4.8 to 4.8 sigma of a normal
 * distribution */
#define ORBITS_PLACES 65
#define ORBITS_RADII  209  /* number of radii in the table of the attraction of disks */
#define ORBITS_ROUND  1473 /* number of radii in the table of the attraction of spherical components */
#define ORBITS_ACROSS 64   /* number of radii in the tables of vertical motions */
#define ORBITS_PHASES 17   /* number of phases in a quarter of a vertical oscillation */
#define ORBITS_SWINGS 33   /* number of tabulated radial speeds at the guiding radius */
#define ORBITS_SWING  0.25 /* difference of two successive tabulated radial speeds, in units of the dispersion */
#define ORBITS_CUT    8    /* maximum guiding radius of a star, in scale lengths */
#define ORBITS_REACH  20   /* maximum radius of the tables, in scale lengths */
#define ORBITS_BINS   64   /* number of bins of R in which stars are counted */

struct orbits {
    struct layer layer;
    double toomre; /* requested minimum of Toomre's Q */
    /* `least_Q`: smallest Q of the drawn stars at radii of 0.2 to 5 scale lengths. `least_at`: radius where Q has this
     * value. `misfit`: largest relative error of the surface density at radii of 0.1 to 5 scale lengths. */
    double least_Q, least_at, misfit;
    double lost;                   /* fraction of the stars at radii above ORBITS_CUT scale lengths */
    double edge[ORBITS_ROWS + 1];  /* cell j has guiding radii from edge[j] to edge[j + 1] */
    double below[ORBITS_ROWS + 1]; /* below[j]: fraction of the stars whose guiding radius is below edge[j] */
    double momentum[ORBITS_ROWS];  /* momentum[j]: angular momentum of the circular orbit in the middle of cell j */
    double sigma[ORBITS_ROWS];
    double place[ORBITS_ROWS][ORBITS_PLACES];
    double dispersion[ORBITS_BINS];       /* sigma_R of the drawn stars in each bin of R */
    double inverse_scale, inverse_height; /* inverse scale length and inverse scale height of the layer */
    /* Attraction of the disks. Element [k][z] is at the radius orbits_table_radius(k) and the height layer_height(z) *
     * layer.height. Its two numbers are (inward attraction) / R and (attraction towards the plane) / height. */
    float disks[ORBITS_RADII][LAYER_HEIGHTS][2];
    /* (attraction of the spherical components) / r, at ORBITS_ROUND distances r from the centre */
    float round[ORBITS_ROUND];
    double energy[ORBITS_ROWS]; /* energy[j]: energy of the circular orbit in the middle of cell j */
    /* Element [j][k]: apocentre of stars with the guiding radius of row j, if their radial speed at this radius is k *
     * ORBITS_SWING * sigma[j]. */
    double farthest[ORBITS_ROWS][ORBITS_SWINGS];
    /* Element [j][k]: time from pericentre to apocentre of the stars with the apocentre farthest[j][k]. */
    double half_turn[ORBITS_ROWS][ORBITS_SWINGS];
    /* Element j: factor by which the drawn vertical action is multiplied, for stars whose energy in the plane is
     * energy[j]. */
    double lift[ORBITS_ROWS];
    /* Element [row][k]: vertical action of stars at the radius of this row, if their maximum height is layer_height(k)
     * scale heights. */
    float actions[ORBITS_ACROSS][LAYER_HEIGHTS];
    /* Element [row][k]: -log(fraction of the stars in a sech^2 layer whose vertical action is larger than
     * actions[row][k]). */
    float rarities[ORBITS_ACROSS][LAYER_HEIGHTS];
    /* Height and vertical velocity of stars with the action actions[row][k], at ORBITS_PHASES phases of the motion from
     * the plane to the maximum height. */
    float across[ORBITS_ACROSS][LAYER_HEIGHTS][ORBITS_PHASES][2];
    struct numeric_spline *pull;      /* inward attraction at R, averaged over the mass of the layer at this R */
    struct numeric_spline *potential; /* integral of `pull`, 0 at the centre */
    double vertical_frequency;        /* frequency of small vertical motions: maximum over all radii */
};

/* The field that acts on a layer. */
struct orbits_field {
    const struct layer *layers;
    int layer_count;
    numeric_function *round; /* returns r^2 times the attraction of the spherical components at r */
    const void *context;
    double softening;
};

/* Computes the tables of `o` from o->layer and o->toomre, which the caller sets. */
void orbits_make(struct orbits *o, const struct orbits_field *field);
/* Draws star i from four uniform and four normal random numbers. The uniform numbers give, in this order, the fraction
 * of the stars with smaller guiding radii, the azimuth, the vertical phase, and the phase in the plane. The first two
 * normal numbers give radius and radial speed, and the other two give the vertical action. pos or vel may be NULL.
 *
 * quiet: 0, or the number of stars of a quiet start. In a quiet start, stars 6 k to 6 k + 5 are copies of one star,
 * rotated by multiples of 60 degrees. Copies with odd i are also mirrored at the plane. The guiding radii enclose
 * equally spaced fractions of the stars. */
void orbits_draw(const struct orbits *o, const struct nb_rng *rng, uint64_t quiet, uint64_t i, double pos[3],
                 double vel[3]);

/* ---- vertical motions: orbits_across.c ---- */

/* Returns the radius of row k of a table with `rows` rows from radius 0 to `reach`. Rows are denser near the centre. */
double orbits_radius(double k, int rows, double reach);

/* Computes the tables `actions`, `rarities` and `across` of vertical motions at fixed radii. */
void orbits_find_across(struct orbits *o);

/* Computes the table `lift`. All other tables must be complete. */
void orbits_find_actions(struct orbits *o);

/* Returns the vertical action that is exceeded by the fraction exp(-rarity) of the stars in a sech^2 layer at radius
 * R. */
double orbits_action(const struct orbits *o, double R, double rarity);
/* Computes height and vertical velocity of a star at radius R with this vertical action and phase. The phase goes from
 * 0 to 1 in one oscillation. At phase 0 the star is in the plane and moves upwards. */
void orbits_rise(const struct orbits *o, double R, double action, double phase, double *z, double *velocity);

/* Draws the same star as orbits_draw() from the uniform numbers u and the normal numbers g. Computes its positions and
 * velocities at `count` evenly spaced phases of its orbit. Does not use u[1], the azimuth: orbits_draw() rotates the
 * star later. */
void orbits_place(const struct orbits *o, const double u[4], const double g[4], int count, double (*pos)[3],
                  double (*vel)[3]);

/* ---- the smooth field of a galaxy, and stars carried in it: orbits_carry.c ---- */

/* Computes the tables `disks` and `round`. Sets mean[k], k < ORBITS_RADII, to the inward attraction of the disks at the
 * radius orbits_table_radius(o, k), averaged over the mass of the layer at this radius. */
void orbits_find_pull(struct orbits *o, const struct orbits_field *field, double *mean);
double orbits_table_radius(const struct orbits *o, int k);

/* Sets acc to the acceleration at pos in the smooth field, with a relative error of about 1e-3. Returns the larger of
 * (inward attraction) / R and (attraction towards the plane) / z. This is a squared frequency, from which a time step
 * can be chosen. */
double orbits_pull(const struct orbits *o, const double pos[3], double acc[3]);

/* Integrates a star's orbit for `time`, but for at most a thousand steps. */
void orbits_carry(const struct orbits *o, double time, double pos[3], double vel[3]);

#define ORBITS_STATIONS 128

/* A star's path between two points where its radial velocity is 0. */
struct orbits_way {
    int count;
    double time; /* duration of the path */
    struct orbits_station {
        double time, pos[3], vel[3];
    } stations[ORBITS_STATIONS];
};

/* Integrates a star's orbit from pos, where its radial velocity is 0, to the next point where the radial velocity is 0.
 * `usual` is the expected duration. */
void orbits_go(const struct orbits *o, double usual, const double pos[3], const double vel[3], struct orbits_way *way);
/* Computes position and velocity after the fraction `share`, from 0 to 1, of the duration of the path. */
void orbits_on_way(const struct orbits *o, const struct orbits_way *way, double share, double pos[3], double vel[3]);
