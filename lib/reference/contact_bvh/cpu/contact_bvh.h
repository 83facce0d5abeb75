/* contact_bvh.h - a hierarchy of boxes over the disks in the order of their Morton keys (Karras 2012, "Maximizing
 * parallelism in the construction of BVHs, octrees, and k-d trees"), in host memory.
 *
 * Places of the order are leaves, a disk each; between them are n - 1 inner nodes, the root 0. A child is an inner
 * node, or NB_BVH_LEAF and a place. Equal keys are told apart by their places, so that nodes on the way from the root
 * to a leaf share ever more bits of key and place: there are at most NB_BVH_DEPTH of them, and a stack of as many
 * entries cannot overflow. */
#pragma once

#include "force/contact/cpu/contact_cpu.h"

#define NB_BVH_LEAF     0x80000000u
#define NB_BVH_KEY_BITS 40 /* 20 an axis */
#define NB_BVH_DEPTH    (NB_BVH_KEY_BITS + 32)

struct nb_contact_box { /* around the centres of disks, L */
    double low[2], high[2];
};

struct nb_contact_bvh { /* starts as zeros */
    struct nb_contact_law_double law;
    double largest;     /* radius, L */
    bool reorder;       /* keep copies of the places, in order */
    uint64_t n;         /* disks in it: those whose places are finite */
    uint64_t *keys;     /* sorted */
    uint32_t *order;    /* the disk at each place; those that are not in it behind the others */
    double (*place)[2]; /* where they are, where copies are kept */
    uint32_t (*child)[2];
    uint32_t *last; /* of an inner node: its last place */
    uint32_t *parent, *leaf_parent;
    uint32_t *met; /* of an inner node: how many of its children have a box */
    struct nb_contact_box *box;
    uint64_t *spare_keys;
    uint32_t *spare_order, *place_of; /* place_of: of each disk */
    uint64_t capacity;
};

/* The hierarchy of all disks. -1: no memory, or 2^31 disks or more. */
int nb_contact_bvh_build(struct nb_contact_bvh *b, const struct nb_contact *contact, const struct nb_contact_input *in);
/* The rows of all disks with the others at less than `distance`, at most a third of the box where it is periodic, and
 * of smaller disks as nb_contact_grid_search does; `once`: only with those at later places, so that each pair is found
 * once. -1: no memory, or too many pairs. */
int nb_contact_bvh_search(struct nb_contact_bvh *b, const struct nb_contact_input *in, double distance, bool once,
                          struct nb_contact_rows *rows);
void nb_contact_bvh_free(struct nb_contact_bvh *b);
