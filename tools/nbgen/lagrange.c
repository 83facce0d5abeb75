/* Three bodies at the corners of an equilateral triangle that turns as a whole (Lagrange 1772): whatever the masses,
 * the force on each points to the centre of mass and is omega^2 = G M / side^3 times the distance from it. */
#include "nbgen.h"

#include <math.h>
#include <stdlib.h>

static struct {
    double masses[3];
} parameters = {{1 / 3., 1 / 3., 1 / 3.}};

static double side = 1;

enum { KEY_MASSES = 256, KEY_SIDE };

static const struct tool_option table[] = {
    {"masses", KEY_MASSES, "A,B,C", 0, "masses of the three, in the stream's unit (default 1/3 each)"},
    {"side", KEY_SIDE, "L", 0, "side of the triangle, in the stream's unit (default 1)"},
    {0},
};

static void parse_masses(const char *text)
{
    const char *at = text;
    for (int k = 0; k < 3; k++) {
        char *end;
        double mass = strtod(at, &end);
        if (end == at || *end != (k < 2 ? ',' : '\0') || !(mass > 0 && isfinite(mass)))
            die_usage("--masses %s: not three numbers A,B,C above 0", text);
        parameters.masses[k] = mass;
        at = end + 1;
    }
}

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case KEY_MASSES: parse_masses(arg); return true;
    case KEY_SIDE: side = gen_parse_length("--side", arg); return true;
    default: return false;
    }
}

static void prepare(struct gen_plan *plan)
{
    static struct gen_listed listed;
    const double *m = parameters.masses, corners[3][2] = {{1, 0}, {-0.5, sqrt(0.75)}, {-0.5, -sqrt(0.75)}};
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
    .table = {table, parse},
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare,
};
