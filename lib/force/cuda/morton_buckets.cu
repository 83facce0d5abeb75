/* morton_buckets.cu - sorts points by their Morton keys if nearly the same points were sorted before. Declared in
 * morton_buckets.cuh. */
#include "force/cuda/morton_buckets.cuh"
#include "force/cuda/morton_key.cuh"

#include <cub/block/block_scan.cuh>

#define BUCKET_MEAN 448     /* number of keys between two splitters */
#define BUCKET_ROOM 1024    /* maximum number of keys in a bucket */
#define FEWEST      4096    /* minimum number of points that are sorted in buckets */
#define MOST        5000000 /* maximum number; with more points, a complete sort is faster */
#define SUM_BLOCK   1024    /* threads of sum_counts */
#define SORT_BLOCK  128     /* threads per block of sort_buckets */
#define PAUSE       16      /* number of complete sorts after a bucket was full */
/* Keys per thread when a bucket is sorted: usually, and in a bucket that is nearly full */
#define FEW  4
#define MANY (BUCKET_ROOM / SORT_BLOCK)
/* A counter of a bucket has 32 bytes. If counters were next to one another, atomic operations on different counters
 * would wait for each other. */
#define SPREAD 8

/* A key and the index of its point. */
struct alignas(16) bucket_entry {
    uint64_t key;
    uint32_t point;
};

static __device__ __forceinline__ bool is_before(const bucket_entry &a, const bucket_entry &b)
{
    return (a.key < b.key) | ((a.key == b.key) & (a.point < b.point));
}

static __device__ __forceinline__ bool is_before(uint64_t a, uint64_t b)
{
    return a < b;
}

static __device__ __forceinline__ bucket_entry of_lane_xor(const bucket_entry &e, uint32_t away)
{
    return {__shfl_xor_sync(~0u, e.key, away), __shfl_xor_sync(~0u, e.point, away)};
}

static __device__ __forceinline__ uint64_t of_lane_xor(uint64_t e, uint32_t away)
{
    return __shfl_xor_sync(~0u, e, away);
}

static uint32_t buckets_for(uint64_t n)
{
    return (uint32_t)((n + BUCKET_MEAN - 1) / BUCKET_MEAN);
}

/* Counters in device memory, after the bounds. They are zero before a sort. */
struct bucket_counts {
    uint32_t *count;  /* count[b * SPREAD]: number of keys in bucket b */
    uint32_t *before; /* before[b]: number of keys in the buckets before b */
};

static size_t counts_bytes(uint32_t buckets)
{
    return (size_t)buckets * (SPREAD + 1) * sizeof(uint32_t);
}

static bucket_counts counts_of(const morton_sorted *s, uint32_t buckets)
{
    uint32_t *words = (uint32_t *)((morton_bounds *)s->bounds.d + 1);
    return {words, words + (size_t)buckets * SPREAD};
}

/* Returns the splitters of this sort (next: 0) or of the next sort (1). */
static uint64_t *splitters_of(const morton_sorted *s, uint32_t buckets, int next)
{
    return (uint64_t *)s->buckets.splitter.d + (s->buckets.turns ^ next) * (size_t)buckets;
}

bool morton_buckets_fit(uint64_t n)
{
    return n >= FEWEST && n <= MOST;
}

bool morton_buckets_take(morton_sorted *s, uint64_t n)
{
    morton_buckets *b = &s->buckets;
    if (!morton_buckets_fit(n))
        return b->used = false;
    b->used = b->n == n && b->pause == 0;
    b->pause -= b->pause > 0;
    return b->used;
}

bool morton_drop_buckets(morton_sorted *s)
{
    const bool used = s->buckets.used;
    s->buckets.n = 0; /* the last order is not one */
    if (used)
        s->buckets.pause = PAUSE;
    s->buckets.used = false;
    return used;
}

double morton_buckets_bytes(uint64_t n)
{
    return morton_buckets_fit(n)
               ? (double)buckets_for(n) * (BUCKET_ROOM * sizeof(bucket_entry) + 2 * sizeof(uint64_t)) +
                     (double)counts_bytes(buckets_for(n))
               : 0;
}

int morton_buckets_reserve(morton_sorted *s, uint64_t n)
{
    const uint32_t buckets = buckets_for(n);
    return nb_status(nb_cuda_reserve(&s->bounds, sizeof(morton_bounds) + counts_bytes(buckets)) ||
                     nb_cuda_reserve(&s->buckets.splitter, 2 * buckets * sizeof(uint64_t)) ||
                     nb_cuda_reserve(&s->buckets.entry, (size_t)buckets * BUCKET_ROOM * sizeof(bucket_entry)));
}

/* Points in two sets, with rows x, y, z. The points of `more` have the indices from `sources` on. */
template <typename T> struct point_sets {
    const T *source, *more;
    uint64_t source_stride, more_stride;
    uint32_t sources;
};

/* Returns the bucket of a key. Bucket b contains the keys from splitter[b] to splitter[b + 1] - 1; splitter[0] is not
 * used. guess: the most likely result. */
static __device__ __forceinline__ uint32_t bucket_of(uint64_t key, const uint64_t *splitter, uint32_t buckets,
                                                     uint32_t guess)
{
    if ((guess == 0 || splitter[guess] <= key) && (guess + 1 == buckets || key < splitter[guess + 1]))
        return guess;
    uint32_t bucket = 0;
    for (uint32_t step = 1u << (31 - __clz(buckets)); step > 0; step /= 2)
        if (bucket + step < buckets && splitter[bucket + step] <= key)
            bucket += step;
    return bucket;
}

/* Puts the keys of n points into their buckets. Thread k processes the point at position k of the last order, so that
 * most threads of a warp use the same bucket. A counter may become larger than BUCKET_ROOM; keys beyond this number are
 * not stored. */
template <typename T>
static __global__ void fill_buckets(point_sets<T> points, uint64_t n, const morton_bounds *all, const uint32_t *order,
                                    const uint64_t *splitter, uint32_t buckets, bucket_counts counts,
                                    bucket_entry *entry)
{
    const uint64_t k = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    const bool there = k < n;
    const uint32_t point = there ? order[k] : 0;
    double v[3];
    for (int axis = 0; axis < 3; axis++)
        v[axis] = point < points.sources ? points.source[point + axis * points.source_stride]
                                         : points.more[point - points.sources + axis * points.more_stride];
    const uint64_t key = morton_key_of<3>(v, all);
    const uint32_t bucket = there ? bucket_of(key, splitter, buckets, (uint32_t)(k / BUCKET_MEAN)) : ~0u;
    const uint32_t same = __match_any_sync(~0u, bucket), lane = threadIdx.x % 32, leader = __ffs((int)same) - 1;
    uint32_t place = 0;
    if (there && lane == leader)
        place = atomicAdd(&counts.count[bucket * SPREAD], __popc(same));
    place = __shfl_sync(~0u, place, (int)leader) + __popc(same & ((1u << lane) - 1));
    if (there && place < BUCKET_ROOM)
        entry[(uint64_t)bucket * BUCKET_ROOM + place] = {key, point};
}

/* Computes counts.before. One block. */
static __global__ void sum_counts(bucket_counts counts, uint32_t buckets)
{
    typedef cub::BlockScan<uint32_t, SUM_BLOCK> block_scan;
    __shared__ block_scan::TempStorage memory;
    uint32_t sum = 0;
    for (uint32_t first = 0; first < buckets; first += SUM_BLOCK) {
        const uint32_t b = first + threadIdx.x;
        uint32_t before, all;
        block_scan(memory).ExclusiveSum(b < buckets ? counts.count[b * SPREAD] : 0, before, all);
        if (b < buckets)
            counts.before[b] = sum + before;
        sum += all;
        __syncthreads();
    }
}

/* Called by a block: sorts PER * SORT_BLOCK elements by a bitonic network. Element k of thread t, own[k], has the
 * position PER * t + k. shared: as many elements in shared memory. */
template <int PER, typename T> static __device__ __forceinline__ void sort_block(T *own, T *shared)
{
    const uint32_t t = threadIdx.x;
    for (uint32_t size = 2; size <= PER * SORT_BLOCK; size *= 2) {
        for (uint32_t stride = size / 2; stride >= PER; stride /= 2) { /* exchanges with thread t ^ away */
            const uint32_t away = stride / PER;
            const bool wants_first = ((t & away) == 0) == ((PER * t & size) == 0);
            if (away >= 32) {
                __syncthreads();
#pragma unroll
                for (int k = 0; k < PER; k++)
                    shared[k * SORT_BLOCK + t] = own[k];
                __syncthreads();
            }
#pragma unroll
            for (int k = 0; k < PER; k++) {
                const T other = away >= 32 ? shared[k * SORT_BLOCK + (t ^ away)] : of_lane_xor(own[k], away);
                own[k] = is_before(other, own[k]) == wants_first ? other : own[k];
            }
        }
#pragma unroll
        for (uint32_t stride = PER / 2; stride > 0; stride /= 2)
            if (stride < size)
#pragma unroll
                for (uint32_t k = 0; k < PER; k++)
                    if (!(k & stride)) {
                        const T a = own[k], b = own[k | stride];
                        const bool swap = is_before(b, a) == (((PER * t + k) & size) == 0);
                        own[k] = swap ? b : a;
                        own[k | stride] = swap ? a : b;
                    }
    }
}

/* Where the results of sort_buckets are stored. */
struct sorted_out {
    uint64_t *keys;
    uint32_t *order;
    uint64_t *splitter; /* of the next sort */
};

static __device__ __forceinline__ void store_entry(const sorted_out &out, uint64_t place, const bucket_entry &e)
{
    out.keys[place] = e.key;
    out.order[place] = e.point;
    if (place % BUCKET_MEAN == 0)
        out.splitter[place / BUCKET_MEAN] = e.key;
}

/* Called by a block: sorts the `count` entries of the bucket, and stores them from position `place` on. */
static __device__ void sort_entries(const bucket_entry *in, uint32_t count, uint64_t place, const sorted_out &out,
                                    bucket_entry *shared)
{
    bucket_entry own[MANY];
#pragma unroll
    for (uint32_t k = 0; k < MANY; k++) {
        const uint32_t at = k * SORT_BLOCK + threadIdx.x;
        own[k] = at < count ? in[at] : bucket_entry{~0ull, at};
    }
    sort_block<MANY>(own, shared);
#pragma unroll
    for (uint32_t k = 0; k < MANY; k++)
        if (threadIdx.x * MANY + k < count)
            store_entry(out, place + threadIdx.x * MANY + k, own[k]);
}

/* As sort_entries, for at most FEW * SORT_BLOCK entries, and faster: sorts numbers of 64 bits instead of entries. The
 * upper bits of such a number are the upper bits of the key's difference from `low`, the lower bits are the index of
 * the entry in the bucket. low, high: bounds of the keys. Returns false, and stores nothing, if such upper bits are
 * equal for two keys. */
static __device__ bool sort_numbers(const bucket_entry *in, uint32_t count, uint64_t low, uint64_t high, uint64_t place,
                                    const sorted_out &out, bucket_entry *shared)
{
    const uint32_t index_bits = 9, t = threadIdx.x;
    static_assert(FEW * SORT_BLOCK == 1 << 9, "index_bits");
    uint64_t *const numbers = (uint64_t *)(shared + FEW * SORT_BLOCK);
    const int lower = max(0, 64 - (int)__clzll((long long)(high - low)) - (63 - (int)index_bits));
    uint64_t own[FEW];
    bool equal = false;
#pragma unroll
    for (uint32_t k = 0; k < FEW; k++) {
        const uint32_t at = k * SORT_BLOCK + t;
        if (at < count)
            shared[at] = in[at];
        own[k] =
            at < count ? (shared[at].key - low) >> lower << index_bits | at : 1ull << 63 | (uint64_t)at << index_bits;
    }
    sort_block<FEW>(own, numbers);
    __syncthreads();
    numbers[t] = own[0];
    __syncthreads();
#pragma unroll
    for (uint32_t k = 0; k < FEW; k++) {
        const uint64_t next = k + 1 < FEW ? own[k + 1] : t + 1 < SORT_BLOCK ? numbers[t + 1] : ~0ull;
        equal |= own[k] >> index_bits == next >> index_bits;
    }
    if (__syncthreads_or(equal))
        return false;
#pragma unroll
    for (uint32_t k = 0; k < FEW; k++)
        if (t * FEW + k < count)
            store_entry(out, place + t * FEW + k, shared[own[k] & ((1 << index_bits) - 1)]);
    return true;
}

/* Sorts the buckets; a block sorts one bucket. Also stores the splitters for the next sort. If a bucket is too full,
 * the missing keys are set to 0, and its first key is replaced by one that is larger than its successor. */
static __global__ void __launch_bounds__(SORT_BLOCK, 8)
    sort_buckets(bucket_counts counts, const bucket_entry *entry, const uint64_t *splitter, sorted_out out)
{
    __shared__ bucket_entry shared[BUCKET_ROOM];
    const uint32_t b = blockIdx.x;
    const uint64_t place = counts.before[b];
    const uint32_t all = counts.count[b * SPREAD], here = min(all, BUCKET_ROOM);
    const bucket_entry *in = entry + (uint64_t)b * BUCKET_ROOM;
    const uint64_t low = b > 0 ? splitter[b] : 0, high = b + 1 < gridDim.x ? splitter[b + 1] : 1ull << 63;
    if (here > FEW * SORT_BLOCK || !sort_numbers(in, here, low, high, place, out, shared))
        sort_entries(in, here, place, out, shared);
    if (all == here)
        return;
    for (uint32_t k = here + threadIdx.x; k < all; k += SORT_BLOCK)
        out.keys[place + k] = out.order[place + k] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        out.keys[place] = ~0ull;
}

template <typename T>
int morton_buckets_sort(cudaStream_t stream, const morton_points *sets, uint64_t n, const morton_pairs &pairs,
                        morton_sorted *s)
{
    const uint32_t buckets = buckets_for(n);
    const bucket_counts counts = counts_of(s, buckets);
    const uint64_t *splitter = splitters_of(s, buckets, 0);
    bucket_entry *entry = (bucket_entry *)s->buckets.entry.d;
    const point_sets<T> points = {(const T *)sets[0].x, (const T *)sets[1].x, sets[0].stride, sets[1].stride,
                                  (uint32_t)sets[0].n};
    fill_buckets<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(points, n, (const morton_bounds *)s->bounds.d,
                                                            pairs.numbers[0], splitter, buckets, counts, entry);
    sum_counts<<<1, SUM_BLOCK, 0, stream>>>(counts, buckets);
    sort_buckets<<<buckets, SORT_BLOCK, 0, stream>>>(counts, entry, splitter,
                                                     {pairs.keys[0], pairs.numbers[0], splitters_of(s, buckets, 1)});
    s->buckets.turns = !s->buckets.turns;
    return NB_CUDA(cudaGetLastError());
}

static __global__ void take_splitters(const uint64_t *keys, uint32_t buckets, uint64_t *splitter)
{
    const uint32_t k = blockIdx.x * NB_BLOCK + threadIdx.x;
    if (k < buckets)
        splitter[k] = keys[(uint64_t)k * BUCKET_MEAN];
}

int morton_buckets_divide(cudaStream_t stream, uint64_t n, const morton_pairs &pairs, morton_sorted *s)
{
    const uint32_t buckets = buckets_for(n);
    take_splitters<<<nb_blocks_for(buckets), NB_BLOCK, 0, stream>>>(pairs.keys[0], buckets,
                                                                    splitters_of(s, buckets, 0));
    s->buckets.n = n;
    return NB_CUDA(cudaGetLastError());
}

template int morton_buckets_sort<float>(cudaStream_t, const morton_points *, uint64_t, const morton_pairs &,
                                        morton_sorted *);
template int morton_buckets_sort<double>(cudaStream_t, const morton_points *, uint64_t, const morton_pairs &,
                                         morton_sorted *);
