/* plain_simd.c - the loops of plain.h for one instruction set, written without vector types. The compiler may vectorise
 * a loop if the order of its sums does not change. */
#include "reference/methods/cpu/plain.h"

#include "force/put.h"
#include "simd/vectors.h"

#include <math.h>

#define SET  PASTE(nb_plain_, SET_WORD)
#define TILE NB_PLAIN_TILE

struct plain {
    const double *m, *x, *y, *z;
    uint64_t n;
    double eps2;
};

struct sum {
    double a[3], phi;
};

INLINE struct plain plain_of(const struct nb_sources *s)
{
    const double *x = s->x;
    return (struct plain){s->m, x, x + s->stride, x + 2 * s->stride, s->n, s->softening * s->softening};
}

/* Returns m / r^3; for G = 1 the acceleration is this number times the distance vector. Sets *phi to m / r. Takes one
 * square root and one division. */
INLINE double pull(double m, double r2, double *phi)
{
    const double rinv = 1 / sqrt(r2);
    *phi = m * rinv;
    return *phi * rinv * rinv;
}

/* Computes the field that the sources j0 to j1 - 1 (except body i) cause at body i, and adds it to *sum. Terms must be
 * added in the order of j, so the compiler cannot vectorise this loop. */
INLINE void add_range(const struct plain *p, uint64_t i, uint64_t j0, uint64_t j1, struct sum *sum)
{
    for (uint64_t j = j0; j < j1; j++) {
        if (j == i)
            continue;
        const double dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i], dz = p->z[j] - p->z[i];
        double phi;
        const double f = pull(p->m[j], dx * dx + dy * dy + dz * dz + p->eps2, &phi);
        sum->a[0] += f * dx;
        sum->a[1] += f * dy;
        sum->a[2] += f * dz;
        sum->phi -= phi;
    }
}

static void rows(const struct nb_sources *s, const struct nb_field *out, uint64_t i0, uint64_t i1)
{
    const struct plain p = plain_of(s);
    for (uint64_t i = i0; i < i1; i++) {
        struct sum sum = {{0}, 0};
        add_range(&p, i, 0, p.n, &sum);
        nb_field_put_sums(out, false, s->G, i, sum.a, sum.phi);
    }
}

/* ---- in blocks ---- */

/* The targets of a block and their sums. If the block has fewer than TILE targets, the other elements are not used. */
struct block {
    double x[TILE], y[TILE], z[TILE], ax[TILE], ay[TILE], az[TILE], phi[TILE];
};

/* Computes the field of the sources j0 to j1 - 1 at the targets of a block, and adds it to the block's sums. No source
 * is a target. Each target has its own sums, so the compiler can vectorise the inner loop. */
INLINE void add_others(const struct plain *p, struct block *b, uint64_t j0, uint64_t j1)
{
    for (uint64_t j = j0; j < j1; j++) {
        const double m = p->m[j], x = p->x[j], y = p->y[j], z = p->z[j];
        for (int i = 0; i < TILE; i++) {
            const double dx = x - b->x[i], dy = y - b->y[i], dz = z - b->z[i];
            double phi;
            const double f = pull(m, dx * dx + dy * dy + dz * dz + p->eps2, &phi);
            b->ax[i] += f * dx;
            b->ay[i] += f * dy;
            b->az[i] += f * dz;
            b->phi[i] -= phi;
        }
    }
}

/* Computes the forces between the targets of a block (bodies i0 to i1 - 1), and adds them to the block's sums. */
static void add_own(const struct plain *p, struct block *b, uint64_t i0, uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i++) {
        const uint64_t k = i - i0;
        struct sum sum = {{b->ax[k], b->ay[k], b->az[k]}, b->phi[k]};
        add_range(p, i, i0, i1, &sum);
        b->ax[k] = sum.a[0], b->ay[k] = sum.a[1], b->az[k] = sum.a[2], b->phi[k] = sum.phi;
    }
}

static void tile(const struct nb_sources *s, const struct nb_field *out, uint64_t i0, uint64_t i1)
{
    const struct plain p = plain_of(s);
    struct block b = {0};
    for (uint64_t i = i0; i < i1; i++)
        b.x[i - i0] = p.x[i], b.y[i - i0] = p.y[i], b.z[i - i0] = p.z[i];
    for (uint64_t j0 = 0; j0 < p.n; j0 += TILE) {
        const uint64_t j1 = j0 + TILE < p.n ? j0 + TILE : p.n;
        if (j0 == i0)
            add_own(&p, &b, i0, i1);
        else
            add_others(&p, &b, j0, j1);
    }
    for (uint64_t i = i0; i < i1; i++) {
        const double a[3] = {b.ax[i - i0], b.ay[i - i0], b.az[i - i0]};
        nb_field_put_sums(out, false, s->G, i, a, b.phi[i - i0]);
    }
}

extern const struct nb_plain_set SET;
const struct nb_plain_set SET = {.rows = rows, .tile = tile};
