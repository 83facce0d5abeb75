/* models.c - the models that consist of one sphere with a distribution function. Each model has one density or a family
 * of densities. */
#include "cluster.h"

#include <math.h>

static struct {
    double gamma, concentration, w0;
    double truncation; /* truncation radius, divided by the scale radius (nfw: virial radius); NAN: model's default */
} parameters = {.gamma = 1, .concentration = 10, .w0 = 6, .truncation = NAN};

#define TRUNCATION(about)                                                                                           \
    {                                                                                                               \
        "truncation", "T", gen_take_positive_or_inf, &parameters.truncation, about, 0, 1e5, "not up to 1e5, or inf" \
    }
#define CUT(usual) TRUNCATION("truncate: density times sech(r/T), T in scale radii from 1 (default " usual ")")
/* Initialises the members of struct gen_model that are the same in all models of this file. */
#define SPHERE(own) \
    .options = {own, cluster_isotropy, cluster_quiet, cluster_stars}, .random = true, .usual_n = 10000, .least_n = 1

static double truncation(double usual, double core, bool endless)
{
    double t = isnan(parameters.truncation) ? usual : parameters.truncation;
    if (t < core)
        die_usage("--truncation %g: is inside the core, expected at least %g", t, core);
    if (isinf(t) && !endless)
        die_usage("--truncation inf: the mass of this model is infinite without truncation");
    return t;
}

/* ---- common part ---- */

/* Sets softening, time step and dynamical time of a plan, and adds its bodies. The softening is computed from the mean
 * density within the radius that contains a tenth of the bodies. The time step resolves orbits whose radius is the
 * softening length or the radius of the innermost body, whichever is larger. */
static void prepare(struct gen_plan *plan, enum nb_component component, const struct sphere_shape *shape)
{
    struct sphere_density density = sphere_profile(shape);
    double tenth = fmax(sphere_density_radius(&density, 0.1), shape->scale / 50);
    cluster_softening(plan, sphere_softening(tenth / cbrt(0.1), plan->n));
    const struct sphere *s = sphere_alone(&density, plan->softening, cluster_anisotropy);
    const struct cluster *c = cluster_plan(plan, component, sphere_alone_make, s);
    double centre = fmax(plan->softening, sphere_density_radius(&density, 1 / (double)plan->n));
    double mass = density.mass(centre, density.context);
    cluster_step(plan, c, tenth, sqrt(-2 * sphere_potential(s, centre)), sphere_largest_pull(s));
    plan->dt = fmin(plan->dt, gen_step_period(sqrt(mass / centre) / centre));
    plan->dynamical_time = sphere_dynamical_time(sphere_density_radius(&density, 0.5));
}

#define MODEL_DOC                                                                                            \
    "Velocities follow the distribution function of this density in its own softened gravity (Eddington "    \
    "1916), with --anisotropy-radius that of Osipkov (1979) and Merritt (1985). The centre of mass rests "   \
    "at the origin."                                                                                         \
    "\n\nSuggested softening: half the mean distance of the bodies within the radius that contains a tenth " \
    "of them. Suggested time step: 0.18 to 0.54 of (softening / largest acceleration)^(1/2), at most 1/20 "  \
    "of the orbital period at the softening length." CLUSTER_DOC

/* ---- Dehnen's (1993, MNRAS 265, 250) family ---- */

static void prepare_dehnen(struct gen_plan *plan)
{
    prepare(
        plan, NB_STAR,
        &(struct sphere_shape){SPHERE_DEHNEN, 1, 1, .gamma = parameters.gamma, .truncation = truncation(100, 1, true)});
}

static void prepare_jaffe(struct gen_plan *plan)
{
    parameters.gamma = 2;
    prepare_dehnen(plan);
}

static const struct tool_option table_cut[] = {CUT("100"), {0}};

const struct gen_model gen_hernquist = {
    .name = "hernquist",
    .about = "a Hernquist sphere in equilibrium, like bulges and ellipticals",
    .doc = "Mass 1 and scale radius a = 1, with the density ~ 1 / (r (r + a)^3) (Hernquist 1990). Without "
           "truncation half the mass is within 2.41 a."
           "\n\n" MODEL_DOC,
    SPHERE(table_cut),
    .prepare = prepare_dehnen,
};

const struct gen_model gen_jaffe = {
    .name = "jaffe",
    .about = "a Jaffe sphere in equilibrium, with a steep cusp",
    .doc = "Mass 1 and scale radius a = 1, with the density ~ 1 / (r (r + a))^2 (Jaffe 1983). Without truncation "
           "half the mass is within a."
           "\n\n" MODEL_DOC,
    SPHERE(table_cut),
    .prepare = prepare_jaffe,
};

static const struct tool_option table_dehnen[] = {
    {"gamma", "G", tool_take_not_negative, &parameters.gamma, "slope of the cusp, from 0 to below 3 (default 1)", 0, 3,
     "must be at least 0 and below 3", .below = true},
    CUT("100"),
    {0},
};

const struct gen_model gen_dehnen = {
    .name = "dehnen",
    .about = "a Dehnen sphere in equilibrium, with a cusp of any slope",
    .doc = "Mass 1 and scale radius a = 1, with the density ~ r^-gamma (r + a)^(gamma - 4) (Dehnen 1993). gamma 1 "
           "is hernquist, 2 is jaffe, and 0 has a core. From 2.5 the binding energy of the cusp is infinite."
           "\n\n" MODEL_DOC,
    SPHERE(table_dehnen),
    .prepare = prepare_dehnen,
};

/* ---- haloes ---- */

static void prepare_nfw(struct gen_plan *plan)
{
    double c = parameters.concentration;
    prepare(plan, NB_HALO, &(struct sphere_shape){SPHERE_NFW, 1, 1 / c, .truncation = c * truncation(1, 1 / c, false)});
}

static const struct tool_option table_nfw[] = {
    {"concentration", "C", tool_take_positive, &parameters.concentration,
     "virial radius over scale radius, from 1 to 1000 (default 10)", 1, 1000, "must be from 1 to 1000"},
    TRUNCATION("truncate: density times sech(r/T), T in virial radii from one scale radius (default 1)"),
    {0},
};

const struct gen_model gen_nfw = {
    .name = "nfw",
    .about = "a halo of dark matter in equilibrium (Navarro, Frenk & White)",
    .doc = "Virial radius 1 and mass 1, which includes the mass beyond the virial radius. The density is ~ 1 / (r "
           "(r + 1/C)^2) (Navarro, Frenk & White 1997), truncated smoothly."
           "\n\n" MODEL_DOC,
    SPHERE(table_nfw),
    .prepare = prepare_nfw,
};

static void prepare_isothermal(struct gen_plan *plan)
{
    numeric_demand("isothermal");
    prepare(plan, NB_HALO, &(struct sphere_shape){SPHERE_ISOTHERMAL, 1, 1, .truncation = truncation(30, 1, false)});
}

static const struct tool_option table_isothermal[] = {CUT("30"), {0}};

const struct gen_model gen_isothermal = {
    .name = "isothermal",
    .about = "a truncated isothermal sphere with a core, in equilibrium",
    .doc = "Mass 1 and King's core radius 1, 3 sigma / sqrt(4 pi rho(0)). The density is that of isothermal gas "
           "under its own gravity (Emden 1907), ~ r^-2 outside the core, truncated smoothly."
           "\n\n" MODEL_DOC,
    SPHERE(table_isothermal),
    .prepare = prepare_isothermal,
};

/* ---- King ---- */

static void prepare_king(struct gen_plan *plan)
{
    numeric_demand("king");
    prepare(plan, NB_STAR, &(struct sphere_shape){SPHERE_KING, 1, 1, .truncation = INFINITY, .w0 = parameters.w0});
}

static const struct tool_option table_king[] = {
    {"w0", "W", tool_take_positive, &parameters.w0,
     "depth of the centre in units of the dispersion, from 0.01 to 16 (default 6)", 0.01, 16,
     "must be from 0.01 to 16"},
    {0},
};

const struct gen_model gen_king = {
    .name = "king",
    .about = "a King model with a tidal edge, like a globular cluster",
    .doc = "Mass 1 and core radius 1, with f ~ exp(E) - 1 (King 1966). The edge is at 4.70, 18.0, 33.7 and 132 "
           "core radii for w0 = 3, 6, 7 and 9."
           "\n\n" MODEL_DOC,
    SPHERE(table_king),
    .prepare = prepare_king,
};
