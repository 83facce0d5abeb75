/* centre.c - computes the centres of mass of the parts (for example two galaxies) that a model generates. */

#include "nbgen.h"

#include "base/sum.h"
#include "simd/columns.h"

enum { MASS, POS, VEL = POS + 3, SUMS = VEL + 3 };

struct centre {
    const struct gen_plan *plan;
    const struct gen_part *part;
    struct nb_sum sums[SUMS];
};

struct buffer {
    double mass[GEN_BLOCK], pos[3 * GEN_BLOCK], vel[3 * GEN_BLOCK];
    struct nb_sum sums[SUMS];
};

static void make(const void *context, uint64_t i0, uint64_t i1, void *in)
{
    const struct centre *c = context;
    struct buffer *buffer = in;
    struct gen_block block = {.mass = buffer->mass, .pos = buffer->pos, .vel = buffer->vel};
    gen_fill_part(c->part, i0, i1, &block);
    for (int s = 0; s < SUMS; s++)
        buffer->sums[s] = (struct nb_sum){0, 0};
    nb_columns()->add(i1 - i0, buffer->mass, &buffer->sums[MASS]);
    nb_columns()->add_weighted(i1 - i0, buffer->mass, buffer->pos, &buffer->sums[POS]);
    nb_columns()->add_weighted(i1 - i0, buffer->mass, buffer->vel, &buffer->sums[VEL]);
}

static int take(void *context, uint64_t i0, uint64_t i1, const void *from)
{
    struct centre *c = context;
    const struct buffer *buffer = from;
    for (int s = 0; s < SUMS; s++)
        nb_sum_merge(&c->sums[s], &buffer->sums[s]);
    gen_progress(c->plan, "centre of mass", 2, i1 - i0);
    return 0;
}

static double mean(const struct centre *c, int s)
{
    return nb_sum_value(&c->sums[s]) / nb_sum_value(&c->sums[MASS]);
}

/* Computes the common centre of mass of parts [first, end). Sets shift_pos and shift_vel of these parts such that the
 * centre of mass gets the position parts[first].pos and the velocity parts[first].vel. */
static void centre(struct gen_plan *plan, int first, int end)
{
    struct gen_part *parts = plan->parts;
    struct centre c = {.plan = plan};
    for (int p = first; p < end; p++) {
        c.part = &parts[p];
        gen_in_order(parts[p].n, sizeof(struct buffer), make, take, &c);
    }
    for (int p = first; p < end; p++)
        for (int k = 0; k < 3; k++) {
            parts[p].shift_pos[k] = parts[first].pos[k] - mean(&c, POS + k);
            parts[p].shift_vel[k] = parts[first].vel[k] - mean(&c, VEL + k);
        }
}

void gen_centre(struct gen_plan *plan)
{
    for (int p = 0, end; p < plan->part_count; p = end) {
        for (end = p + 1; end < plan->part_count && plan->parts[end].joined;)
            end++;
        if (plan->parts[p].centred)
            centre(plan, p, end);
    }
}
