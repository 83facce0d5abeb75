/* cluster.h - state of the scheme hermite4-groups (step_groups.c), in host memory: stars, some of which belong to
 * groups.
 *
 * - A group is a binary, or up to NB_CHAIN_MAX stars that have met. Its stars move as a regularised chain (chain.h). A
 *   weakly perturbed binary moves on a Kepler orbit instead (orbit.h).
 * - A particle is a single star or the centre of mass of a group. Each particle has Hermite steps of its own size.
 * - Arrays of particles have one entry for each star. The particle of a group has the index of the group's first star.
 *   The entries of the group's other stars are vacant.
 * - Times are integers from 0 to NB_WHOLE, the length of a base step. */
#pragma once

#include "force/changeover.h"
#include "step/groups/chain.h"
#include "step/groups/orbit.h"

#include "step/step_touch.h"

#include <stddef.h>
#include <stdint.h>

#define NB_WHOLE ((uint64_t)1 << 40)

enum { NB_SINGLE_STAR = -1, NB_VACANT = -2 }; /* values in nb_cluster.group instead of the index of a group */

/* Surroundings of a particle. */
struct nb_around {
    /* the other particle with the largest G (m + m_self) / r^3 (m_self: mass of this particle); NB_NOBODY: none */
    uint32_t closest;
    double all, rest; /* all: sum of G m / r^3 over all other particles; rest: the sum without `closest` */
    bool met;         /* for a group: another particle is within its reach (nb_group.reach) */
    bool failed;      /* the list of particles near the group could not be allocated; nb_fail was called */
};

struct nb_view { /* tidal fields at the centre of a group */
    /* tidal field of all particles in the list nb_group.near, and its time derivative */
    double all[NB_TENSOR], all_rate[NB_TENSOR];
    /* tidal field, and its time derivative, of the particles in nb_group.near that do not act on each star
     * separately: all particles in the list except the first nb_group.inner */
    double rest[NB_TENSOR], rest_rate[NB_TENSOR];
};

struct nb_group_contact { /* contact of stars i and j; after: time from the beginning of the base step to the contact */
    bool found;
    uint32_t i, j;
    double after;
};

struct nb_group {
    uint32_t n, slot;               /* n: number of stars; slot: index of the particle that represents the group */
    uint32_t body[NB_CHAIN_MAX];    /* indices of the stars, ascending; chain.gm[k] belongs to star body[k] */
    double gm[NB_CHAIN_MAX], total; /* gm: G times the mass of each star; total: their sum */
    bool moved;    /* the stars have moved: size, reach, sight, pace and spread must be computed again */
    bool averaged; /* true: the stars move on the averaged orbit `orbit`; false: they move as `chain` */
    struct nb_orbit orbit;
    struct nb_chain chain;
    double spread[NB_TENSOR]; /* binary: average of x_i x_j over the orbit; x: vector from one star to the other */
    double reduced;           /* G times the reduced mass of a binary */
    struct nb_view view;      /* tidal fields at the time `looked` */
    uint64_t looked;          /* time of `view` and `around`, the end of the last step */
    struct nb_around around;  /* surroundings at the time `looked` */
    uint64_t at;              /* time up to which the stars have been advanced */
    /* binary: apocentre distance of the stars; unbound pair: distance between the stars; more stars: largest distance
     * of a star from the centre of mass */
    double size;
    double reach; /* a particle within this distance interacts with each star of the group */
    /* Binary: particles at distances from `reach` to `sight` interact with the quadrupole of the binary. Other groups:
     * `sight` is equal to `reach`. */
    double sight;
    double pace; /* maximum step size of particles within `reach`: a fraction of the group's dynamical time */
    /* near: list of the `nears` particles within `sight` (nb_cluster_sees). The first `inner` of them act on each star
     * separately, the others through their tidal field. room: capacity of the list. */
    uint32_t *near;
    uint32_t nears, inner, room;
    /* first contact between stars of the group; nb_touch_collect copies it to nb_cluster.watch (touch.h) */
    struct nb_group_contact contact;
};

/* Arrays in nb_cluster.listed, with one element for each group: centre of mass, nb_group.sight^2, nb_group.reach^2, and
 * G times the mass. */
enum { NB_LISTED_X, NB_LISTED_Y, NB_LISTED_Z, NB_LISTED_SIGHT2, NB_LISTED_REACH2, NB_LISTED_GM, NB_LISTED };

/* For one particle, the list of the groups that see it: nb_cluster.sights[begin .. begin + count - 1]. A group sees a
 * particle within nb_group.sight. known: the list is valid at nb_cluster.now. */
struct nb_seen {
    uint64_t begin;
    uint32_t count;
    bool known;
};

struct nb_cluster {
    uint64_t n, stride;
    double base; /* base step, positive or negative */
    uint64_t now;
    /* If split.outer is 0, forces act at all distances. If it is above 0, each force is divided into a near and a
     * far part (changeover.h), only the near part acts, and the caller must set the members energy, close_scale and
     * least. */
    struct nb_changeover split;
    double eta, chain_tolerance, share; /* share: (allowed energy error of a binary's orbit) / `energy` */
    double energy;                      /* estimate of G times the magnitude of the total energy of all particles */
    /* step sizes in groups are multiplied by `care`: 1 for the default tolerance, below 1 for a smaller tolerance */
    double care;
    double *gm;            /* G times the mass of each particle; 0 for vacant entries */
    const double *star_gm; /* G times the mass of each star */
    struct nb_pn pn;       /* post-Newtonian terms inside groups; order 0: no terms */
    double *hole;          /* 1 for black holes, else 0; NULL: none */
    double *x, *v, *a, *j; /* position, velocity, acceleration and jerk at the beginning of each particle's
                              step: component d of particle i is element d * stride + i */
    /* The part of a and j that individual stars of groups cause (nb_mended.stars_a and stars_j). It varies fast, and
     * is therefore subtracted when time scales are computed. */
    double *stars_a, *stars_j;
    double *px, *pv;    /* predicted positions and velocities of the particles at the time `now` */
    double *begun;      /* time at the beginning of each particle's step, 0 to NB_WHOLE; 0 for vacant entries */
    uint64_t *ends;     /* time at the end of the step, 0 to NB_WHOLE; UINT64_MAX for vacant entries */
    double *scale;      /* Aarseth's time scale of each particle at the end of its last step */
    int32_t *group;     /* index of the group, or NB_SINGLE_STAR, NB_VACANT */
    uint32_t *partner;  /* particle with which a group is formed at the end of the step; NB_NOBODY: none */
    uint8_t *patience;  /* number of steps until the particle may look for a partner again */
    double close_scale; /* particles with time scales below this look for partners */
    double least;       /* when time scales are computed, smaller accelerations are replaced by `least` */
    uint32_t *due;      /* particles whose steps end now */
    uint64_t dues;
    const uint32_t *evaluated; /* list of the particles whose forces nb_cluster_evaluate or nb_cluster_start computes */
    bool failed;               /* true after a failure in any thread; never reset */
    uint8_t *marks;            /* for each particle: bits NB_IS_DUE, NB_IS_WANTED, NB_IS_FRESH */
    /* maximum size of each particle's next step, in the time unit of the frame. Limited by the groups near the
     * particle, by the particle's own stars if it is a group, and by approaching particles (p3t/close.c) */
    double *cap;
    /* field_a, field_j: acceleration and jerk of the particles in `evaluated`, in the order of this list. part_a,
     * part_j: the part of field_a and field_j that individual stars of groups cause (see stars_a) */
    double *field_a, *field_j, *part_a, *part_j;
    /* computes acceleration a and jerk j of the `count` particles in `index` at px and pv; treats a group as a point
     * mass */
    int (*forces)(void *data, uint64_t count, const uint32_t *index, double *a, double *j);
    void *forces_data;
    uint32_t *list;               /* work space for n indices */
    uint32_t *changed;            /* particles whose x, v, a, j or begun have changed since the last force evaluation */
    uint64_t changes;             /* number of entries of `changed`; if it is above n, all particles count as changed */
    bool regrouped;               /* true: masses of particles have changed since the last force evaluation */
    struct nb_touch_watch *watch; /* owned by the caller; NULL: no search for contacts of stars */
    double *extent; /* radius of a sphere about each particle that contains all its stars with their radii; NaN for
                       vacant entries; set only if `watch` is set */
    double *listed[NB_LISTED]; /* one array for each NB_LISTED_...: values of all groups at `now` (nb_cluster_list) */
    struct nb_group *groups;
    /* count: length of groups[]; elements with n = 0 are free. room: allocated length of groups[] */
    uint32_t count, room;
    uint32_t listed_room;
    struct nb_seen *seen; /* for each particle, the list of groups that see it */
    uint32_t *sights;     /* the entries of all lists in `seen`, one list after the other */
    uint64_t sights_count, sights_room;
};

#define NB_NOBODY UINT32_MAX
/* Number of steps during which a particle does not look for a partner. Counted from an unsuccessful search of a single
 * star, or from the break-up of the particle's group. */
#define NB_PATIENCE 16

/* Copies the vector of particle i to out. `rows`: vectors of all particles, such as px. */
static inline void nb_cluster_take(const struct nb_cluster *c, const double *rows, uint64_t i, double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = rows[d * c->stride + i];
}

/* Sets the vector of particle i to `in`. `rows`: vectors of all particles, such as px. */
static inline void nb_cluster_give(const struct nb_cluster *c, double *rows, uint64_t i, const double in[3])
{
    for (int d = 0; d < 3; d++)
        rows[d * c->stride + i] = in[d];
}

/* Returns whether entry i is a particle with mass. */
static inline bool nb_cluster_has(const struct nb_cluster *c, uint64_t i)
{
    return c->group[i] != NB_VACANT && c->gm[i] > 0;
}

/* Returns the group of particle i, or NULL if i is a single star or vacant. */
static inline struct nb_group *nb_cluster_group(const struct nb_cluster *c, uint64_t i)
{
    return c->group[i] >= 0 ? &c->groups[c->group[i]] : NULL;
}

/* Notes that particle i has changed since the last force evaluation. */
static inline void nb_cluster_note_change(struct nb_cluster *c, uint64_t i)
{
    if (c->changes < c->n)
        c->changed[c->changes++] = (uint32_t)i;
    else
        c->changes = c->n + 1;
}

/* Begins a step of particle i at c->now. `step`: length of the step, as an integer time. */
static inline void nb_cluster_begin_step(struct nb_cluster *c, uint64_t i, uint64_t step)
{
    c->begun[i] = (double)c->now;
    c->ends[i] = c->now + step;
    nb_cluster_note_change(c, i);
}

/* Returns which fraction of the force between two particles acts. Without a changeover, the entire force acts: 1. With
 * a changeover, only the near part acts: 1 up to the inner radius of the changeover, 0 from the outer radius on, and
 * between 0 and 1 in between. r2: squared distance between the particles. */
static inline double nb_cluster_share(const struct nb_cluster *c, double r2)
{
    return c->split.outer > 0 ? 1 - NB_CHANGEOVER(nb_changeover_place(c->split, r2)) : 1;
}

/* Returns the time between two integer times, in the units of the frame. */
static inline double nb_cluster_span(const struct nb_cluster *c, double from, double to)
{
    return (to - from) * (0x1p-40 * c->base);
}

/* ---- stars.c: memory, all stars, loops ---- */

/* Calls work(c, k) for k = 0 .. count - 1. shared: use several threads, which is faster for long loops only. */
void nb_cluster_each(struct nb_cluster *c, uint64_t count, bool shared, void (*work)(struct nb_cluster *c, uint64_t k));

/* Allocates the arrays for n stars, except px, pv, field_a and field_j. The arrays have `stride` elements per
 * component. Returns false after nb_fail; nb_cluster_free must be called then, too. */
bool nb_cluster_alloc(struct nb_cluster *c, uint64_t n, uint64_t stride);
void nb_cluster_free(struct nb_cluster *c);
/* Makes a particle of each star. Its mass comes from star_gm, its position x from px, and its velocity v from pv. */
void nb_cluster_take_stars(struct nb_cluster *c);
/* Writes positions and velocities of all stars to px and pv. */
void nb_cluster_give_stars(struct nb_cluster *c);

/* ---- begin.c, cluster.c: block times ---- */

/* Forms groups of the single stars at positions px with velocities pv, and begins the first steps. This and the next
 * functions return 0, or -1 after nb_fail. */
int nb_cluster_begin(struct nb_cluster *c);
/* Begins a base step of length `base`. */
void nb_cluster_open(struct nb_cluster *c, double base);
/* Advances to the next time at which steps end, and sets *count to the number of these steps. If `all` is true, the
 * steps of all particles end at this time. Stops early if a contact is noted in c->watch. */
int nb_cluster_next(struct nb_cluster *c, bool all, uint64_t *count);
/* Returns the longest step that may begin at c->now, as an integer time, at least 1. It is a power of 2 that divides
 * c->now, and is at most `most` (an integer time) and at most `time` (in the units of the frame). */
uint64_t nb_cluster_step(const struct nb_cluster *c, double time, uint64_t most);
/* Computes field_a, field_j, part_a and part_j of the `count` particles in `index` at px and pv. */
int nb_cluster_evaluate(struct nb_cluster *c, uint64_t count, const uint32_t *index);
void nb_cluster_sort(uint32_t *list, uint64_t count); /* sorts indices */
int nb_cluster_too_short(void);                       /* calls nb_fail (stars too close to each other); returns -1 */

#define NB_CLUSTER_START 0.25 /* (size of the first step) / (estimated time scale) */

/* ---- regroup.c: new particles, formation and break-up of groups ---- */

/* Marks of a particle. NB_IS_DUE: the particle's step ends at c->now. NB_IS_WANTED: the particle is a group, and its
 * stars must be advanced to c->now. NB_IS_FRESH: the particle was formed at c->now. */
enum { NB_IS_DUE = 1, NB_IS_WANTED = 2, NB_IS_FRESH = 4 };

/* Computes fields and first steps of `count` new particles, whose steps begin at c->now. `index` lists them in
 * ascending order. The caller has set their x and v equal to px and pv. */
int nb_cluster_start(struct nb_cluster *c, uint64_t count, const uint32_t *index);
/* Replaces the chain of binary g by an averaged orbit. Does nothing if a particle is within g->reach, or slightly
 * farther. */
void nb_cluster_calm(struct nb_cluster *c, struct nb_group *g);
/* Forms new groups and breaks up groups. Call it when steps have ended. `list`: work space for n indices. */
int nb_cluster_regroup(struct nb_cluster *c, uint32_t *list);

/* ---- group.c: one group ---- */

#define NB_GROUP_CALM 0.9999 /* maximum eccentricity of a binary that moves on an averaged orbit */

/* Makes a group of n stars. body: their indices in ascending order; x, v: their positions and velocities relative to
 * any common origin. The stars move as a chain at first. The list g->near is emptied, but its memory is not freed. */
void nb_group_make(struct nb_group *g, const struct nb_cluster *c, uint32_t n, const uint32_t *body,
                   const double x[][3], const double v[][3]);
/* Advances the stars to c->now. Meanwhile the particles near the group move on their predicted paths. Returns false if
 * nb_chain_advance returns false. */
bool nb_group_advance(struct nb_group *g, const struct nb_cluster *c);
/* Advances `chain`, a copy of the group's chain, by dt. The step begins at the time g->at + after. Does not look for
 * contacts. */
bool nb_group_advance_chain(struct nb_group *g, const struct nb_cluster *c, struct nb_chain *chain, double after,
                            double dt);
/* nb_group_resolve replaces the averaged orbit by a chain at the time g->at. nb_group_average replaces the chain by an
 * averaged orbit, if the group is a binary with an eccentricity of at most NB_GROUP_CALM. Call nb_group_average only
 * when the step of the particle that represents the group has ended. */
void nb_group_resolve(struct nb_group *g, const struct nb_cluster *c);
void nb_group_average(struct nb_group *g, struct nb_cluster *c);
/* Returns the maximum size of the next step of the particle that represents the group. For a chain it is nb_group.pace.
 * For an averaged orbit it is a fraction of the time in which the orbit decays by gravitational waves. */
double nb_group_longest(const struct nb_group *g);
/* Adds to x and v the shift of the group's centre of mass that post-Newtonian terms have caused. Call it at the end of
 * a step of the particle that represents the group. */
void nb_group_follow(struct nb_group *g, double x[3], double v[3]);
/* Computes positions and velocities of the group's stars relative to its centre of mass. */
void nb_group_places(const struct nb_group *g, double x[][3], double v[][3]);
/* Sets size, reach, sight, pace and quadrupole of the group from its orbit or its chain. */
void nb_group_measure(struct nb_group *g, const struct nb_cluster *c);

/* ---- field.c: contribution of groups to the forces between particles ---- */

/* Sets c->listed: predicted positions, sight, reach and mass of all groups. The functions below use these values until
 * the next call, even if nb_group.sight and nb_group.reach change. */
int nb_cluster_list(struct nb_cluster *c);
/* Finds the closest particle and the other values of struct nb_around for particle i, at predicted positions. If i is a
 * group and `view` is not NULL, also computes the tidal fields at the group, and the group's list `near`. */
struct nb_around nb_cluster_look(const struct nb_cluster *c, uint64_t i, struct nb_view *view);
struct nb_mended {
    /* Correction for groups that are far from the particle, compared with the size of the group: the pull of a
     * group's individual stars minus the pull of the group as one point mass. stars_a: acceleration; stars_j: jerk. */
    double stars_a[3], stars_j[3];
    double a[3], j[3]; /* corrections for groups close to the particle, and for quadrupoles of binaries */
};

/* Computes the corrections of acceleration and jerk of particle i. They are necessary because c->forces treats each
 * group as one point mass. The stars of groups near the particle must have been advanced to c->now. */
void nb_cluster_mend(const struct nb_cluster *c, uint64_t i, struct nb_mended *o);
/* Returns whether the predicted position of particle i is within `slack` times the radius nb_group.reach of group g.
 * For a particle heavier than the group, the radius is larger. */
bool nb_cluster_meets(const struct nb_cluster *c, uint64_t i, uint32_t g, double slack);
/* Returns whether the predicted position of particle i is within the radius nb_group.sight of group g. Such a particle
 * feels the group's quadrupole. For a particle heavier than the group, the radius is larger. */
bool nb_cluster_sees(const struct nb_cluster *c, uint64_t i, uint32_t g);
/* Finds the groups for which nb_cluster_sees is true with single star i. *list has their indices in ascending order,
 * and is valid until the next call. Returns the number of groups, or -1 after nb_fail. */
int64_t nb_cluster_in_sight(struct nb_cluster *c, uint64_t i, const uint32_t **list);

/* ---- pairs.c: which particles form a group, and which groups break up ---- */

/* Returns whether particles i and k should form a group at c->now. `rest`: nb_around.rest of i. */
bool nb_cluster_binds(const struct nb_cluster *c, uint64_t i, uint64_t k, double rest);
/* Returns the time from now until the caller must check group g again. Reason: if forces have a changeover, the
 * stars of a group must stay closer together than the inner radius of the changeover. The time is infinite without a
 * changeover, and for a binary that stays within the inner radius. For more than two stars with a changeover, the
 * time is at most g->pace. */
double nb_cluster_stays(const struct nb_cluster *c, struct nb_group *g);
/* Replaces particles i and k by one particle at c->now. Returns its index, or NB_NOBODY after nb_fail. */
uint32_t nb_cluster_bind(struct nb_cluster *c, uint32_t i, uint32_t k);
/* Breaks the group of particle i into two particles at c->now, if the two parts of the group leave each other
 * (parts_leave in pairs.c). The parts are the stars on either side of the longest link of the group's chain. Returns 2
 * and sets fresh[] to the indices of the two particles. Returns 1 if the group does not break, or 0 after nb_fail.
 * A group does not break
 * - if there is no other particle and nb_cluster_stays is infinite;
 * - if it is an averaged binary in a weak tidal field (q < CROWDED, pairs.c). */
int nb_cluster_part(struct nb_cluster *c, uint32_t i, uint32_t fresh[2]);
