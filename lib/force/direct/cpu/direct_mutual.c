/* direct_mutual.c - forces of all bodies on each other, each pair computed once (Newton's third law). Schedules the
 * pairs of blocks of bodies. Declared in direct_simd.h.
 *
 * - A task computes all pairs between two blocks of bodies. The tasks are ordered like the games of a round-robin
 *   tournament (circle method): in each round, a block has at most one partner block.
 * - No two tasks of a round update the same sums, and the tasks of one block run in the order of the rounds. Therefore
 *   the results are bitwise identical for any number of threads.
 * - Threads take tasks from a work queue, without a barrier between rounds. A task waits only for the earlier tasks of
 *   its two blocks. Threads have already taken these tasks from the queue, so there is no deadlock. */
#include "force/direct/cpu/direct_simd.h"

#include "base/error.h"
#include "force/put.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct schedule {
    nb_direct_block_pair *block_pair;
    const struct nb_sources *s;
    struct nb_direct_scale scale;
    struct nb_direct_sums sums;
    uint64_t block, blocks; /* bodies per block, number of blocks */
    _Atomic uint64_t next;  /* head of the work queue: number of the first task that no thread has started */
    _Atomic uint64_t *done; /* done[b]: number of completed tasks of block b. The first task is add_self (the pairs
                               within the block). Then each round has one task of block b, a pair of blocks */
};

/* Returns the number of bodies per block: a multiple of 64, and thus of every SIMD width. In small systems, blocks are
 * smaller, to give work to about 16 threads. */
static uint64_t block_size(uint64_t n)
{
    const uint64_t size = (n / 32 + 63) / 64 * 64;
    return size < 64 ? 64 : size > NB_MUTUAL_BLOCK ? NB_MUTUAL_BLOCK : size;
}

static uint64_t block_end(const struct schedule *t, uint64_t b)
{
    return b + 1 < t->blocks ? (b + 1) * t->block : t->s->n;
}

/* ---- scaling ---- */

static double largest_single(const float *values, uint64_t count)
{
    float largest = 0;
#pragma omp parallel for simd schedule(static) reduction(max : largest) if (count > 100000)
    for (uint64_t i = 0; i < count; i++)
        largest = fabsf(values[i]) > largest ? fabsf(values[i]) : largest;
    return (double)largest;
}

static double largest_double(const double *values, uint64_t count)
{
    double largest = 0;
#pragma omp parallel for simd schedule(static) reduction(max : largest) if (count > 100000)
    for (uint64_t i = 0; i < count; i++)
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    return largest;
}

/* Returns the power of two that scales the largest of the values to about 2^exponent. The result is at least 2^-126 and
 * at most 2^126 in single precision, otherwise at least 2^-400 and at most 2^400. */
static double factor_to(int exponent, enum nb_precision precision, const void *values, uint64_t count)
{
    const double largest = precision == NB_SINGLE ? largest_single(values, count) : largest_double(values, count);
    const int power = largest > 0 && isfinite(largest) ? exponent - ilogb(largest) : 0;
    const int limit = precision == NB_SINGLE ? 126 : 400;
    return ldexp(1, power < -limit ? -limit : power > limit ? limit : power);
}

/* Returns factors that scale the largest coordinate to about 2^36 and the largest mass to about 2^30. Values computed
 * from the scaled distance r and mass m then stay in the range of float, 2^-126 to 2^127: r^-3 is at least about
 * 2^-114, and m / r^3 overflows only for pairs closer than 2^-68 times the size of the system. */
static struct nb_direct_scale scale_of(const struct nb_sources *s, enum nb_precision precision)
{
    return (struct nb_direct_scale){factor_to(36, precision, s->x, 2 * s->stride + s->n),
                                    factor_to(30, precision, s->m, s->n)};
}

/* ---- pairs of blocks ---- */

static void wait_for(_Atomic uint64_t *done, uint64_t count)
{
    for (int tries = 0; atomic_load_explicit(done, memory_order_acquire) != count; tries++)
        if (tries >= 100)
            sched_yield();
}

static void finish(_Atomic uint64_t *done, uint64_t count)
{
    atomic_store_explicit(done, count, memory_order_release);
}

/* Computes the forces of the k-th pair of blocks of a round. In a round, each block is in one pair. With an odd number
 * of blocks, one block has no partner. */
static void add_pair(const struct schedule *t, uint64_t round, uint64_t k)
{
    /* circle method: number of blocks that rotate from round to round. If the number of blocks is odd, all blocks
     * rotate, otherwise all but one */
    const uint64_t circle = (t->blocks - 1) | 1;
    const uint64_t i = (round + k) % circle, j = k ? (round + circle - k) % circle : circle;
    wait_for(&t->done[i], round + 1);
    if (j < t->blocks) {
        wait_for(&t->done[j], round + 1);
        t->block_pair(t->s, &t->scale, &t->sums, i * t->block, block_end(t, i), j * t->block, block_end(t, j));
        finish(&t->done[j], round + 2);
    }
    finish(&t->done[i], round + 2);
}

/* Computes the pairs among bodies [i0, i1). If there are more than 128 bodies, computes the pairs within each half of
 * the range, then the pairs between the two halves. */
static void add_halves(const struct schedule *t, uint64_t i0, uint64_t i1)
{
    const uint64_t middle = i0 + (i1 - i0) / 128 * 64;
    if (i1 - i0 <= 128) {
        t->block_pair(t->s, &t->scale, &t->sums, i0, i1, i0, i1);
        return;
    }
    add_halves(t, i0, middle);
    add_halves(t, middle, i1);
    t->block_pair(t->s, &t->scale, &t->sums, i0, middle, middle, i1);
}

/* Computes the pairs within block b. This is the first task of a block, and begins by setting the sums of its bodies to
 * 0. */
static void add_self(const struct schedule *t, uint64_t b)
{
    const uint64_t i0 = b * t->block, i1 = block_end(t, b);
    for (int c = 0; c < 3 && t->sums.a[c]; c++)
        memset(t->sums.a[c] + i0, 0, (i1 - i0) * sizeof(double));
    if (t->sums.phi)
        memset(t->sums.phi + i0, 0, (i1 - i0) * sizeof(double));
    add_halves(t, i0, i1);
    finish(&t->done[b], 1);
}

/* Takes tasks from the work queue until it is empty: first the pairs within each block, then the pairs of different
 * blocks, round by round. Each thread calls this function. */
static void run_schedule(struct schedule *t)
{
    const uint64_t rounds = (t->blocks - 1) | 1, of_round = (rounds + 1) / 2;
    const uint64_t end = t->blocks + (t->blocks > 1 ? rounds * of_round : 0);
    for (uint64_t k; (k = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < end;)
        if (k < t->blocks)
            add_self(t, k);
        else
            add_pair(t, (k - t->blocks) / of_round, (k - t->blocks) % of_round);
}

/* ---- the entire sum ---- */

static void store(const double *sums, double G, uint64_t n, enum nb_precision precision, bool add, void *row)
{
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < n; i++)
        nb_field_put(row, precision == NB_SINGLE, add, i, G * sums[i]);
}

static void run_and_store(struct schedule *t, enum nb_precision precision, const struct nb_field *out)
{
#pragma omp parallel
    {
        run_schedule(t);
#pragma omp barrier
        for (uint64_t c = 0; c < 3 && out->a; c++)
            store(t->sums.a[c], t->s->G, t->s->n, precision, out->add,
                  (char *)out->a + c * out->stride * nb_precision_size(precision));
        if (out->phi)
            store(t->sums.phi, t->s->G, t->s->n, precision, out->add, out->phi);
    }
}

int nb_direct_mutual(const struct nb_direct_set *set, enum nb_precision precision, const struct nb_sources *s,
                     const struct nb_field *out)
{
    struct schedule t = {.block_pair = set->block_pair[precision], .s = s, .block = block_size(s->n)};
    t.blocks = (s->n + t.block - 1) / t.block;
    t.scale = scale_of(s, precision);
    const uint64_t vectors = out->a ? 3 : 0;
    double *sums = malloc((vectors + (out->phi ? 1 : 0)) * s->n * sizeof *sums);
    t.done = calloc(t.blocks, sizeof *t.done);
    t.sums.phi = out->phi ? sums + vectors * s->n : NULL;
    for (uint64_t c = 0; c < vectors; c++)
        t.sums.a[c] = sums + c * s->n;
    if (sums && t.done)
        run_and_store(&t, precision, out);
    free(t.done);
    free(sums);
    return sums && t.done ? 0 : nb_fail("no memory for the sums of %llu bodies", (unsigned long long)s->n);
}
