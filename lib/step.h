/* step.h - integrators as data, one stepping loop a family.
 *
 * A splitting scheme of s stages advances by h as  K(kick[0] h) D(drift[0] h) K(kick[1] h) ... D(drift[s-1] h)
 * K(kick[s] h), where K adds acceleration times its argument to the velocity and D velocity times its argument to the
 * position. Leapfrog, kick-drift-kick (Verlet 1967): kick = 1/2, 1/2, drift = 1. */
#ifndef NB_STEP_H
#define NB_STEP_H

#include "force.h"

struct nb_scheme {
    const char *name;
    const char *about;
    int order;
    int stages;
    const double *kick;  /* stages + 1 */
    const double *drift; /* stages */
};

extern const struct nb_scheme *const nb_schemes[]; /* NULL at the end */

struct nb_stepper {
    const struct nb_scheme *scheme;
    const struct nb_force *force;
    void *work; /* the force's */
    struct nb_state *state;
    double G, softening;
    uint64_t evaluations; /* of the force, so far */
    void *recording;      /* of a few steps of recorded_h, where device and force can; begin with NULL */
    double recorded_h;
};

/* Computes the acceleration that the first step needs. 0 or -1, as all here. */
int nb_step_begin(struct nb_stepper *p);
/* Advances position and velocity by `count` steps of h, either sign; they are synchronised before and after, and the
 * state's acceleration belongs to the position. Equal bits however the steps are divided into calls. May return before
 * a device is done. Many steps of one h are recorded and replayed where that is faster: between calls, scheme, force,
 * state, G and softening stay as they are, and `work` serves no more bodies than the state's. */
int nb_steps(struct nb_stepper *p, double h, uint64_t count);
/* Frees what stepping has made; the rest of the stepper is the caller's. */
void nb_step_end(struct nb_stepper *p);
/* The scheme of that name; NULL after nb_fail. */
const struct nb_scheme *nb_scheme_find(const char *name);

/* Steps to take from one output to the next: ceil(span/dt - 1e-9), at least 1. `span` and `dt` > 0. */
uint64_t nb_step_count(double span, double dt);

/* A time step for bodies whose header suggests none: 0.02 min_i sqrt(|phi_i|) / |a_i|, which for two bodies on a
 * circle is 1/314 of their period. 0 where nothing accelerates. Negative after a failure. */
double nb_step_suggest(struct nb_stepper *p);

#endif
