/* contact.h - disks that touch push one another apart: `--force contact`, a short-range force in the plane z = 0.
 *
 * Linear spring and dashpot (Cundall & Strack 1979, Geotechnique 29, 47), with the stiffness k and the damping c of the
 * header (scene.h). The radii r_i are all the header's, r; or those of the bodies' column (radius=column,
 * nb_force_set_read_columns), none above r, which is then their bound. For disks i, j at distance d < r_i + r_j, n the
 * unit vector from j to i:
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
 * An evaluation for a kick (nb_sources.kick) returns the mean of the dashpot's force over the kick, which contact_law.h
 * derives. An evaluation without a kick (for an output, or for integrators other than splitting schemes) returns -c v.
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
 * Inlet: in a flow what leaves at X1 comes in anew at X0 (contact_inlet.h).
 *
 * Walls: the force on each is added up over the evaluations of the acceleration of all bodies that steps ask for, as
 * whole numbers of 2^-40 k r (64 bits in an evaluation), whose sum does not depend on its order, and reported as the
 * mean (nb_force_steps.report).
 *
 * Deep: the centre of a disk deeper than its radius inside a closed wall is an error, found by the next call that waits
 * for the device. So are crowds: so many disks on one another that their pairs would take minutes; on a GPU they feel
 * nothing from then on, until that call.
 */
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

#define NB_CONTACT_UNIT 0x1p-40 /* of the force k r, in which wall forces are counted */

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

/* Parameters of every method. */
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

/* The kinds of contact-grid, for every device. */
extern const struct nb_force_kind nb_contact_grid_kinds[];

/* From a spec that has the parameter `seed`, and the header. -1 after nb_fail, with errno EDOM where the
 * header's lines are wrong; then nothing is to be freed. */
int nb_contact_make(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_contact *contact);
void nb_contact_free(struct nb_contact *contact);
/* As nb_force_steps.flags: those that follow from the header and from how it was asked for. The entries' working memory
 * begins with a struct nb_contact. */
unsigned nb_contact_flags(const void *contact);
/* Can the field of these be asked for? -1 after nb_fail. */
int nb_contact_check(const struct nb_contact *contact, const struct nb_sources *s, const struct nb_targets *t);
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
/* Puts what walls felt and the inlet let in, and its stock, into a frame's header, NULL: nowhere; and begins anew. */
int nb_contact_report(const struct nb_contact *contact, struct nb_contact_tally *tally, struct nb_meta *meta);
/* What rows carry (nb_force.carry), the same on every type of device: the number of the last step, and the tally. */
int nb_contact_pack(struct nb_pack *k, uint64_t *number, struct nb_contact_tally *tally);
/* Of several devices' tallies, as nb_force_counts.join: at NB_JOIN_STEP the stock was counted anew. */
void nb_contact_join(enum nb_join when, int count, void *const *tally);
/* Fails with a sentence about a disk at (x, y) that is deeper than its radius in a solid. Always -1. */
int nb_contact_fail_deep(const struct nb_scene *scene, uint64_t disk, double x, double y);
/* Fails with a sentence about disks of which more lie on one another than pairs can be looked at. Always -1. */
int nb_contact_fail_crowded(void);
/* Why a row cannot serve what is wanted (it has neither jerk nor snap), as nb_force.refuse: a sentence, or NULL. */
const char *nb_contact_refuse(enum nb_precision precision, unsigned want);

#ifdef __cplusplus
}
#endif
