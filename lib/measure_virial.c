/* The virial ratio. Declared in measure.h. */
#include "error.h"
#include "measure.h"
#include "sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1024 /* bodies summed by one thread at a time; part of the result, not to be tuned to the machine */

struct sums {
    struct nb_sum motion, pull; /* sum m |v - V|^2, sum m (x - R) . a */
};

struct input {
    const struct nb_column *mass, *pos, *vel;
    const double *acc;
    const struct nb_measures *m;
};

static void sum_block(const struct input *in, uint64_t i0, uint64_t i1, struct sums *s)
{
    double m[BLOCK], x[3 * BLOCK], v[3 * BLOCK];
    nb_column_get_f64(in->mass, i0, i1, m);
    nb_column_get_f64(in->pos, i0, i1, x);
    nb_column_get_f64(in->vel, i0, i1, v);
    memset(s, 0, sizeof *s);
    for (uint64_t i = 0; i < i1 - i0; i++)
        for (uint64_t k = 0; k < 3; k++) {
            const double u = v[3 * i + k] - in->m->com_velocity[k];
            nb_sum_add(&s->motion, m[i] * (u * u));
            nb_sum_add(&s->pull, m[i] * ((x[3 * i + k] - in->m->com[k]) * in->acc[3 * (i0 + i) + k]));
        }
}

int nb_measure_virial(const struct nb_bodies *b, const double *acc, const struct nb_measures *m, double *ratio)
{
    const struct input in = {nb_bodies_find(b, "mass"), nb_bodies_find(b, "pos"), nb_bodies_find(b, "vel"), acc, m};
    const uint64_t count = (b->n + BLOCK - 1) / BLOCK;
    struct sums *blocks = malloc(count * sizeof *blocks), total = {0};
    if (!blocks)
        return nb_fail("no memory for the sums of %" PRIu64 " bodies", b->n);
#pragma omp parallel for schedule(static) if (count > 4)
    for (uint64_t k = 0; k < count; k++)
        sum_block(&in, k * BLOCK, k + 1 < count ? (k + 1) * BLOCK : b->n, &blocks[k]);
    for (uint64_t k = 0; k < count; k++) {
        nb_sum_merge(&total.motion, &blocks[k].motion);
        nb_sum_merge(&total.pull, &blocks[k].pull);
    }
    free(blocks);
    *ratio = nb_sum_value(&total.motion) / (0 - nb_sum_value(&total.pull));
    return 0;
}
