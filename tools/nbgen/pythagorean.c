/* Burrau's problem (1913): masses 3, 4, 5 at rest at the corners of a right-angled triangle, each facing the side of
 * its own length. */
#include "nbgen.h"

static const struct gen_listed listed = {
    .n = 3,
    .bodies = {{3, {1, 3, 0}, {0, 0, 0}, NB_STAR},
               {4, {-2, -1, 0}, {0, 0, 0}, NB_STAR},
               {5, {1, -1, 0}, {0, 0, 0}, NB_STAR}},
};

static void prepare(struct gen_plan *plan)
{
    plan->softening = 0;
    plan->dt = 1e-6;
    gen_plan_list(plan, &listed);
}

const struct gen_model gen_pythagorean = {
    .name = "pythagorean",
    .about = "masses 3, 4 and 5 at rest in a right-angled triangle",
    .doc = "Burrau's problem (1913), solved by Szebehely & Peters (1967): after many close passages, the closest at "
           "4.14e-4 and "
           "t = 15.83, the bodies 4 and 5 form a pair and 3 escapes.\n\nNo softening. Suggested time step: 1e-6, "
           "enough for the passages of the first fifteen time units; no fixed step is good for the closest one.",
    .usual_n = 3,
    .least_n = 3,
    .prepare = prepare,
};
