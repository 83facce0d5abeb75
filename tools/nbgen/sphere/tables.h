/* tables.h - what a sphere is made of, for the files that make and read it; sphere.h is for everyone. */
#ifndef SPHERE_TABLES_H
#define SPHERE_TABLES_H

#include "nbgen/sphere/sphere.h"

/* Zeros; dies without memory. */
void *sphere_memory(size_t size_bytes);

#define SPHERE_STEP   (1. / 32) /* of the grid, in ln r where there is no edge */
#define SPHERE_MARGIN 8         /* nodes at each end that only serve differences */

/* Equal steps of y, with r = scale e^y / (1 + scale e^y / edge): ln r inside, and where the density ends at an edge
 * -ln(edge - r) there, so that powers of r and of the distance from the edge are both smooth. */
struct sphere_grid {
    size_t n;
    double scale, edge; /* INFINITY: none */
    double first;       /* y of node 0 */
    double *r;
    double *pressure;      /* dPsi/dy with its sign turned: what a step outwards costs */
    double *inner, *outer; /* Psi(node 0) - Psi and Psi - Psi(last node): differences of the smaller are exact */
    double *f;             /* the distribution function at Q = Psi; 0 in the margins */
};

double sphere_grid_r(const struct sphere_grid *g, double y);
double sphere_grid_y(const struct sphere_grid *g, double r);
/* Fills f from the others; -1 after nb_fail where it would be negative between r_low and r_high. */
int sphere_eddington(struct sphere_grid *g, const struct sphere_density *density, double anisotropy_radius,
                     double r_low, double r_high);
/* Psi = integral of mass / r^2 from r on. */
double sphere_tail(const struct sphere_pull *pull, double r);
/* The integral of f from x to x + h by Gauss's formula with five points. */
double sphere_gauss(numeric_function *f, const void *context, double x, double h);

struct sphere_node { /* a line of cache */
    double r;
    double mass, r_slope;  /* of the bodies within r; dr/dmass */
    double psi, psi_slope; /* dpsi/dr */
    double fallen;         /* psi(node 0) - psi: without cancellation near the centre */
    double f, below;       /* the distribution function at psi, and its integral from 0 to psi */
};

struct sphere {
    struct sphere_node *nodes; /* outwards */
    uint32_t n;
    uint32_t *by_mass;  /* SPHERE_BINS + 1: the last node with no more mass than the bin's lower end */
    uint32_t *by_below; /* as by_mass, of `below`, in bins of sphere_bin */
    uint32_t first_bin, bins;
    double mass;        /* of the bodies */
    double inner_power; /* r ~ mass^that inside node 0 */
    double floor;       /* psi where f is 0 */
    double anisotropy_radius;
    struct sphere_density density;
    struct sphere_pull pull;
};

#define SPHERE_BINS 4096

/* Bins of 1/16 of an octave: the first digits of a positive double, as an integer. */
static inline uint32_t sphere_bin(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> 48);
}

/* The cubic that has the values and slopes of both ends; s from 0 to 1, slopes per s. */
static inline double sphere_cubic(double s, double y0, double y1, double d0, double d1)
{
    double rise = y1 - y0;
    return y0 + s * (d0 + s * (3 * rise - 2 * d0 - d1 + s * (d0 + d1 - 2 * rise)));
}

#endif
