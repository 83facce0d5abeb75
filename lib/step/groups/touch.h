/* touch.h - contacts of stars (step_touch.h) during the steps of particles and groups.
 *
 * - Groups advance in parallel. Each group keeps its first contact (nb_group.contact). Later nb_touch_collect copies
 *   these contacts to nb_cluster.watch.
 * - For two stars on a Kepler orbit, the time of the contact is exact.
 * - In a step of a chain, each pair is moved on its Kepler orbit from the beginning to the end of the step. If the pair
 *   may touch, and this orbit does not end at the pair's true state because other stars disturb it, the step is halved
 *   until the difference is negligible.
 * - The stars of an averaged binary touch in the first passage of the pericentre in which their distance falls to the
 *   sum of their radii. */
#pragma once

#include "step/groups/cluster.h"

/* Returns whether a group must be searched for contacts: c->watch is not NULL, and no contact was found in this group
 * yet. */
static inline bool nb_touch_wanted(const struct nb_group *g, const struct nb_cluster *c)
{
    return c->watch && !g->contact.found;
}

/* For a group of two stars on a Kepler orbit: looks for a contact in the time interval of length dt that begins at
 * g->at + after. x and v: position and velocity of the second star relative to the first, at the beginning. */
void nb_touch_on_orbit(struct nb_group *g, const struct nb_cluster *c, double after, double dt, const double x[3],
                       const double v[3]);
/* For an averaged binary: looks for a contact of its stars in the next time interval of length dt. Call this before the
 * binary is advanced by dt. `tide`: tidal field of other bodies; NULL: none. */
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
 * steps of particles that end at c->now. Uses c->px, the positions predicted for that time. */
void nb_touch_particles(const struct nb_cluster *c);
/* Copies the contacts kept by the groups to c->watch. */
void nb_touch_collect(struct nb_cluster *c);
