/* touch.h - contacts of stars (step_touch.h) during the steps of particles and groups.
 *
 * - Groups advance in parallel. Each group keeps its first contact (nb_group.contact). nb_touch_collect stores the
 *   contacts later in nb_cluster.watch.
 * - On Kepler orbits the times of contacts are exact.
 * - In a chain, the motion of each pair in a step is compared with its Kepler orbits from both ends of the step. If the
 *   pair may touch and other stars disturb its orbit, the step is halved until the disturbance is negligible.
 * - The stars of an averaged binary touch at the first pericentre at which their distance is at most the sum of their
 *   radii. */
#pragma once

#include "step/groups/cluster.h"

/* Returns whether to look for a contact of the group: contacts are wanted, and the group has not found one yet. */
static inline bool nb_touch_wanted(const struct nb_group *g, const struct nb_cluster *c)
{
    return c->watch && !g->contact.found;
}

/* Looks for a contact of the two stars of a group on a Kepler orbit during dt. x and v: position and velocity of the
 * second star relative to the first, at the time g->at + after. */
void nb_touch_on_orbit(struct nb_group *g, const struct nb_cluster *c, double after, double dt, const double x[3],
                       const double v[3]);
/* Looks for a contact of an averaged binary during dt. Call this before the binary is advanced. `tide`: tidal field;
 * NULL: none. */
void nb_touch_averaged(struct nb_group *g, const struct nb_cluster *c, double dt, const double tide[NB_TENSOR]);
/* A step of a chain. begin, end: the chain before and after the step; dt: length of the step; after: time from the
 * group's time (nb_group.at) to the beginning of the step. */
struct nb_touch_step {
    const struct nb_chain *begin, *end;
    double after, dt;
};
/* Looks for a contact in a step of a chain. */
void nb_touch_in_chain(struct nb_group *g, const struct nb_cluster *c, const struct nb_touch_step *step);
/* Looks for contacts between stars that belong to different particles (a particle can be a group of stars), in the
 * steps of particles that end at c->now. Uses the predicted positions px at that time. */
void nb_touch_particles(const struct nb_cluster *c);
/* Copies the contacts kept by the groups to c->watch. */
void nb_touch_collect(struct nb_cluster *c);
