/* progress.c - reports the progress of writing. */

#include "nbgen.h"

#include <math.h>

/* Returns the cost of computing the whole model, in units of the cost of one body's position. Each body is computed
 * once for each column. If the centre of mass of a part of the plan (a range of bodies) is moved to a given position
 * (gen_part.centred), the bodies of this part are computed two more times, to find the centre of mass. */
static double whole(const struct gen_plan *plan)
{
    double made = (double)plan->n * (GEN_WEIGHT_LIGHT * (plan->galaxies ? 4 : 3) + 2);
    for (int p = 0; p < plan->part_count; p++)
        made += plan->parts[p].centred ? 2 * (double)plan->parts[p].n : 0;
    return made;
}

void gen_progress(const struct gen_plan *plan, const char *what, double weight, uint64_t bodies)
{
    static double begin_s, made;
    const double now_s = tool_clock();
    if (made == 0)
        begin_s = now_s;
    made += weight * (double)bodies;
    struct tool_progress p = tool_progress_of(what);
    p.fraction = fmin(made / whole(plan), 1);
    p.left_s = tool_progress_left(now_s - begin_s, p.fraction);
    tool_progress(&p);
}
