/* tree_survey.cu - bounds and keys of the bodies that a device stores, for the division into domains. Declared in
 * tree_domains.cuh. */
#include "force/tree/cuda/tree_domains.cuh"

#include <limits>

static unsigned some_blocks(uint64_t n)
{
    const unsigned blocks = nb_blocks_for(n);
    return blocks < 1024 ? blocks : 1024;
}

/* ---- survey ---- */

/* Computes the bounding box and the largest mass of the device's own bodies, and whether their positions and masses are
 * finite. Threads iterate over the bodies in strides of the grid. A block combines the values of its threads in shared
 * memory, and its first threads update *all. */
template <typename B> static __global__ void survey(nb_sources own, tree_survey *all)
{
    __shared__ tree_survey block;
    if (threadIdx.x < 3)
        block.bounds.low[threadIdx.x] = ~0ull, block.bounds.high[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block.largest_mass = 0;
    __syncthreads();
    using S = typename B::state;
    const S *x = (const S *)own.x, *m = (const S *)own.m;
    const S huge = std::numeric_limits<S>::max();
    S low[3] = {huge, huge, huge}, high[3] = {-huge, -huge, -huge}, most = 0;
    bool bad = false;
    for (uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x; i < own.n; i += (uint64_t)gridDim.x * NB_BLOCK) {
        B body;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[i + k * own.stride]);
            high[k] = fmax(high[k], x[i + k * own.stride]);
        }
        most = fmax(most, fabs(m[i]));
        body_read(body, x, m, own.stride, i);
        bad |= !tree_is_finite(body);
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
    tree_survey *d = (tree_survey *)w->domain->buffer[TREE_SURVEY].d;
    if (NB_CUDA(cudaMemsetAsync(d, 0, sizeof *d, w->stream)) ||
        NB_CUDA(cudaMemsetAsync(d->bounds.low, 0xff, sizeof d->bounds.low, w->stream)))
        return -1;
    if (own->n > 0)
        for_body(precision, [&]<typename B>() { survey<B><<<some_blocks(own->n), NB_BLOCK, 0, w->stream>>>(*own, d); });
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
