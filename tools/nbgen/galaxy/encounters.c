/* The presets of encounters. An argument of pericentre omega, from the ascending node of the other galaxy's path
 * through the disk (Toomre & Toomre 1972), puts the line of nodes at 180 - omega degrees from the x axis for the first
 * galaxy, and at -omega for the second, who sees the other on the other side. */
#include "nbgen/galaxy/encounters.h"

#include <stddef.h>
#include <string.h>

static const struct encounter_preset presets[] = {
    /* Angles of Toomre & Toomre (1972, fig. 23): i = 60, omega = -30 of both. Orbit of Karl et al. (2010): e = 0.96,
     * the pericentre the sum of the two scale lengths, here 2, from 27 of them, in the ratio that they have there. */
    {
        .name = "antennae",
        .mass_ratio = 1,
        .orbit = {.pericenter = 2, .eccentricity = 0.96, .separation = 27, .tilts = {{60, 210}, {60, 30}}},
    },
    /* A small galaxy falls along the axis of a disk and through its middle (Lynds & Toomre 1976; Hernquist & Weil
     * 1993). So narrow an orbit comes in along x, and the axis of the disk lies there. */
    {
        .name = "cartwheel",
        .round = true,
        .mass_ratio = 0.4,
        .orbit = {.pericenter = 0.02, .eccentricity = 1, .separation = 12, .tilts = {{90, 90}, {0, 0}}},
    },
    /* Toomre & Toomre (1972, fig. 21): a companion of a third of the mass, e = 0.8, i = -70, omega = -15. */
    {
        .name = "m51",
        .mass_ratio = 1.0 / 3,
        .orbit = {.pericenter = 5, .eccentricity = 0.8, .separation = 15, .tilts = {{-70, 195}, {0, 0}}},
    },
    /* Privon et al. (2013): a parabola with its pericentre at 4.5 scale lengths; i, omega = 15, 325 and 25, 200. */
    {
        .name = "mice",
        .mass_ratio = 1,
        .orbit = {.pericenter = 4.5, .eccentricity = 1, .separation = 15, .tilts = {{15, 215}, {25, 160}}},
    },
    /* Toomre & Toomre (1972, section IV): a parabola of equals in the plane of both disks, which turn with it. */
    {
        .name = "tidal-tails",
        .mass_ratio = 1,
        .orbit = {.pericenter = 5, .eccentricity = 1, .separation = 15},
    },
    /* What follows from place and velocity of M31 in the frame of the Milky Way (van der Marel et al. 2012: 774 kpc,
     * -109.3 and 17.0 km/s), the masses of these two galaxies, 1.88e12 Msun, the Milky Way's spin towards its south
     * pole and that of M31 towards l = 241, b = -30 (i = 77.5, position angle 37.7 degrees, north-west nearer,
     * north-east receding). A scale length is 2.6 kpc. */
    {
        .name = "milkyway-m31",
        .galaxies = {"milkyway", "m31"},
        .orbit =
            {.pericenter = 4.147, .eccentricity = 0.98844, .separation = 297.7, .tilts = {{28.3, -119.2}, {70, 177.4}}},
    },
};

const struct encounter_preset *encounter_preset(const char *name)
{
    for (size_t k = 0; k < sizeof presets / sizeof *presets; k++)
        if (strcmp(presets[k].name, name) == 0)
            return &presets[k];
    die_usage("--preset %s: not one of " ENCOUNTERS, name);
}
