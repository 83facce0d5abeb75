/* close_touch.h - finds contacts (step_touch.h) between the bodies of a component (a group of bodies that are close to
 * each other). Several threads search different components at the same time. Of all contacts that they find, the
 * earliest one is kept. */
#pragma once

#include "step/step_touch.h"

struct nb_p3t_watch {           /* state of one thread's search for contacts; initialise with zeros */
    struct nb_touch_watch here; /* contacts within one component; bodies are numbered from 0 in the component */
    double *rows;               /* masses of the component's bodies, then their radii; NULL: not allocated */
    struct nb_touch *passed;
    uint64_t room;
    int passed_room;
};

/* Prepares *o for a search for contacts between the `count` bodies of a component. Copies from `all` the masses and
 * radii of these bodies, and the pairs that the search ignores. `body`: indices of the bodies, ascending. Returns false
 * after nb_fail. */
bool nb_p3t_watch_open(struct nb_p3t_watch *o, const struct nb_touch_watch *all, uint32_t count, const uint32_t *body);
/* If a contact was found among the bodies of the component, notes it in `all`. */
void nb_p3t_watch_tell(const struct nb_p3t_watch *o, struct nb_touch_watch *all, const uint32_t *body);
void nb_p3t_watch_free(struct nb_p3t_watch *o);
/* Notes a contact in `all` if two bodies touch during a step of size h on a Kepler orbit. mu = G (m1 + m2). x and v:
 * position and velocity of the second body relative to the first, at the beginning of the step. */
void nb_p3t_touch_on_orbit(struct nb_touch_watch *all, const uint32_t body[2], double mu, double h, const double x[3],
                           const double v[3]);
/* Returns the sum of the two largest radii of the n bodies. */
double nb_p3t_largest_radii(const struct nb_touch_watch *w, uint64_t n);
