/* pair.h - two galaxies that approach one another: the orbit of their centres, the orientations of the galaxies,
 * presets of such encounters, and the initial positions and velocities. The orbit is in the xy plane, anticlockwise. At
 * the pericentre, the vector from the first to the second galaxy is along +x. */
#pragma once

#include "nbgen/nbgen.h"

/* ---- the orbit and its options: pair.c ---- */

enum encounter_of { ENCOUNTER_POINTS, ENCOUNTER_EXTENDED, ENCOUNTER_NOT_GIVEN };

struct encounter {
    double pericenter;   /* pericentre distance, > 0; NAN: not given */
    double eccentricity; /* >= 0 */
    double separation;   /* distance at the start, when the galaxies approach each other; NAN: not given */
    struct orbit_tilt
        tilts[2]; /* for each galaxy's disk: inclination to the orbit, angle from x axis to line of nodes */
    int of;       /* enum encounter_of: whether this is the orbit of points or of extended galaxies */
};

/* encounter_given contains the values of the options. The macros are entries for a model's table of options. Their
 * arguments are texts such as "default 1", which the help shows in brackets. */
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

/* Returns encounter_given, with the missing values taken from `other`. */
struct encounter encounter_or(const struct encounter *other);

/* Dies (usage) if two galaxies on this orbit never have the distance e->separation. */
void encounter_check(const struct encounter *e);

/* Returns the time step for two galaxies whose own steps are `first` and `second`: (1 / first^2 + 1 / second^2)^(-1/2).
 * When the galaxies merge, their densities add up. Squared frequencies are proportional to densities, so 1 / step^2
 * adds up too. */
double encounter_step(double first, double second);

/* ---- presets: encounters.c ---- */

struct encounter_preset {
    const char *name;
    int galaxies[2]; /* preset of each galaxy, for example GALAXY_SPIRAL (galaxy.h) */
    /* (total mass of the second galaxy) / (total mass of the first); 0: ratio of the presets' masses */
    double mass_ratio;
    struct encounter orbit; /* orbit with lengths in disk scale lengths of the first galaxy */
};

/* The first elements of encounter_presets are the encounters in ENCOUNTERS, which users can choose by name. The other
 * elements contain the defaults of other models of pairs. */
#define ENCOUNTERS "antennae|cartwheel|m51|mice|tidal-tails|milkyway-m31"
enum { ENCOUNTER_LOCAL = 5, ENCOUNTER_SATELLITE, ENCOUNTER_DISKS, ENCOUNTER_STREAMS };
extern const struct encounter_preset encounter_presets[];

/* ---- the bodies of a galaxy, or a sample of them that attracts others in the same way: cloud.c ---- */

/* Maximum number of bodies of a cloud. With this number, cloud_potential() takes some tenths of a second. */
#define CLOUD_MOST 8192

struct cloud { /* bodies, relative to their centre of mass */
    size_t n;
    double mass; /* total mass of all bodies */
    struct cloud_body {
        double mass, pos[3];
    } * bodies;
};

/* Gives the masses and positions of bodies i0 to i1 - 1, at most GEN_BLOCK bodies (nbgen.h). Writes the mass of body i
 * to mass[i - i0], and its position to pos[3 * (i - i0)] and the next two elements. `mass` or `pos` may be NULL. */
typedef void cloud_read(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos);

/* Makes a cloud of n bodies, whose total mass must be above 0. If n is more than `most`, the cloud is a sample of
 * `most` bodies of equal mass. For this, the n bodies are sorted by distance from the centre and divided into `most`
 * shells of equal mass. One body is drawn from each shell. Each run draws the same bodies. Dies if there is no
 * memory. */
struct cloud cloud_make(uint64_t n, size_t most, cloud_read *read, const void *context);
/* Returns a cloud with at most `most` bodies, from the bodies of another cloud. */
struct cloud cloud_thinned(const struct cloud *cloud, size_t most);
void cloud_free(struct cloud *cloud);

/* Returns the potential energy between two clouds with G = 1: minus the sum of m_i m_j / sqrt(r_ij^2 + softening^2)
 * over the bodies i of a and j of b. `from` is the position of the centre of b relative to the centre of a. Without
 * softening, pairs of bodies at the same position are left out.
 *
 * If the clouds are samples of their galaxies and overlap, the relative error is a few 1e-3. If they contain all
 * bodies, there are only rounding errors. The terms are added in a fixed order, for any number of threads. */
double cloud_potential(const struct cloud *a, const struct cloud *b, const double from[3], double softening);

/* ---- initial places of points, or of rigid extended galaxies: pair.c ---- */

/* Initial position and velocity of the centre of a galaxy. The sums of mass * pos and of mass * vel over both galaxies
 * are 0. */
struct encounter_place {
    double pos[3], vel[3];
};

struct rigid {
    double G, softening;
    struct cloud clouds[2];
    struct orbit_plane plane; /* rotates a vector from the orbital plane into the clouds' coordinates */
};

/* Computes the initial positions and velocities of the galaxies' centres. The orbital plane is the plane z = 0. By
 * default the velocities are the same as for two points on the orbit. With ENCOUNTER_EXTENDED, the velocities are
 * chosen so that the extended galaxies have two properties in common with the points:
 * - the pericentre distance;
 * - the apocentre distance (eccentricity below 1) or the energy (eccentricity 1 or more).
 * Dies (usage) if there is no such orbit, or if the distance on the orbit is never e->separation. */
void rigid_places(const struct rigid *r, const struct encounter *e, struct encounter_place places[2]);

/* Prints the orbit and its energy to stderr unless -q was given. `scale` converts to the units of the output. If the
 * orbit is not ENCOUNTER_EXTENDED, compares the orbital energies of the extended galaxies and of two points with the
 * same positions and velocities. Warns if the points are bound, but the galaxies are unbound or have less than half of
 * the points' binding energy. */
void rigid_say(const struct rigid *r, const struct encounter *e, const struct encounter_place places[2],
               const struct gen_scale *scale);
void rigid_free(struct rigid *r);

/* Context of pair_read. pair_read is a function of the type cloud_read: it gives cloud_make the bodies of a plan from
 * index `begin` on. Their positions are in the model's units. They are rotated, but not yet moved to the initial
 * position of the galaxy. */
struct pair_bodies {
    const struct gen_plan *plan;
    uint64_t begin;
};
cloud_read pair_read;

/* Sets `pos` and `vel` of each part of the plan (a range of its bodies) to the initial position and velocity of the
 * galaxy to which the part belongs. Prints the orbit. Frees the clouds of r. */
void pair_place(struct gen_plan *plan, struct rigid *r, const struct encounter *e);
