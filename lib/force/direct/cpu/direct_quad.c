/* direct_quad.c - direct summation in quadruple precision, without SIMD. Declared in direct_simd.h. */
#include "force/direct/cpu/direct_simd.h"

#include "base/error.h"
#include "device/quad.h"
#include "simd/vectors.h"

#include <math.h>
#include <stdlib.h>

#define STATE          nb_quad
#define REAL           nb_quad
#define RSQRT          nb_quad_rsqrt
#define LANES          1
#define PARALLEL_PAIRS NB_DIRECT_PARALLEL_PAIRS_QUAD
#define PRECISION      quad
#include "force/direct/cpu/direct_pairs.h"

/* ---- all bodies on all bodies in quad: each pair once (Newton's third law) ---- */

/* maximum number of blocks of bodies; a constant, so that results do not depend on the number of threads */
#define BLOCKS 16

struct mutual {
    const struct nb_sources *s;
    uint64_t size; /* bodies per block */
    /* parts[b][k][i]: component k of the acceleration that the bodies of block b cause on body i. The sum over b is
     * computed at the end */
    nb_quad *parts;
};

/* Computes the forces between blocks bi <= bj. Adds the accelerations of the bodies of block bi to parts[bj], and the
 * accelerations of the bodies of block bj to parts[bi]. */
static void add_block_pair(const struct mutual *w, uint64_t bi, uint64_t bj)
{
    const struct nb_sources *s = w->s;
    const uint64_t n = s->n, i0 = bi * w->size, j0 = bj * w->size;
    const uint64_t i1 = i0 + w->size < n ? i0 + w->size : n, j1 = j0 + w->size < n ? j0 + w->size : n;
    const nb_quad *x = s->x, *y = x + s->stride, *z = y + s->stride, *m = s->m;
    const nb_quad eps2 = (nb_quad)s->softening * s->softening;
    nb_quad *to_i = w->parts + 3 * bj * n, *to_j = w->parts + 3 * bi * n;
    for (uint64_t i = i0; i < i1; i++)
        for (uint64_t j = bi == bj ? i + 1 : j0; j < j1; j++) {
            const nb_quad dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const nb_quad rinv = nb_quad_rsqrt(dx * dx + dy * dy + dz * dz + eps2), rinv3 = rinv * rinv * rinv;
            const nb_quad pull_i = m[j] * rinv3, pull_j = m[i] * rinv3;
            to_i[i] += pull_i * dx, to_i[n + i] += pull_i * dy, to_i[2 * n + i] += pull_i * dz;
            to_j[j] -= pull_j * dx, to_j[n + j] -= pull_j * dy, to_j[2 * n + j] -= pull_j * dz;
        }
}

static void add_parts(const struct mutual *w, uint64_t blocks, const struct nb_field *out)
{
    const uint64_t n = w->s->n;
    for (uint64_t k = 0; k < 3; k++)
        for (uint64_t i = 0; i < n; i++) {
            nb_quad sum = 0;
            for (uint64_t b = 0; b < blocks; b++)
                sum += w->parts[(3 * b + k) * n + i];
            put_quad(out->a, out->add, k * out->stride + i, w->s->G * sum);
        }
}

size_t nb_direct_quad_bytes(uint64_t n)
{
    const uint64_t size = (n + BLOCKS - 1) / BLOCKS, blocks = size > 0 ? (n + size - 1) / size : 0;
    return blocks * 3 * n * sizeof(nb_quad);
}

static int mutual_quad(const struct nb_sources *s, const struct nb_field *out)
{
    const uint64_t size = (s->n + BLOCKS - 1) / BLOCKS, blocks = (s->n + size - 1) / size;
    const struct mutual w = {s, size, calloc(1, nb_direct_quad_bytes(s->n))};
    if (!w.parts)
        return nb_fail("no memory for the parts of a sum over %.3g bodies", (double)s->n);
#pragma omp parallel for schedule(dynamic) if (s->n * s->n > 2 * NB_DIRECT_PARALLEL_PAIRS_QUAD)
    for (uint64_t task = 0; task < blocks * blocks; task++)
        if (task / blocks <= task % blocks)
            add_block_pair(&w, task / blocks, task % blocks);
    add_parts(&w, blocks, out);
    free(w.parts);
    return 0;
}

static bool all_on_all(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
    return nb_targets_are_all(t, s) && t->x == s->x && out->a && !out->phi && !out->jerk && !out->snap;
}

int nb_direct_quad(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
    if (all_on_all(s, t, out))
        return mutual_quad(s, out);
    field_quad(s, t, out);
    return 0;
}
