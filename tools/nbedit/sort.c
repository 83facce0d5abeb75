/* sort.c - --sort: sorts bodies by an expression, with a radix sort of keys. */
#include "nbedit.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

/* Converts a double to a whole number, so that larger doubles give larger numbers. -0 and 0 give the same number. */
static uint64_t ordered(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static int find_keys(const struct edit_op *op, const struct nb_bodies *b, struct edit_key *keys)
{
    bool negative;
    const struct nb_column *whole = nb_select_whole(op->number, b, &negative);
    double *value = whole ? NULL : malloc((size_t)b->n * sizeof *value + 1);
    uint64_t bad = b->n;
    int status = whole || value ? 0 : nb_fail("no memory to sort %" PRIu64 " bodies", b->n);
    if (value)
        status = nb_select_compute(op->number, b, value);
#pragma omp parallel for schedule(static) reduction(min : bad) if (b->n > 4096)
    for (uint64_t i = 0; i < (status ? 0 : b->n); i++) {
        const uint64_t id = whole ? ((const uint64_t *)whole->data)[i] : 0;
        keys[i] = (struct edit_key){whole ? (negative ? ~id : id) : ordered(value[i]), i};
        if (!whole && isnan(value[i]) && i < bad)
            bad = i;
    }
    free(value);
    return status ? -1 : bad < b->n ? nb_fail("body %" PRIu64 ": the value to sort by is not a number", bad) : 0;
}

#define DIGITS 256

/* Does one pass of a radix sort: copies the n keys from `from` to `to`, sorted by a digit, the 8 bits from bit `shift`
 * on. Keys with the same digit keep their order. Each thread counts and copies its own range of keys. `counts`: work
 * space for threads * DIGITS numbers. If all keys have the same digit, returns false and copies nothing. */
static bool pass(uint64_t n, const struct edit_key *from, struct edit_key *to, int shift, uint64_t *counts, int threads)
{
    memset(counts, 0, (size_t)threads * DIGITS * sizeof *counts);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++)
        for (uint64_t i = n / (uint64_t)threads * (uint64_t)t, end = t + 1 < threads ? i + n / (uint64_t)threads : n;
             i < end; i++)
            counts[t * DIGITS + (from[i].key >> shift & 255)]++;
    uint64_t before = 0, most = 0;
    for (int d = 0; d < DIGITS; d++) {
        const uint64_t begin = before;
        for (int t = 0; t < threads; t++) {
            const uint64_t own = counts[t * DIGITS + d];
            counts[t * DIGITS + d] = before;
            before += own;
        }
        most = before - begin > most ? before - begin : most;
    }
    if (most == n)
        return false;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++)
        for (uint64_t i = n / (uint64_t)threads * (uint64_t)t, end = t + 1 < threads ? i + n / (uint64_t)threads : n;
             i < end; i++)
            to[counts[t * DIGITS + (from[i].key >> shift & 255)]++] = from[i];
    return true;
}

int edit_sort_keys(uint64_t n, struct edit_key **keys)
{
    const int threads = n < 65536 ? 1 : omp_get_max_threads();
    struct edit_key *other = malloc((size_t)n * sizeof *other + 1);
    uint64_t *counts = malloc((size_t)threads * DIGITS * sizeof *counts);
    for (int shift = 0; other && counts && shift < 64; shift += 8)
        if (pass(n, *keys, other, shift, counts, threads)) {
            struct edit_key *sorted = other;
            other = *keys;
            *keys = sorted;
        }
    const bool room = other && counts;
    free(counts);
    free(other);
    return room ? 0 : nb_fail("no memory to sort %" PRIu64 " bodies", n);
}

/* ---- reordering ---- */

#define GATHER(bytes)                                                                           \
    _Pragma("omp parallel for schedule(static) if (n > 4096)") for (uint64_t i = 0; i < n; i++) \
        memcpy(to + i * (bytes), from + keys[i].place * (bytes), bytes);                        \
    break

static void gather(const char *from, char *to, uint64_t n, size_t bytes, const struct edit_key *keys)
{
    switch (bytes) {
    case 1: GATHER(1);
    case 4: GATHER(4);
    case 8: GATHER(8);
    case 12: GATHER(12);
    case 24: GATHER(24);
    default: GATHER(bytes);
    }
}

/* Reorders one column at a time, so that no second copy of the frame is needed. */
static int reorder(struct nb_bodies *b, const struct edit_key *keys)
{
    for (int k = 0; k < b->column_count; k++) {
        struct nb_column *c = &b->columns[k];
        char *old = c->data;
        c->data = NULL;
        if (nb_bodies_alloc(b)) {
            c->data = old;
            return -1;
        }
        gather(old, c->data, b->n, nb_column_bytes(c, 1), keys);
        free(old);
    }
    return 0;
}

static int apply_sort(struct edit_op *op, struct nb_bodies *b)
{
    if (nb_memory_check(b->n, (double)b->n * 2 * sizeof(struct edit_key)) || nb_bodies_number(b))
        return -1;
    struct edit_key *keys = malloc((size_t)b->n * sizeof *keys + 1);
    if (!keys)
        return nb_fail("no memory to sort %" PRIu64 " bodies", b->n);
    const int status = find_keys(op, b, keys) || edit_sort_keys(b->n, &keys) || reorder(b, keys) ? -1 : 0;
    free(keys);
    return status;
}

void edit_take_sort(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    struct nb_select *condition;
    op->apply = apply_sort;
    op->number = tool_select_checked(o->name, text, nb_select_parse_number(text, 0, &condition));
    if (condition)
        tool_select_refuse(o->name, text, "`if' is allowed in --set only");
}
