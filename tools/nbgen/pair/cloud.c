/* cloud.c - clouds (the bodies of a galaxy, or a sample of them), and the potential energy between two clouds. */

#include "pair.h"

#include "base/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t block_end(uint64_t i0, uint64_t n)
{
    return n - i0 < GEN_BLOCK ? n : i0 + GEN_BLOCK;
}

static double total_mass(uint64_t n, cloud_read *read, const void *context)
{
    double mass[GEN_BLOCK];
    struct nb_sum sum = {0};
    for (uint64_t i0 = 0; i0 < n; i0 += GEN_BLOCK) {
        const uint64_t i1 = block_end(i0, n);
        read(context, i0, i1, mass, NULL);
        for (uint64_t i = i0; i < i1; i++)
            nb_sum_add(&sum, mass[i - i0]);
    }
    return nb_sum_value(&sum);
}

static void take_all(struct cloud *c, cloud_read *read, const void *context)
{
    double mass[GEN_BLOCK], pos[3 * GEN_BLOCK];
    for (uint64_t i0 = 0; i0 < c->n; i0 += GEN_BLOCK) {
        const uint64_t i1 = block_end(i0, c->n);
        read(context, i0, i1, mass, pos);
        for (uint64_t i = i0; i < i1; i++) {
            c->bodies[i].mass = mass[i - i0];
            memcpy(c->bodies[i].pos, pos + 3 * (i - i0), sizeof c->bodies[i].pos);
        }
    }
}

/* Returns a random mass in interval k of c->n equal intervals of the total mass. The caller adds up the masses of the
 * bodies in their order. The body with which this sum first exceeds the returned mass is body k of the sample. If the
 * masses were not random, a sample of mirrored pairs could contain only the first body of each pair. */
static double look(const struct cloud *c, size_t k)
{
    double u[4];
    nb_rng_uniforms(&(struct nb_rng){0, 0}, k, 0, u);
    return ((double)k + u[0]) / (double)c->n * c->mass;
}

static void take_shares(struct cloud *c, uint64_t n, cloud_read *read, const void *context)
{
    double mass[GEN_BLOCK], before = 0;
    size_t k = 0;
    for (uint64_t i0 = 0; i0 < n; i0 += GEN_BLOCK) {
        const uint64_t i1 = block_end(i0, n);
        read(context, i0, i1, mass, NULL);
        for (uint64_t i = i0; i < i1; before += mass[i++ - i0])
            for (; k < c->n && (look(c, k) < before + mass[i - i0] || i == n - 1); k++) {
                read(context, i, i + 1, NULL, c->bodies[k].pos);
                c->bodies[k].mass = c->mass / (double)c->n;
            }
    }
}

static void centre(struct cloud *c, int axis)
{
    struct nb_sum sum = {0};
    for (size_t i = 0; i < c->n; i++)
        nb_sum_add(&sum, c->bodies[i].mass * c->bodies[i].pos[axis]);
    const double middle = nb_sum_value(&sum) / c->mass;
    for (size_t i = 0; i < c->n; i++)
        c->bodies[i].pos[axis] -= middle;
}

static struct cloud gather(uint64_t n, size_t most, cloud_read *read, const void *context)
{
    const size_t count = n < most ? (size_t)n : most;
    struct cloud c = {count, total_mass(n, read, context), gen_memory(count * sizeof *c.bodies)};
    if (n > most)
        take_shares(&c, n, read, context);
    else
        take_all(&c, read, context);
    for (int k = 0; k < 3; k++)
        centre(&c, k);
    return c;
}

static void read_cloud(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos)
{
    const struct cloud *c = context;
    for (uint64_t i = i0; i < i1; i++) {
        if (mass)
            mass[i - i0] = c->bodies[i].mass;
        if (pos)
            memcpy(pos + 3 * (i - i0), c->bodies[i].pos, sizeof c->bodies[i].pos);
    }
}

static double distance2(const double pos[3])
{
    return pos[0] * pos[0] + pos[1] * pos[1] + pos[2] * pos[2];
}

/* Compares the distances from the centre. If they are equal (mirrored bodies), compares the positions, so that the
 * order does not depend on the implementation of qsort. */
static int compare(const void *a, const void *b)
{
    const struct cloud_body *p = a, *q = b;
    const double p2 = distance2(p->pos), q2 = distance2(q->pos);
    if (p2 != q2)
        return p2 < q2 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->pos[k] != q->pos[k])
            return p->pos[k] < q->pos[k] ? -1 : 1;
    return 0;
}

#define POOL 65536 /* maximum number of bodies that are sorted; this number is enough for a good mass profile */

struct cloud cloud_make(uint64_t n, size_t most, cloud_read *read, const void *context)
{
    struct cloud pool = gather(n, n <= most ? most : POOL, read, context);
    if (pool.n <= most)
        return pool;
    qsort(pool.bodies, pool.n, sizeof *pool.bodies, compare);
    const struct cloud c = gather(pool.n, most, read_cloud, &pool);
    cloud_free(&pool);
    return c;
}

struct cloud cloud_thinned(const struct cloud *cloud, size_t most)
{
    return cloud_make(cloud->n, most, read_cloud, cloud);
}

void cloud_free(struct cloud *cloud)
{
    free(cloud->bodies);
    *cloud = (struct cloud){0};
}

#define ROW 64 /* number of bodies of cloud a in one call of add_row() */

/* For each body i of cloud a, i0 <= i < i1: adds the negative potential of cloud b (G = 1) at this body to sum[i - i0].
 * `from` is the position of cloud b relative to cloud a. */
static void add_row(const struct cloud *a, size_t i0, size_t i1, const struct cloud *b, const double from[3],
                    double eps2, double *sum)
{
    double at[3][ROW];
    for (size_t i = i0; i < i1; i++)
        for (int k = 0; k < 3; k++)
            at[k][i - i0] = a->bodies[i].pos[k];
    for (size_t j = 0; j < b->n; j++) {
        const double *p = b->bodies[j].pos, m = b->bodies[j].mass;
        const double x = p[0] + from[0], y = p[1] + from[1], z = p[2] + from[2];
        for (size_t i = 0; i < i1 - i0; i++) {
            const double dx = x - at[0][i], dy = y - at[1][i], dz = z - at[2][i];
            const double r2 = dx * dx + dy * dy + dz * dz + eps2;
            sum[i] += m / sqrt(r2 > 0 ? r2 : INFINITY);
        }
    }
}

double cloud_potential(const struct cloud *a, const struct cloud *b, const double from[3], double softening)
{
    double *sums = gen_memory(a->n * sizeof *sums);
    struct nb_sum total = {0};
#pragma omp parallel for schedule(dynamic)
    for (size_t i0 = 0; i0 < a->n; i0 += ROW) {
        double row[ROW] = {0};
        const size_t i1 = a->n - i0 < ROW ? a->n : i0 + ROW;
        add_row(a, i0, i1, b, from, softening * softening, row);
        for (size_t i = i0; i < i1; i++)
            sums[i] = row[i - i0];
    }
    for (size_t i = 0; i < a->n; i++)
        nb_sum_add(&total, a->bodies[i].mass * sums[i]);
    free(sums);
    return -nb_sum_value(&total);
}
