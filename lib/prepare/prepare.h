/* prepare.h - makes a run ready, for nbsim and libnbtools alike: chooses what its options leave open, refuses what
 * cannot be, opens forces and state, and finds the size of steps. In the order of the functions here.
 *
 * Every int function returns 0; -1 after nb_fail if the world or the input failed; NB_REFUSED after nb_fail if the
 * options ask for what cannot be. Messages name options as nbsim's command line does. */
#pragma once

#include "force/force_request.h"
#include "step/step.h"

#include <math.h>

struct nb_prepare_options { /* what a user asks for; begins as NB_PREPARE_OPEN, which leaves all open */
    double dt;              /* 0: the header's, or suggested; negative runs backwards */
    double tolerance;       /* of adaptive steps; 0: steps of fixed size, or: */
    bool bounded;          /* steps that forces or scheme bound (nb_steps_bounded); decided by what else is asked for */
    double min_dt, max_dt; /* NAN: not given */
    struct nb_own_steps own; /* of schemes that have them; NAN, -1: not given */
    double until;            /* absolute time; NAN: not given */
    int64_t steps;           /* -1: not given */
    double softening;        /* NAN: the header's */
    int precision;           /* -1: the device's default */
    struct nb_force_request forces;
    const char *device, *integrator; /* device NULL: auto */
};

#define NB_PREPARE_OPEN                            \
    ((struct nb_prepare_options){.min_dt = NAN,    \
                                 .max_dt = NAN,    \
                                 .own = {NAN, -1}, \
                                 .until = NAN,     \
                                 .steps = -1,      \
                                 .softening = NAN, \
                                 .precision = -1,  \
                                 .integrator = "auto"})

/* Are steps of a size, and as many, as is known beforehand? */
static inline bool nb_prepare_steps_are_fixed(const struct nb_prepare_options *o)
{
    return o->tolerance == 0 && !o->bounded;
}

enum { /* what was decided for the user, bits */
       NB_DECIDED_INTEGRATOR = 1,
       NB_DECIDED_TOLERANCE = 2,
       NB_DECIDED_PRECISION = 4,
       NB_DECIDED_THETA = 8,
       NB_DECIDED_FIXED = 16 /* steps are of a fixed size because nothing better can be afforded */
};

/* Decides on integrator, tolerance, precision, a tree's theta and bounded steps where the options leave them open, by
 * the bodies. */
int nb_prepare_choose(struct nb_prepare_options *o, const struct nb_bodies *b, unsigned *decided);
/* Returns the name of the device to open for n bodies (nb_device_choose). */
const char *nb_prepare_device(const struct nb_prepare_options *o, uint64_t n);
/* Fills the stepper's scheme and own steps, and opens the forces in p->forces, which has the device and no force yet.
 * `want`: NB_WANT_ bits beside those of the run. Sets *precision. Header lines of b that the forces make untrue go. */
int nb_prepare_forces(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p, unsigned *want,
                      enum nb_precision *precision);
/* Fills the stepper's G and softening: the option's, or the input's. A column that is then untrue goes. */
int nb_prepare_softening(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p);
/* Makes the stepper's state, with the columns that the forces read. `empty`: all zeros, to be loaded; G and softening
 * are not known then. */
int nb_prepare_state(const struct nb_bodies *b, struct nb_stepper *p, enum nb_precision precision, bool empty);

struct nb_prepare_step {
    double dt; /* positive */
    enum { NB_DT_KNOWN, NB_DT_ANY, NB_DT_OWN, NB_DT_SPLIT, NB_DT_BOUND, NB_DT_SUGGESTED } by;
    const char *objection; /* why the header's does not serve; NULL: it does */
};

/* Finds the step asked for, the header's, or one from the bodies themselves; the first to try of adaptive steps. Clears
 * the header's if it does not serve. */
int nb_prepare_dt(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p,
                  struct nb_prepare_step *step);
/* Returns the control of adaptive steps from one time to another, with dt as the first to try. Without --max-dt no step
 * is so long that it could miss what the files of external fields say. */
struct nb_control nb_prepare_control(const struct nb_prepare_options *o, const struct nb_force_set *set, double begin,
                                     double end, double dt);
/* Fills bounded steps from the header's step. *bound, if not NULL: what forces allow now. */
int nb_prepare_bounded(const struct nb_bodies *b, const struct nb_stepper *p, struct nb_bounded *bounded,
                       double *bound);
/* Computes the accelerations that the first step needs. A start that has no finite ones is an error. */
int nb_prepare_begin(const struct nb_bodies *b, struct nb_stepper *p);

/* Notes in the header which forces act (nb_meta.forces). */
int nb_prepare_note_forces(const struct nb_force_set *set, struct nb_meta *meta);

/* Of the time in which an external force changes a motion: the longest step of a header, or that contacts allow. */
#define NB_FIELD_SHARE 0.1
/* Returns the highest inverse time in which an external force changes the motion of a body where it is; 0 without one.
 */
double nb_prepare_frequency(const struct nb_bodies *b, const struct nb_force_set *set);

/* Does the header name the force, or is it the bodies' own? */
bool nb_prepare_knows_field(const struct nb_meta *meta, const struct nb_force_spec *spec);
/* Do the steps of the scheme's bodies follow --eta? */
bool nb_prepare_has_rungs(const struct nb_scheme *scheme);

/* ---- prepare_bodies.c, prepare_pair.c: what the choice is made by ---- */

/* Bodies from which on threads share what is looked at body by body; in NB_LOOK_PARTS parts, the first body of each, if
 * the result is to be the same for any number of threads. */
#define NB_LOOK_PARALLEL 65536
#define NB_LOOK_PARTS    64
static inline uint64_t nb_look_part(uint64_t n, int part)
{
    return n / NB_LOOK_PARTS * (uint64_t)part + n % NB_LOOK_PARTS * (uint64_t)part / NB_LOOK_PARTS;
}

#define NB_FEW          1000 /* bodies at most that `auto` follows the error of, all with one step */
#define NB_HARD_PERIODS 1000 /* of the closest bound pair, to the end of the run: more are too many for ias15 */
#define NB_HEAVY        10

/* Finds the heaviest bodies, by falling mass, and their share of the mass; returns how many, of those with mass. */
int nb_find_heavy(const struct nb_bodies *b, uint64_t heavy[NB_HEAVY], double *share);
/* Do at most NB_HEAVY bodies hold most of the mass? */
bool nb_has_heavy(const struct nb_bodies *b);
/* Does it have a disk, a bulge, a halo or gas? */
bool nb_is_galaxy(const struct nb_bodies *b);

struct nb_relative { /* motion of two bodies about one another: squares and product of distance and velocity, G m */
    double r2, v2, rv, mu;
};
struct nb_relative nb_relative_motion(const struct nb_bodies *b, double G, uint64_t i, uint64_t j);

struct nb_nearest { /* two bodies */
    uint64_t i, j;  /* i < j */
    double distance;
};
/* Finds the two bodies that are next to each other, of those with mass; false: there are no two, or no memory. */
bool nb_nearest_find(const struct nb_bodies *b, struct nb_nearest *pair);
