/* direct_simd_kernel.h - kernel of direct_simd.c for one precision; each vector lane holds a target. Included once for
 * each precision, with these macros defined: PRECISION (name of the precision), STATE (type of positions and results),
 * PAIR (type in which the force of a pair of bodies is computed), INDEX (integer type with the size of PAIR) and LANES
 * (lanes of a vector). SECOND may be defined as a second estimate of 1/sqrt (vectors.h). The end of this file undefines
 * these macros. */

#define state_vec NAME(state_vec)
#define pair_vec  NAME(pair_vec)
#define mask_vec  NAME(mask_vec)
#define sum_vec   NAME(sum_vec)
#define group     NAME(group)
#define sums      NAME(sums)
#define TERMS     NAME(TERMS)
#define WIDTH     (NB_VECTORS * LANES) /* number of targets in a group */

typedef VECTOR(STATE, LANES) state_vec;
typedef VECTOR(PAIR, LANES) pair_vec;
typedef VECTOR(double, LANES) sum_vec;
typedef VECTOR(INDEX, LANES) mask_vec;

union NAME(lanes) {
    state_vec vec[NB_VECTORS];
    STATE lane[WIDTH];
};

union NAME(sum_lanes) {
    sum_vec vec[NB_VECTORS];
    double lane[WIDTH];
};

union NAME(own_lanes) {
    mask_vec vec[NB_VECTORS];
    INDEX lane[WIDTH];
};

struct group { /* the targets of a group, and their indices among the sources */
    union NAME(lanes) x, y, z;
    /* range of sources that contains all targets of the group; begin = end = 0 if targets are not sources */
    uint64_t begin, end;
    union NAME(own_lanes) own; /* for each target: its index among the sources, minus `begin` */
};

struct sums {
    union NAME(sum_lanes) ax, ay, az, phi;
};

#define ESTIMATE NAME(estimate)
#include "simd/weight.h"
#undef ESTIMATE

/* Adds the contributions of sources [j0, j1) to the sums of the targets in the group's first `vectors` vectors.
 * `vectors` and `want` (NB_WANT_ACC, NB_WANT_PHI) are compile-time constants. with_self: whether some of these sources
 * are targets of the group; a body does not act on itself. */
INLINE void NAME(block)(const struct nb_sources *s, const struct group *g, int vectors, struct sums *sum, uint64_t j0,
                        uint64_t j1, bool with_self, unsigned want)
{
    const STATE *m = s->m, *x = s->x, *y = x + s->stride, *z = y + s->stride;
    const PAIR eps2 = (PAIR)(s->softening * s->softening);
    pair_vec ax[NB_VECTORS] = {0}, ay[NB_VECTORS] = {0}, az[NB_VECTORS] = {0}, phi[NB_VECTORS] = {0};
    for (uint64_t j = j0; j < j1; j++) {
        const pair_vec mj = (pair_vec){0} + (PAIR)m[j];
        UNROLL(4)
        for (int u = 0; u < vectors; u++) {
            pair_vec dx = __builtin_convertvector(x[j] - g->x.vec[u], pair_vec);
            pair_vec dy = __builtin_convertvector(y[j] - g->y.vec[u], pair_vec);
            pair_vec dz = __builtin_convertvector(z[j] - g->z.vec[u], pair_vec);
            pair_vec r2 = dx * dx + (dy * dy + (dz * dz + eps2));
            pair_vec w, p = {0};
            NAME(pair_weight)(r2, mj, &w, &p, want & NB_WANT_PHI);
            if (with_self) {
                mask_vec other = g->own.vec[u] != (INDEX)(j - g->begin);
                w = (pair_vec)((mask_vec)w & other);
                p = (pair_vec)((mask_vec)p & other);
            }
            if (want & NB_WANT_PHI)
                phi[u] -= p;
            if (want & NB_WANT_ACC) {
                ax[u] += w * dx;
                ay[u] += w * dy;
                az[u] += w * dz;
            }
        }
    }
    UNROLL(4)
    for (int u = 0; u < vectors; u++) {
        if (want & NB_WANT_ACC) {
            sum->ax.vec[u] += __builtin_convertvector(ax[u], sum_vec);
            sum->ay.vec[u] += __builtin_convertvector(ay[u], sum_vec);
            sum->az.vec[u] += __builtin_convertvector(az[u], sum_vec);
        }
        if (want & NB_WANT_PHI)
            sum->phi.vec[u] += __builtin_convertvector(phi[u], sum_vec);
    }
}

INLINE void NAME(blocks)(const struct nb_sources *s, const struct group *g, int vectors, struct sums *sum, uint64_t j0,
                         uint64_t j1, bool with_self, unsigned want)
{
    for (uint64_t j = j0; j < j1; j += NB_DIRECT_BLOCK)
        NAME(block)(s, g, vectors, sum, j, j1 - j < NB_DIRECT_BLOCK ? j1 : j + NB_DIRECT_BLOCK, with_self, want);
}

/* Adds the contributions of all sources: first sources before the range [begin, end) that contains the targets, then
 * sources in this range, then sources after it. */
INLINE void NAME(all)(const struct nb_sources *s, const struct group *g, int vectors, struct sums *sum, unsigned want)
{
    const uint64_t begin = g->begin < s->n ? g->begin : s->n, end = g->end < s->n ? g->end : s->n;
    NAME(blocks)(s, g, vectors, sum, 0, begin, false, want);
    NAME(blocks)(s, g, vectors, sum, begin, end, true, want);
    NAME(blocks)(s, g, vectors, sum, end, s->n, false, want);
}

/* Loads targets [i0, i1). If there are fewer than `width` targets, the remaining lanes repeat the last target. */
INLINE void NAME(load)(struct group *g, const struct nb_targets *t, uint64_t i0, uint64_t i1, uint64_t width)
{
    const STATE *x = t->x, *y = x + t->stride, *z = y + t->stride;
    g->begin = t->index ? t->index[i0] : t->self < 0 ? 0 : (uint64_t)t->self + i0;
    g->end = t->index ? (uint64_t)t->index[i1 - 1] + 1 : t->self < 0 ? 0 : g->begin + width;
    for (uint64_t lane = 0; lane < width; lane++) {
        const uint64_t i = i0 + lane < i1 ? i0 + lane : i1 - 1, at = t->index ? t->index[i] : i;
        g->x.lane[lane] = x[at];
        g->y.lane[lane] = y[at];
        g->z.lane[lane] = z[at];
        g->own.lane[lane] = (INDEX)(t->index ? at - g->begin : lane);
    }
}

INLINE void NAME(store)(const struct nb_field *out, const struct sums *sum, double G, uint64_t i0, uint64_t i1)
{
    STATE *a = out->a, *phi = out->phi;
    for (uint64_t i = i0; i < i1; i++) {
        uint64_t lane = i - i0;
        if (a) {
            STATE *y = a + out->stride, *z = y + out->stride;
            a[i] = (STATE)((out->add ? a[i] : 0) + G * sum->ax.lane[lane]);
            y[i] = (STATE)((out->add ? y[i] : 0) + G * sum->ay.lane[lane]);
            z[i] = (STATE)((out->add ? z[i] : 0) + G * sum->az.lane[lane]);
        }
        if (phi)
            phi[i] = (STATE)((out->add ? phi[i] : 0) + G * sum->phi.lane[lane]);
    }
}

/* Computes the sums of accelerations (if acc) and of potentials (if phi) of targets [i, end), which must fit in
 * `vectors` vectors. */
INLINE void NAME(sum_some)(const struct nb_sources *s, const struct nb_targets *t, bool acc, bool phi, uint64_t i,
                           uint64_t end, int vectors, struct sums *sum)
{
    struct group g;
    for (int u = 0; u < vectors; u++)
        sum->ax.vec[u] = sum->ay.vec[u] = sum->az.vec[u] = sum->phi.vec[u] = (sum_vec){0};
    NAME(load)(&g, t, i, end, (uint64_t)vectors * LANES);
    if (phi && acc)
        NAME(all)(s, &g, vectors, sum, NB_WANT_ACC | NB_WANT_PHI);
    else if (phi)
        NAME(all)(s, &g, vectors, sum, NB_WANT_PHI);
    else
        NAME(all)(s, &g, vectors, sum, NB_WANT_ACC);
}

INLINE void NAME(some)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out, uint64_t i,
                       uint64_t end, int vectors)
{
    struct sums sum;
    NAME(sum_some)(s, t, out->a, out->phi, i, end, vectors, &sum);
    NAME(store)(out, &sum, s->G, i, end);
}

static void NAME(kernel)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                         uint64_t i0, uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i += WIDTH)
        if (i1 - i <= LANES)
            NAME(some)(s, t, out, i, i1, 1);
        else
            NAME(some)(s, t, out, i, i1 - i < WIDTH ? i1 : i + WIDTH, NB_VECTORS);
}

#include "force/direct/cpu/direct_simd_mutual.h"

#undef state_vec
#undef pair_vec
#undef mask_vec
#undef sum_vec
#undef group
#undef sums
#undef WIDTH
#undef TERMS
#undef SECOND
#undef PRECISION
#undef STATE
#undef PAIR
#undef INDEX
#undef LANES
