/* Three equal masses that move one behind another on a figure of eight (Chenciner & Montgomery 2000; numbers of Simo).
 */
#include "nbgen.h"

#define PERIOD 6.32591398292621

/* clang-format off */
static const struct gen_listed listed = {
    .n = 3,
    .bodies = {
        {1, { 0.97000435669734, -0.24308753153583, 0}, { 0.46620368557826,  0.43236572995580, 0}, NB_STAR},
        {1, {-0.97000435669734,  0.24308753153583, 0}, { 0.46620368557826,  0.43236572995580, 0}, NB_STAR},
        {1, { 0,                 0,                0}, {-0.93240737115652, -0.86473145991160, 0}, NB_STAR},
    },
};
/* clang-format on */

static void prepare(struct gen_plan *plan)
{
    plan->softening = 0;
    plan->dt = PERIOD / 1000;
    gen_plan_list(plan, &listed);
}

const struct gen_model gen_figure8 = {
    .name = "figure8",
    .about = "three equal masses chasing one another along a figure of eight",
    .doc = "Chenciner & Montgomery (2000), with the 14 digits of Simo: masses 1, energy -1.287141997339, no angular "
           "momentum. The period is 6.32591398292621.\n\nNo softening. Suggested time step: 1/1000 of the period.",
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare,
};
