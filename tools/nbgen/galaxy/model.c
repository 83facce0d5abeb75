/* The model `galaxy`: its options, and the lines that say what it is. */
#include "nbgen/galaxy/galaxy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *preset;
    double mass[GALAXY_COMPONENTS], scale[GALAXY_COMPONENTS], height[GALAXY_COMPONENTS], toomre[GALAXY_COMPONENTS];
    double weight[GALAXY_COMPONENTS];
    double truncation;
    const char *profile; /* of the halo */
    bool quiet;
    struct orbit_tilt tilt;
} given = {.preset = "milkyway"}; /* 0: not given; masses that are given as 0: -1 */

enum {
    MASS = 256,
    SCALE = MASS + 8,
    HEIGHT = SCALE + 8,
    TOOMRE = HEIGHT + 8,
    WEIGHT = TOOMRE + 8,
    PRESET = WEIGHT + 8,
    PROFILE,
    TRUNCATION,
    QUIET,
    INCLINE
};

static const struct tool_option table[] = {
    {.about =
         "The galaxy; masses in 10^10 Msun and lengths in kpc, which in code units serve for their ratios alone. Defaults are the preset's; a mass of 0 leaves a component out:"},
    {"preset", PRESET, GALAXY_PRESETS, 0, "which galaxy (default milkyway)"},
    {"disk-mass", MASS + GALAXY_DISK, "M", 0, "of the stars' disk"},
    {"disk-scale", SCALE + GALAXY_DISK, "L", 0, "scale length of its surface density, exponential"},
    {"disk-height", HEIGHT + GALAXY_DISK, "L", 0, "scale height z0 of its profile across, sech^2(z / z0)"},
    {"toomre", TOOMRE + GALAXY_DISK, "Q", 0, "random motions of the disk by Toomre's stability parameter, its least"},
    {"gas-mass", MASS + GALAXY_GAS, "M", 0, "of a second disk, of bodies for gas, thinner and colder (default 0)"},
    {"gas-scale", SCALE + GALAXY_GAS, "L", 0, "its scale length (default that of the disk)"},
    {"gas-height", HEIGHT + GALAXY_GAS, "L", 0, "its scale height (default a quarter of the disk's)"},
    {"gas-toomre", TOOMRE + GALAXY_GAS, "Q", 0, "its least Q (default 1.5)"},
    {"bulge-mass", MASS + GALAXY_BULGE, "M", 0, "of the bulge (Hernquist 1990)"},
    {"bulge-scale", SCALE + GALAXY_BULGE, "L", 0, "its scale radius"},
    {"halo-mass", MASS + GALAXY_HALO, "M", 0, "of the dark halo, all that is within the truncation"},
    {"halo-scale", SCALE + GALAXY_HALO, "L", 0, "its scale radius"},
    {"halo-profile", PROFILE, "nfw|hernquist", 0, "its density (default nfw)"},
    {"halo-truncation", TRUNCATION, "T", 0, "its density times sech(r / (T scale radii)), from 1 on"},
    {"hole-mass", MASS + GALAXY_HOLE, "M", 0, "of a black hole in the centre, one body (default 0)"},
    {"halo-weight", WEIGHT + GALAXY_HALO, "W", 0, "mass of a halo body over that of a disk body"},
    {"bulge-weight", WEIGHT + GALAXY_BULGE, "W", 0, "the same of a bulge body (default 1)"},
    {"gas-weight", WEIGHT + GALAXY_GAS, "W", 0, "the same of a gas body (default 1)"},
    {"quiet-start", QUIET, NULL, 0, GALAXY_QUIET},
    {"incline", INCLINE, "I,NODE", 0,
     "degrees from the z axis to the spin, and from x to the line of nodes (default 0,0: anticlockwise seen from +z)"},
    {0},
};

/* "--disk-mass" */
static const char *name_of(int key)
{
    for (const struct tool_option *o = table; o->name || o->about; o++)
        if (o->name && o->key == key) {
            static char name[32];
            snprintf(name, sizeof name, "--%s", o->name);
            return name;
        }
    return "";
}

static double parse_profile_truncation(const char *arg)
{
    double truncation = tool_positive("--halo-truncation", arg);
    if (truncation < 1)
        die_usage("--halo-truncation %s: inside the halo's core: not from 1 on", arg);
    return truncation;
}

static bool parse_component(int key, const char *arg)
{
    int which = key % 8;
    const char *name = name_of(key);
    switch (key - which) {
    case MASS: {
        double mass = tool_not_negative(name, arg);
        given.mass[which] = mass > 0 ? mass : -1;
        return true;
    }
    case SCALE: given.scale[which] = tool_positive(name, arg); return true;
    case HEIGHT: given.height[which] = tool_positive(name, arg); return true;
    case TOOMRE: given.toomre[which] = tool_positive(name, arg); return true;
    case WEIGHT: given.weight[which] = tool_positive(name, arg); return true;
    default: return false;
    }
}

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case PRESET: given.preset = arg; return true;
    case PROFILE: given.profile = arg; return true;
    case TRUNCATION: given.truncation = parse_profile_truncation(arg); return true;
    case QUIET: given.quiet = true; return true;
    case INCLINE: given.tilt = orbit_parse_tilt("--incline", arg); return true;
    default: return key >= MASS && key < PRESET && parse_component(key, arg);
    }
}

/* ---- the shape ---- */

/* What is given of a component that is not there cannot be meant. */
static void take(const struct galaxy_shape *s, double *value, int c, const double *of, int key)
{
    if (of[c] == 0)
        return;
    if (s->mass[c] == 0)
        die_usage("%s: there is no %s: its mass is 0", name_of(key + c), galaxy_names[c]);
    *value = of[c];
}

/* All that is missing at once. */
static void need_lengths(const struct galaxy_shape *s, int c, bool disk)
{
    const char *name = galaxy_names[c];
    bool scale = !(s->scale[c] > 0), height = disk && !(s->height[c] > 0);
    if (scale && height)
        die_usage("--%s-mass: this preset has none: --%s-scale and --%s-height are needed too", name, name, name);
    if (scale || height)
        die_usage("--%s-mass: this preset has none: --%s-%s is needed too", name, name, scale ? "scale" : "height");
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
    take(s, &s->scale[c], c, given.scale, SCALE);
    take(s, &s->height[c], c, given.height, HEIGHT);
    take(s, &s->toomre[c], c, given.toomre, TOOMRE);
    take(s, &s->weight[c], c, given.weight, WEIGHT);
    if (s->mass[c] > 0 && c != GALAXY_HOLE)
        need_lengths(s, c, disk);
    s->toomre_asked[c] = given.toomre[c] > 0;
}

static struct galaxy_shape make_shape(void)
{
    struct galaxy_shape s = galaxy_preset(given.preset);
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        if (given.mass[c])
            s.mass[c] = fmax(given.mass[c], 0);
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        complete(&s, c);
    if ((given.profile || given.truncation > 0) && s.mass[GALAXY_HALO] == 0)
        die_usage("%s: there is no halo: its mass is 0", given.profile ? "--halo-profile" : "--halo-truncation");
    s.hernquist = given.profile && strcmp(given.profile, "hernquist") == 0;
    s.truncation = given.truncation > 0 ? given.truncation : s.truncation;
    s.quiet = given.quiet;
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

void galaxy_say(const struct gen_plan *plan, const struct galaxy *g, const struct galaxy_place *place)
{
    double mass = plan->scale.mass * place->mass, length = plan->scale.length * place->length, total = 0;
    double velocity = plan->scale.velocity * sqrt(place->mass / place->length);
    char parts[400] = "";
    size_t at = 0;
    for (int c = 0; c < GALAXY_COMPONENTS; c++)
        if (g->n[c]) {
            at += (size_t)snprintf(parts + at, sizeof parts - at, "%s %s %.4g (%" PRIu64 ")", at ? "," : "",
                                   galaxy_names[c], mass * g->shape.mass[c], g->n[c]);
            total += mass * g->shape.mass[c];
        }
    say("%s: mass %.4g, of which (and bodies):%s", g->shape.name, total, parts);
    say("circular speed %.4g at 2.2 scale lengths (%.4g), a turn there takes %.4g", velocity * g->circular,
        length * 2.2, 2 * M_PI * 2.2 * length / (velocity * g->circular));
    for (int c = GALAXY_DISK; c <= GALAXY_GAS; c++)
        if (g->orbits[c])
            say("least Q of the %s %.3g at %.3g", galaxy_names[c], g->orbits[c]->least_Q,
                length * g->orbits[c]->least_at);
    say("softening %.3g, time step %.3g", length * g->softening, length / velocity * g->step);
}

static void prepare(struct gen_plan *plan)
{
    numeric_demand("galaxy");
    static struct galaxy g;
    struct galaxy_shape shape = make_shape();
    struct galaxy_place place = {.mass = 1, .length = 1, .tilt = given.tilt};
    double softening = plan->options->softening;
    galaxy_begin(&g, &shape);
    galaxy_scale(plan, &g);
    galaxy_prepare(&g, plan->n, isnan(softening) ? NAN : softening / plan->scale.length);
    galaxy_add(plan, &g, 0, &place);
    plan->softening = g.softening;
    plan->dt = g.step;
    galaxy_warn(&g);
    galaxy_say(plan, &g, &place);
}

const struct gen_model gen_galaxy = {
    .name = "galaxy",
    .about = "a galaxy of halo, bulge and disk in equilibrium",
    .doc =
        "A dark halo (Navarro, Frenk & White 1997, smoothly cut, or Hernquist 1990), a bulge (Hernquist), an "
        "exponential disk of stars, and on demand a disk of gas-like bodies and a black hole, in mutual equilibrium "
        "under the softened forces of all: another softening than the header's disturbs it. In code units the "
        "disk's scale length and the circular speed at 2.2 of them (before softening) are 1; without a disk the "
        "bulge's or halo's scale radius is. With --units galactic sizes are the preset's; --mass is a factor on all masses, --radius one on all lengths. The centre of mass rests at the origin.\n\n"
        "Halo and bulge have isotropic velocities by Eddington's inversion in the pull of all components, the disk's "
        "as if it were round. Stars of the disk have the distribution function of Shu (1969) in the plane, fitted "
        "(Dehnen 1999) to the exponential surface density and sigma_R^2 ~ exp(-R / scale), which has the --toomre "
        "asked for where Q is least, near two scale lengths; across, actions as of sech^2(z / height); each star is "
        "then carried along its orbit in the smooth field for a random part of a turn, so that the disk is mixed from the start and keeps its shape.\n\n"
        "Presets: milkyway is McMillan (2017) with one disk for his two; m31 Fardal et al. (2007) after Geehan et "
        "al. (2006); dwarf the Large Magellanic Cloud of Besla et al. (2012); elliptical has 10^11 Msun of stars "
        "with sizes by Shen et al. (2003) in a halo by Moster et al. (2013); disk-dominated is cold and unstable after Efstathiou, Lake & Negroponte (1982): it forms a bar.\n\n"
        "A component has bodies as its mass asks for, those of the halo heavier by --halo-weight (10 in most "
        "presets). Suggested softening: 0.03 scale lengths for a million bodies, as n^(-1/4), at most 0.1, 0.4 of "
        "the height and half of the bulge's radius. Suggested time step: 1/20 of the shortest period of circular "
        "and vertical motion, or two thirds of the softening length at the circular speed if that is less; less still where bodies are so heavy that they turn each other about.",
    .table = {table, parse},
    .random = true,
    .factors = true,
    .usual_n = 100000,
    .least_n = 100,
    .prepare = prepare,
};
