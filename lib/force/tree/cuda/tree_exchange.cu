/* tree_exchange.cu - moves bodies and fields between devices. A body is stored by index on one device; the domain that
 * contains its position on the Morton curve may belong to another device. Declared in tree_domains.cuh. */
#include "force/tree/cuda/tree_domains.cuh"

#include <cfloat>
#include <cub/device/device_radix_sort.cuh>

static unsigned some_blocks(uint64_t n)
{
    const unsigned blocks = nb_blocks_for(n);
    return blocks < 1024 ? blocks : 1024;
}

/* ---- survey ---- */

/* Copies the device's own bodies to records[]. Computes their bounding box and largest mass, and whether their
 * positions and masses are finite. Threads iterate over the bodies in strides of the grid. A block combines the values
 * of its threads in shared memory, and its first threads update *all. */
template <typename B> static __global__ void survey(nb_sources own, B *records, tree_survey *all)
{
    __shared__ tree_survey block;
    if (threadIdx.x < 3)
        block.bounds.low[threadIdx.x] = ~0ull, block.bounds.high[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block.largest_mass = 0;
    __syncthreads();
    const typename B::state *x = (const typename B::state *)own.x, *m = (const typename B::state *)own.m;
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, most = 0;
    bool bad = false;
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < own.n; i += (uint64_t)gridDim.x * NB_BLOCK) {
        B body;
        for (int k = 0; k < 3; k++) {
            const double v = x[i + k * own.stride];
            low[k] = fmin(low[k], v);
            high[k] = fmax(high[k], v);
        }
        most = fmax(most, fabs((double)m[i]));
        body_read(body, x, m, own.stride, i);
        bad |= !tree_is_finite(body);
        records[i] = body;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], __shfl_xor_sync(~0u, low[k], distance));
            high[k] = fmax(high[k], __shfl_xor_sync(~0u, high[k], distance));
        }
        most = fmax(most, __shfl_xor_sync(~0u, most, distance));
    }
    if (bad)
        all->not_finite = 1;
    if (threadIdx.x % 32 == 0) {
        for (int k = 0; k < 3; k++) {
            atomicMin(&block.bounds.low[k], morton_ordered(low[k]));
            atomicMax(&block.bounds.high[k], morton_ordered(high[k]));
        }
        atomicMax(&block.largest_mass, morton_ordered(most));
    }
    __syncthreads();
    if (threadIdx.x < 3) {
        atomicMin(&all->bounds.low[threadIdx.x], block.bounds.low[threadIdx.x]);
        atomicMax(&all->bounds.high[threadIdx.x], block.bounds.high[threadIdx.x]);
    }
    if (threadIdx.x == 0)
        atomicMax(&all->largest_mass, block.largest_mass);
}

int tree_survey_bodies(tree_work *w, enum nb_precision precision, const nb_sources *own)
{
    nb_cuda_buffer *buffer = w->domain->buffer;
    tree_survey *d = (tree_survey *)buffer[TREE_SURVEY].d;
    if (NB_CUDA(cudaMemsetAsync(d, 0, sizeof *d, w->stream)) ||
        NB_CUDA(cudaMemsetAsync(d->bounds.low, 0xff, sizeof d->bounds.low, w->stream)))
        return -1;
    if (own->n > 0)
        for_body(precision, [&]<typename B>() {
            survey<B><<<some_blocks(own->n), NB_BLOCK, 0, w->stream>>>(*own, (B *)buffer[TREE_RECORDS].d, d);
        });
    return NB_CUDA(cudaGetLastError());
}

/* ---- splitters ---- */

/* Copies `count` of the n elements of keys[], at equal distances in the array, to sample[]. One thread per sample. */
static __global__ void take_sample(const uint64_t *keys, uint64_t n, uint64_t *sample, uint32_t count)
{
    const uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < count)
        sample[k] = keys[(uint64_t)k * n / count];
}

int tree_sample_keys(tree_work *w, const uint64_t *keys, uint64_t n, uint64_t *sample, uint32_t count)
{
    if (count > 0)
        take_sample<<<nb_blocks_for(count), NB_BLOCK, 0, w->stream>>>(keys, n, sample, count);
    return NB_CUDA(cudaGetLastError());
}

/* For each splitter and each number b, counts the keys that share exactly b leading bits with the splitter. Keys below
 * the splitter are counted separately (nb_domains_counts). The caller sets counts[] to zeros. Blocks with blockIdx.y =
 * s count for splitter s. Threads iterate over the n keys in strides of the grid's first dimension. Most keys share few
 * bits: a thread counts those with less than FEW_BITS bits in a register, with 16 bits for each of 2 FEW_BITS numbers,
 * and a block counts the others in shared memory. */
#define FEW_BITS 4
static __global__ void count_keys(const uint64_t *keys, uint64_t n, tree_splitters splitters, nb_domains_counts *counts)
{
    __shared__ uint32_t here[2 * (NB_DOMAINS_BITS + 1)];
    const uint64_t splitter = splitters.first[blockIdx.y];
    uint64_t few[2] = {};
    for (int k = threadIdx.x; k < 2 * (NB_DOMAINS_BITS + 1); k += NB_BLOCK)
        here[k] = 0;
    __syncthreads();
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < n; i += (uint64_t)gridDim.x * NB_BLOCK) {
        const uint64_t key = keys[i];
        const int shared = key == splitter ? NB_DOMAINS_BITS : __clzll((long long)(key ^ splitter));
        const bool above = key >= splitter;
        if (shared < FEW_BITS)
            (above ? few[1] : few[0]) += 1ull << (16 * shared);
        else
            atomicAdd(&here[above * (NB_DOMAINS_BITS + 1) + shared], 1);
    }
    for (int above = 0; above < 2; above++)
        for (int shared = 0; shared < FEW_BITS; shared++) {
            uint32_t sum = (uint32_t)(few[above] >> (16 * shared)) & 0xffff;
            for (int distance = 16; distance > 0; distance /= 2)
                sum += __shfl_xor_sync(~0u, sum, distance);
            if (threadIdx.x % 32 == 0 && sum > 0)
                atomicAdd(&here[above * (NB_DOMAINS_BITS + 1) + shared], sum);
        }
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * (NB_DOMAINS_BITS + 1); k += NB_BLOCK)
        if (here[k] > 0)
            atomicAdd((unsigned long long *)(counts + blockIdx.y) + k, (unsigned long long)here[k]);
}

int tree_count_keys(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters,
                    nb_domains_counts *counts)
{
    if (NB_CUDA(cudaMemsetAsync(counts, 0, splitters.count * sizeof *counts, w->stream)))
        return -1;
    if (n > 0)
        count_keys<<<dim3(some_blocks(n), splitters.count), NB_BLOCK, 0, w->stream>>>(keys, n, splitters, counts);
    return NB_CUDA(cudaGetLastError());
}

/* ---- sending bodies to the domains ---- */

/* Writes the domain of each body to side[], and the body's index to number[]. One thread per body, n bodies. */
static __global__ void find_sides(const uint64_t *keys, uint64_t n, tree_splitters splitters, uint8_t *side,
                                  uint32_t *number)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    const uint64_t key = keys[i];
    int domain = 0;
    for (int s = 0; s < splitters.count; s++)
        domain += key >= splitters.first[s];
    side[i] = (uint8_t)domain;
    number[i] = (uint32_t)i;
}

int tree_divide(tree_work *w, const uint64_t *keys, uint64_t n, const tree_splitters &splitters)
{
    nb_cuda_buffer *buffer = w->domain->buffer;
    uint8_t *side = nullptr;
    uint32_t *leaving = nullptr;
    size_t bytes = 0;
    int bits = 1;
    while (splitters.count >> bits)
        bits++;
    if (NB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, side, side, leaving, leaving, n, 0, bits)) ||
        nb_cuda_reserve(&w->sort.scratch, bytes) || nb_cuda_reserve(&buffer[TREE_SIDE], 2 * n) ||
        nb_cuda_reserve(&buffer[TREE_LEAVING], 2 * n * sizeof *leaving))
        return -1;
    if (n == 0)
        return 0;
    side = (uint8_t *)buffer[TREE_SIDE].d;
    leaving = (uint32_t *)buffer[TREE_LEAVING].d;
    find_sides<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(keys, n, splitters, side + n, leaving + n);
    return NB_CUDA(cub::DeviceRadixSort::SortPairs(w->sort.scratch.d, bytes, side + n, side, leaving + n, leaving, n, 0,
                                                   bits, w->stream));
}

/* Returns the domain to which body j of the list of leaving bodies is sent. */
static __device__ __forceinline__ int route_of(const tree_routes &routes, uint32_t j)
{
    int k = 0;
    while (j >= routes.begin[k + 1])
        k++;
    return k;
}

/* For each body i = index[k] of a list: if the body is stored on this device (begin <= i < begin + n), sets
 * place[i - begin] = k. One thread per element of the list. */
static __global__ void place_own(const uint32_t *index, uint64_t count, uint64_t begin, uint64_t n, uint32_t *place)
{
    const uint64_t k = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < count && index[k] - begin < n)
        place[index[k] - begin] = (uint32_t)k;
}

int tree_place_own(tree_work *w, const uint32_t *index, uint64_t count, uint64_t begin, uint64_t n)
{
    nb_cuda_buffer *place = &w->domain->buffer[TREE_OWN_PLACE];
    if (nb_cuda_reserve(place, n * sizeof *index) ||
        NB_CUDA(cudaMemsetAsync(place->d, 0xff, n * sizeof *index, w->stream)))
        return -1;
    if (count > 0)
        place_own<<<nb_blocks_for(count), NB_BLOCK, 0, w->stream>>>(index, count, begin, n, (uint32_t *)place->d);
    return NB_CUDA(cudaGetLastError());
}

/* Sends bodies. One thread per element of leaving[], the list of bodies to send: writes the body's record and key into
 * the memory of the device whose domain gets the body. If the targets are a list of bodies, also writes the position of
 * the body in this list, place[i]. */
template <typename B>
static __global__ void send(const B *records, const uint64_t *keys, const uint32_t *place, const uint32_t *leaving,
                            tree_routes routes, tree_inboxes to)
{
    const uint64_t j = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (j >= routes.begin[routes.parts])
        return;
    const int domain = route_of(routes, (uint32_t)j);
    const uint64_t i = leaving[j], at = routes.at[domain] + (j - routes.begin[domain]);
    const tree_inbox &box = to.of[domain];
    ((B *)box.records)[at] = records[i];
    box.keys[at] = keys[i];
    if (box.place)
        box.place[at] = place[i];
}

int tree_send(tree_work *w, enum nb_precision precision, const uint64_t *keys, const tree_routes &routes,
              const tree_inboxes &to)
{
    const nb_cuda_buffer *buffer = w->domain->buffer;
    const uint32_t *leaving = (const uint32_t *)buffer[TREE_LEAVING].d;
    const uint32_t *place = (const uint32_t *)buffer[TREE_OWN_PLACE].d;
    const uint64_t n = routes.begin[routes.parts];
    if (n > 0)
        for_body(precision, [&]<typename B>() {
            send<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>((const B *)buffer[TREE_RECORDS].d, keys, place, leaving,
                                                               routes, to);
        });
    return NB_CUDA(cudaGetLastError());
}

static __global__ void count_up(uint32_t *numbers, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < n)
        numbers[i] = (uint32_t)i;
}

int tree_number(tree_work *w, uint32_t *numbers, uint64_t n)
{
    count_up<<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(numbers, n);
    return NB_CUDA(cudaGetLastError());
}

/* ---- returning fields ---- */

/* Copies fields back. One thread per element of the list of n bodies that left: reads the body's field from the device
 * of its domain, and writes it to back[3][stride] and phi[]. `back` or `phi` may be NULL. Threads n to stride - 1 clear
 * the padding of `back`. */
template <typename T>
static __global__ void take_back(uint64_t n, uint64_t stride, const uint32_t *leaving, tree_routes routes,
                                 tree_outboxes from, T *back, T *phi, bool add)
{
    const uint64_t j = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (j >= stride)
        return;
    if (j >= n) {
        for (int k = 0; back && k < 3; k++)
            back[k * stride + j] = 0;
        return;
    }
    const int domain = route_of(routes, (uint32_t)j);
    const uint64_t i = leaving[j], at = routes.at[domain] + (j - routes.begin[domain]);
    const tree_outbox &box = from.of[domain];
    const T *rows = (const T *)box.rows;
    for (int k = 0; back && k < 3; k++)
        back[k * stride + i] = rows[k * box.stride + at];
    if (phi)
        phi[i] = (add ? phi[i] : 0) + rows[3 * box.stride + at];
}

int tree_take_back(tree_work *w, enum nb_precision precision, uint64_t n, uint64_t stride, const tree_routes &routes,
                   const tree_outboxes &from, void *back, const nb_field *out)
{
    const uint32_t *leaving = (const uint32_t *)w->domain->buffer[TREE_LEAVING].d;
    if (stride > 0)
        nb_for_state(precision, [&]<typename T>() {
            take_back<<<nb_blocks_for(stride), NB_BLOCK, 0, w->stream>>>(n, stride, leaving, routes, from, (T *)back,
                                                                         (T *)out->phi, out->add);
        });
    return NB_CUDA(cudaGetLastError());
}

/* Copies the accelerations of targets from this device's rows, to.a[own], to the same elements of the rows of all other
 * devices. place[i]: element of body i in the rows; ~0: not a target. One thread per body of the domain, n bodies. */
template <typename T> static __global__ void give(uint64_t n, const uint32_t *place, tree_lists to, int own)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i >= n || place[i] == ~0u)
        return;
    for (int k = 0; k < 3; k++) {
        const uint64_t at = k * to.stride + place[i];
        const T a = ((const T *)to.a[own])[at];
        for (int part = 0; part < to.parts; part++)
            if (part != own)
                ((T *)to.a[part])[at] = a;
    }
}

int tree_give(tree_work *w, enum nb_precision precision, uint64_t n, const uint32_t *place, const tree_lists &to,
              int own)
{
    nb_for_state(precision,
                 [&]<typename T>() { give<T><<<nb_blocks_for(n), NB_BLOCK, 0, w->stream>>>(n, place, to, own); });
    return NB_CUDA(cudaGetLastError());
}
