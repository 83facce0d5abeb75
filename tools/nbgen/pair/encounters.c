/* encounters.c - presets of encounters. The galaxies are models of nbgen. The other numbers are from the papers that
 * are cited with each preset. Parabolic orbits use ENCOUNTER_EXTENDED: their initial velocities are computed for
 * extended galaxies. With the velocities of two points on a parabola, galaxies that overlap would be unbound and might
 * never merge.
 *
 * The argument of pericentre omega is measured from the ascending node at which the path of the other galaxy crosses
 * the disk (Toomre & Toomre 1972). The line of nodes is at 180 - omega degrees from the x axis for the first galaxy,
 * and at -omega for the second. These angles differ by 180 degrees, because the second galaxy sees the first galaxy in
 * the opposite direction. */
#include "nbgen/galaxy/galaxy.h"
#include "pair.h"

#include <math.h>

const struct encounter_preset encounter_presets[] = {
    /* Angles of Toomre & Toomre (1972, fig. 23): inclination 60 and argument of pericentre -30 degrees for both
     * galaxies. The eccentricity 0.96 and the ratio of separation to pericentre are those of Karl et al. (2010). The
     * pericentre is 2, the sum of the scale lengths. */
    {
        .name = "antennae",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1,
        .orbit = {.pericenter = 2, .eccentricity = 0.96, .separation = 27, .tilts = {{60, 210}, {60, 30}}},
    },
    /* A small galaxy falls along the axis of a disk and through its centre. Lynds & Toomre (1976) and Hernquist & Weil
     * (1993) made rings by such encounters; the numbers were chosen for nbgen. The pericentre is so small that the
     * galaxy approaches along the x axis, which is also the axis of the disk. */
    {
        .name = "cartwheel",
        .galaxies = {GALAXY_SPIRAL, GALAXY_INTRUDER},
        .mass_ratio = 0.4,
        .orbit = {.pericenter = 0.02,
                  .eccentricity = 1,
                  .separation = 12,
                  .tilts = {{90, 90}, {0, 0}},
                  .of = ENCOUNTER_EXTENDED},
    },
    /* Toomre & Toomre (1972, fig. 21): a companion of a third of the mass, eccentricity 0.8, inclination -70 and
     * argument of pericentre -15 degrees. The lengths were chosen for nbgen. */
    {
        .name = "m51",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1.0 / 3,
        .orbit = {.pericenter = 5, .eccentricity = 0.8, .separation = 15, .tilts = {{-70, 195}, {0, 0}}},
    },
    /* Privon et al. (2013): a parabola with its pericentre at 4.5 scale lengths. Here the orbit is computed for
     * extended galaxies; the paper computes it for two points. The inclination and the argument of pericentre are 15
     * and 325 degrees for the first galaxy, 25 and 200 degrees for the second. */
    {
        .name = "mice",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1,
        .orbit = {.pericenter = 4.5,
                  .eccentricity = 1,
                  .separation = 15,
                  .tilts = {{15, 215}, {25, 160}},
                  .of = ENCOUNTER_EXTENDED},
    },
    /* A prograde parabolic encounter of equal galaxies in the plane of both disks, which gives the tails of Toomre &
     * Toomre (1972, section IV). The lengths were chosen for nbgen. */
    {
        .name = "tidal-tails",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1,
        .orbit = {.pericenter = 5, .eccentricity = 1, .separation = 15, .of = ENCOUNTER_EXTENDED},
    },
    /* The orbit follows from the position of M31 relative to the Milky Way (distance 774 kpc), its radial and
     * tangential velocity (-109.3 and 17.0 km/s; van der Marel et al. 2012, II), and the total mass of these two
     * galaxies, 1.88e12 Msun. Lengths are in units of 2.6 kpc. The spin of the Milky Way points to the galactic south
     * pole. The spin of M31 points to l = 241, b = -30 degrees: its disk has the inclination 77.5 and the position
     * angle 37.7 degrees, the north-west side is nearer to us, and the north-east side recedes.
     *
     * In simulations with 6000 and 8000 bodies the first pericentre is at 15 kpc after 4.2 Gyr, and the galaxies have
     * merged after 5.6 Gyr. Van der Marel et al. (2012, III), with M33 and 3.2e12 Msun, find 31 (+38 -20) kpc, 3.87
     * (+0.42 -0.32) Gyr and 5.86 (+1.61 -0.72) Gyr. */
    [ENCOUNTER_LOCAL] =
        {
            .name = "milkyway-m31",
            .galaxies = {GALAXY_MILKYWAY, GALAXY_M31},
            .orbit = {.pericenter = 4.147,
                      .eccentricity = 0.98844,
                      .separation = 297.7,
                      .tilts = {{28.3, -119.2}, {70, 177.4}}},
        },
    [ENCOUNTER_SATELLITE] =
        {
            .galaxies = {GALAXY_MILKYWAY, GALAXY_SATELLITE},
            .mass_ratio = 0.02,
            .orbit =
                {.pericenter = 3, .eccentricity = 0.7, .separation = 15, .tilts = {{60, 0}}, .of = ENCOUNTER_EXTENDED},
        },
    [ENCOUNTER_DISKS] =
        {
            .mass_ratio = 1,
            .orbit = {.pericenter = 0.4, .eccentricity = 0.9, .separation = 3, .tilts = {{20, 0}, {50, 60}}},
        },
    [ENCOUNTER_STREAMS] =
        {
            .orbit = {.pericenter = NAN, .eccentricity = 1, .separation = NAN},
        },
};
