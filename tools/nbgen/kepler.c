/* Two bodies on an ellipse, at pericentre. */
#include "nbgen.h"

#include <math.h>

static struct {
    double eccentricity, mass_ratio;
} parameters = {.mass_ratio = 1};

static double semi_major = 1, total_mass = 1;

static const struct gen_option table[] = {
    {"eccentricity", "E", "eccentricity, from 0 to below 1 (default 0)", GEN_NOT_NEGATIVE, &parameters.eccentricity, 0,
     1, "an ellipse has less than 1", .below = true, .letter = 'e'},
    {"semi-major", "L", "semi-major axis, in the stream's unit (default 1)", GEN_LENGTH, &semi_major},
    {"mass", "M", "total mass, in the stream's unit (default 1)", GEN_MASS, &total_mass},
    {"mass-ratio", "Q", "mass of the second body over that of the first (default 1)", GEN_RATIO,
     &parameters.mass_ratio},
    {0},
};

static void prepare(struct gen_plan *plan)
{
    static struct gen_listed listed;
    double e = parameters.eccentricity, m2 = parameters.mass_ratio / (1 + parameters.mass_ratio), m1 = 1 - m2;
    double distance = 1 - e, speed = sqrt((1 + e) / (1 - e));
    listed = (struct gen_listed){
        .n = 2,
        .bodies = {{m1, {-m2 * distance, 0, 0}, {0, -m2 * speed, 0}, NB_STAR},
                   {m2, {m1 * distance, 0, 0}, {0, m1 * speed, 0}, NB_STAR}},
    };
    plan->scale.length *= semi_major;
    plan->scale.mass *= total_mass;
    plan->scale.velocity *= sqrt(total_mass / semi_major);
    gen_plan_list(plan, &listed, 0.02 * distance / speed);
}

const struct gen_model gen_kepler = {
    .name = "kepler",
    .about = "two bodies on an ellipse",
    .doc = "The period is 2 pi sqrt(L^3/(G M)), which is 2 pi by default. The orbit starts at pericentre, the second "
           "body on the positive x axis and moving along y. The centre of mass rests at the origin.\n\nNo softening. "
           "Suggested time step: 0.02 of distance over speed at pericentre, 1/314 of the period of a circle.",
    .options = {table},
    .usual_n = 2,
    .least_n = 2,
    .prepare = prepare,
};
