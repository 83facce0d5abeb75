/* The model `satellite`: a dwarf on its way around a galaxy. */
#include "nbgen/galaxy/pair.h"

#include <inttypes.h>
#include <math.h>

static int host;
static double mass_ratio = 0.02, size = NAN, share = 0;
static const struct encounter usual = {
    .pericenter = 3, .eccentricity = 0.7, .separation = 15, .tilts = {{60, 0}}, .of = ENCOUNTER_EXTENDED};

#define USUAL_SHARE 0.25

/* A much smaller size than 0.001 would need a step that no run of the host ends with. */
static const struct gen_option table[] = {
    {"preset", GALAXY_PRESETS, "the host (default milkyway)", gen_word, &host},
    {.about = "The dwarf; lengths in scale lengths of the host's disk:"},
    {"mass-ratio", "Q", "its mass over that of the host (default 0.02)", gen_positive, &mass_ratio},
    {"size", "L",
     "scale radius of its stars, from 0.001 on; that of its halo is three times as much (default: such that the halo is as dense as that of the host)",
     gen_positive, &size, 0.001, 1000, "not from 0.001 to 1000"},
    {"share", "SHARE", "its part of the bodies, 100 at least (default 0.25)", gen_positive, &share, 0, 1,
     "not above 0 and below 1", .below = true},
    {.about = "Its orbit:"},
    {"pericenter", "L", "least distance (default 3)", gen_positive, &encounter_given.pericenter},
    {"eccentricity", "E", "below 1 an ellipse, 1 a parabola, more a hyperbola (default 0.7)", gen_not_negative,
     &encounter_given.eccentricity, .letter = 'e'},
    {"separation", "L", "distance at the start, on the way in (default 15)", gen_positive, &encounter_given.separation},
    {"incline", "I,NODE",
     "degrees from the host's spin, the z axis, to the orbit's, and from x to the line of nodes (default 60,0)",
     gen_tilt, &encounter_given.tilts[0]},
    ENCOUNTER_OF("default extended"),
    {.about = "Both galaxies:"},
    {0},
};

/* Stars in a halo of nine times their mass, both round; without a disk 1 is the stars' scale radius. */
static const struct galaxy_shape dwarf = {
    .name = "satellite",
    .mass = {[GALAXY_BULGE] = 1, [GALAXY_HALO] = 9},
    .scale = {[GALAXY_BULGE] = 1, [GALAXY_HALO] = 3},
    .truncation = 4,
    .weight = {1, 1, 1, 1, 4},
};

/* Of bodies that were asked for as a share both galaxies have enough, or none of them. */
static double find_share(uint64_t n)
{
    const double second = round(share * (double)n);
    if (share > 0 && (second < PAIR_LEAST / 2 || (double)n - second < PAIR_LEAST / 2))
        die_usage("--share %g: of %" PRIu64
                  " bodies the dwarf would have %.0f and the host %.0f; each needs %d at least",
                  share, n, second, (double)n - second, PAIR_LEAST / 2);
    return share > 0 ? share : USUAL_SHARE;
}

static void prepare(struct gen_plan *plan)
{
    numeric_demand("satellite");
    static struct pair pair;
    pair = (struct pair){
        .shapes = {galaxy_presets[host], dwarf},
        .mass_ratio = mass_ratio,
        .second_share = find_share(plan->n),
        .orbit = encounter_or(&usual),
        .first_flat = true,
    };
    const struct galaxy_shape *h = &pair.shapes[0];
    const double unit = h->mass[GALAXY_DISK] > 0 ? h->scale[GALAXY_DISK] : h->scale[GALAXY_BULGE];
    pair.size = isnan(size) ? h->scale[GALAXY_HALO] / dwarf.scale[GALAXY_HALO] * cbrt(mass_ratio) : size * unit;
    pair_add(plan, &pair);
}

const struct gen_model gen_satellite = {
    .name = "satellite",
    .about = "a dwarf galaxy on its way around a large one",
    .doc =
        "The host is a galaxy as of galaxy, with its disk in the xy plane; the dwarf a Hernquist sphere of stars in a "
        "halo of nine times its mass. Inside of the host's halo less mass pulls than outside: the orbit is that of the "
        "two as extended as they are, or of points (--orbit-of), which is wider. The host's bodies come first; the "
        "column galaxy says which, 0 or 1. The centre of mass of both rests at the origin.\n\nSuggested softening: the smaller of the two galaxies'. Suggested time step: 1/sqrt(1/a^2 + 1/b^2) of theirs.",
    .options = {table, galaxy_quiet},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = PAIR_LEAST,
    .prepare = prepare,
};
