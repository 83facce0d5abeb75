/* prepare.h - prepares a run for nbsim and libnbtools: chooses what the options do not set, refuses impossible options,
 * opens forces and state, and determines the step size. The functions are called in the order of their
 * declarations.
 *
 * Every int function except nb_find_heavy returns 0 on success, NB_REFUSED after nb_fail if the options are impossible,
 * and -1 after nb_fail on other errors. Messages use the names of nbsim's options. */
#pragma once

#include "force/force_request.h"
#include "step/step.h"

#include <math.h>

struct nb_prepare_options { /* options of the user. NB_PREPARE_OPEN: no options given */
    /* time step; negative: backwards in time; 0: nb_prepare_dt takes the header's step or computes one */
    double dt;
    double tolerance;        /* tolerance of adaptive steps; 0: the steps are not adaptive */
    bool bounded;            /* true: the forces or the scheme limit the step size (set by nb_prepare_choose) */
    double min_dt, max_dt;   /* minimum and maximum of adaptive steps; NAN: not given */
    struct nb_own_steps own; /* options of schemes with individual steps. Not given: eta is NAN, most_rungs is -1 */
    double until;            /* absolute end time; NAN: not given */
    int64_t steps;           /* number of steps; -1: not given */
    double softening;        /* softening length; NAN: not given */
    int precision;           /* enum nb_precision; -1: the device's default */
    struct nb_force_request forces;
    const char *device, *integrator; /* device: NULL means `auto` */
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

/* Returns whether size and number of steps are known in advance. */
static inline bool nb_prepare_steps_are_fixed(const struct nb_prepare_options *o)
{
    return o->tolerance == 0 && !o->bounded;
}

enum { /* bits for *decided in nb_prepare_choose */
       NB_DECIDED_INTEGRATOR = 1,
       NB_DECIDED_TOLERANCE = 2,
       NB_DECIDED_PRECISION = 4,
       NB_DECIDED_THETA = 8,
       NB_DECIDED_FIXED = 16 /* `auto` has chosen steps of fixed size */
};

/* Chooses what the options do not set: integrator, tolerance, precision, theta of the tree, and whether the step size
 * is limited (o->bounded). The choices depend on the bodies. Sets *decided to the NB_DECIDED_ bits of the choices
 * made. */
int nb_prepare_choose(struct nb_prepare_options *o, const struct nb_bodies *b, unsigned *decided);
/* Returns the name of the device to open for n bodies (nb_device_choose). */
const char *nb_prepare_device(const struct nb_prepare_options *o, uint64_t n);
/* Chooses the scheme p->scheme and the precision, and opens the forces in the set p->forces. The caller has set the
 * device of the set before. Copies the options of individual steps to p->own. If there are no contact forces, removes
 * the lines wall_force and inflow from the header of b.
 *
 * *want has a bit NB_WANT_ for each quantity that the forces must compute, for example the potential. The caller sets
 * the bits that it needs. The function adds the bits that the scheme needs. */
int nb_prepare_forces(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p, unsigned *want,
                      enum nb_precision *precision);
/* Sets p->G from the input, and p->softening from the option, or from the input if the option is not given. If the
 * option is given, removes the column `softening` from b. */
int nb_prepare_softening(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p);
/* Creates p->state, including the columns that the forces read. empty: the state contains zeros, because a checkpoint
 * will be loaded into it; in this case, p->G and p->softening need not be set. */
int nb_prepare_state(const struct nb_bodies *b, struct nb_stepper *p, enum nb_precision precision, bool empty);

struct nb_prepare_step {
    double dt; /* step size, or first step to try; > 0 */
    enum { NB_DT_KNOWN, NB_DT_ANY, NB_DT_OWN, NB_DT_SPLIT, NB_DT_BOUND, NB_DT_SUGGESTED } by;
    const char *objection; /* why the header's step cannot be used; NULL: it can be used */
};

/* Finds the step size: from the options, the header, or the bodies. If steps are adaptive, this is the size of the
 * first step to try. If the step in the header of b cannot be used, removes it from the header, except for schemes with
 * individual steps. */
int nb_prepare_dt(const struct nb_prepare_options *o, struct nb_bodies *b, struct nb_stepper *p,
                  struct nb_prepare_step *step);
/* Returns the settings of adaptive steps for a run from time `begin` to `end`, with dt as the first step to try. If
 * --max-dt is not given, the maximum step is the shortest time in which a value in the files of external fields
 * changes. */
struct nb_control nb_prepare_control(const struct nb_prepare_options *o, const struct nb_force_set *set, double begin,
                                     double end, double dt);
/* Prepares steps whose size has an upper limit. Sets bounded->longest to the longest step that external forces allow.
 * If all bodies have the same step, also sets bounded->h to the step in the header of b. In this case, and if `bound`
 * is not NULL, sets *bound to the longest step that all forces allow for the present positions. */
int nb_prepare_bounded(const struct nb_bodies *b, const struct nb_stepper *p, struct nb_bounded *bounded,
                       double *bound);
/* Computes the accelerations for the first step. Fails if they are not finite. */
int nb_prepare_begin(const struct nb_bodies *b, struct nb_stepper *p);

/* If the set has external forces, writes the list of all its forces into the header (nb_meta.forces). Otherwise removes
 * the list. */
int nb_prepare_note_forces(const struct nb_force_set *set, struct nb_meta *meta);

/* Maximum of (step size) / (time scale of the external forces), for steps from the header and for steps that nbsim
 * chooses. */
#define NB_FIELD_SHARE 0.1
/* Returns 1 / (shortest time scale of the external forces at the positions of the bodies); 0 without such forces. */
double nb_prepare_frequency(const struct nb_bodies *b, const struct nb_force_set *set);

/* Returns whether the header's step is suitable for this force. It is suitable for all forces that are not external
 * (NB_EXTERNAL), and for external forces that the header lists. */
bool nb_prepare_knows_field(const struct nb_meta *meta, const struct nb_force_spec *spec);
/* Returns whether this scheme gives bodies individual steps whose sizes --eta determines. */
bool nb_prepare_has_rungs(const struct nb_scheme *scheme);

/* ---- prepare_bodies.c, prepare_pair.c: properties that the choices depend on ---- */

/* Loops over more than NB_LOOK_PARALLEL bodies use several threads. The result of some loops depends on how the bodies
 * are divided into parts. These loops always use NB_LOOK_PARTS parts, so that the result is the same for any number of
 * threads. nb_look_part returns the first body of a part. */
#define NB_LOOK_PARALLEL 65536
#define NB_LOOK_PARTS    64
static inline uint64_t nb_look_part(uint64_t n, int part)
{
    return n / NB_LOOK_PARTS * (uint64_t)part + n % NB_LOOK_PARTS * (uint64_t)part / NB_LOOK_PARTS;
}

/* Largest number of bodies for which `auto` chooses one adaptive step for all bodies. */
#define NB_FEW 1000
/* Largest number of bodies for which `auto` chooses individual steps with error control. The schemes with such steps
 * need direct summation, which is too slow for more bodies. */
#define NB_SINGLES 65536
/* `auto` chooses ias15 only if the closest bound pair revolves at most this many times during the run */
#define NB_HARD_PERIODS 1000
/* `auto` chooses ias15 only if R n^2 is at most this number. R is the number of revolutions of the closest bound pair
 * during the run. At this limit, a run with ias15 computes forces for about 3 s (about 2000 evaluations per
 * revolution). */
#define NB_HARD_PAIRS 3e6
#define NB_HEAVY      10

/* Finds the NB_HEAVY heaviest bodies, or all bodies with mass if there are fewer. Writes their indices to heavy[], in
 * order of decreasing mass. Sets *share to (mass of these bodies) / (total mass). Returns the number of indices. */
int nb_find_heavy(const struct nb_bodies *b, uint64_t heavy[NB_HEAVY], double *share);
/* Returns whether at most NB_HEAVY bodies have more than half of the mass. */
bool nb_has_heavy(const struct nb_bodies *b);
/* Returns whether any body belongs to a disk, a bulge, a halo or gas. */
bool nb_is_galaxy(const struct nb_bodies *b);

struct nb_relative { /* x, v: relative position, velocity; r2 = x . x, v2 = v . v, rv = x . v; mu = G (m_i + m_j) */
    double r2, v2, rv, mu;
};
/* Returns the relative motion of bodies i and j. */
struct nb_relative nb_relative_motion(const struct nb_bodies *b, double G, uint64_t i, uint64_t j);

struct nb_nearest { /* a pair of bodies */
    uint64_t i, j;  /* i < j */
    double distance;
};
/* Finds the closest pair of bodies with mass. Returns false if fewer than two bodies have mass, or if there is no
 * memory. */
bool nb_nearest_find(const struct nb_bodies *b, struct nb_nearest *pair);
