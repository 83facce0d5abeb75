/* octree_walk.cu - the GPU kernel that traverses the octree and computes the force. This is the stage `force` in
 * octree.h, and kernel 5 of Burtscher & Pingali 2011. */
#include "reference/methods/cuda/octree_cuda.cuh"

#define THREADS_MOST 1024
/* number of terms after which w->sum (in the precision of the bodies) is added to w->total (double) */
#define FLUSH_STEP 128

struct octree_step { /* a cell on the path, and the index of its child to visit next */
    uint32_t node, child;
};

/* State of a walk. All threads of a warp have the same values except target, i, sum and total. */
template <typename B> struct octree_walker {
    B target;
    uint32_t i, terms;
    typename B::real eps2;
    pair_sums<typename B::real> sum;
    pair_sums<double> total;
};

/* Counts a term of w->sum. After every FLUSH_STEP terms, adds w->sum to w->total and clears w->sum. */
template <typename B> static __device__ __forceinline__ void count_term(octree_walker<B> *w)
{
    if (++w->terms % FLUSH_STEP == 0) {
        pair_flush(w->total, w->sum);
        w->sum = {};
    }
}

/* Returns whether the cell acts as one mass on all targets of the warp: each target is farther from the cell's centre
 * of mass than the cell's reach (octree.h). */
template <typename B>
static __device__ __forceinline__ bool all_beyond(const octree_mass<B> &mass, const octree_walker<B> &w)
{
    const pair_vector<typename B::real> d = pair_offset(mass.body, w.target);
    return __all_sync(~0u, d.x * d.x + d.y * d.y + d.z * d.z > mass.reach2);
}

/* Adds the attraction of all bodies of one leaf, except the target itself, to w->sum. The bodies of a leaf form a
 * chain: `first`, t.next[first], and so on. */
template <bool PHI, typename B>
static __device__ __forceinline__ void add_chain(const octree_view<B> &t, octree_walker<B> *w, uint32_t first)
{
    for (uint32_t j = first; j != NB_OCTREE_NONE; j = t.next[j]) {
        const B source = t.bodies[j];
        pair_add<PHI, true>(w->sum, source, w->target, w->eps2, j == w->i);
        count_term(w);
    }
}

/* Traverses the tree from the root, depth first, and adds the forces on the target to w->sum and w->total. `stack`: the
 * path of the warp from the root, one entry for each level, in shared memory. */
template <bool PHI, typename B>
static __device__ __forceinline__ void walk_down(const octree_view<B> &t, octree_walker<B> *w, octree_step *stack)
{
    octree_step now = {0, 0};
    for (int depth = 0;;) {
        const uint32_t child = now.child < 8 ? t.child[8 * (uint64_t)now.node + now.child] : NB_OCTREE_NONE;
        if (child == NB_OCTREE_NONE) {
            if (depth == 0)
                return;
            now = stack[--depth];
            continue;
        }
        now.child++;
        if (child < t.n) {
            add_chain<PHI>(t, w, child);
            continue;
        }
        const octree_mass<B> mass = t.mass[child - t.n];
        if (all_beyond(mass, *w)) {
            pair_add<PHI, false>(w->sum, mass.body, w->target, w->eps2, false);
            count_term(w);
            continue;
        }
        __syncwarp(); /* wait until all threads have read the previous content of stack[depth] */
        if (threadIdx.x % 32 == 0)
            stack[depth] = now;
        __syncwarp();
        depth++;
        now = {child - t.n, 0};
    }
}

/* n threads, one for each target. SORTED: targets are in depth-first order of the tree; if false, in the order of the
 * input. The threads of a warp traverse the tree together and have one stack. Reads t.child, t.mass, t.bodies and
 * t.next. Each thread writes the results of its target to `out`. */
template <bool PHI, bool SORTED, typename B>
static __global__ void __launch_bounds__(THREADS_MOST) walk(octree_view<B> t, nb_field out, double G, double softening)
{
    extern __shared__ octree_step stack[];
    const uint32_t place = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t last = place < t.n ? place : t.n - 1; /* threads from n on compute the last body and store nothing */
    octree_walker<B> w = {};
    w.i = SORTED && !t.counters->not_finite ? t.order[last] : last;
    if (t.counters->not_finite)
        w.total = {NAN, NAN, NAN, NAN};
    else {
        w.target = t.bodies[w.i];
        w.eps2 = (typename B::real)(softening * softening);
        walk_down<PHI>(t, &w, stack + threadIdx.x / 32 * NB_OCTREE_DEPTH);
        pair_flush(w.total, w.sum);
    }
    if (place < t.n)
        pair_store<typename B::state>(out, w.total, G, w.i);
}

template <typename B>
int octree_walk(octree_work *w, const octree_view<B> &t, const nb_sources *s, const nb_field *out, int threads)
{
    const unsigned blocks = (t.n + (unsigned)threads - 1) / (unsigned)threads;
    const size_t stack_bytes = (size_t)threads / 32 * NB_OCTREE_DEPTH * sizeof(octree_step);
    auto kernel = out->phi ? (w->sort ? walk<true, true, B> : walk<true, false, B>)
                           : (w->sort ? walk<false, true, B> : walk<false, false, B>);
    kernel<<<blocks, threads, stack_bytes, w->stream>>>(t, *out, s->G, s->softening);
    return NB_CUDA(cudaGetLastError());
}

template int octree_walk(octree_work *, const octree_view<body_single> &, const nb_sources *, const nb_field *, int);
template int octree_walk(octree_work *, const octree_view<body_mixed> &, const nb_sources *, const nb_field *, int);
template int octree_walk(octree_work *, const octree_view<body_double> &, const nb_sources *, const nb_field *, int);
