/* The model `encounter`: a preset of two galaxies and their orbit. */
#include "nbgen/galaxy/encounters.h"
#include "nbgen/galaxy/pair.h"

#include <math.h>

static int preset;

static const struct gen_option table[] = {
    {"preset", ENCOUNTERS, "which encounter (default antennae)", gen_word, &preset},
    {.about =
         "The orbit of the two centres of mass, in the xy plane, anticlockwise, pericentre on the x axis; lengths in scale lengths of the first disk:"},
    ENCOUNTER_OPTIONS("default the preset's", "default the preset's", "default the preset's", "default the preset's",
                      "default the preset's", "default the preset's"),
    {.about = "Both galaxies:"},
    {0},
};

/* Halo, disk and bulge with the masses 16 : 3 : 1 of Barnes & Hibbard (2009) and their sizes; the disk is a little
 * thicker, as befits fewer bodies. */
static const struct galaxy_shape spiral = {
    .name = "spiral",
    .mass = {[GALAXY_DISK] = 3, [GALAXY_BULGE] = 1, [GALAXY_HALO] = 16},
    .scale = {[GALAXY_DISK] = 1, [GALAXY_BULGE] = 0.24, [GALAXY_HALO] = 3},
    .height = {[GALAXY_DISK] = 0.15},
    .toomre = {[GALAXY_DISK] = 1.3},
    .truncation = 4,
    .weight = {1, 1, 1, 1, 5},
};

static const struct galaxy_shape round_one = {
    .name = "intruder",
    .mass = {[GALAXY_BULGE] = 4, [GALAXY_HALO] = 16},
    .scale = {[GALAXY_BULGE] = 0.4, [GALAXY_HALO] = 3},
    .truncation = 4,
    .weight = {1, 1, 1, 1, 5},
};

static struct galaxy_shape shape_of(const struct encounter_preset *p, int which)
{
    if (p->local)
        return galaxy_presets[which ? GALAXY_M31 : GALAXY_MILKYWAY];
    return p->round && which == 1 ? round_one : spiral;
}

static void prepare(struct gen_plan *plan)
{
    numeric_demand("encounter");
    static struct pair pair;
    const struct encounter_preset *p = &encounter_presets[preset];
    /* One surface density, as of the disks of collision. */
    const double size = p->mass_ratio > 0 ? sqrt(p->mass_ratio) : 1;
    pair = (struct pair){.shapes = {shape_of(p, 0), shape_of(p, 1)},
                         .mass_ratio = p->mass_ratio,
                         .size = size,
                         .orbit = encounter_or(&p->orbit)};
    pair_add(plan, &pair);
}

const struct gen_model gen_encounter = {
    .name = "encounter",
    .about = "a famous pair of galaxies before they meet",
    .doc =
        "Two galaxies as of galaxy, with disks, bulges and halos, on an orbit of points with their masses "
        "or, in cartwheel, mice and tidal-tails, of what they are (--orbit-of). "
        "Presets are after the papers, not copies of their models: antennae has the angles of Toomre & Toomre "
        "(1972) and the orbit of Karl et al. (2010); cartwheel is a small galaxy on the axis of a disk, as of Lynds & "
        "Toomre (1976) and Hernquist & Weil (1993); m51 and tidal-tails are after Toomre & Toomre (1972); mice Privon "
        "et al. (2013); milkyway-m31 follows from the velocity of M31 by van der Marel et al. (2012), with the "
        "galaxies of that name.\n\nAll but the last are of one spiral with halo, disk and bulge as 16 : 3 : 1 (after "
        "Barnes & Hibbard 2009), a lighter one with the same surface density. In code units the first disk's scale "
        "length and circular speed at 2.2 of them are 1. The first galaxy's bodies come first; the column galaxy "
        "says which, 0 or 1. The centre of mass rests at the origin.\n\nSuggested softening: the smaller of the two "
        "galaxies'. Suggested time step: 1/sqrt(1/a^2 + 1/b^2) of theirs, since their densities add once they are one.",
    .options = {table, galaxy_quiet},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = PAIR_LEAST,
    .prepare = prepare,
};
