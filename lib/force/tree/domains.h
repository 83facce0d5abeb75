/* domains.h - a tree's bodies divided among devices along the curve of their keys: the arithmetic on the host. Each
 * device has a domain, all bodies with keys from one splitter to before the next, and makes the nodes that have all of
 * their bodies there; the few above them, which a splitter cuts, are made everywhere alike.
 *
 * Splitters are the first keys of cells with few bodies, so that what is cut is larger than the nodes at which the walk
 * starts: no target of it depends on where the splitters are, nor does a bit of the result. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NB_DOMAINS_BITS 64 /* of a key */

/* Puts `keys`, a sample of all bodies' in any order, into another one, and sets splitter[k], 0 < k < parts: the key
 * below which a part bound[k] of them are, 0 < bound[k] < 1, rising. */
void nb_domains_split(uint64_t *keys, size_t count, const double *bound, int parts, uint64_t *splitter);

/* Bodies by the number of first bits that their keys share with a splitter's: those below it, and the others. */
struct nb_domains_counts {
    uint64_t below[NB_DOMAINS_BITS + 1], above[NB_DOMAINS_BITS + 1];
};

/* Bits of the largest cell with the splitter in it that has at most `most` of the counted bodies; NB_DOMAINS_BITS where
 * none has. */
int nb_domains_bits(const struct nb_domains_counts *c, uint64_t most);
/* The first key of the splitter's cell of so many bits, and how many of the counted bodies have smaller keys. */
uint64_t nb_domains_first(uint64_t splitter, int bits);
uint64_t nb_domains_below(const struct nb_domains_counts *c, int bits);

struct nb_domains_root { /* a node with all of its bodies in one domain, and its parent cut */
    uint64_t first_key, last_key;
};

struct nb_domains_node { /* one that is cut */
    int32_t left, right; /* its children: the number of a node, or ~ that of a root */
    int32_t height;      /* over roots, which have 0 */
};

/* The nodes over `count` roots in the order of the keys, two at least, all keys of one smaller than those of the next:
 * count - 1 of them, parents before children. parent: of each root. Returns the height of node 0. */
int nb_domains_top(const struct nb_domains_root *root, int count, struct nb_domains_node *node, uint32_t *parent);

#ifdef __cplusplus
}
#endif
