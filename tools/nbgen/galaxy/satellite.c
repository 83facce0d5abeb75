/* The model `satellite`: a dwarf on its way around a galaxy. */
#include "nbgen/galaxy/pair.h"

#include <inttypes.h>
#include <math.h>

static const char *host = "milkyway";
static double mass_ratio = 0.02, size = NAN, share = 0;
static struct encounter orbit = {
    .pericenter = 3, .eccentricity = 0.7, .separation = 15, .tilts = {{60, 0}}, .of = ENCOUNTER_EXTENDED};

static bool quiet;

#define USUAL_SHARE 0.25

enum { KEY_HOST = 256, KEY_MASS_RATIO, KEY_SIZE, KEY_SHARE, KEY_PERICENTER, KEY_SEPARATION, KEY_INCLINE, KEY_QUIET };

static const struct tool_option table[] = {
    {"preset", KEY_HOST, GALAXY_PRESETS, 0, "the host (default milkyway)"},
    {.about = "The dwarf; lengths in scale lengths of the host's disk:"},
    {"mass-ratio", KEY_MASS_RATIO, "Q", 0, "its mass over that of the host (default 0.02)"},
    {"size", KEY_SIZE, "L", 0,
     "scale radius of its stars, from 0.001 on; that of its halo is three times as much (default: such that the halo is as dense as that of the host)"},
    {"share", KEY_SHARE, "SHARE", 0, "its part of the bodies, 100 at least (default 0.25)"},
    {.about = "Its orbit:"},
    {"pericenter", KEY_PERICENTER, "L", 0, "least distance (default 3)"},
    {"eccentricity", 'e', "E", 0, "below 1 an ellipse, 1 a parabola, more a hyperbola (default 0.7)"},
    {"separation", KEY_SEPARATION, "L", 0, "distance at the start, on the way in (default 15)"},
    {"incline", KEY_INCLINE, "I,NODE", 0,
     "degrees from the host's spin, the z axis, to the orbit's, and from x to the line of nodes (default 60,0)"},
    ENCOUNTER_OF("default extended"),
    {.about = "Both galaxies:"},
    {"quiet-start", KEY_QUIET, NULL, 0, GALAXY_QUIET},
    {0},
};

static double parse_share(const char *arg)
{
    const double value = tool_positive("--share", arg);
    if (value >= 1)
        die_usage("--share %s: not above 0 and below 1", arg);
    return value;
}

/* Much smaller than that its stars would need a step that no run of the host ends with. */
static double parse_size(const char *arg)
{
    const double value = tool_positive("--size", arg);
    if (value < 0.001 || value > 1000)
        die_usage("--size %s: not from 0.001 to 1000", arg);
    return value;
}

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case KEY_HOST: host = arg; return true;
    case KEY_MASS_RATIO: mass_ratio = tool_positive("--mass-ratio", arg); return true;
    case KEY_SIZE: size = parse_size(arg); return true;
    case KEY_SHARE: share = parse_share(arg); return true;
    case KEY_PERICENTER: orbit.pericenter = tool_positive("--pericenter", arg); return true;
    case 'e': orbit.eccentricity = tool_not_negative("--eccentricity", arg); return true;
    case KEY_SEPARATION: orbit.separation = tool_positive("--separation", arg); return true;
    case KEY_INCLINE: orbit.tilts[0] = orbit_parse_tilt("--incline", arg); return true;
    case KEY_QUIET: quiet = true; return true;
    default: return encounter_parse(&orbit, key, arg);
    }
}

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
        .shapes = {galaxy_preset(host), dwarf},
        .mass_ratio = mass_ratio,
        .second_share = find_share(plan->n),
        .orbit = orbit,
        .first_flat = true,
    };
    const struct galaxy_shape *h = &pair.shapes[0];
    const double unit = h->mass[GALAXY_DISK] > 0 ? h->scale[GALAXY_DISK] : h->scale[GALAXY_BULGE];
    pair.size = isnan(size) ? h->scale[GALAXY_HALO] / dwarf.scale[GALAXY_HALO] * cbrt(mass_ratio) : size * unit;
    for (int k = 0; k < 2; k++)
        pair.shapes[k].quiet = quiet;
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
    .table = {table, parse},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = PAIR_LEAST,
    .prepare = prepare,
};
