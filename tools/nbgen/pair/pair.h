/* pair.h - two galaxies on their way to one another: the orbit of their centres and how each lies, presets of both, and
 * the places that follow. The orbit is in the xy plane, anticlockwise, its pericentre on the x axis: there the second
 * galaxy is at x > 0 as seen from the first. */
#pragma once

#include "nbgen/nbgen.h"

/* ---- the orbit, and options for it: pair.c ---- */

enum encounter_of { ENCOUNTER_POINTS, ENCOUNTER_EXTENDED, ENCOUNTER_NOT_GIVEN };

struct encounter {
    double pericenter;          /* > 0; NAN: not given */
    double eccentricity;        /* >= 0 */
    double separation;          /* at the start, on the way in; NAN: not given */
    struct orbit_tilt tilts[2]; /* from the orbit's axis, and from its x axis */
    int of; /* enum encounter_of: what has this orbit, points, or the galaxies as extended as they are */
};

/* What the options say, and options for a model's table, with a note for each in brackets, such as "default 1". */
extern struct encounter encounter_given;
#define ENCOUNTER_OF(usual)                                                                             \
    {                                                                                                   \
        "orbit-of", "points|extended", tool_take_word, &encounter_given.of,                             \
            "orbit of two points, or of the galaxies as extended rigid bodies that overlap (" usual ")" \
    }
#define ENCOUNTER_OPTIONS(at_q, at_e, at_start, first, second, of_usual)                                  \
    {"pericenter", "L", tool_take_positive, &encounter_given.pericenter,                                  \
     "distance at pericentre of the points' orbit (" at_q ")"},                                           \
        {"eccentricity",                                                                                  \
         "E",                                                                                             \
         tool_take_not_negative,                                                                          \
         &encounter_given.eccentricity,                                                                   \
         "below 1 an ellipse, 1 a parabola, above 1 a hyperbola (" at_e ")",                              \
         .letter = 'e'},                                                                                  \
        {"separation", "L", tool_take_positive, &encounter_given.separation,                              \
         "distance at the start, on the way in (" at_start ")"},                                          \
        {"incline1", "I,NODE", tool_take_pair, &encounter_given.tilts[0],                                 \
         "degrees from the orbit's axis to the first spin, and from x to the line of nodes (" first ")"}, \
        {"incline2", "I,NODE", tool_take_pair, &encounter_given.tilts[1],                                 \
         "the same for the second galaxy (" second ")"},                                                  \
        ENCOUNTER_OF(of_usual)
/* What is given, and what is not taken from another orbit. */
struct encounter encounter_or(const struct encounter *other);

/* Dies (usage) where the orbit has no such distance. */
void encounter_check(const struct encounter *e);

/* The time step of two galaxies that need these by themselves: once they are one their densities add, and so do the
 * squares of their frequencies. */
double encounter_step(double first, double second);

/* ---- presets: encounters.c ---- */

struct encounter_preset {
    const char *name;
    int galaxies[2];        /* presets of galaxies (galaxy.h) */
    double mass_ratio;      /* of the second's total mass to the first's; 0: that of the presets */
    struct encounter orbit; /* lengths in disk scale lengths of the first */
};

/* Encounters that are known well, in this order; and the defaults of other models of pairs. */
#define ENCOUNTERS "antennae|cartwheel|m51|mice|tidal-tails|milkyway-m31"
enum { ENCOUNTER_LOCAL = 5, ENCOUNTER_SATELLITE, ENCOUNTER_DISKS, ENCOUNTER_STREAMS };
extern const struct encounter_preset encounter_presets[];

/* ---- the bodies of a galaxy, or so many of them that another one feels no difference: cloud.c ---- */

#define CLOUD_MOST 8192 /* bodies: pairs of two clouds then take some tenths of a second */

struct cloud { /* about its centre of mass */
    size_t n;
    double mass; /* of all bodies */
    struct cloud_body {
        double mass, pos[3];
    } * bodies;
};

/* Puts masses and places of bodies [i0, i1), at most GEN_BLOCK (nbgen.h), where they are not NULL. */
typedef void cloud_read(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos);

/* Of n bodies with a mass above 0 in all. Of more than `most` there are so many of equal mass in their place: one
 * from each of as many equal shares of the mass, in the order of their distances from the centre, by chance, but the
 * same in each run. Dies without memory. */
struct cloud cloud_make(uint64_t n, size_t most, cloud_read *read, const void *context);
/* The same of a cloud's bodies. */
struct cloud cloud_thinned(const struct cloud *cloud, size_t most);
void cloud_free(struct cloud *cloud);

/* The potential energy of two clouds in each other's pull, - sum m_i m_j / sqrt(r^2 + softening^2) with G = 1, the
 * second's centre being at `from` of the first's. Exact but for rounding where no body is missing: each row is summed
 * in order, the rows by compensated sums, so that the number of threads does not matter. Of larger sets that overlap
 * the error is some thousandths. Bodies in one place without softening do not count. */
double cloud_potential(const struct cloud *a, const struct cloud *b, const double from[3], double softening);

/* ---- the places: of points, or of galaxies as extended as they are, as long as they keep their shapes: pair.c ---- */

/* Where a galaxy's centre begins, its mass times place and velocity being the opposite of the other's. */
struct encounter_place {
    double pos[3], vel[3];
};

struct rigid {
    double G, softening;
    struct cloud clouds[2];
    struct orbit_plane plane; /* turns from the plane of the orbit into the clouds' coordinates */
};

/* Where the galaxies begin, in the plane of the orbit: with the velocities of the points or, if the encounter says so,
 * with others: the orbit then reaches the pericentre, and where the eccentricity is below 1 the apocentre, of the
 * points'; otherwise it has their energy. Dies (usage) where there is none, or no such distance. */
void rigid_places(const struct rigid *r, const struct encounter *e, struct encounter_place places[2]);

/* Lines on stderr, unless -q: the orbit and its energy, in the units that `scale` makes of theirs. A warning where the
 * galaxies are bound as points, or just not, and hardly as extended as they are. */
void rigid_say(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2],
               const struct gen_scale *scale);
void rigid_free(struct rigid *r);

/* Bodies of a plan from `begin` on, for a cloud: in the plan's units, turned as they will be, but not yet moved. */
struct pair_bodies {
    const struct gen_plan *plan;
    uint64_t begin;
};
cloud_read pair_read;

/* All parts of a plan that are galaxies 0 and 1 go to their places, which is said. Frees r. */
void pair_place(struct gen_plan *plan, struct rigid *r, const struct encounter *e);
