/* close_touch.h - bodies of a component that come to touch (step_touch.h). All components of a step are looked at, by
 * several threads, and the first contact of all is noted: the same one for any number of threads. */
#pragma once

#include "step/step_touch.h"

struct nb_p3t_watch {           /* of a thread; begins as zeros */
    struct nb_touch_watch here; /* bodies are numbered within the component */
    double *rows;               /* masses, then radii; NULL: no memory yet */
    struct nb_touch *passed;
    uint64_t room;
    int passed_room;
};

/* Watches `count` bodies, whose numbers rise, as `all` watches all bodies. False after nb_fail. */
bool nb_p3t_watch_open(struct nb_p3t_watch *o, const struct nb_touch_watch *all, uint32_t count, const uint32_t *body);
/* Notes the contact that was found among them, if there is one. */
void nb_p3t_watch_tell(const struct nb_p3t_watch *o, struct nb_touch_watch *all, const uint32_t *body);
void nb_p3t_watch_free(struct nb_p3t_watch *o);
/* Notes a contact of two bodies of mu = G (m1 + m2) that move on Kepler's orbit for a time h; x and v: of the second
 * seen from the first, at the beginning. */
void nb_p3t_touch_on_orbit(struct nb_touch_watch *all, const uint32_t body[2], double mu, double h, const double x[3],
                           const double v[3]);
/* The largest sum of two bodies' radii. */
double nb_p3t_largest_radii(const struct nb_touch_watch *w, uint64_t n);
