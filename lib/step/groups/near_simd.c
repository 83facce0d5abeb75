/* near_simd.c - the functions of near.h, compiled for one instruction set (selected by compiler flags). Each lane of a
 * SIMD vector holds one particle. In the function `within`, each lane holds one group of particles. */
#include "step/groups/near.h"

#include "force/changeover.h"
#include "simd/vectors.h"

#define SET       PASTE(nb_near_, SET_WORD)
#define PRECISION double
#define PAIR      double
#define pair_vec  vec
#define LANES     LANES_double
#define TERMS     TERMS_double
#define ESTIMATE  estimate_double

typedef VECTOR(double, LANES) vec __attribute__((may_alias));
typedef VECTOR(int64_t, LANES) mask_vec;
typedef double loose_vec
    /* a SIMD vector at any address that is a multiple of 8 bytes */
    __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

#include "simd/weight.h"

INLINE vec load(const double *row, uint64_t i)
{
    return *(const loose_vec *)(row + i);
}

INLINE vec choose(mask_vec mask, vec yes, vec no)
{
    return (vec)(((mask_vec)yes & mask) | ((mask_vec)no & ~mask));
}

/* For each lane that is set in `mask`, appends the index k + lane to the list if this index is below n. Returns the new
 * length of the list. */
INLINE uint64_t append(uint32_t *list, uint64_t count, mask_vec mask, uint64_t k, uint64_t n)
{
    for (unsigned bits = bits_double((bits_vec)mask); bits; bits &= bits - 1) {
        const uint64_t i = k + (unsigned)__builtin_ctz(bits);
        if (i < n)
            list[count++] = (uint32_t)i;
    }
    return count;
}

static void look(const struct nb_near_query *q, struct nb_near_found *o, uint32_t *list)
{
    const double *x = q->x, *y = x + q->stride, *z = y + q->stride;
    const vec none = {0}, ax = none + x[q->self], ay = none + y[q->self], az = none + z[q->self];
    const vec own = none + q->gm[q->self], far2 = none + q->far2;
    const mask_vec zero = {0};
    mask_vec number, best_number = zero - 1;
    vec all = none, best = none, best_pull = none;
    for (int l = 0; l < LANES; l++)
        number[l] = l;
    o->count = 0;
    for (uint64_t k = 0; k < q->n; k += LANES, number += LANES) {
        const vec dx = load(x, k) - ax, dy = load(y, k) - ay, dz = load(z, k) - az, gm = load(q->gm, k);
        const mask_vec other = (gm > none) & (number != zero + (int64_t)q->self) & (number < zero + (int64_t)q->n);
        const vec r2 = choose(other, dx * dx + dy * dy + dz * dz, none + 1);
        vec cube, unused;
        pair_weight_double(r2, none + 1, &cube, &unused, false);
        const vec pull = choose(other, gm * cube, none), mutual = choose(other, (gm + own) * cube, none);
        const mask_vec closer = mutual > best;
        all += pull;
        best = choose(closer, mutual, best);
        best_pull = choose(closer, pull, best_pull);
        best_number = (number & closer) | (best_number & ~closer);
        if (list)
            o->count = append(list, o->count, other & ((r2 < far2) | (gm > own)), k, q->n);
    }
    double most = 0;
    o->all = o->pull = 0;
    o->closest = q->n;
    for (int l = 0; l < LANES; l++) {
        o->all += all[l];
        if (best[l] > most || (best[l] == most && most > 0 && (uint64_t)best_number[l] < o->closest)) {
            most = best[l];
            o->pull = best_pull[l];
            o->closest = (uint64_t)best_number[l];
        }
    }
}

static uint32_t within(uint32_t count, const double *const x[3], const double *far2, const double *mass,
                       const double at[3], double gm, uint32_t *list)
{
    const vec none = {0}, ax = none + at[0], ay = none + at[1], az = none + at[2], own = none + gm;
    uint64_t found = 0;
    for (uint64_t k = 0; k < count; k += LANES) {
        const vec dx = load(x[0], k) - ax, dy = load(x[1], k) - ay, dz = load(x[2], k) - az, limit = load(far2, k);
        const vec r2 = dx * dx + dy * dy + dz * dz;
        found = append(list, found, (r2 < limit) | ((own > load(mass, k)) & (limit > none)), k, count);
    }
    return (uint32_t)found;
}

static double pull(const struct nb_near_pull *q, double sum[6])
{
    const vec none = {0}, one = none + 1, per = none + 1 / (q->outer2 - q->inner2);
    vec at[6], total[6] = {none, none, none, none, none, none}, rate_most = none;
    mask_vec number;
    for (uint64_t d = 0; d < 3; d++) {
        at[d] = none + q->x[d * q->stride + q->self];
        at[3 + d] = none + q->v[d * q->stride + q->self];
    }
    for (int l = 0; l < LANES; l++)
        number[l] = l;
    for (uint64_t k = 0; k < q->n; k += LANES, number += LANES) {
        const vec mass = load(q->gm, k);
        const mask_vec zero = {0},
                       other = (mass > none) & (number != zero + (int64_t)q->self) & (number < zero + (int64_t)q->n);
        vec d[3], e[3], cube, unused;
        for (uint64_t l = 0; l < 3; l++) {
            d[l] = load(q->x + l * q->stride, k) - at[l];
            e[l] = load(q->v + l * q->stride, k) - at[3 + l];
        }
        const vec r2 = choose(other, d[0] * d[0] + d[1] * d[1] + d[2] * d[2], one);
        const vec dot = choose(other, d[0] * e[0] + d[1] * e[1] + d[2] * e[2], none), per_r2 = one / r2;
        const vec coming = -dot * (none + q->base) * per_r2;
        rate_most = choose(coming > rate_most, coming, rate_most);
        const vec y = (r2 - (none + q->inner2)) * per, place = choose(y < none, none, choose(y > one, one, y));
        pair_weight_double(r2, choose(other, mass, none), &cube, &unused, false);
        const vec share = cube * (one - NB_CHANGEOVER(place));
        const vec rate = dot * (3 * per_r2 * share + 2 * per * cube * NB_CHANGEOVER_RATE(place));
        for (int l = 0; l < 3; l++) {
            total[l] += share * d[l];
            total[3 + l] += share * e[l] - rate * d[l];
        }
    }
    double most = 0;
    for (int k = 0; k < 6; k++)
        sum[k] = 0;
    for (int l = 0; l < LANES; l++) {
        for (int k = 0; k < 6; k++)
            sum[k] += total[k][l];
        most = rate_most[l] > most ? rate_most[l] : most;
    }
    return most;
}

static void pull_far(const struct nb_near_pull *q, double sum[3])
{
    const vec none = {0}, one = none + 1, per = none + 1 / (q->outer2 - q->inner2);
    const double *const row[] = {q->x, q->x + q->stride, q->x + 2 * q->stride};
    vec total[3] = {none, none, none};
    mask_vec number;
    for (int l = 0; l < LANES; l++)
        number[l] = l;
    for (uint64_t k = 0; k < q->n; k += LANES, number += LANES) {
        const mask_vec zero = {0}, one_of_them = number < zero + (int64_t)q->n;
        vec d[3], cube, unused;
        for (int l = 0; l < 3; l++)
            d[l] = load(row[l], k) - row[l][q->self];
        const vec r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], y = (r2 - (none + q->inner2)) * per;
        const mask_vec acts = one_of_them & (y > none);
        pair_weight_double(choose(acts, r2, one), choose(acts, load(q->gm, k), none), &cube, &unused, false);
        const vec share = cube * NB_CHANGEOVER(choose(y > one, one, y));
        for (int l = 0; l < 3; l++)
            total[l] += choose(acts, share * d[l], none);
    }
    for (int l = 0; l < 3; l++) {
        sum[l] = 0;
        for (int k = 0; k < LANES; k++)
            sum[l] += total[l][k];
    }
}

extern const struct nb_near_set SET;
const struct nb_near_set SET = {.look = look, .within = within, .pull = pull, .pull_far = pull_far};
