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
    int of;                     /* what has this orbit: points, or the galaxies as extended as they are (rigid.h) */
};

/* What the options say, and options for a model's table, with a note for each in brackets, such as "default 1". */
extern struct encounter encounter_given;
#define ENCOUNTER_OF(usual)                                                                                                                \
    {                                                                                                                                      \
        "orbit-of", "points|extended",                                                                                                     \
            "points, or extended: the galaxies with the pull that they have where they overlap, as long as they keep their shapes (" usual \
            ")",                                                                                                                           \
            gen_word, &encounter_given.of                                                                                                  \
    }
#define ENCOUNTER_OPTIONS(at_q, at_e, at_start, first, second, of_usual)                                        \
    {"pericenter", "L", "their distance at pericentre, were they points (" at_q ")", gen_positive,              \
     &encounter_given.pericenter},                                                                              \
        {"eccentricity",                                                                                        \
         "E",                                                                                                   \
         "below 1 an ellipse, 1 a parabola, more a hyperbola (" at_e ")",                                       \
         gen_not_negative,                                                                                      \
         &encounter_given.eccentricity,                                                                         \
         .letter = 'e'},                                                                                        \
        {"separation", "L", "their distance at the start, on the way in (" at_start ")", gen_positive,          \
         &encounter_given.separation},                                                                          \
        {"incline1", "I,NODE",                                                                                  \
         "degrees from the orbit's axis to the spin of the first, and from x to its line of nodes (" first ")", \
         gen_tilt, &encounter_given.tilts[0]},                                                                  \
        {"incline2", "I,NODE", "the same for the second (" second ")", gen_tilt, &encounter_given.tilts[1]},    \
        ENCOUNTER_OF(of_usual)
/* What is given, and what is not taken from another orbit. */
struct encounter encounter_or(const struct encounter *other);

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
