/* step.h - integrators as data: a scheme is a table (scheme.h), and each family of schemes has one stepping loop. */
#ifndef NB_STEP_H
#define NB_STEP_H

#include "device/quad.h"
#include "force/force.h"

enum { /* what a scheme is, bits */
       NB_SYMPLECTIC = 1,
       NB_REVERSIBLE = 2, /* steps back to where it came from, at fixed step, up to rounding */
       NB_ADAPTIVE = 4,   /* estimates its error: serves nb_steps_adaptive */
       NB_NO_VELOCITY = 8 /* has none at its evaluations, so that forces with NB_NEEDS_VELOCITY cannot serve it */
};

struct nb_scheme {
    const char *name;
    const char *about;
    const char *reference;
    int order;       /* at fixed step */
    int evaluations; /* of the force in a fixed step; 0: as many as an iteration takes */
    unsigned traits;
    unsigned want; /* of the force: NB_WANT_ bits */
    const struct nb_family *family;
    const void *table; /* of the family's type */
};

extern const struct nb_scheme *const nb_schemes[]; /* NULL at the end */

#define NB_STEP_VECTORS 64

struct nb_stepper {
    const struct nb_scheme *scheme;
    struct nb_force_set *forces; /* chosen for scheme->want; the caller's, as is the state */
    struct nb_state *state;
    double G, softening;
    uint64_t evaluations; /* of the forces, so far */
    /* The rest is the family's own; begin with zeros. */
    bool velocity;   /* a force needs the velocity of each evaluation's positions */
    bool stale;      /* the state's acceleration is of another moment than the position */
    bool scaled;     /* scale is known: */
    double scale[2]; /* the largest component of positions and of velocities, for errors */
    void *memory;
    void *vectors[NB_STEP_VECTORS];
};

/* Computes the acceleration that the first step needs. 0 or -1, as all here; nb_step_end is due either way. */
int nb_step_begin(struct nb_stepper *p);
/* Advances position and velocity by `count` steps of h, either sign; they are synchronised before and after. Equal bits
 * however the steps are divided into calls. May return before a device is done. Many steps of one h may be recorded and
 * replayed where that is faster: between calls, scheme, forces, state, G and softening stay as they are, and the
 * forces serve no more bodies than the state's. */
int nb_steps(struct nb_stepper *p, nb_quad h, uint64_t count);
/* Sees to it that the state's acceleration belongs to its position, and leaves later steps as they would have been. */
int nb_step_acceleration(struct nb_stepper *p);
/* Frees what stepping has made; the rest of the stepper is the caller's. */
void nb_step_end(struct nb_stepper *p);
/* The scheme of that name; NULL after nb_fail. */
const struct nb_scheme *nb_scheme_find(const char *name);
/* Vectors of the state's shape that it keeps on the device; `adaptive`: in nb_steps_adaptive; `velocity`: some force
 * has NB_NEEDS_VELOCITY. */
int nb_scheme_vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity);
/* A sentence why the scheme cannot serve forces with these flags, or NULL. */
const char *nb_scheme_refuse(const struct nb_scheme *scheme, unsigned force_flags);

/* Steps whose size follows the error: the estimate for one step, the largest of all components, relative to the largest
 * component of positions and of velocities each before it, is kept below `tolerance`. The first step is kept to a tenth
 * of the time in which the largest acceleration makes the largest velocity, since an estimate says nothing of a step
 * that leaps over everything. */
struct nb_control {
    double tolerance;
    double min_step, max_step; /* of the sizes that the error asks for; a shorter one may remain before an end */
    nb_quad step;              /* size to try next, > 0; follows the error */
    uint64_t taken, rejected;  /* so far */
};

/* Takes at most `most` steps towards the end, *left from here, of either sign; the last of them lands on it and leaves
 * exactly 0. The last two are of equal size, so that none is tiny. -1 also where the error asks for less than min_step:
 * the state is then that after the last good step. */
int nb_steps_adaptive(struct nb_stepper *p, struct nb_control *c, nb_quad *left, uint64_t most);

/* Steps to take from one output to the next: ceil(span/dt - 1e-9), at least 1. `span` and `dt` > 0. */
uint64_t nb_step_count(double span, double dt);

/* A time step for bodies whose header suggests none: 0.02 min_i sqrt(w_i) / |a_i|, w_i = |phi_i| of the bodies' own
 * forces + |x_i a_i| of external ones, which for a circular orbit about a point is 1/314 of its period. 0 where nothing
 * accelerates. Negative after a failure. */
double nb_step_suggest(struct nb_stepper *p);

#endif
