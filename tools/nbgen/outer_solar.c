/* The Sun with the four inner planets, the giant planets and Pluto: data of Ahnert's calendar (1994), as used by
 * Hairer, Lubich & Wanner, "Geometric Numerical Integration" (2006), chapter I.2.4. AU, Msun, day. */
#include "nbgen.h"

#define G_AU_DAY 2.95912208286e-4

/* clang-format off */
static const struct gen_listed listed = {
    .n = 6,
    .bodies = {
        {1.00000597682,     {0, 0, 0}, {0, 0, 0}, NB_STAR},
        {0.000954786104043, {-3.5023653, -3.8169847, -1.5507963}, {0.00565429, -0.00412490, -0.00190589}, NB_PLANET},
        {0.000285583733151, {9.0755314, -3.0458353, -1.6483708}, {0.00168318, 0.00483525, 0.00192462}, NB_PLANET},
        {0.0000437273164546, {8.3101420, -16.2901086, -7.2521278}, {0.00354178, 0.00137102, 0.00055029}, NB_PLANET},
        {0.0000517759138449, {11.4707666, -25.7294829, -10.8169456}, {0.00288930, 0.00114527, 0.00039677}, NB_PLANET},
        {1 / 1.3e8, {-15.5387357, -25.2225594, -3.1902382}, {0.00276725, -0.00170702, -0.00136504}, NB_PLANET},
    },
};
/* clang-format on */

static void prepare(struct gen_plan *plan)
{
    if (plan->options->units)
        die_usage("--units %s: outer-solar has units of its own, AU, Msun and day", plan->options->units);
    plan->units = (struct nb_units){"au-day", NB_AU_CGS, 0, NB_DAY_CGS};
    plan->units.mass_cgs = G_AU_DAY * NB_AU_CGS * NB_AU_CGS * NB_AU_CGS / (NB_DAY_CGS * NB_DAY_CGS) / NB_G_CGS;
    plan->G = G_AU_DAY;
    plan->scale = (struct gen_scale){1, 1, 1};
    plan->softening = 0;
    plan->dt = 10;
    gen_plan_list(plan, &listed);
}

const struct gen_model gen_outer_solar = {
    .name = "outer-solar",
    .about = "the Sun, Jupiter to Neptune, and Pluto, as in the textbook",
    .doc =
        "The problem of Hairer, Lubich & Wanner (2006): AU, day and the mass of the Sun, to which the inner planets "
        "are added; G = 2.95912208286e-4. Heliocentric, equatorial, for 5 September 1994. `nbgen solar' has all planets.\n\n"
        "No softening. Suggested time step: 10 days.",
    .usual_n = 6,
    .least_n = 6,
    .prepare = prepare,
};
