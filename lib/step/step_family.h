/* step_family.h - families of schemes. A family is a group of schemes with the same stepping loop; struct nb_family is
 * the table of its functions. The functions of this header are shared by all families.
 *
 * For x' = v, v' = a(x), a Runge-Kutta scheme can be written with the accelerations of its stages only:
 *     X_i = x + h c_i v + h^2 sum_j (A^2)_ij a_j
 *     x+  = x + h v + h^2 sum_j (b A)_j a_j
 *     v+  = v + h sum_j b_j a_j
 * A, b, c: coefficients of the scheme; X_i: position of stage i; a_j: acceleration of stage j; x+ and v+: the results.
 * The results are those of the standard form, which needs twice as many vectors (Hairer, Norsett & Wanner 1993, II.14).
 *
 * All families except splitting use compensated (Kahan) summation for position and velocity from step to step. */
#pragma once

#include "base/pack.h"
#include "step/step.h"

struct nb_trial {  /* outcome of a step with error control */
    bool accepted; /* error below the tolerance */
    double factor; /* (recommended size of the next step) / (size of this step), > 0 */
    nb_quad taken; /* if accepted: time by which the state has advanced, with sign; can be less than the tried step */
    double least;  /* if bodies have own steps: the shortest step of a body; otherwise the size of the tried step */
};

struct nb_family {
    bool kicks; /* true: steps consist of kicks and drifts of the state. This is necessary for boundary conditions that
                   change positions between steps, and for forces that return their mean over a kick (NB_TAKES_KICK) */
    bool looks; /* bodies have own steps, so the family itself looks for contacts of bodies (p->watch) */
    /* Returns the number of vectors that the scheme keeps on the device (nb_scheme_vectors). NULL: the number is 0. */
    int (*vectors)(const struct nb_scheme *scheme, bool adaptive, bool velocity);
    /* Allocates p->memory and initialises the family. The caller has already computed the acceleration at the state's
     * position. Returns 0, or -1 after nb_fail, like all int functions here. */
    int (*begin)(struct nb_stepper *p);
    /* Takes `count` steps of size h. */
    int (*steps)(struct nb_stepper *p, nb_quad h, uint64_t count);
    /* Tries one step of size h. If it is rejected, the state is unchanged. NULL: the scheme has no error estimate. */
    int (*attempt)(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial);
    /* Takes a base step of size h in which bodies have own steps. If `cuts` is true and bodies take very many steps,
     * returns before the end of the base step. Sets *done to the time by which the bodies have advanced, in units of
     * h / 2^NB_OWN_PARTS, and *least to the shortest of the bodies' next steps. Used by the functions of
     * step_aarseth.h; NULL in families that do not use these functions. */
    int (*base)(struct nb_stepper *p, nb_quad h, double tolerance, bool cuts, uint64_t *done, double *least);
    /* Sets *most to an upper limit of the first step with error control. *most is infinite before the call. If it is
     * still infinite after the call, or if `first` is NULL, the limit is a tenth of (norm of the velocities) / (norm
     * of the accelerations). */
    int (*first)(struct nb_stepper *p, double tolerance, double *most);
    /* Sets *factor, and writes a number for each body to `to`. The body's step size is *factor times this number
     * (nb_step_fetch_own computes the product). NULL: all bodies have the same step. */
    int (*own)(struct nb_stepper *p, double h, double tolerance, struct nb_column *to, double *factor);
    /* Sets *bound to the longest step that nb_steps_bounded may take next. h: size of the previous step; 0 at the
     * beginning. Called after every step. NULL: no bound. */
    int (*bound)(struct nb_stepper *p, double h, double *bound);
    /* Returns the size of fixed steps, or -1 after nb_fail. May be called before or after `begin`. NULL:
     * nb_step_suggest computes the size. */
    double (*suggest)(struct nb_stepper *p);
    /* Saves or loads the data of earlier steps that later steps use, except the state (pack.h). Loading requires an
     * earlier call of `begin`. NULL: steps use no such data. */
    int (*carry)(struct nb_stepper *p, struct nb_pack *k);
    int carried;                       /* maximum number of vectors that the function `carry` saves */
    void (*end)(struct nb_stepper *p); /* frees what the pointers in p->memory point to. NULL: nothing to free */
};

extern const struct nb_family nb_family_splitting, nb_family_explicit, nb_family_implicit, nb_family_adams,
    nb_family_extrapolation, nb_family_hermite, nb_family_ias15, nb_family_whfast, nb_family_block,
    nb_family_hermite_block, nb_family_groups, nb_family_ahmad_cohen, nb_family_p3t;

/* Allocates zeroed host memory as p->memory. nb_step_end frees it. Returns NULL after nb_fail. */
void *nb_step_memory(struct nb_stepper *p, size_t size_bytes);
/* Allocates the vectors p->vectors[k0] to p->vectors[k1 - 1], except those that are already allocated. */
int nb_step_vectors(struct nb_stepper *p, int k0, int k1);
/* Saves or loads the vectors p->vectors[k0] to p->vectors[k1 - 1]. For nb_family.carry. */
int nb_step_pack_vectors(struct nb_stepper *p, struct nb_pack *k, int k0, int k1);
/* Sets the time of the state and of the next evaluation. If p->timed is true, families that support external fields
 * call this function before each evaluation and at the end of each step. Otherwise nb_steps and nb_steps_adaptive call
 * it once, after their last step, because computing the time in quadruple precision is slow. */
void nb_step_at(struct nb_stepper *p, nb_quad time);
/* Evaluates the acceleration at positions d_x into d_a, and the jerk into d_jerk if that is not NULL. d_v: velocities
 * at the same time; not read if neither the jerk nor a force needs them. */
int nb_step_evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, void *d_a, void *d_jerk);
/* Evaluates acceleration, jerk and snap at positions d_x and velocities d_v into d_a, d_jerk and d_snap. d_b:
 * accelerations from which the snap is computed; predicted accelerations are allowed. d_b must not alias the
 * outputs. */
int nb_step_evaluate_snap(struct nb_stepper *p, const void *d_x, const void *d_v, const void *d_b, void *d_a,
                          void *d_jerk, void *d_snap);
/* Computes the acceleration at the state's position and velocity, and stores it in the state. */
int nb_step_evaluate_state(struct nb_stepper *p);
/* Evaluates the acceleration, and the jerk if d_jerk is not NULL, of the `count` bodies in d_index. d_m, d_x, d_v:
 * masses, positions and velocities of all bodies. Outputs have rows of `stride` elements (nb_device_alloc). If the
 * scheme has the trait NB_REGULARISED, only self-gravity is evaluated. *part is the number of accelerations that
 * p->evaluations does not include yet: adds `count` to it, and for each n accelerations subtracts n and adds 1 to
 * p->evaluations. */
int nb_step_evaluate_due(struct nb_stepper *p, const void *d_m, const void *d_x, const void *d_v, uint64_t count,
                         const uint32_t *d_index, uint64_t stride, void *d_a, void *d_jerk, uint64_t *part);
/* Finds the bodies whose step size in the row d_step is at most `longest`. Writes their number to *count and their
 * indices to d_index. If `longest` is infinite, these are all bodies, and d_index is not written. If no body is found,
 * returns -1 after nb_fail. */
int nb_step_find_due(struct nb_stepper *p, const void *d_step, double longest, uint32_t *d_index, uint64_t *count);
/* Called when `count` bodies have ended a step of size (base step) / 2^rung at the same time. Updates the statistics
 * p->rung[rung]: adds 1 to the number of calls, `count` to the number of steps, and the wall-clock time since *clock to
 * the total time. Then sets *clock to the present wall-clock time. If count is 0, only sets *clock. */
void nb_step_note_rung(struct nb_stepper *p, int rung, uint64_t count, double *clock);
/* Adds the numbers of steps and evaluations in `run` to p->rung and p->evaluations. Called after a function of a
 * force has advanced the bodies (struct nb_own_run). *part: number of accelerations of single bodies that
 * p->evaluations does not include yet, updated. Sets *clock to the present wall-clock time. */
void nb_step_note_run(struct nb_stepper *p, const struct nb_own_run *run, uint64_t *part, double *clock);
/* Computes v += factor * a on vectors of the state. */
int nb_step_kick(struct nb_stepper *p, nb_quad factor);
/* Computes two kicks, v += k1 * a and v += k2 * a, and then the drift x += drift * v of the state in one pass. A kick
 * with factor 0 is skipped. */
int nb_step_kick_drift(struct nb_stepper *p, nb_quad k1, nb_quad k2, nb_quad drift);
/* Calls nb_device_combine for vectors of the state's shape. Coefficients are of type nb_quad, whatever the state's
 * precision. */
int nb_step_combine(struct nb_stepper *p, int inputs, const void *const *in, int rows, const struct nb_combination *row,
                    double *norm);
/* Calls nb_device_combine for vectors of the state's shape. Coefficients have the scalar type of the state's
 * precision. */
int nb_step_combine_scalar(struct nb_stepper *p, int inputs, const void *const *in, int rows,
                           const struct nb_combination *row, double *norm);
void nb_step_swap(void **a, void **b);
/* Returns the relative error of a step: the larger of the relative errors of position and velocity, or infinity if a
 * norm is not finite. norm: max norms of the next position, the next velocity, the position error and the velocity
 * error. */
double nb_step_error(const struct nb_stepper *p, const double norm[4]);
/* Called after an accepted step. Computes p->scale from the state: the typical sizes of positions and velocities, by
 * which errors are divided. */
int nb_step_rescale(struct nb_stepper *p);
/* nb_step_epsilon returns the machine epsilon of the type of the state. nb_step_force_epsilon returns the machine
 * epsilon of the type in which forces are computed (single in mixed precision). */
double nb_step_epsilon(enum nb_precision precision);
double nb_step_force_epsilon(enum nb_precision precision);
/* Sets *time to the least time scale of the state's bodies (nb_device_step_scale). d_derivative: acceleration, jerk,
 * snap and crackle. `largest`: max norm of the acceleration. */
int nb_step_shortest(struct nb_stepper *p, const void *const d_derivative[4], double largest, double *time);
