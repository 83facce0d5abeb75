/* model.c - the model `galaxy` and its options. */
#include "nbgen/galaxy/galaxy.h"

#include <math.h>

static struct {
    int preset;
    double mass[GALAXY_COMPONENTS]; /* total mass; below 0: not given */
    double scale[GALAXY_COMPONENTS], height[GALAXY_COMPONENTS], toomre[GALAXY_COMPONENTS]; /* 0: not given */
    double weight[GALAXY_COMPONENTS], truncation;
    int hernquist; /* 0: NFW halo; 1: Hernquist halo; below 0: not given */
} given = {.mass = {-1, -1, -1, -1, -1}, .hernquist = -1};

static const struct tool_option table[] = {
    {.about = "The galaxy. Masses in 10^10 Msun and lengths in kpc; in code units only ratios count. Defaults are the "
              "preset's. A "
              "mass of 0 omits a component:"},
    {"preset", GALAXY_PRESETS, tool_take_word, &given.preset, "galaxy to generate (default milkyway)"},
    {"disk-mass", "M", tool_take_not_negative, &given.mass[GALAXY_DISK], "mass of the stellar disk"},
    {"disk-scale", "L", tool_take_positive, &given.scale[GALAXY_DISK],
     "scale length of the exponential surface density"},
    {"disk-height", "L", tool_take_positive, &given.height[GALAXY_DISK],
     "scale height z0 of the vertical profile sech^2(z / z0)"},
    {"toomre", "Q", tool_take_positive, &given.toomre[GALAXY_DISK],
     "least value of Toomre's stability parameter in the disk"},
    {"gas-mass", "M", tool_take_not_negative, &given.mass[GALAXY_GAS],
     "mass of a second disk of gas bodies, thinner and colder (default 0)"},
    {"gas-scale", "L", tool_take_positive, &given.scale[GALAXY_GAS],
     "scale length of the gas disk (default: that of the disk)"},
    {"gas-height", "L", tool_take_positive, &given.height[GALAXY_GAS],
     "scale height of the gas disk (default: a quarter of the disk's)"},
    {"gas-toomre", "Q", tool_take_positive, &given.toomre[GALAXY_GAS], "least Q of the gas disk (default 1.5)"},
    {"bulge-mass", "M", tool_take_not_negative, &given.mass[GALAXY_BULGE], "mass of the bulge (Hernquist 1990)"},
    {"bulge-scale", "L", tool_take_positive, &given.scale[GALAXY_BULGE], "scale radius of the bulge"},
    {"halo-mass", "M", tool_take_not_negative, &given.mass[GALAXY_HALO], "mass of the dark halo after truncation"},
    {"halo-scale", "L", tool_take_positive, &given.scale[GALAXY_HALO], "scale radius of the halo"},
    {"halo-profile", "nfw|hernquist", tool_take_word, &given.hernquist, "density profile of the halo (default nfw)"},
    {"halo-truncation", "T", tool_take_positive, &given.truncation,
     "truncate the halo: density times sech(r / (T scale radii)), from 1", 1, INFINITY,
     "inside the halo's core: must be at least 1"},
    {"hole-mass", "M", tool_take_not_negative, &given.mass[GALAXY_HOLE],
     "mass of a central black hole, one body (default 0)"},
    {"halo-weight", "W", tool_take_positive, &given.weight[GALAXY_HALO],
     "mass of a halo body over that of a disk body (default: such that 40 % of the bodies are in the halo, but "
     "at most 10, or more for fewer than 320000 bodies)"},
    {"bulge-weight", "W", tool_take_positive, &given.weight[GALAXY_BULGE], "the same for a bulge body (default 1)"},
    {"gas-weight", "W", tool_take_positive, &given.weight[GALAXY_GAS], "the same for a gas body (default 1)"},
    {0},
};

/* Returns the name of the option whose argument is stored at `value`. */
static const char *name_of(const double *value)
{
    const struct tool_option *o = table;
    while (o->to != value)
        o++;
    return o->name;
}

/* ---- the shape ---- */

/* Sets *value to of[c], the value of an option for component c. Does nothing if the option was not given (of[c] is 0).
 * Dies (usage) if component c does not exist, because the option would have no effect. */
static void take(const struct galaxy_shape *s, double *value, int c, const double *of)
{
    if (of[c] == 0)
        return;
    if (s->mass[c] == 0)
        die_usage("--%s: the galaxy has no %s (its mass is 0)", name_of(&of[c]), galaxy_names[c]);
    *value = of[c];
}

/* Dies (usage) if component c has no scale length, or if it is a disk and has no height. */
static void need_lengths(const struct galaxy_shape *s, int c, bool disk)
{
    const char *name = galaxy_names[c];
    bool scale = !(s->scale[c] > 0), height = disk && !(s->height[c] > 0);
    if (scale && height)
        die_usage("--%s-mass: this preset has no such component: give --%s-scale and --%s-height too", name, name,
                  name);
    if (scale || height)
        die_usage("--%s-mass: this preset has no such component: give --%s-%s too", name, name,
                  scale ? "scale" : "height");
}

static void complete(struct galaxy_shape *s, int c)
{
    bool disk = c == GALAXY_DISK || c == GALAXY_GAS;
    if (c == GALAXY_GAS && s->mass[GALAXY_DISK] > 0) {
        s->scale[c] = s->scale[GALAXY_DISK];
        s->height[c] = s->height[GALAXY_DISK] / 4;
    }
    if (disk && s->toomre[c] == 0)
        s->toomre[c] = 1.5;
    take(s, &s->scale[c], c, given.scale);
    take(s, &s->height[c], c, given.height);
    take(s, &s->toomre[c], c, given.toomre);
    take(s, &s->weight[c], c, given.weight);
    if (s->mass[c] > 0 && c != GALAXY_HOLE)
        need_lengths(s, c, disk);
    s->toomre_asked[c] = given.toomre[c] > 0;
}

static struct galaxy_shape make_shape(void)
{
    struct galaxy_shape s = galaxy_presets[given.preset];
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        if (given.mass[c] >= 0)
            s.mass[c] = given.mass[c];
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        complete(&s, c);
    if ((given.hernquist >= 0 || given.truncation > 0) && s.mass[GALAXY_HALO] == 0)
        die_usage("%s: the galaxy has no halo (its mass is 0)",
                  given.hernquist >= 0 ? "--halo-profile" : "--halo-truncation");
    s.hernquist = given.hernquist == 1;
    s.truncation = given.truncation > 0 ? given.truncation : s.truncation;
    return s;
}

/* ---- the plan ---- */

void galaxy_scale(struct gen_plan *plan, const struct galaxy *g)
{
    const struct nb_units *u = &plan->units;
    struct gen_scale *s = &plan->scale;
    if (u->length_cgs > 0) {
        s->mass *= g->unit_mass * (1e10 * NB_SUN_CGS / u->mass_cgs);
        s->length *= g->unit_length * (NB_KPC_CGS / u->length_cgs);
    }
    s->velocity = sqrt(plan->G * s->mass / s->length);
}

static void prepare(struct gen_plan *plan)
{
    numeric_demand("galaxy");
    static struct galaxy g;
    struct galaxy_shape shape = make_shape();
    galaxy_begin(&g, &shape);
    galaxy_scale(plan, &g);
    plan->softening = gen_plan_softening(plan, galaxy_softening(&g, plan->n));
    galaxy_add(plan, &g, plan->n, 0, &(struct galaxy_place){1, 1, gen_tilt});
    plan->dt = g.step;
    plan->dynamical_time = galaxy_turn(&g);
}

const struct gen_model gen_galaxy = {
    .name = "galaxy",
    .about = "a galaxy of halo, bulge and disk in equilibrium",
    .doc = "A dark halo (Navarro, Frenk & White 1997, or Hernquist 1990), a bulge (Hernquist) and an exponential "
           "disk of stars in mutual equilibrium. Optional are a disk of gas bodies and a black hole. The "
           "equilibrium includes the softening of the header. In code units the disk's scale length and the "
           "circular speed at 2.2 scale lengths are 1. With --units galactic, sizes are those of the preset."
           "\n\nHalo and bulge have isotropic velocities by Eddington's inversion. The disk has the distribution "
           "function of Shu (1969), and Q has its least value --toomre near two scale lengths. Each star is "
           "carried along its orbit in the smooth field for a random time, so the disk is mixed from the start."
           "\n\nPresets: milkyway: McMillan (2017). m31: Fardal et al. (2007). dwarf: the Large Magellanic Cloud of "
           "Besla et al. (2012). elliptical: 10^11 Msun of stars, without a disk. disk-dominated: forms a bar "
           "(Efstathiou, Lake & Negroponte 1982)."
           "\n\nBy default 40 % of the bodies are in the halo. Suggested softening: 0.03 scale lengths for a million "
           "bodies, ~ n^(-1/4), at most 0.1 scale lengths. Suggested time step: 1/20 (for many bodies up to 1/14) "
           "of the shortest period of circular and vertical motion, or less if bodies are heavy.",
    .options = {table, galaxy_quiet, gen_incline},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = 100,
    .prepare = prepare,
};
