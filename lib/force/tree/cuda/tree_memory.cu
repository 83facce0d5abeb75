/* tree_memory.cu - memory of the tree force on the GPU: allocation for nodes, bodies and lists, and estimates before a
 * run. Declared in tree_cuda.cuh. */
#include "force/tree/cuda/tree_domains.cuh"

/* Estimated number of chunks of interaction lists per node at theta 0.75. If the walk needs more chunks, more memory is
 * allocated and the walk is repeated. */
#define CHUNKS_GUESS 3
/* CHUNKS_MARGIN: factor for a number of chunks per body that was measured with a sample of the bodies. All bodies
 * together may need more chunks per body than the sample. CHUNKS_SPARE: number of additional chunks, because warps
 * reserve chunks that they do not use. */
#define CHUNKS_MARGIN 1.03
#define CHUNKS_SPARE  65536
/* Memory in bytes per body that the sort needs for indices and for work space of the library CUB. Keys and order are
 * not included. */
#define SORT_SCRATCH 4.5

/* Return the buffers for moments and for boxes. On a single device, moments and boxes reuse the memory in which the
 * sort had keys and indices, because these are not needed after the nodes are built. A domain has separate buffers,
 * because neighbouring domains read the keys of this domain. */
static nb_cuda_buffer *moments_memory(tree_work *w)
{
    return w->domain ? &w->moments : &w->sort.keys;
}

static nb_cuda_buffer *box_memory(tree_work *w)
{
    return w->domain ? &w->box : &w->sort.scratch;
}

int tree_reserve_pool(tree_work *w, size_t chunks)
{
    if (chunks > 0xffffff00u)
        return nb_fail(
            "the interaction lists of the tree have too many entries at theta %g (use a larger --theta, or --force "
            "direct)",
            w->theta);
    if (nb_cuda_reserve(&w->pool, chunks * TREE_CHUNK * sizeof(uint32_t)) ||
        nb_cuda_reserve(&w->next, chunks * sizeof(uint32_t)))
        return nb_fail(
            "the GPU has no memory for the interaction lists of the tree at theta %g: %.3g GB (use a larger --theta, "
            "or --force direct)",
            w->theta, 1e-9 * (double)chunks * TREE_CHUNK * sizeof(uint32_t));
    return 0;
}

/* Returns the number of chunks for which both buffers, `pool` and `next`, have memory. */
uint32_t tree_pool_chunks(const tree_work *w)
{
    const size_t entries = w->pool.size_bytes / (TREE_CHUNK * sizeof(uint32_t));
    const size_t links = w->next.size_bytes / sizeof(uint32_t), chunks = entries < links ? entries : links;
    return chunks < 0xffffff00u ? (uint32_t)chunks : 0xffffff00u;
}

/* Indices of buffers in the following functions. Other buffers, such as those for interaction lists and for the order
 * of the bodies, are not in this list. */
enum { BODIES, FRAME, COUNTERS, OPENING, CENTRE, BOX, MOMENTS, READY, M2L, REMAINING, M2P, LOCAL, BUFFERS };

/* Computes the bytes of each buffer, for n bodies, `own` nodes of this device and `total` nodes of all devices. */
static void buffer_bytes(double n, double own, double total, size_t body_size, size_t real_size, double *bytes)
{
    bytes[BODIES] = n * body_size;
    bytes[FRAME] = sizeof(tree_frame);
    bytes[COUNTERS] = sizeof(tree_counters);
    bytes[OPENING] = total * sizeof(tree_opening_record);
    bytes[CENTRE] = total * sizeof(tree_centre);
    bytes[BOX] = total * sizeof(tree_box);
    bytes[MOMENTS] = total * (size_t)NB_MOMENTS * real_size;
    bytes[READY] = own * sizeof(uint32_t);
    bytes[M2L] = bytes[REMAINING] = bytes[M2P] = own * sizeof(tree_list);
    bytes[LOCAL] = own * (size_t)NB_LOCALS * real_size;
}

/* Returns the estimated number of list chunks for the fraction `part` of the n bodies. own: number of nodes of this
 * device. lists: number of chunks per body; 0: unknown. */
static double chunks_for(double n, double own, double lists, double part)
{
    return (lists > 0 ? CHUNKS_MARGIN * lists * n : CHUNKS_GUESS * own) * part + CHUNKS_SPARE;
}

static double piece_of(double n)
{
    return fmin(1, TREE_PIECE / n);
}

int tree_reserve_bodies(tree_work *w, size_t body_size)
{
    return nb_status(nb_cuda_reserve(&w->bodies, w->n * body_size) || nb_cuda_reserve(&w->frame, sizeof(tree_frame)) ||
                     nb_cuda_reserve(&w->counters, sizeof(tree_counters)));
}

int tree_reserve(tree_work *w, size_t body_size, size_t real_size)
{
    tree_domain *d = w->top > 0 ? w->domain : nullptr; /* NULL: one tree of all bodies */
    const uint64_t nodes = w->nodes - w->first_node, own = d ? tree_domain_room(&d->nodes, nodes) : nodes;
    const uint64_t total = d ? tree_domain_room(&d->total, w->total) : w->total,
                   own_n = d ? tree_domain_room(&d->bodies, w->own_n) : w->own_n;
    nb_cuda_buffer *const all[BUFFERS] = {&w->bodies, &w->frame,     &w->counters,      &w->opening,
                                          &w->centre, box_memory(w), moments_memory(w), &w->ready,
                                          &w->m2l,    &w->remaining, &w->m2p,           &w->local};
    double bytes[BUFFERS];
    buffer_bytes((double)w->n, (double)own, (double)total, body_size, real_size, bytes);
    for (int k = 0; k < BUFFERS; k++)
        if (nb_cuda_reserve(all[k], (size_t)bytes[k]))
            return -1;
    const size_t guess = (size_t)chunks_for((double)own_n, (double)own, w->lists, d ? 1 : piece_of((double)w->n));
    return tree_pool_chunks(w) < guess ? tree_reserve_pool(w, guess) : 0;
}

template <typename real> tree_view<real> tree_view_of(tree_work *w)
{
    /* Some arrays have only the nodes of this device, beginning with node `first`. The pointers to these arrays are
     * moved back by `first` elements, so that node numbers can be used as indices. */
    const uint32_t first = w->first_node;
    return {(uint32_t)w->n,
            first,
            w->inner,
            w->nodes,
            (uint32_t)(w->n / TREE_START_NODES),
            tree_shared_places(w),
            (const uint2 *)w->range.d,
            (const uint2 *)w->children.d,
            (const uint32_t *)w->parent.d,
            (const tree_frame *)w->frame.d,
            (tree_opening_record *)w->opening.d,
            (tree_centre *)w->centre.d,
            (tree_box *)box_memory(w)->d,
            (real *)moments_memory(w)->d,
            (real *)w->local.d - (size_t)first * NB_LOCALS,
            (tree_list *)w->m2l.d - first,
            (tree_list *)w->remaining.d - first,
            (tree_list *)w->m2p.d - first,
            w->few || w->in_pieces ? (const uint32_t *)w->due.d : nullptr,
            (const uint32_t *)w->queue.d,
            {(uint32_t *)w->pool.d, (uint32_t *)w->next.d, tree_pool_chunks(w)}};
}

template tree_view<float> tree_view_of<float>(tree_work *);
template tree_view<double> tree_view_of<double>(tree_work *);

/* ---- estimates before a run ---- */

/* Returns an upper estimate of the number of nodes for n bodies, from tests with Plummer spheres and uniform cubes. */
static double nodes_for(double n)
{
    return n < TREE_LARGE ? 0.22 * n : fmax(0.22 * TREE_LARGE, 0.13 * n);
}

/* Returns the estimated memory in bytes for n bodies and this number of nodes. It includes the buffers of tree_reserve,
 * the lists, the order of the bodies, and the ranges, children and parents of nodes. lists: number of list chunks per
 * body; 0: unknown. */
static double bytes_of(enum nb_precision precision, double n, double nodes, double lists)
{
    const size_t body = precision == NB_SINGLE ? sizeof(body_single) : sizeof(body_double);
    const double queue = n > TREE_PIECE ? 3 * sizeof(uint32_t) : 0; /* bytes per node that tree_find_shared needs */
    const double shape = 2 * sizeof(uint2) + sizeof(uint32_t) + queue,
                 chunks = chunks_for(n, nodes, lists, piece_of(n));
    double bytes[BUFFERS], sum = sizeof(uint32_t) * n + nodes * shape + chunks * (TREE_CHUNK + 1) * sizeof(uint32_t);
    buffer_bytes(n, nodes, nodes, body, precision == NB_DOUBLE ? sizeof(double) : sizeof(float), bytes);
    bytes[MOMENTS] = fmax(bytes[MOMENTS], 2 * sizeof(uint64_t) * n);
    bytes[BOX] = fmax(bytes[BOX], SORT_SCRATCH * n);
    for (int k = 0; k < BUFFERS; k++)
        sum += bytes[k];
    return sum + morton_buckets_bytes((uint64_t)n);
}

double tree_work_bytes(enum nb_precision precision, uint64_t n)
{
    return bytes_of(precision, (double)n, nodes_for((double)n), 0);
}

static double shape_bytes(enum nb_precision precision, uint64_t n, struct nb_force_shape shape)
{
    return bytes_of(precision, (double)n, (double)n * shape.nodes, shape.lists);
}

/* Returns the numbers of nodes and of list chunks in the last evaluation, divided by the number of bodies. w->chunks
 * counts all chunks that warps have reserved. Warps reserve several chunks at a time. On average, half of
 * the chunks of a warp's last reservation are unused. These unused chunks are subtracted. */
static struct nb_force_shape shape_of(const void *work)
{
    const tree_work *w = (const tree_work *)work;
    const double left = 0.5 * tree_walk_chunks_reserved(w), chunks = w->chunks > left ? w->chunks - left : 0;
    return {w->nodes / (double)w->n, chunks / ((double)w->n * (w->in_pieces ? piece_of((double)w->n) : 1))};
}

static void expect_shape(void *work, struct nb_force_shape shape)
{
    ((tree_work *)work)->lists = shape.lists;
}

const struct nb_force_shaping tree_shaping = {shape_of, expect_shape, shape_bytes};
