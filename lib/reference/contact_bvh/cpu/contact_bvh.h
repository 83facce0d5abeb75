/* contact_bvh.h - a bounding volume hierarchy over the disks in Morton order (Karras 2012, "Maximizing parallelism in
 * the construction of BVHs, octrees, and k-d trees"), in host memory.
 *
 * A leaf is one disk. The *place* of a disk is its index in Morton order. There are n - 1 inner nodes; the root is 0. A
 * child is the index of an inner node, or NB_BVH_LEAF plus a place.
 *
 * Each disk has a bit string: its Morton key, then its place, which distinguishes disks with equal keys. The strings of
 * all disks in a node begin with the same bits. From a node to each of its children, the number of these common bits
 * increases. A path from the root to a leaf therefore has at most NB_BVH_DEPTH nodes, and a stack of this size cannot
 * overflow. */
#pragma once

#include "force/contact/cpu/contact_cpu.h"

#define NB_BVH_LEAF     0x80000000u
#define NB_BVH_KEY_BITS 40 /* number of bits of a key: 20 for each axis */
#define NB_BVH_DEPTH    (NB_BVH_KEY_BITS + 32)

struct nb_contact_box { /* bounding box of the centres of disks */
    double low[2], high[2];
};

struct nb_contact_bvh { /* initialise with zeros */
    struct nb_contact_law_double law;
    double largest;     /* largest radius of a disk */
    bool reorder;       /* keep copies of the positions in Morton order */
    uint64_t n;         /* number of disks in the hierarchy: those with finite positions */
    uint64_t *keys;     /* Morton keys, sorted */
    uint32_t *order;    /* order[p]: index of disk number p in Morton order; disks outside the hierarchy come last */
    double (*place)[2]; /* place[p]: position of disk number p in Morton order, if `reorder` */
    uint32_t (*child)[2];
    uint32_t *last; /* last[i]: number, in Morton order, of the last disk below inner node i */
    uint32_t *parent, *leaf_parent;
    uint32_t *met; /* for each inner node: number of children with a computed box */
    struct nb_contact_box *box;
    uint64_t *spare_keys;
    uint32_t *spare_order, *place_of; /* place_of[i]: number of disk i in Morton order */
    uint64_t capacity;
};

/* Builds the hierarchy of all disks. Returns -1 after nb_fail if there is no memory or there are 2^31 disks or more. */
int nb_contact_bvh_build(struct nb_contact_bvh *b, const struct nb_contact *contact, const struct nb_contact_input *in);
/* Lists the neighbours of each disk. Disks i and j are neighbours if their centres are closer than
 *     r_i + r_j + distance - 2 R,
 * where r_i and r_j are their radii, and R is the largest radius of all disks. If all radii are equal, this limit is
 * `distance`. In a periodic box, `distance` must be at most a third of the box's width. If `once` is true, lists a pair
 * only for the disk that comes first in Morton order. Returns 0, or -1 after nb_fail if there is no memory, or if there
 * are too many pairs. */
int nb_contact_bvh_search(struct nb_contact_bvh *b, const struct nb_contact_input *in, double distance, bool once,
                          struct nb_contact_rows *rows);
void nb_contact_bvh_free(struct nb_contact_bvh *b);
