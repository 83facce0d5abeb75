#include "nbgen.h"

#include <assert.h>
#include <string.h>

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct gen_listed *listed = part;
    for (uint64_t i = i0; i < i1; i++) {
        const struct gen_body *body = &listed->bodies[i];
        if (out->component)
            out->component[i - i0] = (uint8_t)body->component;
        if (out->mass)
            out->mass[i - i0] = body->mass;
        if (out->pos)
            memcpy(out->pos + 3 * (i - i0), body->pos, sizeof body->pos);
        if (out->vel)
            memcpy(out->vel + 3 * (i - i0), body->vel, sizeof body->vel);
    }
}

void gen_plan_list(struct gen_plan *plan, const struct gen_listed *listed, double dt)
{
    assert(plan->n == (uint64_t)listed->n);
    plan->softening = 0;
    plan->dt = dt;
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = fill, .data = listed});
}
