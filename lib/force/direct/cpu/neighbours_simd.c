/* neighbours_simd.c - kernels of the neighbour scheme in double, compiled for the instruction set that the compiler's
 * flags select. */
#include "force/direct/cpu/neighbours_cpu.h"

#include "simd/vectors.h"

#include <math.h>
#include <string.h>

#define SET   PASTE(nb_neighbours_, SET_WORD)
#define LANES LANES_double

typedef VECTOR(double, LANES) vec;
typedef VECTOR(int64_t, LANES) mask;

INLINE void predict_one(const struct nb_near_body *b, struct nb_near_place *to, double base, double now)
{
    const double h = base * (now - b->v[3]);
    double x[4], v[4];
    for (int k = 0; k < 4; k++) {
        v[k] = b->v[k] + h * (b->a[k] + h * (1.0 / 2) * b->j[k]);
        x[k] = b->x[k] + h * (b->v[k] + h * (1.0 / 2) * (b->a[k] + h * (1.0 / 3) * b->j[k]));
    }
    x[3] = b->x[3];
    v[3] = now;
    memcpy(to->x, x, sizeof x);
    memcpy(to->v, v, sizeof v);
}

static void predict(const struct nb_near_body *body, struct nb_near_place *place, double base, double now, uint64_t i0,
                    uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i++)
        predict_one(&body[i], &place[i], base, now);
}

static void predict_listed(const struct nb_near_body *body, struct nb_near_place *place, double base, double now,
                           uint32_t count, const uint32_t *list)
{
    for (uint32_t k = 0; k < count; k++)
        if (place[list[k]].v[3] != now)
            predict_one(&body[list[k]], &place[list[k]], base, now);
}

/* Loads one element of `place` into each lane: sets lane l of x[k] to place[list[l]].x[k], and lane l of v[k] to
 * place[list[l]].v[k]. */
#if defined __AVX512F__
INLINE void gather(const struct nb_near_place *place, const uint32_t *list, vec x[4], vec v[3])
{
    __m512d p[8], q[8];
    for (int l = 0; l < 8; l++)
        p[l] = _mm512_load_pd(place[list[l]].x);
    for (int l = 0; l < 8; l += 2) { /* interleaves the elements of places l and l + 1 */
        q[l] = _mm512_unpacklo_pd(p[l], p[l + 1]);
        q[l + 1] = _mm512_unpackhi_pd(p[l], p[l + 1]);
    }
    /* p[l] has eight elements, x[0] to x[3] and v[0] to v[3] of place[list[l]]. For k = 0, 1 and m = 0 to 3, q[k + 2 m]
     * now has four pairs: the elements k, k + 2, k + 4 and k + 6, each of p[2 m] and of p[2 m + 1]. */
    for (int k = 0; k < 2; k++) {
        const __m512d a = _mm512_shuffle_f64x2(q[k], q[k + 2], 0x88),
                      b = _mm512_shuffle_f64x2(q[k + 4], q[k + 6], 0x88);
        const __m512d c = _mm512_shuffle_f64x2(q[k], q[k + 2], 0xdd),
                      d = _mm512_shuffle_f64x2(q[k + 4], q[k + 6], 0xdd);
        x[k] = (vec)_mm512_shuffle_f64x2(a, b, 0x88);
        x[k + 2] = (vec)_mm512_shuffle_f64x2(c, d, 0x88);
        v[k] = (vec)_mm512_shuffle_f64x2(a, b, 0xdd);
        if (k == 0)
            v[2] = (vec)_mm512_shuffle_f64x2(c, d, 0xdd);
    }
}
#else
INLINE void gather(const struct nb_near_place *place, const uint32_t *list, vec x[4], vec v[3])
{
    double at[8][LANES];
    for (int l = 0; l < LANES; l++)
        for (int k = 0; k < 4; k++) {
            at[k][l] = place[list[l]].x[k];
            at[k + 4][l] = place[list[l]].v[k];
        }
    memcpy(x, at, 4 * sizeof *x);
    memcpy(v, at[4], 3 * sizeof *v);
}
#endif

/* Returns the sum of all lanes: adds the upper half of the lanes to the lower half until one lane is left. */
INLINE double sum_lanes(vec x)
{
    double lane[LANES];
    memcpy(lane, &x, sizeof x);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

struct sums {
    vec a[3], j[3];
};

/* Adds the acceleration and jerk caused by bodies of mass m. d and w: positions and velocities of these bodies relative
 * to the target; r2: squared distance plus eps2. */
INLINE void add(struct sums *sum, vec m, vec r2, const vec d[3], const vec w[3])
{
    const vec y = estimate_double(r2);
    /* m * y is computed first: for m = 0 the weight is then 0, even if y^3 would overflow */
    vec square = y * y, weight = m * y * square;
    if (TERMS_double > 0) {
        const vec e = 1 - r2 * square;
        square *= 1 + e * (1 + e * (1 + e));
        weight *= 1 + e * (1.5 + e * (1.875 + e * 2.1875));
    }
    const vec closing = 3 * (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]) * square;
    for (int k = 0; k < 3; k++) {
        sum->a[k] += weight * d[k];
        sum->j[k] += weight * (w[k] - closing * d[k]);
    }
}

INLINE void add_listed(const struct nb_near_place *place, const uint32_t *list, const struct nb_near_place *to,
                       double eps2, struct sums *sum)
{
    vec d[4], w[3];
    gather(place, list, d, w);
    for (int k = 0; k < 3; k++) {
        d[k] -= to->x[k];
        w[k] -= to->v[k];
    }
    add(sum, d[3], d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2, d, w);
}

INLINE struct nb_near_sum total(const struct sums *sum)
{
    return (struct nb_near_sum){.a = {sum_lanes(sum->a[0]), sum_lanes(sum->a[1]), sum_lanes(sum->a[2])},
                                .j = {sum_lanes(sum->j[0]), sum_lanes(sum->j[1]), sum_lanes(sum->j[2])}};
}

static struct nb_near_sum pull(const struct nb_near_place *place, uint64_t none, const struct nb_near_place *to,
                               double eps2, uint32_t count, const uint32_t *list)
{
    struct sums sum = {{{0}}};
    uint32_t k = 0, rest[LANES];
    for (; k + LANES <= count; k += LANES)
        add_listed(place, list + k, to, eps2, &sum);
    if (k < count) {
        for (uint32_t l = 0; l < LANES; l++)
            rest[l] = k + l < count ? list[k + l] : (uint32_t)none;
        add_listed(place, rest, to, eps2, &sum);
    }
    return total(&sum);
}

INLINE vec read_vec(const double *from)
{
    vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Converts the mask to an integer, whose bit l is 1 if lane l of the mask is set. */
INLINE unsigned bits_of(mask m)
{
#if defined __AVX512F__
    return bits_double((bits_vec)m);
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < LANES; l++)
        bits |= (unsigned)(m[l] & 1) << l;
    return bits;
#endif
}

/* Writes j + l to `to` for each set bit l. Returns the number of set bits. May overwrite LANES further elements. */
static uint32_t put_set(unsigned bits, uint32_t j, uint32_t *to)
{
#if defined __AVX512F__
    const __m256i numbers = _mm256_add_epi32(_mm256_set1_epi32((int)j), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)bits, numbers));
    return (uint32_t)__builtin_popcount(bits);
#else
    uint32_t count = 0;
    for (unsigned l = 0; l < LANES; l++) {
        to[count] = j + l;
        count += bits >> l & 1;
    }
    return count;
#endif
}

/* Returns the number of near bodies (r2 < reach2 * weight) among bodies j to j + LANES - 1. count: number of near
 * bodies found before. If count <= most, also appends the indices of the near bodies to `list`. */
INLINE uint32_t put_near(vec r2, const double *weight, double reach2, uint64_t j, uint32_t count, uint32_t most,
                         uint32_t *list)
{
    const unsigned bits = bits_of(r2 < reach2 * read_vec(weight + j));
    if (bits == 0)
        return 0;
    return count <= most ? put_set(bits, (uint32_t)j, list + count) : (uint32_t)__builtin_popcount(bits);
}

/* Removes body i from its own list of near bodies. Returns the number of near bodies without body i. count: number of
 * near bodies, which includes body i if its weight is not 0. most: maximum number of neighbours that the caller can
 * use. If count > most + 1, there are too many neighbours even without body i: the list may be incomplete, and is not
 * changed. */
static uint32_t drop(uint32_t *list, uint32_t count, uint32_t most, uint64_t i, double weight)
{
    uint32_t left = 0;
    if (weight == 0 || count > most + 1)
        return count - (weight > 0);
    for (uint32_t k = 0; k < count; k++) {
        list[left] = list[k];
        left += list[k] != i;
    }
    return left;
}

/* Implements nb_neighbour_set.find. Reads whole vectors: rows are padded to a multiple of LANES with weights and masses
 * of 0. */
static uint32_t find(const struct nb_near_rows *rows, uint64_t i, double reach2, uint32_t most, uint32_t *list)
{
    const uint64_t s = rows->stride;
    const double xi = rows->x[i], yi = rows->x[i + s], zi = rows->x[i + 2 * s];
    uint32_t count = 0;
    for (uint64_t j = 0; j < rows->n; j += LANES) {
        const double *x = rows->x + j;
        const vec dx = read_vec(x) - xi, dy = read_vec(x + s) - yi, dz = read_vec(x + 2 * s) - zi;
        count += put_near(dx * dx + dy * dy + dz * dz, rows->weight, reach2, j, count, most, list);
    }
    return drop(list, count, most, i, rows->weight[i]);
}

/* Number of bodies per block. The data of a block stay in the first-level cache while all targets use them. */
#define BLOCK 256

struct taken { /* position and velocity of a target, and the sums of its acceleration and jerk */
    double x[3], v[3];
    struct sums sum;
};

/* Adds the acceleration and jerk caused by bodies [j0, j1) to the target's sums. Appends the bodies within reach of the
 * target to t->list, its new list of neighbours. A body with m = 0, such as the target itself, may be at the target's
 * position. For such a body, r^2 is replaced by 1, so that it adds 0 instead of NaN. */
static void add_rows(const struct nb_near_rows *rows, double eps2, struct nb_near_target *t, struct taken *to,
                     uint64_t j0, uint64_t j1)
{
    const uint64_t s = rows->stride;
    const double *x = rows->x, *v = rows->v, *weight = rows->weight, *m = t->m, reach2 = t->reach2;
    const double xi[] = {to->x[0], to->x[1], to->x[2]}, vi[] = {to->v[0], to->v[1], to->v[2]};
    const vec one = (vec){0} + 1.0;
    struct sums sum = to->sum;
    uint32_t count = t->count, *list = t->list;
    const uint32_t most = t->most;
    for (uint64_t j = j0; j < j1; j += LANES) {
        const vec mj = read_vec(m + j);
        const mask massive = (mask)(mj != (vec){0});
        vec d[3], w[3];
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = read_vec(x + j + k * s) - xi[k];
            w[k] = read_vec(v + j + k * s) - vi[k];
        }
        const vec r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        count += put_near(r2, weight, reach2, j, count, most, list);
        add(&sum, mj, (vec)(((mask)(r2 + eps2) & massive) | ((mask)one & ~massive)), d, w);
    }
    to->sum = sum;
    t->count = count;
}

static void pull_rest(const struct nb_near_rows *rows, double eps2, int count, struct nb_near_target *target)
{
    struct taken taken[NB_NEAR_TARGETS];
    for (int k = 0; k < count; k++) {
        taken[k] = (struct taken){{0}};
        target[k].count = 0;
        for (uint64_t l = 0; l < 3; l++) {
            taken[k].x[l] = rows->x[target[k].i + l * rows->stride];
            taken[k].v[l] = rows->v[target[k].i + l * rows->stride];
        }
    }
    for (uint64_t j0 = 0; j0 < rows->n; j0 += BLOCK)
        for (int k = 0; k < count; k++)
            add_rows(rows, eps2, &target[k], &taken[k], j0, rows->n - j0 < BLOCK ? rows->n : j0 + BLOCK);
    for (int k = 0; k < count; k++) {
        struct nb_near_target *t = &target[k];
        t->sum = total(&taken[k].sum);
        t->count = drop(t->list, t->count, t->most, t->i, rows->weight[t->i]);
    }
}

extern const struct nb_neighbour_set SET;
const struct nb_neighbour_set SET = {
    .predict = predict, .predict_listed = predict_listed, .pull = pull, .find = find, .pull_rest = pull_rest};
