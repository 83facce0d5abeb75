/* contact_inlet.h - the inlet of a flow of disks that touch (contact.h). No disk is added: what wraps round is let in
 * anew by the fringe, x < X0 + NB_CONTACT_FRINGE (X1 - X0), in which velocities are prescribed. A reserve waits in a
 * settling chamber, and is let out at the rate at which the flow of the header passes. The fringe has, in tenths of it,
 *
 *   entry    0 to 1      speed SPEED
 *   chamber  1 to 6      SPEED J(0) / q, q = max(1, density in the chamber / DENSITY)
 *   nozzle   6 to 8.5    SPEED J(s) / n, n(s) = sqrt(q^2 + (1 - q^2) s), s from 0 to 1 along it
 *   outlet   8.5 to 10   SPEED + sigma g_0, sigma g_1
 *
 * Disks of entry, chamber and nozzle move along x only. n is the nozzle's density over the flow's; contact_flow.h
 * derives J. Where the chamber is thinner than the flow, because there was no reserve or it is used up, so is what
 * arrives.
 *
 * In the steps whose number is a multiple of NB_CONTACT_MIX_STEPS disks in the chamber get new places there, x and y
 * uniform with u_0 and u_1 of nb_rng_uniforms(seed, NB_CONTACT_PLACES; body: the disk's number, draw: the number of the
 * step), y between the box's sides, a radius from those that are not periodic. The chamber then has one density, so
 * that the count of these steps tells the rate without a delay, and the wake that has come round is gone. After 64
 * steps disks that lie on one another had no time to part, and their push at the chamber's end added 4 % to a flow from
 * a chamber of 5 times the density; after 128 it adds 1 % for 10000 disks, and less for more.
 *
 * In the outlet disk i gets a velocity in the steps for which (i / 32 + step) % NB_CONTACT_DRAW_STEPS is 0, with sigma
 * = nb_contact_sigma and g = nb_rng_normals(seed, NB_CONTACT_STREAM; disk, step): free flight keeps the distribution
 * that was drawn, so that nothing is gained by draws in each step.
 *
 * The stock of chamber and entry is counted in whole units of 1 / NB_CONTACT_STOCK of the mass that the chamber has at
 * DENSITY. It is in the header of frames, with the mean density that was let in (scene.h), so that a resumed run has
 * it. If it is not known, in the first step of a run, it is counted, and disks before the outlet keep their velocities.
 */
#pragma once

#include "scene/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_CONTACT_FRINGE     0.1                     /* of the box, from X0 on */
#define NB_CONTACT_STREAM     ((uint64_t)1 << 32)     /* of random numbers (rng.h): none of a model's; velocities, */
#define NB_CONTACT_PLACES     (NB_CONTACT_STREAM + 1) /* and places */
#define NB_CONTACT_MIX_STEPS  128                     /* from one mixing to the next */
#define NB_CONTACT_DRAW_STEPS 16                      /* from one velocity of a disk to the next */
#define NB_CONTACT_STOCK      0x1p40                  /* units of the mass of a chamber as dense as the flow */
#define NB_CONTACT_UNKNOWN    UINT64_MAX

struct nb_contact_inlet {
    double chamber, nozzle, outlet, end; /* x at which they begin, and the last ends */
    double low[2], high;                 /* where the fringe begins, x, and places in the chamber, y */
    double speed, units_per_mass;
};

struct nb_contact_stock { /* units; of the chamber NB_CONTACT_UNKNOWN where it was not counted yet */
    uint64_t chamber, entry;
};

struct nb_contact_rate { /* at which the chamber lets out */
    double q, gain;      /* gain: (e - 1) / (C + G(0)) */
};

struct nb_contact_let { /* what an inlet has let in since the last report */
    uint64_t steps;
    double filling; /* sum over them of the density over the flow's */
};

/* Where the inlet's fringe ends, x. */
double nb_contact_fringe(const struct nb_scene *scene);
void nb_contact_inlet_make(const struct nb_scene *scene, struct nb_contact_inlet *inlet);
/* -1 after nb_fail: a wall stands in the fringe, where disks of the chamber get places. */
int nb_contact_inlet_check(const struct nb_scene *scene);
/* The stock that the header tells of. */
struct nb_contact_stock nb_contact_stock_before(const struct nb_scene *scene, const struct nb_contact_inlet *inlet,
                                                const struct nb_meta *meta);
/* Puts the mean density that was let in, and the stock, into a frame's header, if they are known. */
int nb_contact_put_inflow(const struct nb_scene *scene, const struct nb_contact_inlet *inlet,
                          const struct nb_contact_stock *stock, const struct nb_contact_let *let, struct nb_meta *meta);
/* The radius of hard disks that have the pressure of these, which are soft: half of the diameter of Barker & Henderson
 * (1967, J. Chem. Phys. 47, 4714), r - sqrt(pi m / 8 k) sigma, where a velocity's component has the standard deviation
 * sigma; at least 0. */
double nb_contact_effective(const struct nb_scene *scene, double radius, double mass, double sigma);
/* Standard deviation of a velocity's component in the flow, L/T: from the speed of sound SPEED / MACH by the equation
 * of state of hard disks, Z = (1 + f^2/8) / (1 - f)^2 (Henderson 1975, Mol. Phys. 30, 971), f the share of the area
 * that disks of that mass and of the effective radius take at that density, at most that of the densest packing, which
 * a disk that is larger than the others may exceed; c^2 = sigma^2 (Z + f Z' + Z^2) in two dimensions. The radius is
 * taken as constant, though it falls with the temperature. */
double nb_contact_sigma(const struct nb_scene *scene, double radius, double mass);

#ifdef __cplusplus
}
#endif
