/* Makes Huffman codes of limited length. */
#include "nbrender/output/huffman.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct leaf {
    uint64_t count;
    int symbol;
};

static int compare(const void *a, const void *b)
{
    const struct leaf *l = a, *m = b;
    return l->count != m->count ? (l->count < m->count ? -1 : 1) : l->symbol - m->symbol;
}

/* Computes bits[], the code length of each symbol, by Huffman's method with two queues. Returns the largest code
 * length.
 * - One queue contains the n leaves (symbols) in ascending order of their counts.
 * - The other queue contains the trees in the order in which they are made. The weight of a tree is the sum of the
 *   counts of its leaves. The weights are in ascending order, too.
 * - In the arrays `parent` and `depth`, leaf k has index k, and tree k has index n + k. */
static int measure(const struct leaf *leaf, int n, uint8_t *bits)
{
    uint64_t weight[HUFFMAN_SYMBOLS_MAX];
    int parent[2 * HUFFMAN_SYMBOLS_MAX], depth[2 * HUFFMAN_SYMBOLS_MAX], next_leaf = 0, next_tree = 0, most = 0;
    for (int made = 0; made < n - 1; made++) {
        weight[made] = 0;
        for (int child = 0; child < 2; child++) {
            bool is_leaf = next_leaf < n && (next_tree >= made || leaf[next_leaf].count <= weight[next_tree]);
            weight[made] += is_leaf ? leaf[next_leaf].count : weight[next_tree];
            parent[is_leaf ? next_leaf++ : n + next_tree++] = n + made;
        }
    }
    depth[2 * n - 2] = 0;
    for (int k = 2 * n - 3; k >= 0; k--)
        depth[k] = depth[parent[k]] + 1;
    for (int k = 0; k < n; k++) {
        bits[leaf[k].symbol] = (uint8_t)depth[k];
        most = depth[k] > most ? depth[k] : most;
    }
    return most;
}

static uint16_t reversed(unsigned code, int bits)
{
    unsigned to = 0;
    for (int k = 0; k < bits; k++)
        to |= ((code >> k) & 1) << (bits - 1 - k);
    return (uint16_t)to;
}

/* Assigns codes: codes of equal length are consecutive, in the order of the symbols (RFC 1951, 3.2.2). */
static void number(struct huffman *h, int symbols)
{
    unsigned of_length[17] = {0}, next[17] = {0};
    for (int k = 0; k < symbols; k++)
        of_length[h->bits[k]]++;
    of_length[0] = 0;
    for (int length = 1; length <= 16; length++)
        next[length] = (next[length - 1] + of_length[length - 1]) << 1;
    for (int k = 0; k < symbols; k++)
        if (h->bits[k])
            h->code[k] = reversed(next[h->bits[k]]++, h->bits[k]);
}

void huffman_make(struct huffman *h, const uint32_t *count, int symbols, int most)
{
    struct leaf leaf[HUFFMAN_SYMBOLS_MAX];
    int n = 0;
    memset(h, 0, sizeof *h);
    for (int k = 0; k < symbols; k++)
        if (count[k])
            leaf[n++] = (struct leaf){count[k], k};
    qsort(leaf, (size_t)n, sizeof *leaf, compare);
    if (n == 1)
        h->bits[leaf[0].symbol] = 1;
    /* Halves all counts until no code is too long. This makes the counts, and so the code lengths, more equal. The
     * leaves stay sorted by count. */
    while (n > 1 && measure(leaf, n, h->bits) > most)
        for (int k = 0; k < n; k++)
            leaf[k].count = leaf[k].count / 2 + 1;
    number(h, symbols);
}
