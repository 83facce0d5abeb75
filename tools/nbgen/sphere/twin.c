/* twin.c - the model `twin`: one or two galaxies. In each galaxy, stars in a flattened sphere move on circles around a
 * central body. In the units of this file, a galaxy has mass 1 and radius 1. */
#include "sphere.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FLATTENING 0.3 /* factor by which z is multiplied to flatten a galaxy */
/* Initial speed of each of two galaxies in the units of this file. In the default units of the output, where a galaxy
 * has mass 1000 and radius 50, the speed is 1.0541. */
#define DRIFT (1.0541 / sqrt(1000.0 / 50))

static const struct {
    /* central_mass: fraction of a galaxy's mass in its central body. softening: upper limit of the default softening
     * length. */
    double central_mass, softening;
} presets[] = {{0.99, 0.02}, {0.999, 0}}; /* defaults of the presets plain and study */

static struct {
    int preset, galaxies;
    /* fraction of a galaxy's mass in its central body; 0: not given, prepare() then sets the preset's default */
    double central_mass;
    bool quiet;
} parameters = {.galaxies = 2};

struct twin {
    struct nb_rng rng; /* for the stars' distances from the centre and their directions */
    uint64_t n;        /* number of bodies, the central one first */
};

static void take_galaxies(const struct tool_option *o, const char *arg)
{
    if (strcmp(arg, "1") && strcmp(arg, "2"))
        die_usage("--%s %s: expected 1 or 2", o->name, arg);
    parameters.galaxies = arg[0] - '0';
}

static const struct tool_option table[] = {
    {"preset", "plain|study", tool_take_word, &parameters.preset,
     "study: --central-mass 0.999 --softening 0, for studies of integrators (default plain). Options given with "
     "it replace its values"},
    {"galaxies", "K", take_galaxies, NULL, "1 galaxy at rest at the origin, or 2 that meet (default 2)"},
    {"central-mass", "SHARE", tool_take_positive, &parameters.central_mass,
     "fraction of a galaxy's mass in its central body, between 0 and 1: 0.999 and 0.99 keep their stars, 0.1 "
     "breaks up (default 0.99; 0.999 for study)",
     0, 1, "must be above 0 and below 1", .below = true},
    {"quiet-start", NULL, tool_take_flag, &parameters.quiet,
     "less noise: each star is placed six times around the axis, every other copy mirrored in the plane, and "
     "positions fill the sphere evenly. Fewer stars are independent"},
    {0},
};

/* Computes numbers that determine the position of star k (0 is the first star). u[0]: fraction of the stars inside the
 * radius of star k; u[1], u[2]: direction. *mirrored: whether the star is mirrored at the plane z = 0.
 * - Without --quiet-start, the numbers are random, and no star is mirrored.
 * - With --quiet-start, GEN_FOLD successive stars form a group. They have the same radius and the same distance from
 *   the plane. Their angles about the z axis are equally spaced. Every second star is mirrored. From one group to the
 *   next, u[0] increases by a constant. */
static void draw_place(const struct twin *t, uint64_t k, double u[4], bool *mirrored)
{
    uint64_t group = k / GEN_FOLD, turn = k % GEN_FOLD, groups = (t->n - 1 + GEN_FOLD - 1) / GEN_FOLD;
    *mirrored = parameters.quiet && turn % 2;
    if (!parameters.quiet) {
        nb_rng_uniforms(&t->rng, k + 1, 0, u);
        return;
    }
    const struct gen_even even = gen_even_begin(&t->rng, 2);
    u[0] = ((double)group + 0.5) / (double)groups;
    u[1] = gen_even_at(&even, 0, group);
    u[2] = gen_even_at(&even, 1, group) + (double)turn / GEN_FOLD;
}

/* Computes the position and velocity of body i, a star that moves on a circle around the z axis. The speed is that of a
 * circular orbit at the star's distance r from the centre. The mass inside r is the mass of the central body plus r^3
 * times the mass of all stars, as if the stars filled a sphere of radius 1 evenly. This neglects the flattening. */
static void make_star(const struct twin *t, uint64_t i, double pos[3], double vel[3])
{
    double u[4];
    bool mirrored;
    draw_place(t, i - 1, u, &mirrored);
    sphere_direction(u + 1, cbrt(u[0]), pos);
    pos[2] *= mirrored ? -FLATTENING : FLATTENING;
    double across = hypot(pos[0], pos[1]), r = hypot(across, pos[2]);
    double speed = sqrt((parameters.central_mass + (1 - parameters.central_mass) * pow(r, 3)) / r);
    vel[0] = -speed * pos[1] / across;
    vel[1] = speed * pos[0] / across;
    vel[2] = 0;
}

static void make(const void *part, uint64_t i, bool places, bool motions, struct gen_body *body)
{
    const struct twin *t = part;
    const double star_mass = (1 - parameters.central_mass) / (double)(t->n - 1);
    (void)motions;
    *body = (struct gen_body){.mass = i == 0 ? parameters.central_mass : star_mass,
                              .component = i == 0 ? NB_BLACK_HOLE : NB_STAR};
    if (i > 0 && places)
        make_star(t, i, body->pos, body->vel);
}

/* Returns the time step that resolves the orbits near the central bodies. `innermost` is the radius of the innermost
 * star. Stars stay on their circles if there is only one galaxy and its central body has at least half of the mass. In
 * all other cases many stars come near the centre, and the step must be shorter. */
static double central_step(double innermost, double softening)
{
    double central = parameters.galaxies * parameters.central_mass;
    bool quiet = parameters.galaxies == 1 && central >= 0.5;
    double r = quiet ? hypot(innermost / 2, softening) : fmax(innermost / 16, softening);
    return (quiet ? 1 : 2.0 / 3) * gen_step_period(sqrt(central / (r * r * r)));
}

static double find_step(const struct gen_plan *plan)
{
    double stars = (double)(plan->n / (uint64_t)parameters.galaxies - 1), each = (1 - parameters.central_mass) / stars;
    double step = central_step(cbrt(FLATTENING / stars), plan->softening);
    return fmin(step, gen_step_bodies(plan->softening, 1, each, 1, 1));
}

static void prepare(struct gen_plan *plan)
{
    static struct twin galaxies[2];
    int count = parameters.galaxies;
    if (parameters.central_mass == 0)
        parameters.central_mass = presets[parameters.preset].central_mass;
    if (plan->n < 2 * (uint64_t)count)
        die_usage("--bodies %" PRIu64 ": two galaxies need at least 4", plan->n);
    double usual = sphere_softening(cbrt(FLATTENING), plan->n / (uint64_t)count);
    plan->softening = gen_plan_softening(plan, fmin(usual, presets[parameters.preset].softening));
    plan->dt = find_step(plan);
    plan->dynamical_time = 2 * M_PI; /* rotation period at radius 1, the edge of a galaxy */
    plan->galaxies = true;
    for (int g = 0; g < count; g++) {
        double side = count == 1 ? 0 : 2 * g - 1;
        galaxies[g] = (struct twin){
            .rng = {plan->options->seed, NB_STAR + 256 * (uint64_t)g},
            .n = (plan->n + (uint64_t)(count - 1 - g)) / (uint64_t)count,
        };
        gen_plan_add(plan, (struct gen_part){.n = galaxies[g].n,
                                             .body = make,
                                             .data = &galaxies[g],
                                             .galaxy = (uint8_t)g,
                                             .centred = true,
                                             .pos = {side, 0, 0},
                                             .vel = {0, side * DRIFT, 0}});
    }
}

const struct gen_model gen_twin = {
    .name = "twin",
    .about = "one or two flattened spheres of stars around central bodies",
    .doc = "Each galaxy has mass 1000 and radius 50 (--mass, --radius); its central body comes first. Stars fill "
           "a sphere evenly, compressed to 0.3 of its height in z. They move on circles around the z axis with "
           "the speed sqrt(G M(r)/r), M(r) = M_centre + M_stars (r/R)^3. A rotation of the edge takes 2 pi "
           "sqrt(R^3/(G M)) = 70.2. Two galaxies start at x = -50 and 50 with the velocities -1.0541 and 1.0541 "
           "along y. The column galaxy is 0 or 1."
           "\n\nSuggested softening: half the mean distance of a galaxy's stars, at most R/50; 0 with --preset study. "
           "Suggested time step: 1/30 of the orbital period around the central bodies at the softening length, or "
           "the step of the model plummer if that is less, for leapfrog with a constant step.",
    .options = {table},
    .random = true,
    .usual_mass = 1000,
    .usual_radius = 50,
    .usual_n = 20000,
    .least_n = 2,
    .prepare = prepare,
};
