/* tree_cuda.cuh - declarations shared by the stages of the tree force (tree.h) on the GPU.
 *
 *   tree_build.cu     from sorted keys to nodes
 *   tree_moments.cu   bodies in order; bounding balls and multipole moments of leaves
 *   tree_inner.cu     bounding balls and multipole moments of inner nodes
 *   tree_due.cu       nodes that contain a target, if not all bodies are targets
 *   tree_walk.cu      the opening criterion: interaction lists M2L, M2P and P2P (see tree_view)
 *   tree_far.cu       local expansions: M2L from the lists, L2L from parents; and M2P
 *   tree_near.cu      P2P of near leaves, and the local expansion at every body
 *   tree_close.cu     close pairs, which the stage near finds when only the far part of gravity is computed
 *   tree_momentum.cu  conservation of momentum
 *   tree_memory.cu    memory estimates and allocation
 *   tree_carry.cu     saves and loads an order that is kept for several evaluations
 *
 * force_tree_cuda.cu, the entry of the table of forces, runs these stages one after the other. On several devices
 * tree_together.cu runs them; each device then has a range of the Morton curve (a domain).
 *
 * Node numbers: inner nodes 0 .. inner-1, parents before children (the root is 0); then inner + 1 leaves, roughly along
 * the curve. With several devices, each device has all nodes: first the nodes above the domains, then for each domain
 * its inner nodes and its leaves. A device computes lists and fields for the nodes of its own domain only. */
#pragma once

#include "force/tree/cuda/tree_data.cuh"

struct tree_domain;
struct tree_plan;

/* Host memory to which the device copies its results. */
struct tree_host {
    tree_counters counters;
    uint32_t counts[TREE_TALLY]; /* copy of w->depth_counts */
};

struct tree_work {
    struct nb_device *device;
    cudaStream_t stream; /* the device's stream */
    double theta;
    /* rebuild: number of evaluations for which an order of the bodies is kept; served: number of evaluations that have
     * used the present order */
    unsigned rebuild, served;
    uint64_t n, sources;
    double share[2]; /* range of the sorted bodies to process, as fractions of n; 0 and 1: all */
    /* To measure the time of a share: event [0] is recorded before the walk, event [1] after the last pairs. NULL
     * before the first evaluation of a share */
    cudaEvent_t walked[2];
    cudaEvent_t copied; /* recorded after a copy to `host` */
    /* A second stream for long leaves, and the event at the end of its work; NULL before the first long leaf */
    cudaStream_t side;
    cudaEvent_t side_done;
    tree_host *host; /* pinned memory */
    /* Sorted bodies [first, first + own_n) are in the nodes of this device. These are all bodies or, with several
     * devices, the bodies in the device's domain (a range of the Morton curve). */
    uint64_t first, own_n;
    tree_domain *domain; /* data for several devices (tree_domains.cuh); NULL before the first use */
    tree_plan *plan;     /* set on the first of several devices, else NULL (tree_plan.cuh) */
    bool has_others;     /* true: there are nodes of other devices, which are copied during the walk */
    morton_sorted sort;
    morton_keys window; /* keys of this device's bodies, and of some bodies before and after them */
    nb_cuda_buffer bodies, frame, counters;
    /* for each depth: number of inner nodes; later the next free node number */
    nb_cuda_buffer depth_counts;
    nb_cuda_buffer range, children, parent;
    nb_cuda_buffer ready; /* progress of each node of this device: uint32_t, see enum tree_ready */
    nb_cuda_buffer opening, centre, box, moments, local, m2l, remaining, m2p;
    nb_cuda_buffer pool, next, partial;
    nb_cuda_buffer places; /* for each body: its position in the list of targets */
    /* true: not all bodies are targets */
    bool few;
    /* used if `few` or `in_pieces` is true (tree_due.cu) */
    nb_cuda_buffer due, before, queue, scan;
    nb_cuda_buffer own; /* the tree's field before it is added to the field of other forces */
    nb_cuda_buffer momentum;
    /* keys of close pairs and working space of the same size, if close pairs are wanted */
    nb_cuda_buffer close;
    uint32_t leaf; /* maximum number of bodies in a leaf: NB_TREE_LEAF or TREE_LEAF_LARGE */
    /* first_node, inner, nodes: as in tree_view. top: number of nodes with bodies on several devices */
    uint32_t top, first_node, inner, nodes;
    uint32_t total; /* number of nodes of all devices */
    /* A leaf with more than `limit` near leaves is a long leaf. TREE_LONG, or TREE_IS_LONG: no leaf is long */
    uint32_t limit;
    uint32_t stack;   /* capacity of the stack of a warp of the walk */
    uint32_t walkers; /* number of warps of the last walk */
    /* number of list chunks (pieces of list memory, TREE_CHUNK entries each) that the warps of the last walk have
     * reserved */
    uint32_t chunks;
    double lists;   /* expected number of list chunks per body; 0: unknown */
    bool in_pieces; /* the field is computed in several pieces; `share` is the current piece */
    int processors;
};

/* Returns w->share as a range of sorted bodies. */
static inline uint2 tree_shared_places(const tree_work *w)
{
    return make_uint2((uint32_t)(w->share[0] * (double)w->n), (uint32_t)(w->share[1] * (double)w->n));
}

/* Returns an array with the progress of each node of this device (enum tree_ready), indexed by node number. */
static inline uint32_t *tree_ready_of(const tree_work *w)
{
    return (uint32_t *)w->ready.d - w->first_node;
}

/* Returns an array with the index of the body at each sorted position. */
static inline const uint32_t *tree_order_of(const tree_work *w)
{
    return (const uint32_t *)w->sort.order.d - w->first;
}

/* The stages of an evaluation, in the order in which they run. Each stage queues its work on the device's stream, and
 * returns 0, or -1 after nb_fail. */

/* Builds the nodes. tree_build_begin counts them. tree_build waits for the device once, for the counts, and builds the
 * nodes. If some keys are not sorted, it builds nothing and sets *in_order to false. */
int tree_build_begin(tree_work *w);
int tree_build(tree_work *w, bool *in_order);
/* The steps of tree_build. A root is a node of this device whose parent is not a node of this device.
 * - tree_find counts the inner nodes of this device, from the keys in w->window. For each depth below TREE_DEPTHS, it
 *   writes the number of nodes to w->depth_counts; then it writes the total. The caller copies these numbers to
 *   counts[] in host memory.
 * - tree_count replaces each count by the first node number of its depth. The nodes of this device have numbers from
 *   first_node on. `roots` is the number of roots.
 * - tree_reserve_shape allocates memory for the nodes of all devices.
 * - tree_make creates the nodes from the result of tree_count. The d_ arrays have one element per root: d_root: range
 *   of bodies; d_parent: number of the parent; d_number (result): number of the root. */
int tree_find(tree_work *w);
void tree_count(tree_work *w, uint32_t first_node, uint32_t roots, uint32_t *counts);
int tree_reserve_shape(tree_work *w, uint64_t total);
int tree_make(tree_work *w, const uint32_t *counts, const uint2 *d_root, const uint32_t *d_parent, uint32_t roots,
              uint32_t *d_number);

/* Resets the counters, and copies the bodies in sorted order to w->bodies. The points `more` are appended to the
 * sources as bodies without mass. If tree_gathers_late, it uses the memory of the sort keys, and must run after
 * tree_build. */
template <typename B> int tree_gather(tree_work *w, const nb_sources *s, const nb_targets *more);
template <typename B> bool tree_gathers_late(const tree_work *w);
/* The steps of tree_gather for several devices.
 * - tree_begin resets the counters, and computes the frame from the bounding box in w->sort, the number n of sources,
 *   and the largest mass in the form that morton_ordered returns.
 * - tree_put_in_order gathers the sorted bodies from records in the order before the sort. */
int tree_begin(tree_work *w, unsigned long long largest, uint64_t n);
template <typename B> int tree_put_in_order(tree_work *w, const B *records);
/* Fills t.centre, t.box, t.moments and the bounding balls in t.opening. Resets w->ready and w->remaining. */
template <typename B> int tree_nodes(tree_work *w, const tree_view<typename B::real> &t);
/* The last step of tree_nodes, for inner nodes. tree_erases: whether their summaries must be erased before. */
template <typename real> int tree_make_inners(tree_work *w, const tree_view<real> &t);
bool tree_erases(const tree_work *w);
/* Fills t.opening[].data (mass, accepted error, children) for the nodes of this device and for the nodes with bodies on
 * several devices. */
template <typename real> int tree_open(tree_work *w, const tree_view<real> &t, const nb_sources *s);

/* The targets, and the elements of the outputs in which their results are stored. */
struct tree_targets {
    uint64_t first, count; /* targets are bodies [first, first + count) */
    /* for each body: position of its result, ~0 if the body is no target. NULL: the position is body - first */
    const uint32_t *place;
};

static __device__ __forceinline__ uint64_t tree_place(const tree_targets &to, uint32_t body)
{
    return to.place ? to.place[body] : body - to.first; /* `count` or more: the body is no target */
}

/* ---- tree_due.cu, if not all bodies are targets at once ---- */

/* Writes the position of each body in the list of targets t to w->places, or ~0 if the body is no target. */
int tree_find_places(tree_work *w, const nb_targets *t);
/* Finds the due nodes, which are the nodes that contain targets. Marks them in w->due and lists them in w->queue. If
 * w->few or w->in_pieces is true, tree_view_of returns a view with w->due and w->queue: the following stages then
 * compute only the due nodes. */
int tree_find_due(tree_work *w, const tree_targets &to);
/* Like tree_find_due, but due nodes are the nodes that contain bodies of w->share. */
int tree_find_shared(tree_work *w);

/* Applies the opening criterion, and fills the interaction lists of every due node. Bodies closer than `reach`, in the
 * caller's unit of length, always interact pair by pair. */
template <typename real> int tree_walk(tree_work *w, const tree_view<real> &t, double reach);
/* A warp of the walk reserves several list chunks (pieces of list memory) at a time, so some chunks of its last
 * reservation stay unused. Returns the number of chunks in these last reservations, summed over all warps of the last
 * walk. */
double tree_walk_chunks_reserved(const tree_work *w);
/* Fills t.local by M2L and, for inner nodes, L2L. Computes the coefficient l[0], which is the potential, only if
 * out->phi is wanted. For leaves with M2P sources, writes the fields computed by M2P to `out`. Also lists the leaves
 * that have many near leaves (tree_counters.wide_leaves). */
template <typename B>
int tree_far(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
             const nb_field *out);
/* Writes the fields of the targets to `out`: the sums of P2P, local expansions and, for leaves with M2P sources, the
 * results of M2P that are already in `out`. has_longs: whether there are long leaves. They are computed on
 * w->side from the event w->copied on, which the caller has recorded after the stage walk; w->stream waits for them. */
template <typename B>
int tree_near(tree_work *w, const tree_view<typename B::real> &t, const nb_sources *s, const tree_targets &to,
              const nb_field *out, bool has_longs);

/* ---- tree_close.cu ---- */

/* Allocates memory for this number of close pairs. */
int tree_close_reserve(tree_work *w, uint64_t pairs);
/* Returns the memory in which tree_near stores the close pairs. */
tree_close tree_close_of(const tree_work *w);
/* Sorts the `count` close pairs that tree_near has stored, and copies them to `close`; waits for the device. */
int tree_close_take(tree_work *w, uint64_t count, nb_close_pairs *close);

/* ---- tree_momentum.cu ---- */

/* Corrects the accelerations out->a that the tree has computed for all bodies, so that the total momentum is conserved:
 * subtracts k |a| from each acceleration a, with the vector k = sum m a / sum m |a| (tree.h). */
int tree_momentum(tree_work *w, enum nb_precision precision, const nb_sources *s, const nb_field *out);
/* The two steps of tree_momentum, for the n bodies of one of several devices.
 * - tree_momentum_sum writes the sums of m a_x, m a_y, m a_z and m |a| to `sum` in host memory, and waits for the
 *   device. The caller adds the sums of all devices.
 * - tree_momentum_subtract gets these totals as `sum`. It writes the corrected accelerations to out->a, or adds them if
 *   out->add is true.
 * own_stride: stride of d_own. own_stride and out->stride are multiples of 4. */
int tree_momentum_sum(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t own_stride, const void *d_m,
                      const void *d_own, double sum[4]);
int tree_momentum_subtract(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                           const void *d_own, const double sum[4], const nb_field *out);

/* ---- tree_carry.cu ---- */

/* Implements nb_force.carry. */
int tree_carry(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);

/* ---- tree_memory.cu ---- */

/* Allocates memory for bodies, frame and counters. */
int tree_reserve_bodies(tree_work *w, size_t body_bytes);
/* Allocates memory for bodies, nodes and the expected number of list chunks. body_bytes: size of a body; real_bytes:
 * size of an element of moments and local expansions. */
int tree_reserve(tree_work *w, size_t body_bytes, size_t real_bytes);
template <typename real> tree_view<real> tree_view_of(tree_work *w);
/* tree_reserve_pool allocates memory for this number of list chunks, and returns 0, or -1 after nb_fail.
 * tree_pool_chunks returns the number of chunks for which there is room. */
int tree_reserve_pool(tree_work *w, size_t chunks);
uint32_t tree_pool_chunks(const tree_work *w);
/* Implement nb_force.work_bytes and nb_force.shaping. */
double tree_work_bytes(enum nb_precision precision, uint64_t n);
extern const struct nb_force_shaping tree_shaping;

/* ---- force_tree_cuda.cu ---- */

/* Returns the number of upper bits by which the keys of n bodies are sorted first (morton_sorted.upper). If some keys
 * are still not in order after this sort, the caller increases morton_sorted.upper by TREE_SORT_BITS, and sorts
 * again. */
#define TREE_SORT_BITS 8
int tree_first_upper(uint64_t n);
/* Resets w->ready, w->remaining and w->counters. Must be called before the stages walk, far and near are repeated. */
int tree_clear(tree_work *w);
int tree_clear_counters(tree_work *w);

/* Computes the fields of the targets from completed nodes: runs the stages walk, far and near, and if `balance` is true
 * tree_momentum. Repeats the stages with more memory until the lists fit. If counters->not_finite, there are no
 * results. Waits for the stage walk (or near, if close pairs are wanted), and copies the counters before
 * tree_counters.long_leaves from the device to *counters. */
template <typename B>
int tree_sum(tree_work *w, const nb_sources *s, const tree_targets &to, const nb_field *out, bool balance,
             tree_counters *counters);
/* Writes NaN as the fields of `count` targets. Called if a position or mass is not finite. */
int tree_store_nan(tree_work *w, enum nb_precision precision, uint64_t count, const nb_field *out);
