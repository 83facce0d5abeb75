/* rigid.h - the orbit of two galaxies as extended as they are, as long as they keep their shapes.
 *
 * Energies and angular momenta are per reduced mass, m1 m2 / (m1 + m2). */
#ifndef RIGID_H
#define RIGID_H

#include "cloud.h"
#include "encounter.h"

struct rigid {
    double G, softening;
    struct cloud clouds[2];
    struct orbit_plane plane; /* turns from the plane of the orbit into the clouds' coordinates */
};

/* Where the galaxies begin, as encounter_places and in the same coordinates: with the velocities of the points or, if
 * the encounter says so, with others: the orbit then reaches the pericentre, and where the eccentricity is below 1 the
 * apocentre, of the points'; otherwise it has their energy. Dies (usage) where there is none, or no such distance. */
void rigid_places(const struct rigid *r, const struct encounter *e, struct encounter_place places[2]);

/* Lines on stderr, unless -q: the orbit and its energy, in the units that `scale` makes of theirs. A warning where the
 * galaxies are bound as points, or just not, and hardly as extended as they are. */
void rigid_say(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2],
               const struct gen_scale *scale);
/* Puts all parts of a galaxy there. */
void rigid_move(struct gen_plan *plan, int galaxy, const struct encounter_place *place);
void rigid_free(struct rigid *r);

#endif
