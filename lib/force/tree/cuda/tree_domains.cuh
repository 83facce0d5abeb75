/* tree_domains.cuh - the tree on several devices that reach each other's memory: each has a domain, a part of the
 * sorted bodies (domains.h), whatever their indices; puts it in order, makes its nodes, and computes its fields.
 *
 *   survey    bounds, the largest mass and whether all is finite, of a device's own bodies by index
 *   keys      theirs; splitters from a sample of them
 *   exchange  positions and masses go to the domains' devices
 *   sort, build, moments  of the domain, with a margin of the neighbours' keys, so that nodes are those of all bodies
 *   top       the nodes over the domains, on each device
 *   trees     each device takes the others' nodes and bodies: what the walk reads before it begins, moments while it
 *             runs, bodies while far does. All of them, not those alone that its lists name: with the GPUs of one host
 *             that is hidden, and asking for each node by itself takes longer.
 *   walk, far, near  of the domain's nodes
 *   return    fields go back to where the bodies' indices are, and momentum is conserved over all
 *
 * tree_domains.cu runs them; tree_exchange.cu has the kernels that move bodies, tree_top.cu those of the top. */
#pragma once

#include "device/group.h"
#include "force/tree/cuda/tree_cuda.cuh"
#include "force/tree/domains.h"

/* Keys of a neighbour that a domain has beside its own: more than what tells dense regions reads (tree_build.cu). */
#define TREE_MARGIN 512
/* A domain with fewer bodies is none: the field is computed otherwise. */
#define TREE_DOMAIN_LEAST (4 * TREE_MARGIN)
/* Keys that splitters are chosen from, of all devices together. */
#define TREE_SAMPLES 4096
/* Roots of a domain, at most: one for each bit of the keys at either end. */
#define TREE_ROOTS (2 * NB_DOMAINS_BITS)

struct tree_survey { /* of a device's own bodies */
    morton_bounds bounds;
    unsigned long long largest_mass; /* morton_ordered */
    unsigned long long not_finite;
};

struct tree_root {
    uint2 places; /* sorted bodies [x, y) */
    nb_domains_root keys;
};

struct tree_splitters {
    int count;
    uint64_t first[NB_GROUP_MAX]; /* key of each domain but the first */
};

/* Where bodies of one device go: those that leave for domain k are numbers [begin[k], begin[k + 1]) of its list, and
 * come to places at[k] and on there. */
struct tree_routes {
    int parts;
    uint32_t begin[NB_GROUP_MAX + 1], at[NB_GROUP_MAX];
};

struct tree_there {                               /* memory of another device */
    const uint32_t *number;                       /* of its roots */
    const void *opening, *centre, *box, *moments; /* of all nodes */
};

/* The roots of all domains: those of domain k are numbers [end[k - 1], end[k]). */
struct tree_top {
    int own;
    uint32_t roots, end[NB_GROUP_MAX];
    tree_there there[NB_GROUP_MAX];
};

struct tree_inbox { /* memory of a domain's device that bodies come to */
    void *rows;     /* x y z m, of stride */
    uint64_t *keys;
    uint64_t stride;
};

struct tree_inboxes {
    tree_inbox of[NB_GROUP_MAX];
};

struct tree_outbox {  /* fields that it has computed, at the places to which the bodies came */
    const void *rows; /* a vector, and the potential where it is wanted; of stride */
    uint64_t stride;
};

struct tree_outboxes {
    tree_outbox of[NB_GROUP_MAX];
};

/* Buffers of a device. */
enum {
    TREE_OWN_KEYS,  /* uint64_t: of own bodies, by index */
    TREE_SURVEY,    /* tree_survey */
    TREE_SAMPLE,    /* uint64_t */
    TREE_COUNTS,    /* nb_domains_counts of each splitter */
    TREE_SIDE,      /* uint8_t: the domain of each own body; once more as many, sorted */
    TREE_LEAVING,   /* uint32_t: own bodies by domain; once more as many, by index */
    TREE_INBOX,     /* rows of the domain's bodies, in the order they came */
    TREE_OUTBOX,    /* their fields */
    TREE_NUMBERS,   /* uint32_t: 0, 1, ... */
    TREE_FOUND,     /* TREE_ROOTS tree_root, then their count */
    TREE_ROOT,      /* uint2: places of the roots, then uint32_t: their parents */
    TREE_NUMBER,    /* uint32_t: their nodes */
    TREE_ALL,       /* uint32_t: those of all domains */
    TREE_TOP_NODES, /* nb_domains_node */
    TREE_BACK,      /* rows of own bodies, by index: what the domains have computed */
    TREE_BUFFERS
};

struct tree_domain { /* begins as zeros */
    cudaStream_t copies;
    cudaEvent_t sent, sorted, made, opened;
    cudaEvent_t seen, moved, arrived; /* of the others is here: what the walk reads; their moments; their bodies */
    cudaEvent_t begun, ordered;       /* around sort, build and moments, for the balance */
    nb_cuda_buffer buffer[TREE_BUFFERS];
};

/* ---- tree_exchange.cu; each puts its work on the stream ---- */

int tree_survey_bodies(tree_work *w, enum nb_precision precision, const nb_sources *own);
int tree_sample_keys(tree_work *w, const uint64_t *keys, uint64_t n, uint64_t *sample, uint32_t count);
int tree_count_keys(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters,
                    nb_domains_counts *counts);
/* The numbers of own bodies by domain, in order of their index, into TREE_LEAVING. */
int tree_divide(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters);
int tree_send(tree_work *w, enum nb_precision precision, const nb_sources *own, const uint64_t *keys,
              const tree_routes &routes, const tree_inboxes &to);
/* numbers[i] = i. */
int tree_number(tree_work *w, uint32_t *numbers, uint64_t n);
/* Own bodies' fields from where they were computed, into `back`: a vector of stride, zeros behind it; and, where it is
 * wanted, the potential into out's row. */
int tree_take_back(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t stride, const tree_routes &routes,
                   const tree_outboxes &from, void *back, const nb_field *out);

/* ---- tree_top.cu ---- */

int tree_find_roots(tree_work *w, tree_root *d_root, uint32_t *d_count);
/* The nodes above the domains, with d_node made by nb_domains_top and heights what it returned; reads the other
 * devices' roots. d_number: TREE_ALL. */
template <typename real>
int tree_make_top(tree_work *w, const tree_view<real> &t, const tree_top &top, uint32_t *d_number,
                  const nb_domains_node *d_node, int heights);

/* ---- tree_domains.cu ---- */

/* nb_force.together. */
int tree_together(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                  const nb_sources *s, const nb_field *out, double *seconds);
void tree_domain_close(tree_work *w);
