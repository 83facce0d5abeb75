/* The models that are one sphere with a distribution function: densities of one family each. */
#include "cluster.h"

#include "nbgen/spheres.h"

#include <math.h>
#include <string.h>

static struct {
    double gamma, concentration, w0;
    double truncation;        /* in scale radii, of nfw in virial radii; NAN: the model's usual one */
    double anisotropy_radius; /* in the length called 1 */
} parameters = {.gamma = 1, .concentration = 10, .w0 = 6, .truncation = NAN, .anisotropy_radius = INFINITY};

enum { KEY_GAMMA = 256, KEY_CONCENTRATION, KEY_W0, KEY_TRUNCATION, KEY_ANISOTROPY };

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case KEY_GAMMA:
        parameters.gamma = tool_not_negative("--gamma", arg);
        if (parameters.gamma >= 3)
            die_usage("--gamma %s: not from 0 on and below 3", arg);
        return true;
    case KEY_CONCENTRATION:
        parameters.concentration = tool_positive("--concentration", arg);
        if (parameters.concentration < 1 || parameters.concentration > 1000)
            die_usage("--concentration %s: not from 1 to 1000", arg);
        return true;
    case KEY_W0:
        parameters.w0 = tool_positive("--w0", arg);
        if (parameters.w0 < 0.01 || parameters.w0 > 16)
            die_usage("--w0 %s: not from 0.01 to 16", arg);
        return true;
    case KEY_TRUNCATION:
        parameters.truncation = strcmp(arg, "inf") ? tool_positive("--truncation", arg) : INFINITY;
        if (parameters.truncation > 1e5 && isfinite(parameters.truncation))
            die_usage("--truncation %s: not up to 1e5, or inf", arg);
        return true;
    case KEY_ANISOTROPY: parameters.anisotropy_radius = tool_positive("--anisotropy-radius", arg); return true;
    default: return cluster_parse(key, arg);
    }
}

#define ANISOTROPY CLUSTER_ANISOTROPY(KEY_ANISOTROPY)
#define CUT(usual)                                                                                   \
    {                                                                                                \
        "truncation", KEY_TRUNCATION, "T", 0,                                                        \
            "the density is multiplied by sech(r/T), T in scale radii from 1 on (default " usual ")" \
    }

static double truncation(double usual, double core, bool endless)
{
    double t = isnan(parameters.truncation) ? usual : parameters.truncation;
    if (t < core)
        die_usage("--truncation %g: inside the core, not from %g on", t, core);
    if (isinf(t) && !endless)
        die_usage("--truncation inf: the mass of this model has no bound without a cut");
    return t;
}

/* ---- what all of them do ---- */

/* Softening for where a tenth of the bodies is; a step for the speeds and turns at the softening length, or where the
 * innermost body is. */
static void prepare(struct gen_plan *plan, enum nb_component component, const struct sphere_shape *shape)
{
    struct sphere_density density = sphere_profile(shape);
    double tenth = fmax(sphere_density_radius(&density, 0.1), shape->scale / 50);
    cluster_softening(plan, sphere_softening(tenth / cbrt(0.1), plan->n));
    const struct sphere *s = sphere_alone(&density, plan->softening, parameters.anisotropy_radius);
    const struct cluster *c = cluster_plan(plan, component, sphere_alone_make, s);
    double centre = fmax(plan->softening, sphere_density_radius(&density, 1 / (double)plan->n));
    double mass = density.mass(centre, density.context);
    cluster_step(plan, c, tenth, sqrt(-2 * sphere_potential(s, centre)));
    plan->dt = fmin(plan->dt, gen_step_period(sqrt(mass / centre) / centre));
}

#define MODEL_DOC                                                                                                    \
    "Velocities follow the distribution function that Eddington's (1916) formula gives for this density in its own " \
    "gravity, with --anisotropy-radius that of Osipkov (1979) and Merritt (1985): the sphere is in equilibrium but " \
    "for what softening changes. The centre of mass of the bodies rests at the origin.\n\n"                          \
    "Suggested softening: half the mean distance of the bodies in the radius that a tenth of them is in. Suggested " \
    "time step: a quarter of the time in which two bodies pass the softening length at the escape speed there, or "  \
    "1/20 of the period of an orbit of that radius." CLUSTER_DOC

/* ---- Dehnen's (1993, MNRAS 265, 250) family ---- */

static void prepare_dehnen_of(struct gen_plan *plan, double gamma)
{
    static struct sphere_shape shape;
    shape = (struct sphere_shape){SPHERE_DEHNEN, 1, 1, .gamma = gamma, .truncation = truncation(100, 1, true)};
    prepare(plan, NB_STAR, &shape);
}

static void prepare_hernquist(struct gen_plan *plan)
{
    prepare_dehnen_of(plan, 1);
}

static void prepare_jaffe(struct gen_plan *plan)
{
    prepare_dehnen_of(plan, 2);
}

static void prepare_dehnen(struct gen_plan *plan)
{
    prepare_dehnen_of(plan, parameters.gamma);
}

static const struct tool_option table_cut[] = {CUT("100"), ANISOTROPY, CLUSTER_OPTIONS, {0}};

const struct gen_model gen_hernquist = {
    .name = "hernquist",
    .about = "a Hernquist sphere in equilibrium, as bulges and ellipticals are",
    .doc =
        "Mass 1 and scale radius a = 1: density ~ 1 / (r (r + a)^3) (Hernquist 1990), half the mass is within 2.41 a without a cut.\n\n" MODEL_DOC,
    .table = {table_cut, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare_hernquist,
};

const struct gen_model gen_jaffe = {
    .name = "jaffe",
    .about = "a Jaffe sphere in equilibrium, with a steep cusp",
    .doc =
        "Mass 1 and scale radius a = 1: density ~ 1 / (r (r + a))^2 (Jaffe 1983), half the mass is within a without a cut.\n\n" MODEL_DOC,
    .table = {table_cut, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare_jaffe,
};

static const struct tool_option table_dehnen[] = {
    {"gamma", KEY_GAMMA, "G", 0, "slope of the cusp, from 0 on and below 3 (default 1)"},
    CUT("100"),
    ANISOTROPY,
    CLUSTER_OPTIONS,
    {0},
};

const struct gen_model gen_dehnen = {
    .name = "dehnen",
    .about = "a Dehnen sphere in equilibrium, of any cusp",
    .doc = "Mass 1 and scale radius a = 1: density ~ r^-gamma (r + a)^(gamma - 4) (Dehnen 1993); gamma 1 is hernquist, "
           "2 jaffe, 0 has a core. From 2.5 on the binding energy of the cusp has no bound.\n\n" MODEL_DOC,
    .table = {table_dehnen, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare_dehnen,
};

/* ---- haloes ---- */

static void prepare_nfw(struct gen_plan *plan)
{
    static struct sphere_shape shape;
    double c = parameters.concentration;
    shape = (struct sphere_shape){SPHERE_NFW, 1, 1 / c, .truncation = c * truncation(1, 1 / c, false)};
    prepare(plan, NB_HALO, &shape);
}

static const struct tool_option table_nfw[] = {
    {"concentration", KEY_CONCENTRATION, "C", 0, "virial radius over scale radius, from 1 to 1000 (default 10)"},
    {"truncation", KEY_TRUNCATION, "T", 0,
     "the density is multiplied by sech(r/T), T in virial radii from one scale radius on (default 1)"},
    ANISOTROPY,
    CLUSTER_OPTIONS,
    {0},
};

const struct gen_model gen_nfw = {
    .name = "nfw",
    .about = "a halo of dark matter in equilibrium (Navarro, Frenk & White)",
    .doc =
        "Mass 1 with all that is beyond the virial radius, which is 1; density ~ 1 / (r (r + 1/C)^2) (Navarro, Frenk & White 1997) with a smooth cut.\n\n" MODEL_DOC,
    .table = {table_nfw, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare_nfw,
};

static void prepare_isothermal(struct gen_plan *plan)
{
    static struct sphere_shape shape;
    numeric_demand("isothermal");
    shape = (struct sphere_shape){SPHERE_ISOTHERMAL, 1, 1, .truncation = truncation(30, 1, false)};
    prepare(plan, NB_HALO, &shape);
}

static const struct tool_option table_isothermal[] = {CUT("30"), ANISOTROPY, CLUSTER_OPTIONS, {0}};

const struct gen_model gen_isothermal = {
    .name = "isothermal",
    .about = "an isothermal sphere with a core and a cut, in equilibrium",
    .doc =
        "Mass 1 and King's core radius 1, 3 sigma / sqrt(4 pi rho(0)): the density of gas of one temperature under its own gravity (Emden 1907), ~ r^-2 outside of the core, with a smooth cut.\n\n" MODEL_DOC,
    .table = {table_isothermal, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare_isothermal,
};

/* ---- King ---- */

static void prepare_king(struct gen_plan *plan)
{
    static struct sphere_shape shape;
    numeric_demand("king");
    shape = (struct sphere_shape){SPHERE_KING, 1, 1, .truncation = INFINITY, .w0 = parameters.w0};
    prepare(plan, NB_STAR, &shape);
}

static const struct tool_option table_king[] = {
    {"w0", KEY_W0, "W", 0, "depth of the centre in units of the dispersion, from 0.01 to 16 (default 6)"},
    ANISOTROPY,
    CLUSTER_OPTIONS,
    {0},
};

const struct gen_model gen_king = {
    .name = "king",
    .about = "a King model, as globular clusters are, with a tidal edge",
    .doc =
        "Mass 1 and core radius 1: f ~ exp(E) - 1 (King 1966) of bodies that do not reach the edge, which is at 4.70, 18.0, 33.7 and 132 core radii for w0 = 3, 6, 7 and 9.\n\n" MODEL_DOC,
    .table = {table_king, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare_king,
};
