/* cluster.h - stars of which some are in groups: what the scheme hermite4-groups (step_groups.c) knows, in host memory.
 *
 * A particle is a single star, or the centre of mass of a group: a binary, or up to NB_CHAIN_MAX stars that have met.
 * Particles take Hermite's steps of their own; inside a group its stars move by a regularised chain (chain.h), or,
 * while nothing disturbs a binary much, on Kepler's orbit (orbit.h). A particle has the number of the first of its
 * stars; the places of the others are vacant. Times are parts of a base step: 0 to NB_WHOLE. */
#pragma once

#include "force/changeover.h"
#include "step/groups/chain.h"
#include "step/groups/orbit.h"

#include "step/step_touch.h"

#include <stddef.h>
#include <stdint.h>

#define NB_WHOLE ((uint64_t)1 << 40)

enum { NB_SINGLE_STAR = -1, NB_VACANT = -2 }; /* in place of a group's number */

/* What a particle finds around it. */
struct nb_around {
    uint32_t closest; /* the particle whose tide is strongest, NB_NOBODY: none; */
    double all, rest; /* sums of G m / r^3 of all, and of the others than that */
    bool met;         /* a particle is within the group's reach */
    bool failed;      /* no memory for the list, after nb_fail */
};

struct nb_view {                                  /* tidal fields and their rates of change at a group: */
    double all[NB_TENSOR], all_rate[NB_TENSOR];   /* of all that it has in sight, */
    double rest[NB_TENSOR], rest_rate[NB_TENSOR]; /* of what is not among the inner ones */
};

struct nb_group_contact { /* of two stars: when, since the base step began */
    bool found;
    uint32_t i, j;
    double after;
};

struct nb_group {
    uint32_t n, slot;               /* stars; number of the particle */
    uint32_t body[NB_CHAIN_MAX];    /* rising; the order of chain.gm */
    double gm[NB_CHAIN_MAX], total; /* G times masses, and their sum */
    bool moved;                     /* size, reach and so on are of earlier places of the stars */
    bool averaged;                  /* a binary on its orbit; else the chain counts */
    struct nb_orbit orbit;
    struct nb_chain chain;
    double spread[NB_TENSOR]; /* quadrupole of a binary, to be multiplied with `reduced` */
    double reduced;           /* G times the reduced mass of two stars */
    struct nb_view view;      /* when the last step of the centre of mass ended, */
    uint64_t looked;          /* which was then */
    struct nb_around around;  /* then */
    uint64_t at;              /* time that the stars have come to */
    double size;              /* apocentre of a binary; else the distance of the farthest star from the centre */
    double reach;             /* within this distance a particle meets the single stars, */
    double sight;             /* and within this one a quadrupole; the same if it is no binary */
    double pace;              /* a share of its dynamical time: steps of what meets its stars */
    uint32_t *near;           /* particles in sight then; the first `inner` are close */
    uint32_t nears, inner, room;
    struct nb_group_contact contact; /* the first that is not noted yet (touch.h) */
};

/* Of groups: the centre of mass, the squares of sight and reach, G times the mass. */
enum { NB_LISTED_X, NB_LISTED_Y, NB_LISTED_Z, NB_LISTED_SIGHT2, NB_LISTED_REACH2, NB_LISTED_GM, NB_LISTED };

struct nb_seen { /* what a single star has in sight: sights[begin .. begin + count); known: at this time */
    uint64_t begin;
    uint32_t count;
    bool known;
};

struct nb_cluster {
    uint64_t n, stride;
    double base; /* the base step, of either sign */
    uint64_t now;
    struct nb_changeover split; /* outer > 0: only the near part of forces acts, and energy, close_scale and least are
                                   the caller's */
    double eta, chain_tolerance, share; /* share: of `energy`, of which the orbit of a binary may be unsure */
    double energy;                      /* of the motion of particles, times G */
    double care;                        /* 1 at the default tolerance, its share for smaller steps below that */
    double *gm;                         /* of particles: G times mass; vacant ones 0 */
    const double *star_gm;              /* of stars */
    struct nb_pn pn;                    /* post-Newtonian terms inside groups, for masses times G; order 0: none */
    double *hole;                       /* 1 of stars that are black holes, else 0; NULL: there are none */
    double *x, *v, *a, *j;              /* vectors of three rows of `stride`: at the beginning of a particle's step */
    double *stars_a, *stars_j; /* what single stars of groups have in a and j, beside centres of mass and quadrupoles */
    double *px, *pv;           /* predicted to `now` */
    double *begun;             /* of particles: when the step began, an integer; 0 of vacant ones */
    uint64_t *ends;            /* and when it ends; of vacant ones UINT64_MAX */
    double *scale;             /* time scale of a particle by Aarseth's criterion, when its last step ended */
    int32_t *group;            /* number of the particle's group */
    uint32_t *partner;         /* with which it is to make a group when its step ends; NB_NOBODY: none */
    uint8_t *patience;         /* steps until it looks for one again */
    double close_scale;        /* particles with time scales below this look for partners */
    double least;              /* an acceleration counts as no less in a time scale */
    uint32_t *due;             /* particles whose steps end now */
    uint64_t dues;
    const uint32_t *evaluated; /* the list of nb_cluster_evaluate and nb_cluster_start, for what threads share */
    bool failed;               /* some thread has: it stays */
    uint8_t *marks;            /* of particles: NB_IS_ bits */
    double *cap;               /* longest step that groups allow a particle, a time: when its last step ended */
    double *field_a, *field_j, *part_a,
        *part_j; /* as a, j and what stars have in them, in the order of a list; from: */
    int (*forces)(void *data, uint64_t count, const uint32_t *index, double *a,
                  double *j); /* of points, at px and pv */
    void *forces_data;
    uint32_t *list;    /* room for n numbers, for looking around */
    uint32_t *changed; /* particles whose row of x, v, a, j or begun has changed since forces were computed, */
    uint64_t changes;  /* so many; more than n: all have */
    bool regrouped;    /* masses have changed since then */
    struct nb_touch_watch *watch; /* the caller's; NULL: nobody asks who touches */
    double *extent;               /* of particles, if somebody does: how far their stars reach; vacant ones NaN */
    double *listed[NB_LISTED];    /* rows: of groups at `now` (nb_cluster_list) */
    struct nb_group *groups;
    uint32_t count, room; /* of groups; of those of n = 0, which are free, too */
    uint32_t listed_room;
    struct nb_seen *seen; /* of particles */
    uint32_t *sights;     /* lists of groups, one after the other, */
    uint64_t sights_count, sights_room;
};

#define NB_NOBODY   UINT32_MAX
#define NB_PATIENCE 16 /* steps between two looks of a single star for a partner, and after it has left one */

static inline void nb_cluster_take(const struct nb_cluster *c, const double *rows, uint64_t i, double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = rows[d * c->stride + i];
}

static inline void nb_cluster_give(const struct nb_cluster *c, double *rows, uint64_t i, const double in[3])
{
    for (int d = 0; d < 3; d++)
        rows[d * c->stride + i] = in[d];
}

static inline bool nb_cluster_has(const struct nb_cluster *c, uint64_t i)
{
    return c->group[i] != NB_VACANT && c->gm[i] > 0;
}

static inline struct nb_group *nb_cluster_group(const struct nb_cluster *c, uint64_t i) /* NULL: a single star */
{
    return c->group[i] >= 0 ? &c->groups[c->group[i]] : NULL;
}

static inline void nb_cluster_note_change(struct nb_cluster *c, uint64_t i)
{
    if (c->changes < c->n)
        c->changed[c->changes++] = (uint32_t)i;
    else
        c->changes = c->n + 1;
}

static inline void nb_cluster_begin_step(struct nb_cluster *c, uint64_t i, uint64_t step)
{
    c->begun[i] = (double)c->now;
    c->ends[i] = c->now + step;
    nb_cluster_note_change(c, i);
}

/* What acts of the force between two particles. */
static inline double nb_cluster_share(const struct nb_cluster *c, double r2)
{
    return c->split.outer > 0 ? 1 - NB_CHANGEOVER(nb_changeover_place(c->split, r2)) : 1;
}

/* Time from one moment to another, in the units of the frame. */
static inline double nb_cluster_span(const struct nb_cluster *c, double from, double to)
{
    return (to - from) * (0x1p-40 * c->base);
}

/* ---- stars.c: memory, all stars, work on many ---- */

/* Does work(c, k) for k = 0 .. count - 1, by several threads where `shared`; for a few a team of threads would cost
 * more than they do. */
void nb_cluster_each(struct nb_cluster *c, uint64_t count, bool shared, void (*work)(struct nb_cluster *c, uint64_t k));

/* Memory for n stars with rows of `stride`, but for px, pv, field_a and field_j. False after nb_fail; free it also
 * then.
 */
bool nb_cluster_alloc(struct nb_cluster *c, uint64_t n, uint64_t stride);
void nb_cluster_free(struct nb_cluster *c);
/* All stars as single ones, of star_gm, at px and pv. */
void nb_cluster_take_stars(struct nb_cluster *c);
/* All stars where they are, into px and pv. */
void nb_cluster_give_stars(struct nb_cluster *c);

/* ---- begin.c, cluster.c: block times ---- */

/* Finds the groups among single stars at px and pv, and what they begin with. All ints here: 0, or -1 after nb_fail. */
int nb_cluster_begin(struct nb_cluster *c);
/* Begins a base step. */
void nb_cluster_open(struct nb_cluster *c, double base);
/* Goes on to the next time at which steps end, or with `all` lets all steps end there. *count: of steps that end.
 * Leaves off where a contact is noted in c->watch. */
int nb_cluster_next(struct nb_cluster *c, bool all, uint64_t *count);
/* The longest step of a particle that may begin now: a power of 2, within a time, and no longer than `most`. */
uint64_t nb_cluster_step(const struct nb_cluster *c, double time, uint64_t most);
/* Accelerations and jerks of a list of particles at px and pv, into field_a, field_j, part_a and part_j. */
int nb_cluster_evaluate(struct nb_cluster *c, uint64_t count, const uint32_t *index);
void nb_cluster_sort(uint32_t *list, uint64_t count); /* by numbers */
int nb_cluster_too_short(void);                       /* says that stars are at one place, and returns -1 */

#define NB_CLUSTER_START 0.25 /* of the time scale that a particle seems to have, at its first step */

/* ---- regroup.c: particles that begin, groups that are made and come apart ---- */

/* Marks: the particle's step ends; the stars of its group have to come to c->now; it has been made at c->now. */
enum { NB_IS_DUE = 1, NB_IS_WANTED = 2, NB_IS_FRESH = 4 };

/* Fields and first steps of particles at x and v, which are px and pv, rising, which begin now. */
int nb_cluster_start(struct nb_cluster *c, uint64_t count, const uint32_t *index);
/* A binary whose stars nothing meets goes on to its orbit. */
void nb_cluster_calm(struct nb_cluster *c, struct nb_group *g);
/* What follows from the steps that have ended. `list`: room for n particles. */
int nb_cluster_regroup(struct nb_cluster *c, uint32_t *list);

/* ---- group.c: one group ---- */

#define NB_GROUP_CALM 0.9999 /* eccentricity up to which a binary may do without the chain */

/* Makes a group of stars, which are rising, where they are relative to any common origin; it begins as a chain. Its
 * list of particles near it is kept. */
void nb_group_make(struct nb_group *g, const struct nb_cluster *c, uint32_t n, const uint32_t *body,
                   const double x[][3], const double v[][3]);
/* Brings the stars to c->now, where the particles near it are predicted by their polynomials. False:
 * nb_chain_advance's. */
bool nb_group_advance(struct nb_group *g, const struct nb_cluster *c);
/* Brings a copy of the group's chain, which is `after` the group's time, dt further, and tells nobody. */
bool nb_group_advance_chain(struct nb_group *g, const struct nb_cluster *c, struct nb_chain *chain, double after,
                            double dt);
/* From the orbit to the chain, at the time that the stars have come to; and back, when a step of the particle has
 * ended, which does nothing where the stars are no binary, or one of a higher eccentricity than NB_GROUP_CALM. */
void nb_group_resolve(struct nb_group *g, const struct nb_cluster *c);
void nb_group_average(struct nb_group *g, struct nb_cluster *c);
/* The longest step of a group's particle, by its orbit, which is to stay about the same, or by its stars' pace. */
double nb_group_longest(const struct nb_group *g);
/* Lets a particle's place and velocity, when its step has ended, follow its group's centre of mass, which
 * post-Newtonian terms have moved. */
void nb_group_follow(struct nb_group *g, double x[3], double v[3]);
/* Places and velocities relative to the particle. */
void nb_group_places(const struct nb_group *g, double x[][3], double v[][3]);
/* Sets size, reach, sight and quadrupole from the orbit or the chain. */
void nb_group_measure(struct nb_group *g, const struct nb_cluster *c);

/* ---- field.c: what groups add to the forces between particles ---- */

/* Lists the groups where they are predicted: until the next call their limits stay. */
int nb_cluster_list(struct nb_cluster *c);
/* Looks around particle i at predicted places. With `view`, i being a group: sets its list of near particles too. */
struct nb_around nb_cluster_look(const struct nb_cluster *c, uint64_t i, struct nb_view *view);
struct nb_mended {
    double stars_a[3], stars_j[3]; /* by single stars that it meets, or that are its own; */
    double a[3], j[3];             /* by such stars that are close, and by quadrupoles */
};

/* What acceleration and jerk of particle i are beside those of points: groups that it meets have come to c->now. */
void nb_cluster_mend(const struct nb_cluster *c, uint64_t i, struct nb_mended *o);
/* Is particle i, predicted, within reach of this group? `slack`: times that. */
bool nb_cluster_meets(const struct nb_cluster *c, uint64_t i, uint32_t g, double slack);
/* Does particle i, predicted, have this group in sight? */
bool nb_cluster_sees(const struct nb_cluster *c, uint64_t i, uint32_t g);
/* The groups that single star i has in sight, rising: *list, which stays until the next call for this star at another
 * time; returns their count, -1 after nb_fail. */
int64_t nb_cluster_in_sight(struct nb_cluster *c, uint64_t i, const uint32_t **list);

/* ---- pairs.c: which stars make a group, and which part ---- */

/* Should particles i and k, at c->now, be one group? `rest`: nb_around.rest of i. */
bool nb_cluster_binds(const struct nb_cluster *c, uint64_t i, uint64_t k, double rest);
/* For how long a group need not be asked whether it goes beyond the changeover's inner end: until two stars, or two
 * parts, might be there, and more than two stars for no longer than their pace. Infinite: it stays within. */
double nb_cluster_stays(const struct nb_cluster *c, struct nb_group *g);
/* Makes one of their groups and stars, at c->now; returns its particle. NB_NOBODY after nb_fail. */
uint32_t nb_cluster_bind(struct nb_cluster *c, uint32_t i, uint32_t k);
/* Lets the group of particle i come apart into two particles, at c->now, if it should and if there are others: *fresh
 * then. Returns how many there are now: 1, or 2; 0 after nb_fail. */
int nb_cluster_part(struct nb_cluster *c, uint32_t i, uint32_t fresh[2]);
