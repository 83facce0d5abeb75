/* step.h - the integrators. A scheme is a table of coefficients (scheme.h), and each family of schemes has one stepping
 * loop. Times, steps and all other quantities are in the units of the frame. Every int function returns 0, or -1 after
 * nb_fail. */
#pragma once

#include "device/quad.h"
#include "force/force.h"

enum { /* bits: properties of a scheme (nb_scheme.traits) */
       NB_SYMPLECTIC = 1,
       NB_REVERSIBLE = 2,   /* at fixed step, a step of -h undoes a step of h up to rounding */
       NB_ADAPTIVE = 4,     /* estimates the error of a step, so nb_steps_adaptive can be used */
       NB_NO_VELOCITY = 8,  /* evaluates forces without velocities, so forces with NB_NEEDS_VELOCITY are refused */
       NB_OWN_STEPS = 32,   /* each body has its own step size. The accuracy is set by nb_own_steps.eta or, if the
                               scheme also has NB_ADAPTIVE, by the tolerance */
       NB_REGULARISED = 64, /* for point masses: refuses softening */
       NB_NEIGHBOURS = 128, /* sums the forces of neighbours and of distant bodies separately. The force must have
                               NB_NEAR_AND_FAR. Runs on one device only */
       NB_SPLIT = 256,      /* kicks use only the long-range part of each pair's force (nb_sources.far). The force must
                               have NB_FAR_PART */
       NB_PLANETARY = 16 /* for planets around a heavy body. The only force allowed is self-gravity without softening.
                            The scheme runs on the CPU in double precision only */
};

struct nb_scheme {
    const char *name;
    const char *about;
    const char *reference;
    int order;       /* with fixed steps h, the error at a given time is proportional to h^order */
    int evaluations; /* number of force evaluations in a step of fixed size; 0: the number depends on an iteration */
    unsigned traits;
    unsigned want;                  /* NB_WANT_ bits of the quantities that the forces must compute */
    double usual_tolerance;         /* default tolerance (struct nb_control); 0: not adaptive */
    const struct nb_family *family; /* declared in step_family.h */
    const void *table;              /* table of coefficients; its type depends on the family (scheme.h) */
};

extern const struct nb_scheme *const nb_schemes[]; /* list of all schemes; the last element is NULL */

#define NB_STEP_VECTORS 64 /* maximum number of vectors of a stepper */

/* Parameters of schemes with NB_OWN_STEPS but without NB_ADAPTIVE, and of schemes with NB_NEIGHBOURS. With
 * NB_OWN_STEPS, each body has an integer `rung`, and its step is (base step) / 2^rung. The base step is the step size
 * of the run. */
struct nb_own_steps {
    double eta;     /* a body's step is at most eta times its time scale (step_block.c); eta > 0 */
    int most_rungs; /* the shortest step is the base step / 2^most_rungs; 0 to NB_RUNGS_MAX */
    int neighbours; /* NB_NEIGHBOURS: number of neighbours of a body, 1 to NB_NEIGHBOURS_MAX; 0: a default that the
                       scheme computes from the number of bodies */
};

#define NB_NEIGHBOURS_MAX  10000
#define NB_OWN_STEPS_USUAL ((struct nb_own_steps){.eta = 0.2, .most_rungs = 16})

struct nb_touch { /* contact of bodies i < j; after: signed time from the beginning of the step to the contact */
    uint64_t i, j;
    nb_quad after;
};

/* Tells the stepper to look for contacts of bodies. Owned by the caller, in host memory. Each call of a stepping
 * function may then take only one step.
 * - Schemes for which nb_scheme_looks is true look for contacts within the step. They note the first pair whose
 *   distance falls to the sum of its radii (nb_touch_note, step_touch.h) and may stop there. The state and the
 *   parameter *left of the stepping function are then undefined. The caller restores the state from before the step,
 *   calls nb_step_begin again and takes a step up to the time of the contact.
 * - With other schemes, the caller finds contacts after each step, from the state at the step's beginning and at its
 *   end (nb_touch_between). */
struct nb_touch_watch {
    const double *mass, *radius;   /* mass and radius of each body; two bodies without mass never touch */
    const struct nb_touch *passed; /* contacts to ignore: pairs i and j (`after` is not used) */
    int passed_count;
    bool found; /* true: `first` contains a contact. The caller sets `found` to false before each step */
    struct nb_touch first;
};

struct nb_stepper {
    const struct nb_scheme *scheme;
    /* The forces must compute the quantities in scheme->want. The caller owns the forces and the state */
    struct nb_force_set *forces;
    struct nb_state *state;
    double G, softening;
    struct nb_own_steps own;      /* used by schemes with NB_OWN_STEPS or NB_NEIGHBOURS */
    struct nb_touch_watch *watch; /* owned by the caller; NULL: no search for contacts */
    uint64_t evaluations; /* number of force evaluations so far. An evaluation for k of the n bodies counts as k / n */
    /* rung[k]: counts of the steps of size base step / 2^k, since nb_step_begin or since a checkpoint was loaded */
    struct nb_rung rung[NB_RUNGS_MAX + 1];
    nb_quad time; /* time of the state. nb_step_begin copies it from the state, and each step adds its size. The caller
                     may correct it between steps, because sums of steps have rounding errors */
    /* Private to the family. Initialise with zeros. */
    bool timed;    /* a force may depend on the time, so the family calls nb_step_at before an evaluation */
    bool velocity; /* a force needs the velocity at each evaluation */
    bool planar;   /* no force and no velocity has a z component */
    bool stale;    /* the state's acceleration was not computed at the state's present positions */
    double kick;   /* duration of the kick that uses the next force evaluation (nb_sources.kick) */
    /* Used by splitting schemes if a force returns its mean over a kick (NB_TAKES_KICK). true: state->a is the
     * acceleration at the state's time; false: state->a is the mean acceleration during a kick */
    bool plain;
    bool scaled;                /* true: `scale` has been computed */
    double scale[2];            /* typical sizes of positions [0] and velocities [1]. Errors are divided by them */
    struct nb_changeover split; /* schemes with NB_SPLIT: radii of the changeover. Chosen in the first step and changed
                                   if the system becomes larger or smaller. nb_step_end does not reset them */
    double split_size;          /* mean distance between bodies when `split` was chosen; 0: not chosen */
    void *memory;               /* host memory; the family defines its type */
    void *vectors[NB_STEP_VECTORS]; /* device memory, each of the size of a vector of the state; NULL: not in use */
};

/* Prepares stepping: computes the acceleration for the first step. Call nb_step_end later, also after a failure. */
int nb_step_begin(struct nb_stepper *p);
/* Takes `count` steps of size h; h may be negative. After the call, positions and velocities belong to the same time,
 * also in leapfrog schemes. One call with many steps and many calls with fewer steps give bitwise identical results.
 * May return before the device has finished.
 *
 * A device may record many steps of equal h and replay the recording in later calls. Therefore scheme, forces,
 * state, G and softening must not change between calls. The caller must not use the same forces for a second state with
 * more bodies. */
int nb_steps(struct nb_stepper *p, nb_quad h, uint64_t count);
/* Computes the state's acceleration at its present position, unless it is already known. The results of later steps are
 * the same with and without this call. */
int nb_step_acceleration(struct nb_stepper *p);
/* Writes the step size of each body to a column of width 1:
 * - schemes without NB_OWN_STEPS: h;
 * - schemes with NB_OWN_STEPS, but without NB_ADAPTIVE: size of the body's next step, if the base step is h;
 * - schemes with NB_OWN_STEPS and NB_ADAPTIVE: longest step that `tolerance` allows for the body. */
int nb_step_fetch_own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to);
/* Saves or loads a checkpoint (pack.h). It contains all that later steps use: state, the family's vectors, state of
 * the forces, counts, G and softening. To load a checkpoint, call nb_step_pack and not nb_step_begin. Loading
 * overwrites the state's values. Scheme, forces, and the state's precision and number of bodies must be the same as
 * when saving. A run that is resumed on the same device with the same program takes bitwise identical steps. */
int nb_step_pack(struct nb_stepper *p, struct nb_pack *k);
/* Returns whether the scheme's steps use quantities of earlier steps that the state does not contain. */
bool nb_scheme_carries(const struct nb_scheme *scheme);
/* Returns whether the scheme is a splitting scheme whose steps end with a force evaluation at the new positions.
 * Returns false for all schemes that are not splitting schemes, even if their steps end in this way: check
 * nb_stepper.stale after a step of such a scheme. */
bool nb_scheme_ends_fresh(const struct nb_scheme *scheme);
/* Estimates how many bytes the state and the vectors of the scheme's family need in a checkpoint. */
double nb_scheme_pack_bytes(const struct nb_scheme *scheme, enum nb_precision precision, uint64_t n);
/* Frees what the stepper has allocated. Forces, state and `watch` belong to the caller. */
void nb_step_end(struct nb_stepper *p);
/* Returns the scheme called `name`, or NULL after nb_fail if there is no such scheme. */
const struct nb_scheme *nb_scheme_find(const char *name);
/* Returns the number of vectors that the scheme keeps on the device, each as large as a vector of the state.
 * `adaptive`: nb_steps_adaptive is used. `velocity`: a force has NB_NEEDS_VELOCITY. */
int nb_scheme_vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity);
/* Returns whether the scheme looks for contacts within its steps (struct nb_touch_watch). */
bool nb_scheme_looks(const struct nb_scheme *scheme);
/* Returns NULL if the scheme can be used with forces that have `force_flags`, otherwise a message that says why not. */
const char *nb_scheme_refuse(const struct nb_scheme *scheme, unsigned force_flags);
/* Returns NULL if the scheme can be used with a state on `device` in `precision`, otherwise a message that says why
 * not. `softening`: softening length; NAN if not known yet. */
const char *nb_scheme_refuse_state(const struct nb_scheme *scheme, const struct nb_device *device,
                                   enum nb_precision precision, double softening);

/* Step-size control: keeps the estimated local error of a step, in the max norm, below `tolerance` (Hairer, Norsett &
 * Wanner 1993, II.4).
 * - Position errors are divided by the typical size of positions, velocity errors by the typical size of velocities. A
 *   typical size is half of the extent over all bodies before the step (nb_device_extent). The extent does not depend
 *   on the frame of reference. External fields are fixed in space. With external fields, a typical size is therefore
 *   the largest absolute value of a component.
 * - The first step is at most 0.1 (typical size of velocities) / (largest acceleration). For much longer steps the
 *   error estimate is meaningless.
 * - ias15 compares another quantity with the tolerance: the last term of the power series of a body's acceleration,
 *   divided by the acceleration (nb_device_step_scale). The error of a step is roughly the square of this ratio. With
 *   the default tolerance 1e-9, the error is just below rounding errors in double precision.
 * - Hermite schemes use Aarseth's criterion, and their error is proportional to the tolerance (step_aarseth.h). */
struct nb_control {
    double tolerance;          /* > 0, dimensionless */
    double min_step, max_step; /* bounds of the step size; the last step before the end time may be shorter. Schemes
                                  with NB_OWN_STEPS: max_step bounds the base step, min_step each body's step */
    nb_quad step;              /* size to try next, > 0 */
    uint64_t taken, rejected;  /* numbers of accepted and of rejected steps so far */
};

/* Takes at most `most` steps towards an end time. *left is the time that remains until the end time; it can be
 * negative. The last step ends exactly at the end time and sets *left to 0. The last two steps have equal size, which
 * avoids tiny steps. Returns 0, or -1 after a failure. Also returns -1 if the tolerance requires a step below min_step;
 * the state is then the valid state after the last accepted step. */
int nb_steps_adaptive(struct nb_stepper *p, struct nb_control *c, nb_quad *left, uint64_t most);

/* Saves *c to a checkpoint or loads it (pack.h). */
int nb_control_pack(struct nb_control *c, struct nb_pack *k);

/* The forces' bound of the step size (nb_bounded) is computed again after this number of steps. A device that records
 * steps (step_splitting.c) takes one step, and then replays a recording of 32 steps twice: 1 + 2 * 32 steps. */
#define NB_BOUNDED_CHECK 65

/* Control of the step size if forces (NB_BOUNDS_STEP) or the scheme (nb_family.bound) limit it.
 * - The bound is the smallest of three values: the forces' limit, the scheme's limit, and `longest`.
 * - It is computed at the beginning and after each output. Between outputs it is computed again after each step if the
 *   scheme has a limit, or after every NB_BOUNDED_CHECK steps if only forces have one.
 * - The step size h is kept if 3/4 bound < h <= bound, and if the time t until the next output is a multiple of h.
 *   Otherwise the new step size is t / ceil(t / bound). */
struct nb_bounded {
    double longest;     /* maximum step, > 0; may be infinite */
    nb_quad h;          /* signed step size. Initially the step size in the frame's header, or 0 */
    uint64_t rest;      /* number of steps of size h until the next output; 0: the state is at an output */
    uint64_t unchecked; /* number of steps until the bound of the step size is computed again */
    uint64_t taken;     /* number of steps so far */
};

/* Takes at most `most` steps towards the next output. *left is the time that remains until the output; it can be
 * negative. The last step sets *left to 0. Results are bitwise identical for any division of the steps into calls. A
 * run that is resumed at an output takes the same steps as the uninterrupted run if c->h is set to the size of the last
 * step before this output. Returns -1 with errno EDOM if the bound is so short that the output cannot be reached. */
int nb_steps_bounded(struct nb_stepper *p, struct nb_bounded *c, nb_quad *left, uint64_t most);

/* Saves *c to a checkpoint or loads it (pack.h). */
int nb_bounded_pack(struct nb_bounded *c, struct nb_pack *k);

/* Returns the number of steps of at most dt between two outputs: ceil(span/dt - 1e-9), at least 1. The term 1e-9
 * allows for rounding errors. span > 0: time between the outputs; dt > 0. */
uint64_t nb_step_count(double span, double dt);

/* Returns the leapfrog step for many softened bodies of total mass `mass` in equilibrium, for an energy error near 1e-4
 * in a crossing time (bench/README.md). It is the smaller of two steps; N = mass/heaviest:
 * - factor * (softening / a)^(1/2), with a = largest + 0.77 G heaviest / softening^2. `largest` is the largest
 *   acceleration of a body, `heaviest` the mass of the heaviest body. The second term allows for encounters with the
 *   heaviest body. Up to N = 5000 the factor is 0.18. Above 5000 it grows as N^(1/5), to at most 0.54, because two-body
 *   encounters matter less if there are more bodies.
 * - count * softening / v, with the speed v = (G mass * largest)^(1/4). In a longer step, bodies jump over too many
 *   softening lengths, and the kicks of the bodies that they meet heat the system. The count is 2.75 for N = 10^5. It
 *   grows as N^0.3 below and as N^0.5 above. Softening lengths well below nbgen's own need this limit.
 * Valid for N >= NB_MANY_BODIES. With fewer bodies, encounters must be resolved. */
double nb_step_softened(double G, double mass, double heaviest, double softening, double largest);
#define NB_MANY_BODIES 1000

/* Returns a fixed step, for frames whose header suggests none:
 * 1. If the scheme's family has a function `suggest`: the step that it returns.
 * 2. Else for many softened bodies, without external fields, that will not collapse: the step of nb_step_softened.
 * 3. Else the smaller of two times. Without self-gravity, only the first time is used.
 *    - 0.02 times the shortest dynamical time of a body. It is |phi|^(1/2) / |a| for self-gravity (potential phi,
 *      acceleration a) and 1/frequency for other forces (nb_force.frequency). On a circular orbit of two bodies, it is
 *      the period / 2 pi.
 *    - A tenth of the duration of a close encounter of two bodies of mean mass. They pass at the distance that
 *      deflects them by a right angle; with softening at the root of the sum of the squares of this distance and of
 *      the softening length.
 * Returns 0 if no force accelerates a body, and a negative number after nb_fail. */
double nb_step_suggest(struct nb_stepper *p);
/* Returns a base step for schemes with NB_OWN_STEPS if the header suggests none: the largest of all bodies' present
 * step sizes, but at most 64 times the smallest. This limit keeps base steps short, because outputs and checks are
 * possible only at the end of a base step. Returns a negative number after nb_fail. */
double nb_step_suggest_longest(struct nb_stepper *p);
