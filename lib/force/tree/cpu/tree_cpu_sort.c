/* tree_cpu_sort.c - radix sort, least significant digit first. Declared in tree_cpu.h. Each pass counts the digits in
 * chunks of the input, computes the new positions, and moves the keys. There is one chunk per thread. The result of a
 * stable sort does not depend on the number of chunks. */
#include "force/tree/cpu/tree_cpu.h"

#include "base/error.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS  8
#define DIGITS      (1 << DIGIT_BITS)
#define SERIAL      20000
#define INSERT_UPTO 64

struct pass {
    uint64_t n, chunk;
    int chunks, shift;
    const uint64_t *keys;
    const uint32_t *order;
    uint64_t *to_keys;
    uint32_t *to_order;
    /* count[c][d]: number of keys in chunk c that have digit d. places() replaces this number by the position to which
     * the next of these keys moves. */
    uint64_t (*count)[DIGITS];
};

static unsigned digit(uint64_t key, int shift)
{
    return (unsigned)(key >> shift) & (DIGITS - 1);
}

static uint64_t chunk_end(const struct pass *p, int c)
{
    const uint64_t end = ((uint64_t)c + 1) * p->chunk;
    return end < p->n ? end : p->n;
}

static void count_digits(const struct pass *p)
{
#pragma omp parallel for schedule(static, 1) if (p->chunks > 1)
    for (int c = 0; c < p->chunks; c++) {
        memset(p->count[c], 0, sizeof p->count[c]);
        for (uint64_t i = (uint64_t)c * p->chunk; i < chunk_end(p, c); i++)
            p->count[c][digit(p->keys[i], p->shift)]++;
    }
}

/* Replaces count[c][d], the number of keys in chunk c with digit d, by the position to which the first of these keys
 * moves. Returns true if all keys have the same digit: in this case no key has to move. */
static bool places(const struct pass *p)
{
    uint64_t place = 0;
    for (unsigned d = 0; d < DIGITS; d++) {
        const uint64_t before = place;
        for (int c = 0; c < p->chunks; c++) {
            const uint64_t count = p->count[c][d];
            p->count[c][d] = place;
            place += count;
        }
        if (place - before == p->n)
            return true;
    }
    return false;
}

static void move(const struct pass *p)
{
#pragma omp parallel for schedule(static, 1) if (p->chunks > 1)
    for (int c = 0; c < p->chunks; c++) {
        uint64_t *next = p->count[c];
        for (uint64_t i = (uint64_t)c * p->chunk; i < chunk_end(p, c); i++) {
            const uint64_t to = next[digit(p->keys[i], p->shift)]++;
            p->to_keys[to] = p->keys[i];
            p->to_order[to] = p->order[i];
        }
    }
}

static void insert(uint64_t n, uint64_t *keys, uint32_t *order)
{
    for (uint64_t i = 1; i < n; i++) {
        const uint64_t key = keys[i];
        const uint32_t body = order[i];
        uint64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            order[k] = order[k - 1];
        }
        keys[k] = key;
        order[k] = body;
    }
}

int nb_tree_sort(uint64_t n, uint64_t *keys, uint32_t *order, uint64_t *spare_keys, uint32_t *spare_order)
{
    if (n <= INSERT_UPTO) {
        insert(n, keys, order);
        return 0;
    }
    struct pass p = {n, n, 1, 0, keys, order, spare_keys, spare_order, NULL};
    p.chunks = n < SERIAL ? 1 : omp_get_max_threads();
    p.chunk = (n + (uint64_t)p.chunks - 1) / (uint64_t)p.chunks;
    p.count = malloc((size_t)p.chunks * sizeof *p.count);
    if (!p.count)
        return nb_fail("no memory");
    for (; p.shift < 64; p.shift += DIGIT_BITS) {
        count_digits(&p);
        if (places(&p))
            continue;
        move(&p);
        const bool moved = p.keys == keys;
        p.keys = moved ? spare_keys : keys, p.to_keys = moved ? keys : spare_keys;
        p.order = moved ? spare_order : order, p.to_order = moved ? order : spare_order;
    }
    if (p.keys != keys) {
        memcpy(keys, p.keys, n * sizeof *keys);
        memcpy(order, p.order, n * sizeof *order);
    }
    free(p.count);
    return 0;
}
