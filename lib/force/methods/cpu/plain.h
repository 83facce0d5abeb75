/* plain.h - the pair of the plain loops: what a first program writes, in double, left to the compiler as it is. */
#ifndef NB_PLAIN_H
#define NB_PLAIN_H

#include "force/force.h"
#include "force/put.h"

#include <math.h>

struct plain {
    const double *m, *x, *y, *z;
    double eps2;
};

struct plain_sum {
    double a[3], phi;
};

static inline struct plain plain_of(const struct nb_sources *s)
{
    const double *x = s->x;
    return (struct plain){s->m, x, x + s->stride, x + 2 * s->stride, s->softening * s->softening};
}

/* What source j adds to target i. */
static inline void plain_add(const struct plain *p, uint64_t i, uint64_t j, struct plain_sum *sum)
{
    const double dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i], dz = p->z[j] - p->z[i];
    const double rinv = 1 / sqrt(dx * dx + dy * dy + dz * dz + p->eps2), phi = p->m[j] * rinv, f = phi * rinv * rinv;
    sum->a[0] += f * dx;
    sum->a[1] += f * dy;
    sum->a[2] += f * dz;
    sum->phi -= phi;
}

/* Sources [j0, j1) but the target itself. */
static inline void plain_range(const struct plain *p, uint64_t i, uint64_t j0, uint64_t j1, struct plain_sum *sum)
{
    for (uint64_t j = j0; j < j1; j++)
        if (j != i)
            plain_add(p, i, j, sum);
}

static inline void plain_put(const struct nb_field *out, double G, uint64_t i, const struct plain_sum *sum)
{
    nb_field_put_sums(out, false, G, i, sum->a, sum->phi);
}

#endif
