/* contact_inlet.h - the inlet of a flow of disks that touch (contact.h).
 *
 * The number of disks is constant. Disks that leave the box at X1 enter again through the fringe, x < X0 +
 * NB_CONTACT_FRINGE (X1 - X0), where velocities are prescribed. The fringe has four zones, with these limits (in tenths
 * of the fringe's length) and velocities:
 *
 *   entry    0 to 1      speed SPEED
 *   chamber  1 to 6      SPEED J(0) / q, q = max(1, density in the chamber / DENSITY)
 *   nozzle   6 to 8.5    SPEED J(s) / n, n(s) = sqrt(q^2 + (1 - q^2) s), s from 0 to 1 along the nozzle
 *   outlet   8.5 to 10   x component SPEED + sigma g_0, y component sigma g_1
 *
 * DENSITY and SPEED are those of the flow in the frame's header. s is the position in the nozzle, n is the density at s
 * divided by DENSITY, and J(s) is the mass flow at s (contact_flow.h). Disks in entry, chamber and nozzle move along x
 * only. The chamber holds a reserve of disks, so that the inflow has the density DENSITY. Without a reserve, the
 * densities of the chamber and of the inflow are below DENSITY.
 *
 * Mixing: in every step whose number is a multiple of NB_CONTACT_MIX_STEPS, all disks in the chamber get new random
 * positions in the chamber. x and y are computed from the uniform random numbers u_0 and u_1 of nb_rng_uniforms(seed,
 * NB_CONTACT_PLACES; body: index of the disk, draw: number of the step). y is at least a radius from the box's sides
 * that are not periodic. After mixing, the chamber has uniform density, so the mass of the disks in the chamber gives
 * the density at the chamber's end without delay. Wakes that came in through the entry disappear. Mixed disks overlap,
 * and their repulsion at the chamber's end increases the mass flow for a while. With 64 steps between mixings and a
 * chamber with 5 times the flow's density, the mass flow was 4 % too high. With 128 steps it is 1 % too high for 10000
 * disks, and less for more disks.
 *
 * Outlet: disk i gets a random velocity in steps with (i / 32 + step) % NB_CONTACT_DRAW_STEPS == 0 (integer division).
 * sigma is nb_contact_sigma. g_0 and g_1 are the normal random numbers of nb_rng_normals(seed, NB_CONTACT_STREAM; disk,
 * step). Between these steps, free flight preserves the distribution of velocities.
 *
 * The stock consists of two numbers: the mass of the disks in the chamber, and the mass of the disks in the entry. Both
 * are integers. Their unit is the mass of a chamber with the density DENSITY, divided by NB_CONTACT_STOCK. For resumed
 * runs, the headers of frames contain the stock and the mean density of the inflow (scene.h). If the stock is not known
 * in the first step of a run, this step only counts the stock, and disks before the outlet keep their velocities. */
#pragma once

#include "scene/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_CONTACT_FRINGE 0.1 /* (length of the fringe) / (length of the box); the fringe begins at X0 */
/* index of the random stream (rng.h) for velocities in the outlet; initial conditions use other streams */
#define NB_CONTACT_STREAM     ((uint64_t)1 << 32)
#define NB_CONTACT_PLACES     (NB_CONTACT_STREAM + 1) /* index of the random stream for positions in the chamber */
#define NB_CONTACT_MIX_STEPS  128                     /* steps between random mixings of the disks in the chamber */
#define NB_CONTACT_DRAW_STEPS 16                      /* a disk in the outlet gets a random velocity every 16 steps */
#define NB_CONTACT_STOCK      0x1p40 /* mass of a chamber with the flow's density, in units of nb_contact_stock */
#define NB_CONTACT_UNKNOWN    UINT64_MAX

struct nb_contact_inlet {
    double chamber, nozzle, outlet, end; /* x at which chamber, nozzle and outlet begin, and at which the outlet ends */
    double low[2], high; /* low[0]: x at which the fringe begins. The range of y in the chamber is low[1] to high */
    double speed, units_per_mass;
};

/* Masses of the disks in the chamber and in the entry. Their unit is the mass of a chamber with the flow's density,
 * divided by NB_CONTACT_STOCK. `chamber` is NB_CONTACT_UNKNOWN before the first count. */
struct nb_contact_stock {
    uint64_t chamber, entry;
};

struct nb_contact_rate { /* numbers from which contact_inlet_speed computes the speed in chamber and nozzle */
    /* q: density in the chamber divided by the density of the flow, at least 1. gain: factor of G(s) in the mass flow
     * J(s) = 1 + gain * G(s) of the nozzle (contact_flow.h) */
    double q, gain;
};

struct nb_contact_let { /* inflow through the inlet in the steps since the last report */
    uint64_t steps;
    double filling; /* sum over these steps of min(1, density of the chamber / density of the flow) */
};

/* Returns the x at which the inlet's fringe ends. */
double nb_contact_fringe(const struct nb_scene *scene);
/* Sets *inlet from the scene: limits of the zones, speed and unit of mass. */
void nb_contact_inlet_make(const struct nb_scene *scene, struct nb_contact_inlet *inlet);
/* Returns 0, or -1 after nb_fail if a wall stands in the fringe, where disks get new positions. */
int nb_contact_inlet_check(const struct nb_scene *scene);
/* Returns the stock from the header; its member `chamber` is NB_CONTACT_UNKNOWN if the header does not state the
 * stock. */
struct nb_contact_stock nb_contact_stock_before(const struct nb_scene *scene, const struct nb_contact_inlet *inlet,
                                                const struct nb_meta *meta);
/* Writes the stock and the mean density of the inflow into a frame's header. Omits values that are not known. */
int nb_contact_put_inflow(const struct nb_scene *scene, const struct nb_contact_inlet *inlet,
                          const struct nb_contact_stock *stock, const struct nb_contact_let *let, struct nb_meta *meta);
/* Returns the effective radius: the radius of hard disks with the same pressure as these soft disks (Barker & Henderson
 * 1967, J. Chem. Phys. 47, 4714). It is r - sqrt(pi m / (8 k)) * sigma, or 0 if this is negative. k is the stiffness,
 * and sigma the standard deviation of a velocity component. */
double nb_contact_effective(const struct nb_scene *scene, double radius, double mass, double sigma);
/* Returns sigma, the standard deviation of a velocity component in the flow. It is computed from the speed of sound c
 * of the header, SPEED / MACH:
 * - In two dimensions, c^2 = sigma^2 * (Z + f Z' + Z^2), with Z' = dZ/df.
 * - Z = (1 + f^2/8) / (1 - f)^2 is the equation of state of hard disks (Henderson 1975, Mol. Phys. 30, 971).
 * - f is the area fraction at the flow's density if all disks have the mass `mass` and the effective radius. A disk
 * that is larger than the others could give a very large f, so f is limited to the densest packing.
 * - The formula for c^2 holds for a constant effective radius, although this radius decreases with temperature. */
double nb_contact_sigma(const struct nb_scene *scene, double radius, double mass);

#ifdef __cplusplus
}
#endif
