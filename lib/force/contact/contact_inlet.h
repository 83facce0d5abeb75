/* contact_inlet.h - the inlet of a flow of disks that touch (contact.h). The number of disks is constant: disks that
 * leave at X1 enter again through the fringe, x < X0 + NB_CONTACT_FRINGE (X1 - X0), where velocities are prescribed. A
 * reserve of disks waits in a settling chamber, which empties at the rate of the header's flow. The fringe has four
 * zones, in tenths of its length:
 *
 *   entry    0 to 1      speed SPEED
 *   chamber  1 to 6      SPEED J(0) / q, q = max(1, density in the chamber / DENSITY)
 *   nozzle   6 to 8.5    SPEED J(s) / n, n(s) = sqrt(q^2 + (1 - q^2) s), s from 0 to 1 along it
 *   outlet   8.5 to 10   SPEED + sigma g_0, sigma g_1
 *
 * In entry, chamber and nozzle disks move along x only. n is the nozzle's density divided by the flow's; contact_flow.h
 * derives J. If the chamber is thinner than the flow, because there was no reserve or it is used up, the incoming flow
 * is thinner too.
 *
 * In steps whose number is a multiple of NB_CONTACT_MIX_STEPS, disks in the chamber get new random positions there: x
 * and y uniform with u_0 and u_1 of nb_rng_uniforms(seed, NB_CONTACT_PLACES; body: index of the disk, draw: number of
 * the step). y lies between the box's sides, at least a radius from sides that are not periodic. The chamber then has
 * uniform density. The number of its disks thus gives the rate without delay, and the wake that returned is erased.
 * With an interval of 64 steps overlapping disks had no time to separate. Their pressure at the chamber's end then
 * added 4 % to a flow from a chamber of 5 times the density. With 128 steps it adds 1 % for 10000 disks, and less for
 * more.
 *
 * In the outlet, disk i gets a random velocity in steps with (i / 32 + step) % NB_CONTACT_DRAW_STEPS == 0, with sigma =
 * nb_contact_sigma and g = nb_rng_normals(seed, NB_CONTACT_STREAM; disk, step). Free flight preserves the distribution,
 * so that more frequent draws would gain nothing.
 *
 * The stock, the mass of chamber and entry, is counted in integer units of 1 / NB_CONTACT_STOCK of the chamber's mass
 * at DENSITY. It is stored in the header of frames together with the mean density of the inflow (scene.h), so that a
 * resumed run has it. If it is unknown, in the first step of a run, it is counted, and disks before the outlet keep
 * their velocities. */
#pragma once

#include "scene/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_CONTACT_FRINGE 0.1 /* length of the fringe / length of the box; the fringe begins at X0 */
/* stream of random numbers for velocities (rng.h), not used by models */
#define NB_CONTACT_STREAM     ((uint64_t)1 << 32)
#define NB_CONTACT_PLACES     (NB_CONTACT_STREAM + 1) /* stream of random numbers for positions */
#define NB_CONTACT_MIX_STEPS  128                     /* number of steps between two mixings of the chamber */
#define NB_CONTACT_DRAW_STEPS 16                      /* number of steps between two random velocities of a disk */
#define NB_CONTACT_STOCK      0x1p40 /* number of units in the mass of a chamber with the flow's density */
#define NB_CONTACT_UNKNOWN    UINT64_MAX

struct nb_contact_inlet {
    double chamber, nozzle, outlet, end; /* x at which chamber, nozzle and outlet begin, and at which the outlet ends */
    double low[2], high; /* low[0]: x at which the fringe begins; low[1], high: range of y in the chamber */
    double speed, units_per_mass;
};

/* masses in units of NB_CONTACT_STOCK; chamber is NB_CONTACT_UNKNOWN before the first count */
struct nb_contact_stock {
    uint64_t chamber, entry;
};

struct nb_contact_rate { /* rate at which the chamber empties */
    double q, gain;      /* q: as in the table at the top; gain = (e - 1) / (C + G(0)), see contact_flow.h */
};

struct nb_contact_let { /* inflow since the last report */
    uint64_t steps;
    double filling; /* sum over the steps of min(1, density of the chamber / density of the flow) */
};

/* Returns the x at which the inlet's fringe ends. */
double nb_contact_fringe(const struct nb_scene *scene);
/* Fills the inlet's zones from the scene. */
void nb_contact_inlet_make(const struct nb_scene *scene, struct nb_contact_inlet *inlet);
/* Checks the scene. -1 after nb_fail: a wall stands in the part of the fringe where disks get new positions. */
int nb_contact_inlet_check(const struct nb_scene *scene);
/* Returns the stock from the header; chamber is NB_CONTACT_UNKNOWN if the header has none. */
struct nb_contact_stock nb_contact_stock_before(const struct nb_scene *scene, const struct nb_contact_inlet *inlet,
                                                const struct nb_meta *meta);
/* Writes the mean density of the inflow and the stock into a frame's header, if they are known. */
int nb_contact_put_inflow(const struct nb_scene *scene, const struct nb_contact_inlet *inlet,
                          const struct nb_contact_stock *stock, const struct nb_contact_let *let, struct nb_meta *meta);
/* Returns the radius of hard disks with the same pressure as these soft disks. It is half of Barker & Henderson's
 * diameter (1967, J. Chem. Phys. 47, 4714), r - sqrt(pi m / 8 k) sigma, at least 0. sigma is the standard deviation of
 * a velocity component. */
double nb_contact_effective(const struct nb_scene *scene, double radius, double mass, double sigma);
/* Returns the standard deviation of a velocity component in the flow, L/T. It follows from the speed of sound SPEED /
 * MACH with the equation of state of hard disks, Z = (1 + f^2/8) / (1 - f)^2 (Henderson 1975, Mol. Phys. 30, 971), and
 * c^2 = sigma^2 (Z + f Z' + Z^2) in two dimensions. f is the area fraction of disks of this mass and of the effective
 * radius at the flow's density. It is limited to the densest packing, which disks larger than the others may exceed.
 * The effective radius is treated as constant, although it decreases with temperature. */
double nb_contact_sigma(const struct nb_scene *scene, double radius, double mass);

#ifdef __cplusplus
}
#endif
