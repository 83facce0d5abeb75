/* The presets of encounters, after the papers that are named: the numbers of these unless it says ours, for galaxies
 * that are none of theirs. Parabolas are of extended galaxies, so that the two come back. An argument of pericentre
 * omega, from the ascending node of the other galaxy's path through the disk (Toomre & Toomre 1972), puts the line of
 * nodes at 180 - omega degrees from the x axis for the first galaxy, and at -omega for the second, who sees the other
 * on the other side. */
#include "nbgen/galaxy/galaxy.h"
#include "pair.h"

#include <math.h>

const struct encounter_preset encounter_presets[] = {
    /* Angles of Toomre & Toomre (1972, fig. 23): i = 60, omega = -30 of both. Orbit of Karl et al. (2010): e = 0.96,
     * the pericentre the sum of the two scale lengths, here 2, from 27 of them, in the ratio that they have there. */
    {
        .name = "antennae",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1,
        .orbit = {.pericenter = 2, .eccentricity = 0.96, .separation = 27, .tilts = {{60, 210}, {60, 30}}},
    },
    /* A small galaxy falls along the axis of a disk and through its middle, a kind of passage of which Lynds & Toomre
     * (1976) and Hernquist & Weil (1993) made rings; the numbers are ours. So narrow an orbit comes in along x, and the
     * axis of the disk lies there. */
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
    /* Toomre & Toomre (1972, fig. 21): a companion of a third of the mass, e = 0.8, i = -70, omega = -15. The lengths
     * are ours. */
    {
        .name = "m51",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1.0 / 3,
        .orbit = {.pericenter = 5, .eccentricity = 0.8, .separation = 15, .tilts = {{-70, 195}, {0, 0}}},
    },
    /* Privon et al. (2013): a parabola with its pericentre at 4.5 scale lengths, there of points; i, omega = 15, 325
     * and 25, 200. */
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
    /* A parabola of equals in the plane of both disks, which turn with it: the kind of passage from which Toomre &
     * Toomre (1972, section IV) have their tails; the lengths are ours. */
    {
        .name = "tidal-tails",
        .galaxies = {GALAXY_SPIRAL, GALAXY_SPIRAL},
        .mass_ratio = 1,
        .orbit = {.pericenter = 5, .eccentricity = 1, .separation = 15, .of = ENCOUNTER_EXTENDED},
    },
    /* What follows from place and velocity of M31 in the frame of the Milky Way (van der Marel et al. 2012, II: 774
     * kpc, -109.3 and 17.0 km/s), the masses of these two galaxies, 1.88e12 Msun, the Milky Way's spin towards its
     * south pole and that of M31 towards l = 241, b = -30 (i = 77.5, position angle 37.7 degrees, north-west nearer,
     * north-east receding). A scale length is 2.6 kpc. In runs with 6000 and 8000 bodies they pass at 15 kpc in 4.2
     * Gyr, and are one in 5.6; van der Marel et al. (2012, III) have 31 (+38 -20) kpc, 3.87 (+0.42 -0.32) and 5.86
     * (+1.61 -0.72) Gyr from all uncertainties, with M33 and 3.2e12 Msun. */
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
