/* tree_domains.cuh - the tree on several devices that can access each other's memory. Each device has a domain, a
 * contiguous range of the bodies along the Morton curve (domains.h). The device sorts the bodies of its domain, builds
 * their nodes and computes the field at these bodies. Each device also stores the bodies in a range of indices, its own
 * bodies. An own body can belong to any domain.
 *
 *   survey    bounds, largest mass and finiteness of a device's own bodies
 *   keys      keys of own bodies; splitters (limits of the domains), often those of the last evaluation, otherwise
 *             from a sample of the keys
 *   exchange  bodies are sent to the domains' devices, in mixed precision with their keys
 *   sort, build, moments  for the bodies of the domain, whose keys are first computed if they were not sent. The device
 *             also has some keys of the neighbouring domains
 *             (TREE_MARGIN), so that the domain's nodes are the same as in one tree of all bodies
 *   top       the nodes above the domains, on each device
 *   trees     each device copies all nodes and bodies of the other devices: data for the walk before the walk, moments
 *             during the walk, bodies during far. Copies of single nodes would take longer, and between the GPUs of one
 *             host the copies overlap with the computation.
 *   walk, far, near  for the nodes of the domain
 *   return    fields are sent back to the devices that store the bodies by index, and total momentum is corrected
 *
 * If the targets are a list of bodies, the exchange also sends each body's position in the list. A device computes the
 * field at the targets in its domain, and writes the results to the rows of the list on all devices.
 *
 * tree_together.cu runs these stages; tree_survey.cu has the kernels of survey and keys, tree_exchange.cu those that
 * move bodies and fields, tree_top.cu those of the top. */
#pragma once

#include "device/group.h"
#include "force/tree/cuda/tree_cuda.cuh"
#include "force/tree/domains.h"

/* Number of keys that a device has from the neighbouring domain at each of the two ends of its own domain. The tests
 * for dense regions (tree_build.cu) look at fewer keys beyond these ends. */
#define TREE_MARGIN 512
/* Minimum number of bodies in a domain. With fewer bodies, the field is computed by another algorithm
 * (nb_force_shares.field). */
#define TREE_DOMAIN_LEAST (4 * TREE_MARGIN)
/* Number of keys, on all devices together, from which the splitters are chosen. */
#define TREE_SAMPLES 16384
/* The splitters of the last evaluation are used again if the devices took about the same time for their domains, and
 * the domains have about the same bodies.
 * - TREE_TIME_SLACK: maximum excess of the slowest device's time over the mean time, divided by the mean time.
 * - TREE_BODIES_SLACK: maximum change of the number of bodies before a splitter since the splitter was chosen, divided
 *   by the mean number of bodies of a domain. */
#define TREE_TIME_SLACK   0.005
#define TREE_BODIES_SLACK 0.002
/* Maximum number of roots of a domain (the largest nodes whose bodies are all in the domain). At each of the domain's
 * two ends there is at most one root for each bit of the key. */
#define TREE_ROOTS (2 * NB_DOMAINS_BITS)

struct tree_survey { /* properties of a device's own bodies */
    morton_bounds bounds;
    unsigned long long largest_mass; /* converted by morton_ordered */
    unsigned long long not_finite;
};

struct tree_root {
    uint2 places; /* range [x, y) of sorted bodies */
    nb_domains_root keys;
};

struct tree_splitters {
    int count;
    uint64_t first[NB_GROUP_MAX]; /* first[k]: the first key of domain k + 1 */
};

/* Where one device sends its bodies: begin[k + 1] - begin[k] bodies go to domain k. They are stored in the inbox of
 * this domain from element at[k] on, in the order of their indices. */
struct tree_routes {
    int parts;
    uint32_t begin[NB_GROUP_MAX + 1], at[NB_GROUP_MAX];
};

struct tree_there {                               /* memory of another device */
    const uint32_t *number;                       /* node numbers of the roots of its domain */
    const void *opening, *centre, *box, *moments; /* arrays over all nodes */
};

/* Roots of all domains, in the order of the domains. Domain k has the roots [end[k - 1], end[k]). own: index of this
 * device's domain; roots: number of all roots. */
struct tree_top {
    int own;
    uint32_t roots, end[NB_GROUP_MAX];
    tree_there there[NB_GROUP_MAX];
};

struct tree_inbox {  /* memory into which the devices write the bodies of a domain */
    void *records;   /* body_single, body_mixed or body_double */
    uint64_t *keys;  /* NULL: keys are not sent, see tree_sends_keys (tree_plan.cuh) */
    uint32_t *place; /* position of each body in the list of targets, ~0 for none; NULL: all bodies are targets */
};

struct tree_inboxes {
    tree_inbox of[NB_GROUP_MAX];
};

struct tree_outbox {  /* fields that a device has computed, in the order in which the bodies arrived */
    const void *rows; /* rows of `stride` elements: three of the acceleration and, if wanted, one of the potential */
    uint64_t stride;
};

struct tree_outboxes {
    tree_outbox of[NB_GROUP_MAX];
};

/* Used if the targets are a list. a[k]: output for accelerations on device k, a vector with stride `stride`. */
struct tree_lists {
    int parts;
    void *a[NB_GROUP_MAX];
    uint64_t stride;
};

/* Indices of tree_domain.buffer. */
enum {
    TREE_BACK,     /* rows with the accelerations of own bodies, by index */
    TREE_OWN_KEYS, /* uint64_t: keys of own bodies, by index */
    TREE_SURVEY,   /* struct tree_survey */
    TREE_SAMPLE,   /* uint64_t: sampled keys */
    TREE_COUNTS,   /* nb_domains_counts for each splitter */
    /* uint32_t. Own bodies are divided into `runs` runs of consecutive bodies (tree_exchange.cu). Element d * runs + r,
     * for domain d and run r: (number of own bodies in the domains before d) + (number of bodies of domain d in the
     * runs before r). One more element at the end: number of all own bodies */
    TREE_RUNS,
    TREE_ORDER,  /* uint16_t: each run of own bodies, sorted by domain, and within a domain by index */
    TREE_INBOX,  /* records of the domain's bodies, in the order of arrival */
    TREE_OUTBOX, /* rows of the fields of these bodies */
    TREE_FOUND,  /* struct tree_root, TREE_ROOTS elements; then the number of roots found */
    /* uint2: range of bodies of each root of the domain; then uint32_t: parent of each of these roots */
    TREE_ROOT,
    TREE_NUMBER,    /* uint32_t: node numbers of the roots of the domain */
    TREE_ALL,       /* uint32_t: node numbers of the roots of all domains */
    TREE_TOP_NODES, /* struct nb_domains_node */
    /* uint32_t: position of each own body in the list of targets, ~0 for none, in the order of the bodies' indices */
    TREE_OWN_PLACE,
    /* uint32_t: position in the list of targets for each of the domain's bodies, in the order of arrival */
    TREE_PLACE,
    TREE_BUFFERS
};

struct tree_domain { /* must be zeros before the first use */
    /* Numbers of bodies and nodes of this domain, and of nodes of all domains, for which memory is allocated. */
    uint64_t bodies, nodes, total;
    cudaStream_t copies;
    cudaEvent_t sent, sorted, made, opened;
    /* events recorded after a copy from all other devices. seen: data for the walk; moved: moments; arrived: bodies */
    cudaEvent_t seen, moved, arrived;
    /* events before and after the stages sort, build and moments. The time between them is part of the time that the
     * device takes for its work. The next division of the work between the devices depends on these times */
    cudaEvent_t begun, ordered;
    nb_cuda_buffer buffer[TREE_BUFFERS];
};

/* Returns *room, a number of elements for which memory is allocated. If it is less than n, first sets it to 1.06 n:
 * the numbers of bodies and nodes of a domain change with each evaluation, and an allocation of gigabytes is slow. */
static inline uint64_t tree_domain_room(uint64_t *room, uint64_t n)
{
    if (*room < n)
        *room = (uint64_t)(1.06 * (double)n);
    return *room;
}

/* ---- tree_survey.cu and tree_exchange.cu; each function queues its work on the stream ---- */

/* Writes TREE_SURVEY. */
int tree_survey_bodies(tree_work *w, enum nb_precision precision, const nb_sources *own);
/* Copies `count` of the n keys, at equal distances, to sample[]. */
int tree_sample_keys(tree_work *w, const uint64_t *keys, uint64_t n, uint64_t *sample, uint32_t count);
/* Writes counts[k] for splitter k. */
int tree_count_keys(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters,
                    nb_domains_counts *counts);
/* Prepares tree_send with the same splitters: writes TREE_RUNS, and allocates TREE_ORDER. */
int tree_divide(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters);
/* For each own body with an index in [begin, begin + n), writes its position in the list of targets to TREE_OWN_PLACE.
 * `index` is the list in this device's memory, with `count` elements. */
int tree_place_own(tree_work *w, const uint32_t *index, uint64_t count, uint64_t begin, uint64_t n);
/* Sends records of own bodies, and their keys if the inboxes take keys, to the inboxes of their domains. Writes
 * TREE_ORDER. */
int tree_send(tree_work *w, enum nb_precision precision, const nb_sources *own, const uint64_t *keys,
              const tree_splitters &splitters, const tree_routes &routes, const tree_inboxes &to);
/* Sets numbers[i] = i. */
int tree_number(tree_work *w, uint32_t *numbers, uint64_t n);
/* Copies the accelerations of own bodies from the outboxes of all domains to `back`, a vector with stride `stride`.
 * Uses TREE_RUNS and TREE_ORDER of this evaluation. Sets the padding of the rows of `back` to zero. If out->phi is not
 * NULL, writes the potentials to out->phi, or adds them if out->add is true. */
int tree_take_back(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t stride, const tree_routes &routes,
                   const tree_outboxes &from, void *back, const nb_field *out);

/* Copies the accelerations of the targets in the domain of device `own` from to.a[own], in the memory of this device,
 * to the same elements of to.a[k] of each other device k. place[]: for each of the n bodies of the domain, its position
 * in the list, ~0 for none. */
int tree_give(tree_work *w, enum nb_precision precision, uint64_t n, const uint32_t *place, const tree_lists &to,
              int own);

/* ---- tree_top.cu ---- */

int tree_find_roots(tree_work *w, tree_root *d_root, uint32_t *d_count);
/* Computes the nodes above the domains, on this device. Copies the roots of the other domains, and writes the node
 * numbers of all roots to d_number. d_node: nodes from nb_domains_top; heights: the return value of nb_domains_top. */
template <typename real>
int tree_make_top(tree_work *w, const tree_view<real> &t, const tree_top &top, uint32_t *d_number,
                  const nb_domains_node *d_node, int heights);

/* ---- tree_together.cu ---- */

/* Implements nb_force_shares.together. */
int tree_together(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                  const nb_sources *s, const nb_targets *t, const nb_field *out, double *seconds);
void tree_domain_close(tree_work *w);
