/* Domains of a tree along the curve (lib/force/tree/domains.h), compared with counts and with a tree
 * over all keys. */
#include "force/tree/domains.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define KEYS  3000
#define PARTS 5

static uint64_t random_key(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed ^ *seed >> 29) >> 1;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Clustered: what follows a random number of a center's first bits is random. kind 1: many are equal. */
static void make_keys(uint64_t *keys, int kind)
{
    uint64_t seed = 11 + (uint64_t)kind, centre = 0x3fedcba987654321;
    for (int k = 0; k < KEYS; k++) {
        const int bits = (int)(random_key(&seed) % 60);
        keys[k] = kind && k % 2 ? centre : (centre ^ random_key(&seed) >> bits) & ~(1ull << 63);
    }
}

static void splitters_are_quantiles(void **state)
{
    static uint64_t keys[KEYS], sorted[KEYS];
    const double bound[PARTS + 1] = {0, 0.1, 0.35, 0.5, 0.9999, 1};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t splitter[PARTS];
        make_keys(keys, kind);
        if (kind == 2)
            qsort(keys, KEYS, sizeof *keys, by_key);
        memcpy(sorted, keys, sizeof keys);
        qsort(sorted, KEYS, sizeof *sorted, by_key);
        nb_domains_split(keys, KEYS, bound, PARTS, splitter);
        for (int k = 1; k < PARTS; k++)
            assert_true(splitter[k] == sorted[(int)(bound[k] * KEYS)]);
        qsort(keys, KEYS, sizeof *keys, by_key);
        assert_memory_equal(keys, sorted, sizeof keys);
    }
}

/* CPU time for the splitters between two domains; runs: the keys are so many ascending runs, 0: they are random. */
static double split_time(int runs)
{
    enum { MANY = 1 << 17 };
    static uint64_t keys[MANY];
    const double bound[3] = {0, 0.4, 1};
    uint64_t seed = 3, splitter[2];
    for (int k = 0; k < MANY; k++)
        keys[k] = runs > 0 ? (uint64_t)(k % (MANY / runs)) << 40 | (uint64_t)k : random_key(&seed);
    const clock_t begin = clock();
    nb_domains_split(keys, MANY, bound, 2, splitter);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The keys of bodies that are stored in the order of their keys are ascending runs, one from each device. With the
 * middle of such keys as pivot, the time is some thousand times as long as for random keys. */
static void runs_are_split_in_time(void **state)
{
    (void)state;
    double random = 1e-3;
    for (int again = 0; again < 3; again++)
        random += split_time(0);
    for (int runs = 1; runs <= 8; runs *= 2)
        assert_true(split_time(runs) < 30 * random);
}

static int shared(uint64_t a, uint64_t b)
{
    return a == b ? 64 : __builtin_clzll(a ^ b);
}

/* Bodies in the smallest cell of all keys [first, last]. */
static int inside(const uint64_t *keys, uint64_t first, uint64_t last)
{
    int count = 0;
    for (int k = 0; k < KEYS; k++)
        count += shared(keys[k], first) >= shared(first, last);
    return count;
}

/* A node that the snapped splitter cuts has more than `most` bodies, and what is below is counted. */
static void what_is_cut_is_large(void **state)
{
    static uint64_t keys[KEYS];
    const uint64_t most = 40;
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        make_keys(keys, kind);
        qsort(keys, KEYS, sizeof *keys, by_key);
        for (int at = 1; at < KEYS; at += 97) {
            struct nb_domains_counts c = {{0}, {0}};
            uint64_t below = 0;
            for (int k = 0; k < KEYS; k++)
                (keys[k] < keys[at] ? c.below : c.above)[shared(keys[k], keys[at])]++;
            const int bits = nb_domains_bits(&c, most);
            const uint64_t first = nb_domains_first(keys[at], bits);
            while (below < KEYS && keys[below] < first)
                below++;
            assert_true(first <= keys[at] && nb_domains_below(&c, bits) == below);
            if (below > 0)
                assert_true(inside(keys, keys[below - 1], keys[below]) > (int)most);
            /* So many that nothing is cut. */
            assert_int_equal(nb_domains_first(keys[at], nb_domains_bits(&c, KEYS)), 0);
            assert_int_equal(nb_domains_below(&c, nb_domains_bits(&c, KEYS)), 0);
            /* Nor is it farther from the splitter than one cell of so few bodies, where there is one. */
            if (kind == 0)
                assert_true((uint64_t)at - below <= most);
        }
    }
}

/* The roots of two neighbouring domains and of a third, found by looking; the nodes over them are those of a tree over
 * all keys. */
static void nodes_over_roots_are_those_of_all_keys(void **state)
{
    static uint64_t keys[KEYS];
    static struct nb_domains_root root[KEYS];
    static struct nb_domains_node node[KEYS];
    static uint32_t parent[KEYS];
    static int begin[KEYS], end[KEYS];
    const int cut[] = {0, 800, 803, 2100, KEYS};
    int count = 0;
    (void)state;
    make_keys(keys, 0);
    qsort(keys, KEYS, sizeof *keys, by_key);
    for (int d = 0; d < 4; d++)
        for (int p = cut[d]; p < cut[d + 1];) { /* the largest cell that begins here and ends in the domain */
            int bits = 0, q = p;
            while ((p > 0 && shared(keys[p], keys[p - 1]) >= bits) ||
                   (cut[d + 1] < KEYS && shared(keys[p], keys[cut[d + 1]]) >= bits))
                bits++;
            while (q < cut[d + 1] && shared(keys[p], keys[q]) >= bits)
                q++;
            root[count] = (struct nb_domains_root){keys[p], keys[q - 1]};
            begin[count] = p;
            end[count++] = q;
            p = q;
        }
    assert_true(count > 10 && count < KEYS / 10);
    const int height = nb_domains_top(root, count, node, parent);
    static int first[KEYS], last[KEYS], known[KEYS]; /* places of each node */
    for (int v = count - 2; v >= 0; v--) {
        const int l = node[v].left, r = node[v].right;
        const int hl = l < 0 ? 0 : node[l].height, hr = r < 0 ? 0 : node[r].height;
        assert_true((l < 0 || (l > v && known[l])) && (r < 0 || (r > v && known[r])));
        first[v] = l < 0 ? begin[~l] : first[l];
        last[v] = r < 0 ? end[~r] : last[r];
        assert_int_equal(l < 0 ? end[~l] : last[l], r < 0 ? begin[~r] : first[r]);
        assert_int_equal(node[v].height, 1 + (hl > hr ? hl : hr));
        for (int side = 0; side < 2; side++)
            if ((side ? r : l) < 0)
                assert_int_equal(parent[side ? ~r : ~l], v);
        /* All keys that share what these do, and the children what its next bit is. */
        const int bits = shared(keys[first[v]], keys[last[v] - 1]), middle = l < 0 ? end[~l] : last[l];
        assert_int_equal(inside(keys, keys[first[v]], keys[last[v] - 1]), last[v] - first[v]);
        assert_int_equal(shared(keys[middle - 1], keys[middle]), bits);
        known[v] = 1;
    }
    assert_int_equal(first[0], 0);
    assert_int_equal(last[0], KEYS);
    assert_int_equal(height, node[0].height);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(splitters_are_quantiles),
                                       cmocka_unit_test(runs_are_split_in_time), cmocka_unit_test(what_is_cut_is_large),
                                       cmocka_unit_test(nodes_over_roots_are_those_of_all_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
