/* tree_join.cu - stages that sort the bodies of a domain (the bodies of one device, tree_domains.cuh), build its nodes,
 * and connect these nodes with the nodes of other domains. Declared in tree_plan.cuh. */
#include "device/timing.h"
#include "force/tree/cuda/tree_plan.cuh"

/* ---- order and nodes of the domain ---- */

/* Prepares to sort again, by more bits. The last sort has left its results in pairs.keys[0] and pairs.numbers[0].
 * Copies them to pairs.keys[w->sort.turns] and pairs.numbers[w->sort.turns], from which the next sort begins. */
static int put_back(tree_work *w)
{
    const morton_pairs pairs = tree_pairs_of(w);
    const int to = w->sort.turns;
    return nb_status(
        morton_reserve(&w->sort, w->own_n, 3, w->sort.keys.size_bytes) ||
        (to > 0 && (NB_CUDA(cudaMemcpyAsync(pairs.keys[to], pairs.keys[0], w->own_n * sizeof(uint64_t),
                                            cudaMemcpyDeviceToDevice, w->stream)) ||
                    NB_CUDA(cudaMemcpyAsync(tree_pairs_of(w).numbers[to], pairs.numbers[0], w->own_n * sizeof(uint32_t),
                                            cudaMemcpyDeviceToDevice, w->stream)))));
}

/* Numbers the bodies of the domain in the order of arrival, and computes their keys if these were not sent. */
static int number_bodies(const tree_plan *p, int k)
{
    tree_work *w = p->work[k];
    const morton_pairs pairs = tree_pairs_of(w);
    const int to = w->sort.turns;
    const morton_points bodies = {p->inboxes.of[k].records, 1, w->own_n, 4}; /* each record: x, y, z, mass */
    return tree_sends_keys(p)
               ? tree_number(w, pairs.numbers[to], w->own_n)
               : morton_make_keys(w->stream, p->precision, &bodies, (const morton_bounds *)w->sort.bounds.d,
                                  pairs.keys[to], pairs.numbers[to]);
}

int tree_sort_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    const bool first = p->sorts == 0, again = !first && p->depth_counts[k][TREE_UNSORTED];
    if (nb_cuda_enter(w->device))
        return -1;
    nb_timing_stage(w->device, "sort");
    if (first && (tree_await(p, k, &tree_domain::sent, false) ||
                  NB_CUDA(cudaEventRecord(w->domain->begun, w->stream)) || number_bodies(p, k)))
        return -1;
    if (again) {
        w->sort.upper += TREE_SORT_BITS;
        if (put_back(w))
            return -1;
    }
    if ((first || again) && morton_sort_pairs(w->stream, w->own_n, 3, tree_pairs_of(w), &w->sort))
        return -1;
    return NB_CUDA(cudaEventRecord(w->domain->sorted, w->stream));
}

static int take_margins(const tree_plan *p, int k)
{
    const tree_work *w = p->work[k];
    const size_t bytes = TREE_MARGIN * sizeof(uint64_t);
    uint64_t *keys = (uint64_t *)w->sort.keys.d;
    for (int h = k - 1; h <= k + 1; h += 2) {
        if (h < 0 || h == p->parts)
            continue;
        const tree_work *there = p->work[h];
        const uint64_t *from = (const uint64_t *)there->sort.keys.d + (h < k ? there->own_n : TREE_MARGIN);
        uint64_t *to = h < k ? keys : keys + TREE_MARGIN + w->own_n;
        if (NB_CUDA(cudaMemcpyPeerAsync(to, w->device->index, from, there->device->index, bytes, w->stream)))
            return -1;
    }
    return 0;
}

int tree_find_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    if (nb_cuda_enter(w->device) || tree_room(w, TREE_FOUND, sizeof p->found[k]) ||
        tree_await(p, k, &tree_domain::sorted, true) || take_margins(p, k))
        return -1;
    nb_timing_stage(w->device, "build");
    tree_root *found = (tree_root *)tree_buffer(w, TREE_FOUND);
    return nb_status(tree_find(w) || tree_find_roots(w, found, (uint32_t *)(found + TREE_ROOTS)) ||
                     NB_CUDA(cudaMemcpyAsync(p->depth_counts[k], w->depth_counts.d, sizeof p->depth_counts[k],
                                             cudaMemcpyDeviceToHost, w->stream)) ||
                     tree_fetch(w, &p->found[k], found, TREE_ROOTS * sizeof *found + sizeof(uint32_t)));
}

bool tree_is_sorted(const tree_plan *p)
{
    for (int k = 0; k < p->parts; k++)
        if (p->depth_counts[k][TREE_UNSORTED])
            return false;
    return true;
}

void tree_number_nodes(tree_plan *p)
{
    uint32_t roots = 0;
    for (int k = 0; k < p->parts; k++) {
        for (uint32_t r = 0; r < p->found[k].count; r++)
            p->root[roots++] = p->found[k].root[r].keys;
        p->top.end[k] = roots;
    }
    p->top.roots = roots;
    p->heights = nb_domains_top(p->root, (int)roots, p->node, p->parent);
    uint32_t next = roots - 1;
    for (int k = 0; k < p->parts; k++) {
        p->work[k]->top = roots - 1;
        tree_count(p->work[k], next, p->found[k].count, p->depth_counts[k]);
        next = p->work[k]->nodes;
    }
    for (int k = 0; k < p->parts; k++)
        p->work[k]->total = next;
}

/* Allocates the memory of device k for all nodes and bodies. Copies to the device what the host has found: ranges and
 * parents of the roots of the device, and the nodes with bodies on several devices. */
static int put_top(tree_plan *p, int k)
{
    tree_work *w = p->work[k];
    const size_t real = p->precision == NB_DOUBLE ? sizeof(double) : sizeof(float);
    const uint32_t count = p->found[k].count, first = p->top.end[k] - count;
    uint2 places[TREE_ROOTS];
    for (uint32_t r = 0; r < count; r++)
        places[r] = p->found[k].root[r].places;
    if (tree_reserve_shape(w, tree_domain_room(&w->domain->total, w->total)) ||
        tree_reserve(w, tree_body_size(p->precision), real) ||
        tree_room(w, TREE_ROOT, TREE_ROOTS * (sizeof *places + sizeof(uint32_t))) ||
        tree_room(w, TREE_NUMBER, TREE_ROOTS * sizeof(uint32_t)) ||
        tree_room(w, TREE_ALL, p->top.roots * sizeof(uint32_t)) ||
        tree_room(w, TREE_TOP_NODES, p->top.roots * sizeof *p->node))
        return -1;
    w->has_others = true;
    uint2 *d_places = (uint2 *)tree_buffer(w, TREE_ROOT);
    return nb_status(
        NB_CUDA(cudaMemcpyAsync(d_places, places, count * sizeof *places, cudaMemcpyHostToDevice, w->stream)) ||
        NB_CUDA(cudaMemcpyAsync(d_places + TREE_ROOTS, p->parent + first, count * sizeof *p->parent,
                                cudaMemcpyHostToDevice, w->stream)) ||
        NB_CUDA(cudaMemcpyAsync(tree_buffer(w, TREE_TOP_NODES), p->node, (p->top.roots - 1) * sizeof *p->node,
                                cudaMemcpyHostToDevice, w->stream)));
}

template <typename B> static int make(tree_plan *p, int k)
{
    tree_work *w = p->work[k];
    uint2 *roots = (uint2 *)tree_buffer(w, TREE_ROOT);
    if (tree_make(w, p->depth_counts[k], roots, (const uint32_t *)(roots + TREE_ROOTS), p->found[k].count,
                  (uint32_t *)tree_buffer(w, TREE_NUMBER)))
        return -1;
    nb_timing_stage(w->device, "moments");
    return nb_status(
        tree_begin(w, p->all.largest_mass, p->s->n) || tree_put_in_order(w, (const B *)p->inboxes.of[k].records) ||
        tree_nodes<B>(w, tree_view_of<typename B::real>(w)) || NB_CUDA(cudaEventRecord(w->domain->made, w->stream)) ||
        NB_CUDA(cudaEventRecord(w->domain->ordered, w->stream)));
}

int tree_make_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    if (nb_cuda_enter(p->work[k]->device) || put_top(p, k))
        return -1;
    return for_body(p->precision, [&]<typename B>() { return make<B>(p, k); });
}

/* ---- nodes of the other domains ---- */

void tree_know_each_other(tree_plan *p)
{
    for (int k = 0; k < p->parts; k++) {
        const tree_work *w = p->work[k];
        p->top.there[k] = {(const uint32_t *)tree_buffer(w, TREE_NUMBER), w->opening.d, w->centre.d, w->box.d,
                           w->moments.d};
    }
}

template <typename real> static int open_nodes(const tree_plan *p, int k)
{
    tree_work *w = p->work[k];
    const tree_view<real> t = tree_view_of<real>(w);
    tree_top top = p->top;
    top.own = k;
    return nb_status(tree_make_top(w, t, top, (uint32_t *)tree_buffer(w, TREE_ALL),
                                   (const nb_domains_node *)tree_buffer(w, TREE_TOP_NODES), p->heights) ||
                     tree_open(w, t, p->s));
}

int tree_top_stage(void *context, int k)
{
    tree_plan *p = (tree_plan *)context;
    tree_work *w = p->work[k];
    if (nb_cuda_enter(w->device) || tree_await(p, k, &tree_domain::made, false))
        return -1;
    nb_timing_stage(w->device, "top");
    return (p->precision == NB_DOUBLE ? open_nodes<double>(p, k) : open_nodes<float>(p, k)) ||
                   NB_CUDA(cudaEventRecord(w->domain->opened, w->stream))
               ? -1
               : 0;
}

/* Copies elements [first, end) of an array from another device to the same indices of this device's array. */
static int take(const tree_work *w, const tree_work *there, nb_cuda_buffer tree_work::*array, size_t element,
                uint64_t first, uint64_t end)
{
    const size_t at = first * element;
    return NB_CUDA(cudaMemcpyPeerAsync((char *)(w->*array).d + at, w->device->index,
                                       (const char *)(there->*array).d + at, there->device->index,
                                       (end - first) * element, w->domain->copies));
}

int tree_take_trees(const tree_plan *p, int k)
{
    tree_work *w = p->work[k];
    const size_t real = p->precision == NB_DOUBLE ? sizeof(double) : sizeof(float);
    cudaStream_t copies = w->domain->copies;
    for (int h = 0; h < p->parts; h++)
        if (NB_CUDA(cudaStreamWaitEvent(copies, p->work[h]->domain->opened, 0)))
            return -1;
    /* Each device first copies from the device after it, so that not all devices read from the same device at the same
     * time. */
    for (int away = 1; away < p->parts; away++) {
        const tree_work *there = p->work[(k + away) % p->parts];
        if (take(w, there, &tree_work::opening, sizeof(tree_opening_record), there->first_node, there->nodes))
            return -1;
    }
    if (NB_CUDA(cudaEventRecord(w->domain->seen, copies)))
        return -1;
    for (int away = 1; away < p->parts; away++) {
        const tree_work *there = p->work[(k + away) % p->parts];
        if (take(w, there, &tree_work::moments, NB_MOMENTS * real, there->first_node, there->nodes) ||
            take(w, there, &tree_work::centre, sizeof(tree_centre), there->first_node, there->nodes))
            return -1;
    }
    if (NB_CUDA(cudaEventRecord(w->domain->moved, copies)))
        return -1;
    for (int away = 1; away < p->parts; away++) {
        const tree_work *there = p->work[(k + away) % p->parts];
        if (take(w, there, &tree_work::range, sizeof(uint2), there->first_node, there->nodes) ||
            take(w, there, &tree_work::bodies, tree_body_size(p->precision), there->first, there->first + there->own_n))
            return -1;
    }
    return nb_status(NB_CUDA(cudaEventRecord(w->domain->arrived, copies)) ||
                     NB_CUDA(cudaStreamWaitEvent(w->stream, w->domain->seen, 0)));
}
