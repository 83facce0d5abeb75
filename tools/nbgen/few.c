/* few.c - two or three bodies: the models kepler, figure8, pythagorean and lagrange. */
#include "nbgen.h"

#include <math.h>

/* The model kepler: two bodies on an ellipse, at pericentre. */
static struct {
    double eccentricity, mass_ratio, semi_major, mass;
} kepler = {0, 1, 1, 1};

static const struct tool_option kepler_options[] = {
    {"eccentricity", "E", tool_take_not_negative, &kepler.eccentricity, "eccentricity, from 0 to below 1 (default 0)",
     0, 1, "an ellipse has less than 1", .below = true, .letter = 'e'},
    {"semi-major", "L", gen_take_length, &kepler.semi_major, "semi-major axis, in the stream's unit (default 1)"},
    {"mass", "M", gen_take_mass, &kepler.mass, "total mass, in the stream's unit (default 1)"},
    {"mass-ratio", "Q", gen_take_ratio, &kepler.mass_ratio,
     "mass of the second body over that of the first (default 1)"},
    {0},
};

static void prepare_kepler(struct gen_plan *plan)
{
    static struct gen_listed listed;
    double e = kepler.eccentricity, m2 = kepler.mass_ratio / (1 + kepler.mass_ratio), m1 = 1 - m2;
    double distance = 1 - e, speed = sqrt((1 + e) / (1 - e));
    listed = (struct gen_listed){
        .n = 2,
        .bodies = {{m1, {-m2 * distance, 0, 0}, {0, -m2 * speed, 0}, NB_STAR},
                   {m2, {m1 * distance, 0, 0}, {0, m1 * speed, 0}, NB_STAR}},
    };
    plan->scale.length *= kepler.semi_major;
    plan->scale.mass *= kepler.mass;
    plan->scale.velocity *= sqrt(kepler.mass / kepler.semi_major);
    gen_plan_list(plan, &listed, 0.02 * distance / speed);
    plan->dynamical_time = 2 * M_PI;
}

const struct gen_model gen_kepler = {
    .name = "kepler",
    .about = "two bodies on an ellipse",
    .doc = "The period is 2 pi sqrt(L^3/(G M)), by default 2 pi. The orbit starts at pericentre, with the second "
           "body on the positive x axis and moving along y. The centre of mass rests at the origin."
           "\n\nNo softening. Suggested time step: 0.02 of distance over speed at pericentre, 1/314 of the period of "
           "a circle.",
    .options = {kepler_options},
    .usual_n = 2,
    .least_n = 2,
    .prepare = prepare_kepler,
};

/* Figure8: three equal masses that follow one another on a figure of eight (Chenciner & Montgomery 2000; numbers by
 * Simo). */
#define PERIOD 6.32591398292621

/* clang-format off */
static const struct gen_listed figure8 = {
    .n = 3,
    .bodies = {
        {1, { 0.97000435669734, -0.24308753153583, 0}, { 0.46620368557826,  0.43236572995580, 0}, NB_STAR},
        {1, {-0.97000435669734,  0.24308753153583, 0}, { 0.46620368557826,  0.43236572995580, 0}, NB_STAR},
        {1, { 0,                 0,                0}, {-0.93240737115652, -0.86473145991160, 0}, NB_STAR},
    },
};
/* clang-format on */

static void prepare_figure8(struct gen_plan *plan)
{
    gen_plan_list(plan, &figure8, PERIOD / 1000);
    plan->dynamical_time = PERIOD;
}

const struct gen_model gen_figure8 = {
    .name = "figure8",
    .about = "three equal masses that follow each other on a figure of eight",
    .doc = "Chenciner & Montgomery (2000), with 14 digits by Simo: masses 1, energy -1.287141997339, no angular "
           "momentum. The period is 6.32591398292621."
           "\n\nNo softening. Suggested time step: 1/1000 of the period.",
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare_figure8,
};

/* Pythagorean: Burrau's problem (1913), masses 3, 4, 5 at rest at the corners of a right-angled triangle. The mass at
 * each corner equals the length of the opposite side. */
static const struct gen_listed pythagorean = {
    .n = 3,
    .bodies = {{3, {1, 3, 0}, {0, 0, 0}, NB_STAR},
               {4, {-2, -1, 0}, {0, 0, 0}, NB_STAR},
               {5, {1, -1, 0}, {0, 0, 0}, NB_STAR}},
};

static void prepare_pythagorean(struct gen_plan *plan)
{
    gen_plan_list(plan, &pythagorean, 1e-6);
}

const struct gen_model gen_pythagorean = {
    .name = "pythagorean",
    .about = "masses 3, 4 and 5 at rest in a right-angled triangle",
    .doc = "Burrau's problem (1913), solved by Szebehely & Peters (1967). After many close passages, the closest "
           "at 4.14e-4 and t = 15.83, bodies 4 and 5 form a pair and body 3 escapes."
           "\n\nNo softening. Suggested time step: 1e-6, enough for the first fifteen time units. No constant step "
           "resolves the closest passage.",
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare_pythagorean,
};

/* Lagrange (1772): three bodies at the corners of a rotating equilateral triangle. For any masses, the acceleration of
 * each body points to the centre of mass. Its magnitude is omega^2 d, where d is the body's distance from the centre
 * of mass and omega^2 = G M / side^3. */
static double masses[3] = {1 / 3., 1 / 3., 1 / 3.}, side = 1;

static void take_masses(const struct tool_option *o, const char *arg)
{
    if (!gen_numbers(arg, masses, 3) || !(masses[0] > 0 && masses[1] > 0 && masses[2] > 0))
        die_usage("--%s %s: expected three numbers A,B,C above 0", o->name, arg);
}

static const struct tool_option table[] = {
    {"masses", "A,B,C", take_masses, NULL, "masses of the three bodies, in the stream's unit (default 1/3 each)"},
    {"side", "L", gen_take_length, &side, "side of the triangle, in the stream's unit (default 1)"},
    {0},
};

static void prepare_lagrange(struct gen_plan *plan)
{
    static struct gen_listed listed;
    const double *m = masses, corners[3][2] = {{1, 0}, {-0.5, sqrt(0.75)}, {-0.5, -sqrt(0.75)}};
    double mass = m[0] + m[1] + m[2], omega = sqrt(mass), centre[2];
    listed.n = 3;
    for (int k = 0; k < 2; k++)
        centre[k] = (m[0] * corners[0][k] + m[1] * corners[1][k] + m[2] * corners[2][k]) / (mass * sqrt(3));
    for (int i = 0; i < 3; i++) {
        double x = corners[i][0] / sqrt(3) - centre[0], y = corners[i][1] / sqrt(3) - centre[1];
        listed.bodies[i] = (struct gen_body){m[i], {x, y, 0}, {-omega * y, omega * x, 0}, NB_STAR};
    }
    plan->scale.length *= side;
    plan->scale.velocity /= sqrt(side);
    gen_plan_list(plan, &listed, 2 * M_PI / omega / 5000);
    plan->dynamical_time = 2 * M_PI / omega;
}

const struct gen_model gen_lagrange = {
    .name = "lagrange",
    .about = "three bodies in a rotating equilateral triangle",
    .doc = "Lagrange's circular solution (1772), with the period 2 pi sqrt(side^3 / G M). It is stable only if "
           "one body has more than about 96 % of the mass. Otherwise the bodies leave it after a few rotations. "
           "The centre of mass rests at the origin."
           "\n\nNo softening. Suggested time step: 1/5000 of the period, for the motion after that.",
    .options = {table},
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare_lagrange,
};
