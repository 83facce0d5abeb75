/* pair.c - the models `encounter` and `satellite`: two galaxies on an orbit about one another. All quantities are in
 * the units of the first galaxy (galaxy.h). */
#include "nbgen/pair/pair.h"
#include "nbgen/galaxy/galaxy.h"

#include <inttypes.h>
#include <math.h>

#define LEAST 100 /* minimum number of bodies of a galaxy */

struct pair {
    const struct galaxy_shape *shapes[2];
    /* (total mass of the second galaxy) / (total mass of the first). 0: the ratio of the masses in `shapes` */
    double mass_ratio;
    double size; /* factor by which all lengths of the second galaxy are multiplied */
    /* (bodies of the second galaxy) / (all bodies). 0: the fraction is (mass of the second galaxy) / (total mass). */
    double second_share;
    struct encounter orbit; /* orbit of the galaxies; lengths in units of the first galaxy */
    /* true: the first galaxy lies in the xy plane, and the orbit is tilted; false: the orbit lies in the xy plane */
    bool first_flat;
    struct galaxy galaxies[2]; /* this and the following members are set by add() */
    struct galaxy_place places[2];
    double mass[2];
};

static struct pair pair; /* static, because struct gen_plan keeps pointers to its members */

static void find_sizes(struct pair *p)
{
    for (int k = 0; k < 2; k++) {
        const struct galaxy *g = &p->galaxies[k];
        p->places[k].mass = g->unit_mass / p->galaxies[0].unit_mass;
        p->places[k].length = g->unit_length / p->galaxies[0].unit_length;
        p->mass[k] = 0;
        for (int c = 0; c < GALAXY_COMPONENTS; c++)
            p->mass[k] += p->places[k].mass * g->shape.mass[c];
    }
    if (p->mass_ratio > 0) {
        p->places[1].mass *= p->mass_ratio * p->mass[0] / p->mass[1];
        p->mass[1] = p->mass_ratio * p->mass[0];
    }
    p->places[1].length *= p->size;
}

static uint64_t second_count(const struct pair *p, uint64_t n)
{
    const double share = p->second_share > 0 ? p->second_share : p->mass[1] / (p->mass[0] + p->mass[1]);
    return (uint64_t)fmin(fmax(round(share * (double)n), LEAST), (double)(n - LEAST));
}

/* Returns the value of --softening. If this option was not given, returns the smaller of the two lengths that
 * galaxy_softening() suggests for the galaxies. */
static double find_softening(const struct gen_plan *plan, const struct pair *p, const uint64_t n[2])
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        least = fmin(least, p->places[k].length * galaxy_softening(&p->galaxies[k], n[k]));
    return gen_plan_softening(plan, least);
}

/* Places both galaxies, which have n[0] and n[1] bodies. */
static void find_places(struct gen_plan *plan, const struct pair *p, const uint64_t n[2])
{
    const struct orbit_tilt tilt = p->first_flat ? p->orbit.tilts[0] : (struct orbit_tilt){0, 0};
    struct rigid rigid = {.G = 1, .softening = plan->softening, .plane = orbit_tilted(tilt)};
    for (int k = 0; k < 2; k++)
        rigid.clouds[k] = cloud_make(n[k], CLOUD_MOST, pair_read, &(struct pair_bodies){plan, k ? n[0] : 0});
    pair_place(plan, &rigid, &p->orbit);
}

static double time_unit(const struct pair *p, int k)
{
    const struct galaxy_place *place = &p->places[k];
    return place->length / sqrt(place->mass / place->length);
}

static double find_step(const struct pair *p)
{
    return encounter_step(p->galaxies[0].step * time_unit(p, 0), p->galaxies[1].step * time_unit(p, 1));
}

/* Returns the dynamical time of the heavier galaxy: its rotation period. */
static double find_dynamical_time(const struct pair *p)
{
    const int k = p->mass[1] > p->mass[0];
    return galaxy_turn(&p->galaxies[k]) * time_unit(p, k);
}

/* Adds both galaxies to the plan, sets the plan's scale, softening and time step, and prints the components of both
 * galaxies. */
static void add(struct gen_plan *plan, struct pair *p)
{
    encounter_check(&p->orbit);
    for (int k = 0; k < 2; k++)
        galaxy_begin(&p->galaxies[k], p->shapes[k]);
    galaxy_scale(plan, &p->galaxies[0]);
    find_sizes(p);
    for (int k = 0; k < 2 && !p->first_flat; k++)
        p->places[k].tilt = p->orbit.tilts[k];
    const uint64_t second = second_count(p, plan->n), n[2] = {plan->n - second, second};
    plan->softening = find_softening(plan, p, n);
    for (int k = 0; k < 2; k++)
        galaxy_add(plan, &p->galaxies[k], n[k], (uint8_t)k, &p->places[k]);
    plan->dt = find_step(p);
    plan->dynamical_time = find_dynamical_time(p);
    find_places(plan, p, n);
}

/* ---- encounter: a preset of two galaxies and their orbit ---- */

static int preset; /* encounter: index in encounter_presets; satellite: index of the host in galaxy_presets */

static const struct tool_option encounter_options[] = {
    {"preset", ENCOUNTERS, tool_take_word, &preset, "encounter to generate (default antennae)"},
    {.about =
         "The orbit of the two centres of mass, in the xy plane, anticlockwise, pericentre on the x axis; lengths in "
         "scale lengths of the first disk:"},
    ENCOUNTER_OPTIONS("default the preset's", "default the preset's", "default the preset's", "default the preset's",
                      "default the preset's", "default the preset's"),
    {.about = "Both galaxies:"},
    {0},
};

static void prepare_encounter(struct gen_plan *plan)
{
    const struct encounter_preset *p = &encounter_presets[preset];
    numeric_demand("encounter");
    pair = (struct pair){
        .shapes = {&galaxy_presets[p->galaxies[0]], &galaxy_presets[p->galaxies[1]]},
        .mass_ratio = p->mass_ratio,
        /* With this size, both galaxies have the same surface density, as in the model collision. */
        .size = p->mass_ratio > 0 ? sqrt(p->mass_ratio) : 1,
        .orbit = encounter_or(&p->orbit),
    };
    add(plan, &pair);
}

const struct gen_model gen_encounter = {
    .name = "encounter",
    .about = "a famous pair of galaxies before they meet",
    .doc = "Two galaxies with halos, disks and bulges on an orbit of points, or for cartwheel, mice and "
           "tidal-tails of extended galaxies (--orbit-of). Presets follow papers but are not copies of their "
           "models. antennae: Toomre & Toomre (1972), orbit of Karl et al. (2010). cartwheel: Lynds & Toomre "
           "(1976), Hernquist & Weil (1993). m51, tidal-tails: Toomre & Toomre (1972). mice: Privon et al. "
           "(2013). milkyway-m31: van der Marel et al. (2012)."
           "\n\nAll but milkyway-m31 have one spiral with halo : disk : bulge = 16 : 3 : 1. In code units the first "
           "disk's scale length is 1, and so is its circular speed at 2.2 scale lengths. The column galaxy is 0 "
           "or 1."
           "\n\nSuggested softening: the smaller of the two galaxies'. Suggested time step: 1/sqrt(1/a^2 + 1/b^2), "
           "with the steps a and b of the two galaxies.",
    .options = {encounter_options, galaxy_quiet},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = 2 * LEAST,
    .prepare = prepare_encounter,
};

/* ---- satellite: a dwarf on an orbit around a galaxy ---- */

static double mass_ratio = 0.02, size = NAN, share = 0;

#define USUAL_SHARE 0.25

/* --size must be at least 0.001. A smaller size needs such small time steps that a simulation takes too long. */
static const struct tool_option satellite_options[] = {
    {"preset", GALAXY_PRESETS, tool_take_word, &preset, "host galaxy (default milkyway)"},
    {.about = "The dwarf; lengths in scale lengths of the host's disk:"},
    {"mass-ratio", "Q", tool_take_positive, &mass_ratio, "mass of the dwarf over that of the host (default 0.02)"},
    {"size", "L", tool_take_positive, &size,
     "scale radius of the dwarf's stars, from 0.001; that of its halo is three times as large (default: as dense "
     "as the host's halo)",
     0.001, 1000, "must be from 0.001 to 1000"},
    {"share", "SHARE", tool_take_positive, &share,
     "the dwarf's fraction of the bodies, at least 100 bodies (default 0.25)", 0, 1, "must be above 0 and below 1",
     .below = true},
    {.about = "Its orbit:"},
    {"pericenter", "L", tool_take_positive, &encounter_given.pericenter, "smallest distance (default 3)"},
    {"eccentricity", "E", tool_take_not_negative, &encounter_given.eccentricity,
     "below 1 an ellipse, 1 a parabola, above 1 a hyperbola (default 0.7)", .letter = 'e'},
    {"separation", "L", tool_take_positive, &encounter_given.separation,
     "distance at the start, on the way in (default 15)"},
    {"incline", "I,NODE", tool_take_pair, &encounter_given.tilts[0],
     "degrees from the host's spin (the z axis) to the orbit's axis, and from x to the line of nodes (default 60,0)"},
    ENCOUNTER_OF("default extended"),
    {.about = "Both galaxies:"},
    {0},
};

/* Returns the fraction of the bodies that are in the dwarf. Dies (usage) if one of the galaxies would have too few
 * bodies. */
static double find_share(uint64_t n)
{
    const double second = round(share * (double)n);
    if (share > 0 && (second < LEAST || (double)n - second < LEAST))
        die_usage("--share %g: of %" PRIu64
                  " bodies the dwarf would have %.0f and the host %.0f; each needs at least %d",
                  share, n, second, (double)n - second, LEAST);
    return share > 0 ? share : USUAL_SHARE;
}

static void prepare_satellite(struct gen_plan *plan)
{
    const struct galaxy_shape *h = &galaxy_presets[preset], *dwarf = &galaxy_presets[GALAXY_SATELLITE];
    const double unit = h->mass[GALAXY_DISK] > 0 ? h->scale[GALAXY_DISK] : h->scale[GALAXY_BULGE];
    const double usual = h->scale[GALAXY_HALO] / dwarf->scale[GALAXY_HALO] * cbrt(mass_ratio);
    numeric_demand("satellite");
    pair = (struct pair){
        .shapes = {h, dwarf},
        .mass_ratio = mass_ratio,
        .size = isnan(size) ? usual : size * unit,
        .second_share = find_share(plan->n),
        .orbit = encounter_or(&encounter_presets[ENCOUNTER_SATELLITE].orbit),
        .first_flat = true,
    };
    add(plan, &pair);
}

const struct gen_model gen_satellite = {
    .name = "satellite",
    .about = "a dwarf galaxy that orbits a large galaxy",
    .doc = "The host has its disk in the xy plane. The dwarf is a Hernquist sphere of stars in a halo of nine "
           "times their mass. The orbit is that of extended galaxies, or of points (--orbit-of), which is wider. "
           "The host's bodies come first. The column galaxy is 0 or 1."
           "\n\nSuggested softening: the smaller of the two galaxies'. Suggested time step: 1/sqrt(1/a^2 + 1/b^2), "
           "with the steps a and b of the two galaxies.",
    .options = {satellite_options, galaxy_quiet},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = 2 * LEAST,
    .prepare = prepare_satellite,
};
