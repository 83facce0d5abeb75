/* heavy.c - chooses heavy bodies and kicks them. Declared in heavy.h. */
#include "step/p3t/heavy.h"

#include "base/error.h"
#include "step/groups/near.h"

#include <math.h>
#include <stdlib.h>

#define MASS 8 /* minimum of (mass of a heavy body) / (mean mass of all bodies) */
/* minimum of (G m)^2 / (R E) for a heavy body of mass m. R: outer radius of the changeover; E: G times the total
 * kinetic energy of all bodies */
#define PAIR 1e-4

static uint64_t padded(uint64_t n)
{
    return (n + NB_NEAR_LANES - 1) / NB_NEAR_LANES * NB_NEAR_LANES;
}

int nb_heavy_choose(struct nb_heavy *o, uint64_t n, const double *gm, double all, double outer, double energy)
{
    const double least = fmax(MASS * all / (double)n, sqrt(PAIR * energy * outer));
    uint64_t count = 0;
    if (least == o->least)
        return 0;
    o->least = 0;
    o->count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += gm[i] >= least;
    if (count < 2)
        count = 0;
    free(o->body);
    o->body = malloc((count + 1) * sizeof *o->body);
    if (count > 0 && !o->in)
        o->in = calloc(n, 1);
    if (!o->body || (count > 0 && !o->in))
        return nb_fail("no memory for %llu heavy bodies", (unsigned long long)count);
    for (uint32_t i = 0; i < n && o->count < count; i++)
        if (gm[i] >= least)
            o->body[o->count++] = i;
    o->least = least;
    return 0;
}

static int make_room(struct nb_heavy *o, uint64_t n)
{
    if (n <= o->room)
        return 0;
    o->room = padded(2 * n);
    uint32_t *with = realloc(o->with, o->room * sizeof *with);
    double *rows = realloc(o->rows, 4 * o->room * sizeof *rows);
    o->with = with ? with : o->with;
    o->rows = rows ? rows : o->rows;
    if (with && rows)
        return 0;
    o->room = 0;
    return nb_fail("no memory for %llu bodies with heavy ones", (unsigned long long)n);
}

static int add(struct nb_heavy *o, uint32_t count, const uint32_t *body)
{
    if (make_room(o, o->some + count))
        return -1;
    for (uint32_t q = 0; q < count; q++)
        o->in[o->with[o->some++] = body[q]] = 1;
    return 0;
}

int nb_heavy_gather(struct nb_heavy *o, const struct nb_components *parts)
{
    while (o->some > 0)
        o->in[o->with[--o->some]] = 0;
    for (uint64_t k = 0; k < o->count; k++) {
        const uint32_t i = o->body[k], root = parts->root[i], end = parts->size[root];
        uint32_t begin = end;
        while (begin > 0 && parts->root[parts->body[begin - 1]] == root)
            begin--;
        if (!o->in[i] && (end > 0 ? add(o, end - begin, parts->body + begin) : add(o, 1, &i)))
            return -1;
    }
    return 0;
}

void nb_heavy_kick(const struct nb_heavy *o, uint64_t stride, const double *x, double *v, const double *gm,
                   struct nb_changeover split, double h)
{
    const uint64_t row = padded(o->some);
    const struct nb_near_set *set = nb_near_in_use();
    double *const own_gm = o->rows + 3 * row;
    for (uint64_t k = 0; k < o->some; k++) {
        own_gm[k] = gm[o->with[k]];
        for (uint64_t d = 0; d < 3; d++)
            o->rows[d * row + k] = x[d * stride + o->with[k]];
    }
#pragma omp parallel for schedule(static) if (o->some > 256)
    for (uint64_t k = 0; k < o->some; k++) {
        const struct nb_near_pull from = {.n = o->some,
                                          .stride = row,
                                          .x = o->rows,
                                          .gm = own_gm,
                                          .self = k,
                                          .inner2 = split.inner * split.inner,
                                          .outer2 = split.outer * split.outer};
        double a[3];
        set->pull_far(&from, a);
        for (uint64_t d = 0; d < 3; d++)
            v[d * stride + o->with[k]] += h * a[d];
    }
}

void nb_heavy_free(struct nb_heavy *o)
{
    free(o->body);
    free(o->with);
    free(o->in);
    free(o->rows);
    *o = (struct nb_heavy){0};
}
