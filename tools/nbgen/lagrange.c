/* Three bodies at the corners of an equilateral triangle that turns as a whole (Lagrange 1772): whatever the masses,
 * the force on each points to the centre of mass and is omega^2 = G M / side^3 times the distance from it. */
#include "nbgen.h"

#include <math.h>

static double masses[3] = {1 / 3., 1 / 3., 1 / 3.}, side = 1;

static void take_masses(const struct gen_option *o, const char *option, const char *arg)
{
    (void)o;
    if (!gen_numbers(arg, masses, 3) || !(masses[0] > 0 && masses[1] > 0 && masses[2] > 0))
        die_usage("%s %s: not three numbers A,B,C above 0", option, arg);
}

static const struct gen_option table[] = {
    {"masses", "A,B,C", "masses of the three, in the stream's unit (default 1/3 each)", take_masses},
    {"side", "L", "side of the triangle, in the stream's unit (default 1)", gen_length, &side},
    {0},
};

static void prepare(struct gen_plan *plan)
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
    plan->softening = 0;
    plan->dt = 2 * M_PI / omega / 5000;
    gen_plan_list(plan, &listed);
}

const struct gen_model gen_lagrange = {
    .name = "lagrange",
    .about = "an equilateral triangle of three bodies that turns as a whole",
    .doc =
        "Lagrange's circular solution (1772), with the period 2 pi sqrt(side^3 / G M). It is stable only where one "
        "body has more "
        "than about 96 % of the mass; others leave it after a few turns. The centre of mass rests at the "
        "origin.\n\nNo softening. Suggested time step: 1/5000 of the period, for what follows once they have left it.",
    .options = {table},
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare,
};
