/* encounter.h - two galaxies on their way to one another: the orbit of their centres, as that of two points, and how
 * each lies. The orbit is in the xy plane, anticlockwise, its pericentre on the x axis: there the second galaxy is at x
 * > 0 as seen from the first. */
#ifndef ENCOUNTER_H
#define ENCOUNTER_H

#include "nbgen.h"
#include "orbit.h"

#include <math.h>

enum encounter_of { ENCOUNTER_POINTS, ENCOUNTER_EXTENDED, ENCOUNTER_NOT_GIVEN };

struct encounter {
    double pericenter;          /* > 0; NAN: not given */
    double eccentricity;        /* >= 0 */
    double separation;          /* at the start, on the way in; NAN: not given */
    struct orbit_tilt tilts[2]; /* from the orbit's axis, and from its x axis */
    enum encounter_of of;       /* what has this orbit: points, or the galaxies as extended as they are (rigid.h) */
};

/* Options for a model's table, with a note for each in brackets, such as "default 1". */
#define ENCOUNTER_OF(usual)                                                                                       \
    {                                                                                                             \
        "orbit-of", ENCOUNTER_KEY + 4, "points|extended", 0,                                                      \
            "points, or extended: the galaxies with the pull that they have where they overlap, as long as they " \
            "keep their shapes (" usual ")"                                                                       \
    }
#define ENCOUNTER_KEY 0x300 /* first of the keys; 0x30f is the last that may be */
#define ENCOUNTER_OPTIONS(pericenter, eccentricity, separation, incline1, incline2)                                 \
    {"pericenter", ENCOUNTER_KEY, "L", 0, "their distance at pericentre, were they points (" pericenter ")"},       \
        {"eccentricity", 'e', "E", 0, "below 1 an ellipse, 1 a parabola, more a hyperbola (" eccentricity ")"},     \
        {"separation", ENCOUNTER_KEY + 1, "L", 0, "their distance at the start, on the way in (" separation ")"},   \
        {"incline1", ENCOUNTER_KEY + 2, "I,NODE", 0,                                                                \
         "degrees from the orbit's axis to the spin of the first, and from x to its line of nodes (" incline1 ")"}, \
    {                                                                                                               \
        "incline2", ENCOUNTER_KEY + 3, "I,NODE", 0, "the same for the second (" incline2 ")"                        \
    }
bool encounter_parse(struct encounter *e, int key, const char *arg);
/* Nothing given, and what is not given taken from another. */
#define ENCOUNTER_NONE                                                                                \
    {                                                                                                 \
        .pericenter = NAN, .eccentricity = NAN, .separation = NAN, .tilts = {{NAN, NAN}, {NAN, NAN}}, \
        .of = ENCOUNTER_NOT_GIVEN                                                                     \
    }
struct encounter encounter_or(const struct encounter *given, const struct encounter *other);

/* Dies (usage) where the orbit has no such distance. */
void encounter_check(const struct encounter *e);

/* Where a galaxy's centre begins, its mass times place and velocity being the opposite of the other's. */
struct encounter_place {
    double pos[3], vel[3];
};
/* Of both galaxies, with gravitational constant G and these masses. Dies (usage) where the orbit has no such distance.
 */
void encounter_places(const struct encounter *e, double G, const double mass[2], struct encounter_place places[2]);
/* The time step of two galaxies that need these by themselves: once they are one their densities add, and so do the
 * squares of their frequencies. */
double encounter_step(double first, double second);

/* Time from the start to the pericentre, were they points of that total mass; and their speed there. */
double encounter_time(const struct encounter *e, double gm);
double encounter_speed(const struct encounter *e, double gm);

#endif
