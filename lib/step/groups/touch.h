/* touch.h - stars that come to touch (step_touch.h) while particles take their steps and groups advance.
 *
 * Inside a group the first contact is kept in the group (nb_group.contact), since groups advance in parallel, and is
 * noted later. On Kepler's orbits it is exact. A step of a chain is compared with Kepler's orbit of each pair from both
 * ends; where others bend a path that may lead to a contact, the step is halved until they do not. The orbit of a
 * binary that is averaged touches at the first passage of a pericentre that the tide has brought near enough. */
#pragma once

#include "step/groups/cluster.h"

/* Is somebody to be told of contacts in this group that has no earlier one? */
static inline bool nb_touch_wanted(const struct nb_group *g, const struct nb_cluster *c)
{
    return c->watch && !g->contact.found;
}

/* Two stars of a group on an orbit: x and v of the second seen from the first, which they have `after` its time. */
void nb_touch_on_orbit(struct nb_group *g, const struct nb_cluster *c, double after, double dt, const double x[3],
                       const double v[3]);
/* A binary that is averaged, before it advances by dt in this tidal field (NULL: none). */
void nb_touch_averaged(struct nb_group *g, const struct nb_cluster *c, double dt, const double tide[NB_TENSOR]);
/* A step of a group's chain from `begin` to `end`, `after` the group's time. */
struct nb_touch_step {
    const struct nb_chain *begin, *end;
    double after, dt;
};
void nb_touch_in_chain(struct nb_group *g, const struct nb_cluster *c, const struct nb_touch_step *step);
/* Stars of different particles in the steps of due ones, which end now where they are predicted. */
void nb_touch_particles(const struct nb_cluster *c);
/* Notes what groups have kept. */
void nb_touch_collect(struct nb_cluster *c);
