/* step.h - integrators as data: a scheme is a table (scheme.h), and each family of schemes has one stepping loop.
 * Times, steps and all else are in the units of the frame; every int function: 0, or -1 after nb_fail. */
#pragma once

#include "device/quad.h"
#include "force/force.h"

enum { /* what a scheme is, bits */
       NB_SYMPLECTIC = 1,
       NB_REVERSIBLE = 2,   /* steps back to where it came from, at fixed step, up to rounding */
       NB_ADAPTIVE = 4,     /* estimates its error: serves nb_steps_adaptive */
       NB_NO_VELOCITY = 8,  /* has none at its evaluations, so that forces with NB_NEEDS_VELOCITY cannot serve it */
       NB_OWN_STEPS = 32,   /* each body has a step of its own: by struct nb_own_steps, or by its error (NB_ADAPTIVE) */
       NB_REGULARISED = 64, /* for point masses, without softening */
       NB_NEIGHBOURS = 128, /* forces of neighbours and of all others separately: NB_NEAR_AND_FAR, on one device */
       NB_SPLIT = 256,      /* kicks by the far part of forces (NB_FAR_PART) */
       NB_PLANETARY = 16    /* for bodies about a heavy one, by their own gravity without softening and nothing else; on
                               the CPU in double precision alone */
};

struct nb_scheme {
    const char *name;
    const char *about;
    const char *reference;
    int order;       /* at fixed step */
    int evaluations; /* of the force in a fixed step; 0: as many as an iteration takes */
    unsigned traits;
    unsigned want;                  /* of the force: NB_WANT_ bits */
    double usual_tolerance;         /* of adaptive steps (struct nb_control), where none is asked for; else 0 */
    const struct nb_family *family; /* step_family.h */
    const void *table;              /* of coefficients, of the family's type (scheme.h) */
};

extern const struct nb_scheme *const nb_schemes[]; /* NULL at the end */

#define NB_STEP_VECTORS 64 /* of a stepper, at most */

/* Of schemes with NB_OWN_STEPS that are not adaptive: a step of the run is the longest of a body, the others are that
 * over powers of 2. And of those with NB_NEIGHBOURS. */
struct nb_own_steps {
    double eta;     /* a body's step beside its time scale (step_block.c), > 0 */
    int most_rungs; /* no step is shorter than that over 2 to this power: 0 to NB_RUNGS_MAX */
    int neighbours; /* with NB_NEIGHBOURS, of a body, 1 to NB_NEIGHBOURS_MAX; 0: by the number of bodies */
};

#define NB_NEIGHBOURS_MAX  10000
#define NB_OWN_STEPS_USUAL ((struct nb_own_steps){.eta = 0.2, .most_rungs = 16})

struct nb_touch { /* two bodies, i < j, and when: time since the step began, of its sign */
    uint64_t i, j;
    nb_quad after;
};

/* What a caller gives a stepper who wants to know which bodies come to touch, in host memory: then it takes one step a
 * call. Within a step only families look whose bodies move on their own there (steps of their own, groups): where a
 * pair of theirs comes as near as its radii say, the first one is noted (nb_touch_note, step_touch.h), and the family
 * may leave off: state and *left say nothing then. The caller puts the state of the step's beginning back, begins anew
 * and takes a step up to that time. For other families the caller compares both ends of the step (nb_touch_between). */
struct nb_touch_watch {
    const double *mass, *radius;   /* of each body; two without mass never touch */
    const struct nb_touch *passed; /* pairs that are not to be found: `after` does not matter */
    int passed_count;
    bool found; /* the caller clears it before a step */
    struct nb_touch first;
};

struct nb_stepper {
    const struct nb_scheme *scheme;
    struct nb_force_set *forces; /* chosen for scheme->want; the caller's, as is the state */
    struct nb_state *state;
    double G, softening;
    struct nb_own_steps own;      /* where the scheme asks for it */
    struct nb_touch_watch *watch; /* the caller's; NULL: nobody asks who touches */
    uint64_t evaluations;         /* of the forces, so far; of some of the bodies, as many as make whole ones */
    struct nb_rung rung[NB_RUNGS_MAX + 1]; /* so far, since it was begun or loaded */
    nb_quad time; /* of the state, T; nb_step_begin takes the state's. Between steps the caller may set it to what the
                     time is without rounding */
    /* What follows belongs to the family; begin with zeros. */
    bool timed;                     /* a force may depend on the time: families tell it (nb_step_at) */
    bool velocity;                  /* a force needs the velocity of each evaluation's positions */
    bool planar;                    /* no force acts along z, and nothing moves along it */
    bool stale;                     /* the state's acceleration is of another moment than the position */
    double kick;                    /* time of the kick that the next evaluation is for (nb_sources.kick) */
    bool plain;                     /* splitting: some force has NB_TAKES_KICK, and the state's acceleration is for
                                       no kick */
    bool scaled;                    /* scale is known: */
    double scale[2];                /* sizes of positions and of velocities, to which errors are relative */
    struct nb_changeover split;     /* NB_SPLIT: chosen by the first step, then with the size; nb_step_end keeps it, */
    double split_size;              /* and the size of the system that it is for; 0: none is chosen */
    void *memory;                   /* host memory of the family's own type */
    void *vectors[NB_STEP_VECTORS]; /* device memory of the state's shape; NULL: not in use */
};

/* Computes the acceleration that the first step needs. Call nb_step_end afterwards, also where it failed. */
int nb_step_begin(struct nb_stepper *p);
/* Advances position and velocity by `count` steps of h, either sign; both belong to the same time before and after.
 * Equal bits however the steps are divided into calls. May return before a device is done. Many steps of one h may be
 * recorded and replayed where that is faster: between calls, scheme, forces, state, G and softening stay as they are,
 * and the forces serve no more bodies than the state's. */
int nb_steps(struct nb_stepper *p, nb_quad h, uint64_t count);
/* Sees to it that the state's acceleration belongs to its position, and leaves later steps as they would have been. */
int nb_step_acceleration(struct nb_stepper *p);
/* Each body's step into a column of width 1: of schemes with NB_OWN_STEPS the next one, in a base step of h; where the
 * scheme is adaptive, the longest that the body's error allows. Of other schemes h. */
int nb_step_fetch_own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to);
/* All that later steps take from earlier ones (pack.h): state, the family's vectors, what the forces carry, counts; G
 * and softening too. To load is to begin: in place of nb_step_begin, with scheme, forces and state chosen as when it
 * was saved, and whatever values the state has. The same bits follow, on the same device by the same program, as
 * without. */
int nb_step_pack(struct nb_stepper *p, struct nb_pack *k);
/* Does it take anything from earlier steps beside the state? */
bool nb_scheme_carries(const struct nb_scheme *scheme);
/* Is the acceleration that a step ends with that of the state? Else nb_stepper.stale. */
bool nb_scheme_ends_fresh(const struct nb_scheme *scheme);
/* Estimate of the bytes that state and family take there. */
double nb_scheme_pack_bytes(const struct nb_scheme *scheme, enum nb_precision precision, uint64_t n);
/* Frees what stepping has made; the rest of the stepper is the caller's. */
void nb_step_end(struct nb_stepper *p);
/* The scheme of that name; NULL after nb_fail. */
const struct nb_scheme *nb_scheme_find(const char *name);
/* Vectors of the state's shape that it keeps on the device; `adaptive`: in nb_steps_adaptive; `velocity`: some force
 * has NB_NEEDS_VELOCITY. */
int nb_scheme_vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity);
/* Does it look for bodies that touch by itself (struct nb_touch_watch)? */
bool nb_scheme_looks(const struct nb_scheme *scheme);
/* A sentence why the scheme cannot serve forces with these flags, or NULL. */
const char *nb_scheme_refuse(const struct nb_scheme *scheme, unsigned force_flags);
/* The same for a state on that device, in that precision, with that softening; NAN: it is not known yet. */
const char *nb_scheme_refuse_state(const struct nb_scheme *scheme, const struct nb_device *device,
                                   enum nb_precision precision, double softening);

/* Step-size control: the estimated local error of a step, in the max norm, is kept below `tolerance` (Hairer, Norsett &
 * Wanner 1993, II.4), relative to the sizes of positions and of velocities each before it: half of the extent over all
 * bodies (nb_device_extent), so that no origin and no motion of it matters; with external fields, which are fixed in
 * space, the max norm. The first step is at most a tenth of the time in which the largest acceleration makes that size
 * of the velocities, since an estimate says nothing of a step that is far too long.
 *
 * The family of ias15 has a measure of its own: the size of the last term of the acceleration's series, beside the
 * acceleration, by each body's time scale (nb_device_step_scale). The error of a step is some square of that: usual
 * 1e-9, where it begins to be less than rounding in double. Hermite's take Aarseth's criterion, and the error of a step
 * goes as the tolerance (step_aarseth.h). */
struct nb_control {
    double tolerance;          /* > 0, without a unit */
    double min_step, max_step; /* bounds of the sizes that the error asks for; the last step to an end may be shorter;
                                  where each body has its own: of the longest, and no body's is below min_step */
    nb_quad step;              /* size to try next, > 0; adapted to the error */
    uint64_t taken, rejected;  /* steps so far */
};

/* Takes at most `most` steps towards the end, *left from here, of either sign; the last of them ends on it and leaves
 * exactly 0. The last two are of equal size, so that none is tiny. -1 also where the error asks for less than min_step:
 * the state is then that after the last good step. */
int nb_steps_adaptive(struct nb_stepper *p, struct nb_control *c, nb_quad *left, uint64_t most);

/* What control carries from step to step. */
int nb_control_pack(struct nb_control *c, struct nb_pack *k);

#define NB_BOUNDED_CHECK 65 /* a first step, and two recordings of 32 (step_splitting.c) */

/* Steps of forces that bound them (NB_BOUNDS_STEP), or of a scheme in which each body has its own, `longest` at most,
 * whatever those allow. All from one output to the next are of a size, rest/ceil(rest/bound); the bound is asked for at
 * the beginning and after every NB_BOUNDED_CHECK steps, the scheme's after each, and the size is kept while it is no
 * longer than the bound and more than three quarters of it. */
struct nb_bounded {
    double longest;     /* > 0, also infinite */
    nb_quad h;          /* size of the last steps, of the direction's sign. At first that of steps that were taken
                           before, by the header of the frame that they ended in, or 0 */
    uint64_t rest;      /* steps of h to the end; 0: at an end */
    uint64_t unchecked; /* steps until the bound is asked for */
    uint64_t taken;     /* so far */
};

/* Takes at most `most` steps towards the end, *left from here, of either sign; the last of them leaves exactly 0. Equal
 * bits however the steps are divided into calls; a run that begins at an end, with the h that it was reached with, goes
 * on as that one does. -1 with errno EDOM where the bound is too short to come to the end. */
int nb_steps_bounded(struct nb_stepper *p, struct nb_bounded *c, nb_quad *left, uint64_t most);

int nb_bounded_pack(struct nb_bounded *c, struct nb_pack *k);

/* Steps to take from one output to the next: ceil(span/dt - 1e-9), at least 1. `span` and `dt` > 0. */
uint64_t nb_step_count(double span, double dt);

/* The step of leapfrog for many softened bodies of total mass `mass` that are in equilibrium: a share of
 * (softening / largest)^(1/2), with which the energy error stays near 1e-4 (bench/README.md). The share grows with
 * mass/heaviest, since fewer of the passages of two bodies weigh on the energy: 0.18 up to 5000, 0.54 from 1.2 million
 * on. `largest`: of the accelerations by the smooth mass; the pull of the heaviest body at the softening length is
 * added. For mass/heaviest of NB_MANY_BODIES and more, below which passages themselves have to be followed. */
double nb_step_softened(double G, double mass, double heaviest, double softening, double largest);
#define NB_MANY_BODIES 1000

/* A time step of fixed size for bodies whose header suggests none. For many softened bodies without external fields
 * that are not about to collapse nb_step_softened's; otherwise 0.02 of the shortest time in which the forces change
 * a motion, or, where that is less, a tenth of the time in which two bodies of mean mass pass one another where they
 * turn each other by a right angle (at the softening length, where that is longer). The former is the least, over all
 * bodies, of sqrt|phi|/|a| by their own forces and of 1/frequency of the others (nb_force.frequency): for two bodies on
 * a circle, or one about a fixed mass, their period / 2 pi. 0 where no force changes a motion; negative after a
 * failure. */
double nb_step_suggest(struct nb_stepper *p);
/* The same for a scheme with NB_OWN_STEPS: the longest step that any of the bodies may take now, and at most 64 times
 * the shortest, so that all steps end soon enough for what looks at the run. */
double nb_step_suggest_longest(struct nb_stepper *p);
