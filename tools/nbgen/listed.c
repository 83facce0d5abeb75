/* listed.c - models that are a list of bodies. */

#include "nbgen.h"

#include <assert.h>

static void take(const void *part, uint64_t i, bool places, bool motions, struct gen_body *body)
{
    const struct gen_listed *listed = part;
    (void)places, (void)motions;
    *body = listed->bodies[i];
}

void gen_plan_list(struct gen_plan *plan, const struct gen_listed *listed, double dt)
{
    assert(plan->n == (uint64_t)listed->n);
    plan->softening = 0;
    plan->dt = dt;
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .body = take, .data = listed});
}
