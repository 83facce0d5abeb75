/* presets.c - parameters of well-known galaxies, in 10^10 Msun and kpc. */
#include "nbgen/galaxy/galaxy.h"

const char *const galaxy_names[GALAXY_COMPONENTS] = {"hole", "disk", "gas", "bulge", "halo"};

bool galaxy_is_quiet;

const struct tool_option galaxy_quiet[] = {
    {"quiet-start", NULL, tool_take_flag, &galaxy_is_quiet,
     "less shot noise: each star of a disk is placed six times around the axis, every other copy mirrored in the "
     "plane, and bodies of halo and bulge in mirrored pairs. Fewer bodies are independent"},
    {0},
};

const struct galaxy_shape galaxy_presets[] = {
    /* McMillan (2017), best fit. One disk has the total mass of the thin and the thick disk. The bulge is a Hernquist
     * sphere with the same half-mass radius. The halo is truncated at 118 kpc. */
    {
        .name = "milkyway",
        .mass = {[GALAXY_DISK] = 4.57, [GALAXY_BULGE] = 0.923, [GALAXY_HALO] = 105.1},
        .scale = {[GALAXY_DISK] = 2.6, [GALAXY_BULGE] = 0.5, [GALAXY_HALO] = 19.6},
        .height = {[GALAXY_DISK] = 0.52},
        .toomre = {[GALAXY_DISK] = 1.5},
        .truncation = 6,
    },
    /* Fardal et al. (2007), after Geehan et al. (2006); the halo is truncated at 114 kpc. */
    {
        .name = "m31",
        .mass = {[GALAXY_DISK] = 3.66, [GALAXY_BULGE] = 3.24, [GALAXY_HALO] = 70.62},
        .scale = {[GALAXY_DISK] = 5.4, [GALAXY_BULGE] = 0.61, [GALAXY_HALO] = 7.63},
        .height = {[GALAXY_DISK] = 0.6},
        .toomre = {[GALAXY_DISK] = 1.5},
        .truncation = 15,
    },
    /* The Large Magellanic Cloud of Besla et al. (2012) before any encounter. Stars and gas are one disk; the halo of
     * 1.8e11 Msun with concentration 9 is truncated at 78 kpc. */
    {
        .name = "dwarf",
        .mass = {[GALAXY_DISK] = 0.36, [GALAXY_HALO] = 16.69},
        .scale = {[GALAXY_DISK] = 1.7, [GALAXY_HALO] = 13.01},
        .height = {[GALAXY_DISK] = 0.34},
        .toomre = {[GALAXY_DISK] = 1.5},
        .truncation = 6,
    },
    /* 10^11 Msun of stars with effective radius 4.2 kpc, as in early-type galaxies of this mass (Shen et al. 2003). The
     * halo is typical for such galaxies (Moster, Naab & White 2013; Dutton & Maccio 2014), truncated at 228 kpc. */
    {
        .name = "elliptical",
        .mass = {[GALAXY_BULGE] = 10, [GALAXY_HALO] = 594.2},
        .scale = {[GALAXY_BULGE] = 2.29, [GALAXY_HALO] = 57.1},
        .truncation = 4,
    },
    /* A cold disk without a bulge. At 2.2 scale lengths, three quarters of the attraction are due to the disk. The disk
     * is unstable according to the criterion of Efstathiou, Lake & Negroponte (1982), so a bar forms. */
    {
        .name = "disk-dominated",
        .mass = {[GALAXY_DISK] = 6, [GALAXY_HALO] = 43},
        .scale = {[GALAXY_DISK] = 3, [GALAXY_HALO] = 20},
        .height = {[GALAXY_DISK] = 0.3},
        .toomre = {[GALAXY_DISK] = 1},
        .truncation = 4,
    },
    /* Halo, disk and bulge with the mass ratios 16 : 3 : 1 and sizes of Barnes & Hibbard (2009). The disk is a little
     * thicker than in that paper, because it is made of fewer bodies. */
    [GALAXY_SPIRAL] =
        {
            .name = "spiral",
            .mass = {[GALAXY_DISK] = 3, [GALAXY_BULGE] = 1, [GALAXY_HALO] = 16},
            .scale = {[GALAXY_DISK] = 1, [GALAXY_BULGE] = 0.24, [GALAXY_HALO] = 3},
            .height = {[GALAXY_DISK] = 0.15},
            .toomre = {[GALAXY_DISK] = 1.3},
            .truncation = 4,
        },
    [GALAXY_INTRUDER] =
        {
            .name = "intruder",
            .mass = {[GALAXY_BULGE] = 4, [GALAXY_HALO] = 16},
            .scale = {[GALAXY_BULGE] = 0.4, [GALAXY_HALO] = 3},
            .truncation = 4,
        },
    /* Stars in a halo of nine times their mass, both spherical. Without a disk the unit of length is the scale radius
     * of the stars. */
    [GALAXY_SATELLITE] =
        {
            .name = "satellite",
            .mass = {[GALAXY_BULGE] = 1, [GALAXY_HALO] = 9},
            .scale = {[GALAXY_BULGE] = 1, [GALAXY_HALO] = 3},
            .truncation = 4,
        },
};
