/* step_family.h - what the families of schemes share: a stepping loop as a table of functions, vectors, the force.
 *
 * x' = v, v' = a(x), so a Runge-Kutta scheme needs the accelerations of its stages alone: with A its matrix,
 *     X_i = x + h c_i v + h^2 sum_j (A^2)_ij a_j,   x+ = x + h v + h^2 sum_j (b A)_j a_j,   v+ = v + h sum_j b_j a_j,
 * the same numbers as in the usual form, with half its vectors (Hairer, Norsett & Wanner 1993, II.14). The
 * rounding errors of position and velocity are carried from step to step (Kahan compensation), in all families but
 * splitting. */
#pragma once

#include "base/pack.h"
#include "step/step.h"

struct nb_trial {  /* the outcome of a step with error control */
    bool accepted; /* the error is below the tolerance */
    double factor; /* by which the next step should be longer, > 0 */
    nb_quad taken; /* of the step, where it was accepted: all of it, or less */
    double least;  /* the shortest step of a body, where each has its own; else the step */
};

struct nb_family {
    bool kicks; /* advances by kicks and drifts of the state: a boundary may move bodies between steps, and forces may
                   return the mean over a kick (NB_TAKES_KICK) */
    bool looks; /* notes bodies that touch within its steps (p->watch): where bodies have steps of their own */
    int (*vectors)(const struct nb_scheme *scheme, bool adaptive, bool velocity); /* as nb_scheme_vectors; NULL: none */
    /* Allocates p->memory. The state's acceleration is that of the position. */
    int (*begin)(struct nb_stepper *p);
    /* Takes `count` steps of h. */
    int (*steps)(struct nb_stepper *p, nb_quad h, uint64_t count);
    /* Takes one step of h, or leaves the state as it was. NULL: the scheme has no error estimate. */
    int (*attempt)(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial);
    /* Takes a base step of h, in which bodies have steps of their own; *done: how much of it, of 2^NB_OWN_PARTS, which
     * is all unless `cuts` is set; *least: the shortest step of a body. For step_aarseth.h; others NULL. */
    int (*base)(struct nb_stepper *p, nb_quad h, double tolerance, bool cuts, uint64_t *done, double *least);
    /* Lowers *most, the largest first step to try with error control. NULL: a tenth of the time in which the largest
     * acceleration makes the largest velocity. */
    int (*first)(struct nb_stepper *p, double tolerance, double *most);
    /* Each body's step over *factor, as nb_step_fetch_own; NULL: all have the same. */
    int (*own)(struct nb_stepper *p, double h, double tolerance, struct nb_column *to, double *factor);
    /* The longest step of nb_steps_bounded after one of h, or at the beginning, where h is 0; asked for after every
     * step. NULL: any. */
    int (*bound)(struct nb_stepper *p, double h, double *bound);
    /* A step of fixed size to take, before or after begin; -1 after nb_fail. NULL: nb_step_suggest finds one. */
    double (*suggest)(struct nb_stepper *p);
    /* What steps take from earlier ones beside the state (pack.h), after begin when loading. NULL: nothing. */
    int (*carry)(struct nb_stepper *p, struct nb_pack *k);
    int carried;                       /* vectors of that, at most */
    void (*end)(struct nb_stepper *p); /* frees what p->memory points to; NULL: nothing */
};

extern const struct nb_family nb_family_splitting, nb_family_explicit, nb_family_implicit, nb_family_adams,
    nb_family_extrapolation, nb_family_hermite, nb_family_ias15, nb_family_whfast, nb_family_block,
    nb_family_hermite_block, nb_family_groups, nb_family_ahmad_cohen, nb_family_p3t;

/* Zeroed host memory as p->memory, freed by nb_step_end; NULL after nb_fail. */
void *nb_step_memory(struct nb_stepper *p, size_t size_bytes);
/* Allocates those of p->vectors[k0 .. k1) that are not. */
int nb_step_vectors(struct nb_stepper *p, int k0, int k1);
/* Saves or loads p->vectors[k0 .. k1) (nb_family.carry). */
int nb_step_pack_vectors(struct nb_stepper *p, struct nb_pack *k, int k0, int k1);
/* Sets the time of what is evaluated next, and of the state. If p->timed, families that serve external fields call it
 * before each evaluation and at the end of each step; behind their last step nb_steps and nb_steps_adaptive do. Sums in
 * quad precision would take a quarter of ias15's time for two bodies. */
void nb_step_at(struct nb_stepper *p, nb_quad time);
/* The acceleration at positions d_x into d_a, and the jerk where d_jerk is not NULL. d_v: the velocities there; what it
 * holds does not matter where neither a force nor the jerk asks for it. */
int nb_step_evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, void *d_a, void *d_jerk);
/* With the snap, from accelerations d_b at these positions, which may be predicted ones; d_b is none of the others. */
int nb_step_evaluate_snap(struct nb_stepper *p, const void *d_x, const void *d_v, const void *d_b, void *d_a,
                          void *d_jerk, void *d_snap);
/* The acceleration at the state's own position and velocity, into it. */
int nb_step_evaluate_state(struct nb_stepper *p);
/* The acceleration, and the jerk where d_jerk is not NULL, of the `count` bodies in d_index where all, of masses d_m,
 * are at d_x and d_v, into vectors of this stride (nb_device_alloc). *part: single bodies
 * that make no whole evaluation yet. With NB_REGULARISED by their own forces only. */
int nb_step_evaluate_due(struct nb_stepper *p, const void *d_m, const void *d_x, const void *d_v, uint64_t count,
                         const uint32_t *d_index, uint64_t stride, void *d_a, void *d_jerk, uint64_t *part);
/* Finds the bodies whose steps, in the row d_step, are no longer than `longest`: *count of them in the list d_index, or
 * all if that is infinite, without a list. -1 after nb_fail also if there is none. */
int nb_step_find_due(struct nb_stepper *p, const void *d_step, double longest, uint32_t *d_index, uint64_t *count);
/* Notes a time at which so many bodies have ended their steps of this rung and higher ones, and that it took since
 * *clock, which it sets: 0 at the first. */
void nb_step_note_rung(struct nb_stepper *p, int rung, uint64_t count, double *clock);
/* The same of all that a force has gone through; *part as of nb_step_evaluate_due. */
void nb_step_note_run(struct nb_stepper *p, const struct nb_own_run *run, uint64_t *part, double *clock);
/* v += factor a for vectors of the state. */
int nb_step_kick(struct nb_stepper *p, nb_quad factor);
/* Kicks v += k1 a, v += k2 a and drift x += drift v of the state in one pass; a kick of 0 is left out. */
int nb_step_kick_drift(struct nb_stepper *p, nb_quad k1, nb_quad k2, nb_quad drift);
/* nb_device_combine for vectors of the state; the coefficients are nb_quad whatever the precision. */
int nb_step_combine(struct nb_stepper *p, int inputs, const void *const *in, int rows, const struct nb_combination *row,
                    double *norm);
/* The same with coefficients of the precision's scalar type. */
int nb_step_combine_scalar(struct nb_stepper *p, int inputs, const void *const *in, int rows,
                           const struct nb_combination *row, double *norm);
/* Exchanges two vectors. */
void nb_step_swap(void **a, void **b);
/* Relative error, the larger one of position and velocity, from max norms: of the next position, velocity and their
 * errors, in this order; infinite where one of them is. */
double nb_step_error(const struct nb_stepper *p, const double norm[4]);
/* Makes the state, which was accepted, the scale of errors. */
int nb_step_rescale(struct nb_stepper *p);
/* Machine epsilon of a state's type; and that of the forces on it, which in mixed are single. */
double nb_step_epsilon(enum nb_precision precision);
double nb_step_force_epsilon(enum nb_precision precision);
/* The least time scale of the state's bodies (nb_device_step_scale) from acceleration, jerk, snap and crackle, where
 * `largest` is the max norm of the acceleration. */
int nb_step_shortest(struct nb_stepper *p, const void *const d_derivative[4], double largest, double *time);
