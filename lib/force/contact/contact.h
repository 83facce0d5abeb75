/* contact.h - repulsion of disks that touch: `--force contact`, a short-range force in the plane z = 0.
 *
 * Law: linear spring and dashpot (Cundall & Strack 1979, Geotechnique 29, 47), with the stiffness k and the damping c
 * of the header (scene.h). The radii r_i are equal to the header's radius r. With radius=column, they are read from the
 * bodies (nb_force_set_read_columns), and r is their upper limit.
 *
 * Two disks i and j touch if their distance d is less than r_i + r_j. n is the unit vector from j to i:
 *     F_i = (k (r_i + r_j - d) - c (v_i - v_j) . n) n,     F_j = -F_i
 * A disk touches a wall if the signed distance s of its centre from the wall, positive on the disks' side, is less than
 * r_i. n is the normal from the wall's nearest point to the disks' side:
 *     F_i = (k (r_i - s) - c v_i . n) n,     and -F_i acts on the wall
 * Each wall (scene.h) acts on a disk only through the wall's point nearest to the disk. The potential is then
 * continuous where two segments of a wall meet.
 *
 * Attraction: at the end of a contact, damping makes the force attractive. This attraction is not set to zero (Schwager
 * & Poschel 2007, Granular Matter 9, 465, also treat forces without attraction). A head-on contact of masses m_i, m_j
 * therefore has the duration t and the restitution e:
 *     t = pi / w,  e = exp(-b t),  w^2 = k / mu - b^2,  b = c / (2 mu),  mu = m_i m_j / (m_i + m_j)
 * For a contact with a wall, mu is m_i. Disks at the same point are pushed apart along x, the disk with the smaller
 * index in the direction -x.
 *
 * Kick: an evaluation for a kick (nb_sources.kick) returns the mean force of the dashpot during the kick
 * (contact_law.h). An evaluation without a kick (for an output, or for integrators other than splitting schemes)
 * returns the dashpot's force at the time of the evaluation.
 *
 * Potential: an energy per mass. m phi is the sum over disks of k (r_i + r_j - d)^2 / 2, plus the sum over walls of
 * k (r_i - s)^2. Therefore sum m phi / 2 is the energy of all springs.
 *
 * Pressure of a disk: the sum of the |F| of its contacts, divided by its circumference 2 pi r_i. z is ignored, and no
 * force has a z component.
 *
 * Every implementation has these properties:
 *
 * Order: the force on a disk is the sum over its partners (the disks that touch it) in ascending index, then over the
 * walls in the header's order. The result is therefore bitwise identical in every run, and for every method of finding
 * the partners.
 *
 * Periodic boundaries: d is the distance to the nearest image (the box is wider than four disks). Walls have no images.
 *
 * Boundary: once per step, after the drift, x and y are moved back into the box along periodic axes. The first step
 * after the header's frame has the number (header's step) + 1.
 *
 * Inlet: in a flow, disks that leave at X1 enter again at X0 (contact_inlet.h).
 *
 * Walls: the force on each wall is summed over those evaluations that compute the accelerations of all bodies for a
 * step. The sum uses 64-bit integers, in units of 2^-40 k r, and so does not depend on the order of the terms. The mean
 * force per evaluation is reported (nb_force_steps.report).
 *
 * Errors: the next call that waits for the device fails if the centre of a disk is deeper than its radius inside a
 * closed wall, or if so many disks overlap that their pairs would take minutes. On a GPU, such an overlap sets the
 * forces between all disks to zero until the call fails. */
#pragma once

#include "force/contact/contact_inlet.h"
#include "force/force.h"
#include "scene/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_pack;

#ifdef __CUDACC__
#define NB_CONTACT_BOTH __host__ __device__ static inline
#else
#define NB_CONTACT_BOTH static inline
#endif

/* unit of the counted wall forces, divided by k r (k: stiffness, r: the header's radius) */
#define NB_CONTACT_UNIT 0x1p-40

/* A sum of integers, high * 2^32 + low. The sum is exact for up to 2^31 terms and therefore does not depend on the
 * order of the terms or on the number of devices. */
struct nb_contact_units {
    int64_t high;
    uint64_t low;
};

NB_CONTACT_BOTH void nb_contact_units_add(struct nb_contact_units *sum, int64_t units)
{
    sum->low += (uint32_t)units;
    sum->high += (units - (int64_t)(uint32_t)units) / ((int64_t)1 << 32);
}

struct nb_contact_tally { /* Counts since the last report. A report resets all members except `stock`. */
    uint64_t evaluations;
    /* for each wall, the sums of the x and the y components of the force, in units of NB_CONTACT_UNIT * k * r (k:
     * stiffness, r: the header's radius) */
    struct nb_contact_units walls[2 * NB_WALLS_MAX];
    struct nb_contact_stock stock;
    struct nb_contact_let let;
};

struct nb_contact { /* First member of the working memory of contact forces, on all types of device. */
    struct nb_scene scene;
    uint64_t seed;
    uint64_t first_step; /* number of the last step before the header's frame */
    struct nb_contact_stock first_stock;
    struct nb_contact_inlet inlet; /* only used with a flow */
    /* true: each disk has its own radius, at most scene.radius; false: all disks have scene.radius */
    bool own_radii;
};

/* Parameters of every contact method. nb_contact_radii: words allowed for the parameter `radius`. The two macros are
 * entries for a method's table of parameters. */
extern const char *const nb_contact_radii[];
#define NB_CONTACT_SEED                                                                                          \
    {                                                                                                            \
        "seed", "of the velocities that the inlet gives", 0, .least = 0, .most = 9007199254740992, .whole = true \
    }
#define NB_CONTACT_RADIUS                                                                               \
    {                                                                                                   \
        "radius", "of all disks, by the header, or of each, by its column, none above the header's", 0, \
            .words = nb_contact_radii                                                                   \
    }

/* Value of nb_force.kinds for the method contact-grid, on every type of device. */
extern const struct nb_force_kind nb_contact_grid_kinds[];

/* Fills *contact from the header, and from the parameters `seed` and `radius` of the spec. Returns -1 after nb_fail,
 * with errno EDOM if the scene in the header is invalid. nb_contact_free is then not needed. */
int nb_contact_make(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_contact *contact);
void nb_contact_free(struct nb_contact *contact);
/* Implements nb_force_steps.flags: returns the flags that follow from the header and the parameters. `contact` is the
 * working memory of a contact method, which begins with a struct nb_contact. */
unsigned nb_contact_flags(const void *contact);
/* Checks that contact forces support these sources and targets. Returns -1 after nb_fail. */
int nb_contact_check(const struct nb_contact *contact, const struct nb_sources *s, const struct nb_targets *t);
/* Returns the upper limit of the step size, which is the shortest of these durations:
 * - 1/25 of the duration pi sqrt(m / 2k) of a contact of two disks of the least mass m;
 * - 1/3 of the time m / 2c in which damping would stop such a disk if there were no springs;
 * - the time in which the fastest disk moves by a tenth of the least radius. */
double nb_contact_longest_step(const struct nb_contact *contact, double least_radius, double least_mass,
                               double fastest);
/* Indices into least[] of nb_force_steps.longest. least[] holds minima. The maximum speed is therefore stored with a
 * negative sign. */
enum { NB_CONTACT_LEAST_RADIUS, NB_CONTACT_LEAST_MASS, NB_CONTACT_FASTEST };

/* Sets *h to the upper limit of the step size (nb_contact_longest_step). Does nothing if h is NULL. Returns -1 after
 * nb_fail if a mass is 0, a speed is infinite, or a flow is so dense that its disks would have to overlap. */
int nb_contact_bound_step(const struct nb_contact *contact, const double least[NB_LEAST_MAX], double *h);
/* Moves the coordinate x, which is outside the box along a periodic axis, into the box and returns it. With `single`,
 * the coordinate lies in the box even after rounding to single precision. Infinite values and NaN are returned
 * unchanged. */
double nb_contact_wrapped(const struct nb_scene *scene, int axis, double x, bool single);
/* Writes the wall forces, the inflow and the masses of the disks in the inlet (the stock) into the header `meta`,
 * unless `meta` is NULL. Then sets all members of the tally except `stock` to zero. */
int nb_contact_report(const struct nb_contact *contact, struct nb_contact_tally *tally, struct nb_meta *meta);
/* Saves or loads the data that a checkpoint needs (nb_force.carry), in the same format on every type of device: the
 * number of the last step (*number) and the counts since the last report (*tally). */
int nb_contact_pack(struct nb_pack *k, uint64_t *number, struct nb_contact_tally *tally);
/* Implements nb_force_counts.join: combines the tallies of several devices, each of which has counted its own disks.
 * With NB_JOIN_STEP, combines only the member `stock`. */
void nb_contact_join(enum nb_join when, int count, void *const *tally);
/* Fails with a message about a disk at (x, y) that is deeper than its radius inside a wall. Always returns -1. */
int nb_contact_fail_deep(const struct nb_scene *scene, uint64_t disk, double x, double y);
/* Fails with a message about too many overlapping disks. Always returns -1. */
int nb_contact_fail_crowded(void);
/* Implements nb_force.refuse: returns a sentence with the reason if jerk or snap is wanted, because contact forces do
 * not have them. Otherwise returns NULL. */
const char *nb_contact_refuse(enum nb_precision precision, unsigned want);

#ifdef __cplusplus
}
#endif
