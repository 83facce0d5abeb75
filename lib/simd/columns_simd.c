/* columns_simd.c - functions of columns.h for one instruction set. The compiler vectorises the loops. Sums use 24
 * accumulators in every instruction set, so that all instruction sets give bitwise identical results. */
#include "simd/columns.h"
#include "simd/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- shift and scale ---- */

#define PERIOD 24 /* least common multiple of 3 and all vector widths up to 8 */

INLINE void move_period(const double shift[PERIOD], double factor, double *xyz)
{
    for (int k = 0; k < PERIOD; k++)
        xyz[k] = factor * (xyz[k] + shift[k]);
}

static void scale(size_t n, double factor, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= factor;
}

static void move(size_t n, const double *shift, double factor, double *xyz)
{
    double period[PERIOD];
    size_t i = 0;
    if (!shift) {
        scale(3 * n, factor, xyz);
        return;
    }
    for (int k = 0; k < PERIOD; k++)
        period[k] = shift[k % 3];
    for (; i + PERIOD <= 3 * n; i += PERIOD)
        move_period(period, factor, xyz + i);
    for (; i < 3 * n; i++)
        xyz[i] = factor * (xyz[i] + period[i % 3]);
}

/* ---- sums: each of PERIOD lanes has its own compensated sum (sum.h); these are added at the end ---- */

#define PART  PASTE(LANES_, double)
#define PARTS (PERIOD / PART)

typedef VECTOR(double, PART) part_vec;

struct lanes {
    part_vec sum[PARTS], compensation[PARTS];
};

INLINE void add_period(struct lanes *s, const double *x)
{
    UNROLL(12)
    for (int p = 0; p < PARTS; p++) {
        part_vec term;
        memcpy(&term, x + p * PART, sizeof term);
        const part_vec total = s->sum[p] + term, added = total - s->sum[p];
        s->compensation[p] += (s->sum[p] - (total - added)) + (term - added);
        s->sum[p] = total;
    }
}

/* Adds x[i], for each i < count, to sums[i % width]. `width` is 1 or 3. */
INLINE void add_all(size_t count, const double *x, int width, struct nb_sum *sums)
{
    struct lanes s = {{{0}}, {{0}}};
    size_t i = 0;
    for (; i + PERIOD <= count; i += PERIOD)
        add_period(&s, x + i);
    for (int k = 0; k < PERIOD; k++)
        nb_sum_merge(&sums[k % width], &(struct nb_sum){s.sum[k / PART][k % PART], s.compensation[k / PART][k % PART]});
    for (; i < count; i++)
        nb_sum_add(&sums[i % (size_t)width], x[i]);
}

static void add(size_t n, const double *x, struct nb_sum *sum)
{
    add_all(n, x, 1, sum);
}

#define TOGETHER 256 /* number of bodies whose products fit in the first-level cache */

static void add_weighted(size_t n, const double *m, const double *xyz, struct nb_sum sums[3])
{
    double weighted[3 * TOGETHER];
    for (size_t i = 0; i < n; i += TOGETHER) {
        const size_t count = n - i < TOGETHER ? n - i : TOGETHER;
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < 3; k++)
                weighted[3 * j + k] = m[i + j] * xyz[3 * (i + j) + k];
        add_all(3 * count, weighted, 3, sums);
    }
}

/* ---- checks ---- */

static bool finite_all(size_t n, const double *x)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= !(fabs(x[i]) <= DBL_MAX);
    return !bad;
}

static bool narrow(size_t n, const double *from, bool positive, float *to)
{
    int lost = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)from[i];
        lost |= (fabsf(to[i]) > FLT_MAX) & (fabs(from[i]) <= DBL_MAX);
    }
    for (size_t i = 0; positive && i < n; i++)
        lost |= (to[i] == 0) & (from[i] != 0);
    return !lost;
}

static size_t near(size_t n, const double *const row[7], const double other[7], double share)
{
    const double *x = row[0], *y = row[1], *z = row[2], *vx = row[3], *vy = row[4], *vz = row[5], *radius = row[6];
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const double dx = x[i] - other[0], dy = y[i] - other[1], dz = z[i] - other[2], ux = vx[i] - other[3],
                     uy = vy[i] - other[4], uz = vz[i] - other[5], r = radius[i] + other[6];
        count += dx * dx + dy * dy + dz * dz <= share * (ux * ux + uy * uy + uz * uz) + 2 * r * r;
    }
    return (size_t)count;
}

#define SET PASTE(nb_columns_, SET_WORD)

extern const struct nb_columns_set SET;
const struct nb_columns_set SET = {move, add, add_weighted, finite_all, narrow, near};
