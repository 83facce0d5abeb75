/* contact.h - disks that touch push one another apart: `--force contact`, a short-range force in the plane z = 0.
 *
 * Linear spring and dashpot (Cundall & Strack 1979, Geotechnique 29, 47), with the stiffness k and the damping c of the
 * header (scene.h). The radii r_i are all the header's, r; or those of the bodies' column (radius=column,
 * nb_force_set_radii), none above r, which is then their bound. For disks i, j at distance d < r_i + r_j, n the unit
 * vector from j to i:
 *
 *   F_i = (k (r_i + r_j - d) - c (v_i - v_j) . n) n,     F_j = -F_i
 *
 * and for a wall at signed distance s < r_i of the centre, positive on the disks' side, n the normal that points there,
 * from the wall's nearest point:
 *
 *   F_i = (k (r_i - s) - c v_i . n) n,     and the wall feels -F_i
 *
 * Each wall (scene.h) acts once on a disk, by its nearest point, so that its potential has no jump. The force is not
 * cut off where damping makes it attractive at the end of a contact; so a head-on contact of masses m_i, m_j ends after
 *
 *   t = pi / w,  w^2 = k / mu - b^2,  b = c / (2 mu),  mu = m_i m_j / (m_i + m_j)
 *
 * with the restitution e = exp(-b t) (Schwager & Poschel 2007, Granular Matter 9, 465, who also treat the other case);
 * with a wall mu = m_i. Disks at one place are pushed apart along x, the one of the smaller number to -x.
 *
 * Damping in a step: a step is not short compared with a contact, since the bound allows 25 steps a contact. An
 * evaluation for a kick of length h (nb_sources.kick) returns the mean of the dashpot's force over the kick. Let o be
 * the overlap and v the speed before the kick, positive for disks that separate:
 *
 *   F = -(1 - exp(-W D)) (v + s / 2) mu / h,   s = k o h / mu,   D = (c h / mu) (1 + k h^2 / (24 mu))
 *
 * s is the speed that the spring adds in the kick. The bracket of D corrects the duration of contacts, which leapfrog
 * makes shorter by that factor. The weight W stands for the time of a contact that belongs to the kick, in units of h.
 * Let p h be the time since the contact began, o / |v|, or the time until it ends, o (1 + 3 D / 2) / (v + s):
 *
 *   W = 3 p / 2 for p <= 1,   2 - p / 2 for 1 < p <= 2,   1 for p > 2
 *
 * The weights at p and p + 1 add up to p + 3/2, the time from the beginning of the contact to the end of the second
 * kick, for any p in (0, 1]. W has no jump, so that an error of the estimate of p changes little. With 25 steps a
 * contact and restitutions from 0.2 on, the restitution is that of the formula within 0.5 %, for any phase of the
 * step at which the contact begins. With F = -c v the error is up to 5 % at 0.5. An evaluation without a kick (for an
 * output, or for integrators other than splitting schemes) returns -c v.
 *
 * The potential phi of a disk, per mass: m phi = sum over disks of k (r_i + r_j - d)^2 / 2 + sum over walls of
 * k (r_i - s)^2, so that sum m phi / 2 is the energy of all springs. The pressure of a disk: sum |F| / (2 pi r_i),
 * M/T^2. z is ignored, and no force has a z component.
 *
 * What every row does:
 *
 * Order: a disk adds up its partners in ascending number, then the walls in the header's order: equal bits in every
 * run, whatever the way in which the partners were found.
 *
 * Periodic: d is the shortest of the images (the box is wider than four disks). Walls have no images.
 *
 * Boundary: once a step, after the positions were moved, x and y go back into the box where it is periodic. The first
 * call is step 1 more than the header's, and so on.
 *
 * Inlet: in a flow what wraps round is let in anew by the fringe, x < X0 + NB_CONTACT_FRINGE (X1 - X0), in which
 * velocities are prescribed. No disk is added: a reserve waits in a settling chamber, and is let out at the rate at
 * which the flow of the header passes, whatever comes round. The fringe has, in tenths of it,
 *
 *   entry    0 to 1      speed SPEED
 *   chamber  1 to 6      SPEED J(0) / q, q = max(1, density in the chamber / DENSITY)
 *   nozzle   6 to 8.5    SPEED J(s) / n, n(s) = sqrt(q^2 + (1 - q^2) s), s from 0 to 1 along it
 *   outlet   8.5 to 10   SPEED + sigma g_0, sigma g_1
 *
 * Disks of entry, chamber and nozzle move along x alone. n is the nozzle's density over the flow's. Where as much
 * comes round as goes out J is 1, and DENSITY SPEED goes out per time and height. Where less comes, e < 1 (or more, up
 * to 2) of the flow's density in the entry, the chamber thins out, and the nozzle with it, which lets out its own
 * besides: that the nozzle's end has J(1) = 1 then takes J(s) = 1 + (e - 1) G(s) / (C + G(0)), with G(s) the integral
 * of dn/dq from s to 1 and C the chamber's length over the nozzle's, from the masses of both being conserved. Without
 * it a flow is too dense by 2 % while its reserve is being used up. Where the chamber is thinner than the flow, because
 * there was no reserve or it is used up, so is what arrives. In the steps whose number is a multiple of
 * NB_CONTACT_MIX_STEPS disks in the chamber get new places there, x and y uniform with u_0 and u_1 of
 * nb_rng_uniforms(seed, NB_CONTACT_PLACES; body: the disk's number, draw: the number of the step), y between the box's
 * sides, a radius from those that are not periodic: the wake that has come round is gone, and the density is the same
 * all over the chamber, so that the count of these steps tells the rate without a delay. (A count without mixing along
 * x says what will come out later: the flow then swings about its density. Mixed each 64 steps disks that lie on one
 * another have no time to part, and their push at the chamber's end adds 4 % to a flow from a chamber of 5 times the
 * density; 128 leave 1 %, for 10000 disks, and less for more.) In the nozzle they part, without gaining speed since
 * velocities are prescribed.
 *
 * In the outlet disk i gets a velocity in the steps for which (i / 32 + step) % NB_CONTACT_DRAW_STEPS is 0, with sigma
 * = nb_contact_sigma and g = nb_rng_normals(seed, NB_CONTACT_STREAM; disk, step): free flight keeps the distribution
 * that was drawn, so that nothing is gained by draws in each step.
 *
 * The stock of chamber and entry is counted in whole units of 1 / NB_CONTACT_STOCK of the mass that the chamber has at
 * DENSITY. It is in the header of frames, with the mean density that was let in (scene.h), so that a run that goes on
 * has it. Where it is not known, in the first step of a run, it is counted, and disks before the outlet keep their
 * velocities.
 *
 * Walls: the force on each is added up over the evaluations of the acceleration of all bodies that steps ask for, as
 * whole numbers of 2^-40 k r (64 bits in an evaluation), whose sum does not depend on its order, and reported as the
 * mean (nb_force.report).
 *
 * Deep: the centre of a disk deeper than its radius inside a closed wall is an error, found by the next call that waits
 * for the device. So are crowds: so many disks on one another that their pairs would take minutes; on a GPU they feel
 * nothing from then on, until that call.
 */
#ifndef NB_CONTACT_H
#define NB_CONTACT_H

#include "force/force.h"
#include "scene/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define NB_CONTACT_BOTH __host__ __device__ static inline
#else
#define NB_CONTACT_BOTH static inline
#endif

#define NB_CONTACT_FRINGE     0.1                     /* of the box, from X0 on */
#define NB_CONTACT_STREAM     ((uint64_t)1 << 32)     /* of random numbers (rng.h): none of a model's; velocities, */
#define NB_CONTACT_PLACES     (NB_CONTACT_STREAM + 1) /* and places */
#define NB_CONTACT_MIX_STEPS  128                     /* from one mixing to the next */
#define NB_CONTACT_DRAW_STEPS 16                      /* from one velocity of a disk to the next */
#define NB_CONTACT_STOCK      0x1p40                  /* units of the mass of a chamber as dense as the flow */
#define NB_CONTACT_UNKNOWN    UINT64_MAX
#define NB_CONTACT_UNIT       0x1p-40 /* of the force k r, in which wall forces are counted */

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

/* A sum of whole numbers, as high 2^32 + low: exact for 2^31 terms, so that in whatever order, and by however many
 * devices, they are added, it is the same. */
struct nb_contact_units {
    int64_t high;
    uint64_t low;
};

NB_CONTACT_BOTH void nb_contact_units_add(struct nb_contact_units *sum, int64_t units)
{
    sum->low += (uint32_t)units;
    sum->high += (units - (int64_t)(uint32_t)units) / ((int64_t)1 << 32);
}

struct nb_contact_tally { /* what a row counts, since the last report but for the stock */
    uint64_t evaluations;
    struct nb_contact_units walls[2 * NB_WALLS_MAX]; /* forces on walls, x and y, in units of NB_CONTACT_UNIT k r */
    struct nb_contact_stock stock;
    struct nb_contact_let let;
};

struct nb_contact { /* what the rows of all devices begin with */
    struct nb_scene scene;
    uint64_t seed;
    uint64_t first_step; /* of the header: how many steps there were before, */
    struct nb_contact_stock first_stock;
    struct nb_contact_inlet inlet; /* of a flow */
    bool own_radii;                /* each disk has its own, at most the scene's; else all have that */
};

/* The methods' kinds, for every device. */
extern const struct nb_force_kind nb_contact_grid_kinds[], nb_contact_bvh_kinds[];

/* From a spec that has the parameter `seed`, and the header. -1 after nb_fail, with errno EDOM where the
 * header's lines are wrong; then nothing is to be freed. */
int nb_contact_make(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_contact *contact);
void nb_contact_free(struct nb_contact *contact);
/* Flags that follow from the header and from how it was asked for (nb_force_steps.flags). */
unsigned nb_contact_flags(const struct nb_contact *contact);
/* The bound of the step, T: a 25th of the time pi sqrt(m / 2k) that two disks of the least mass touch, a third of the
 * m / 2c in which damping alone stops two of them, and the time in which the fastest moves by a tenth of the least
 * radius. */
double nb_contact_longest_step(const struct nb_contact *contact, double least_radius, double least_mass,
                               double fastest);
/* Of nb_force_steps.longest: the least radius and mass, and the greatest speed, whose sign is turned. */
enum { NB_CONTACT_LEAST_RADIUS, NB_CONTACT_LEAST_MASS, NB_CONTACT_FASTEST };

/* The same as *h, for these; nothing with h NULL. -1 after nb_fail: a mass of 0, a speed that has no bound, or a flow
 * so dense that such disks do not fit the area. */
int nb_contact_bound_step(const struct nb_contact *contact, const double least[NB_LEAST_MAX], double *h);
/* A place x that is not in the box along a periodic axis, moved into it: to be rounded to single where that is the
 * type. What is not finite stays so. */
double nb_contact_wrapped(const struct nb_scene *scene, int axis, double x, bool single);
/* Where the inlet's fringe ends, x. */
double nb_contact_fringe(const struct nb_scene *scene);
void nb_contact_inlet_make(const struct nb_scene *scene, struct nb_contact_inlet *inlet);
/* Puts what walls felt and the inlet let in, and its stock, into a frame's header, NULL: nowhere; and begins anew. */
int nb_contact_report(const struct nb_contact *contact, struct nb_contact_tally *tally, struct nb_meta *meta);
/* Of several devices' tallies, as nb_force_counts.join: at NB_JOIN_STEP the stock was counted anew. */
void nb_contact_join(enum nb_join when, int count, void *const *tally);
/* Fails with a sentence about a disk at (x, y) that is deeper than its radius in a solid. Always -1. */
int nb_contact_fail_deep(const struct nb_scene *scene, uint64_t disk, double x, double y);
/* Fails with a sentence about disks of which more lie on one another than pairs can be looked at. Always -1. */
int nb_contact_fail_crowded(void);
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
/* Why a row cannot serve what is wanted (it has neither jerk nor snap), as nb_force.refuse: a sentence, or NULL. */
const char *nb_contact_refuse(enum nb_precision precision, unsigned want);

#ifdef __cplusplus
}
#endif
#endif
