/* domains.h - divides the bodies of a tree among devices in the order of their keys. This code runs on the host.
 *
 * Splitters are keys that divide the bodies into domains, one for each device. A domain contains the keys from one
 * splitter to just below the next splitter. Each device builds the nodes whose bodies are all in its domain. A splitter
 * cuts a node if the node has bodies in two domains. There are few such nodes, and every device builds all of them.
 *
 * Each splitter is the first key of a cell. This is the largest cell around the key from nb_domains_split that has at
 * most n / TREE_START_NODES of the n bodies (nb_domains_bits; cuda/tree_data.cuh). A node that the splitter cuts
 * contains this whole cell and also bodies with smaller keys. The cell of the node is therefore larger, and it has more
 * bodies than this limit. An inner node with so many bodies is not a target of the walk. No splitter therefore cuts a
 * target: the targets are the same nodes for any splitters, and results are bitwise identical. A leaf is always a
 * target, but it has fewer bodies than the limit: domains are used with more than 2^20 bodies only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NB_DOMAINS_BITS 64 /* number of bits of a key */

/* Chooses splitters from `keys`, an unsorted sample of all keys. Reorders `keys`. Sets splitter[k], 0 < k < parts, to a
 * key such that the fraction bound[k] of the sample is below it. bound[] increases, 0 < bound[k] < 1. */
void nb_domains_split(uint64_t *keys, size_t count, const double *bound, int parts, uint64_t *splitter);

/* Numbers of bodies whose keys share exactly b leading bits with a splitter. below[b]: bodies with keys less than the
 * splitter. above[b]: bodies with keys greater than the splitter. above[NB_DOMAINS_BITS]: bodies with keys equal to the
 * splitter. */
struct nb_domains_counts {
    uint64_t below[NB_DOMAINS_BITS + 1], above[NB_DOMAINS_BITS + 1];
};

/* Finds the largest cell that contains the splitter and at most `most` of the bodies counted in c. Returns the number
 * of leading bits that the keys of this cell share, or NB_DOMAINS_BITS if there is no such cell. */
int nb_domains_bits(const struct nb_domains_counts *c, uint64_t most);
/* Returns the smallest key of the cell whose keys share their first `bits` bits with the splitter. */
uint64_t nb_domains_first(uint64_t splitter, int bits);
/* Returns the number of bodies counted in c whose keys are smaller than nb_domains_first(splitter, bits). */
uint64_t nb_domains_below(const struct nb_domains_counts *c, int bits);

struct nb_domains_root { /* a node with bodies on one device only, whose parent has bodies on several devices */
    uint64_t first_key, last_key;
};

struct nb_domains_node { /* a node with bodies on several devices */
    int32_t left, right; /* children: index of a node, or ~(index of a root) */
    int32_t height;      /* 1 + the maximum height of the children; a child that is a root has height 0 */
};

/* Builds the count - 1 nodes above `count` roots (2 or more). Writes them to node[], parents before children, so that
 * node[0] contains all bodies. The roots are in the order of their keys and do not overlap. Writes the index of each
 * root's parent to parent[]. Returns the height of node[0]. */
int nb_domains_top(const struct nb_domains_root *root, int count, struct nb_domains_node *node, uint32_t *parent);

#ifdef __cplusplus
}
#endif
