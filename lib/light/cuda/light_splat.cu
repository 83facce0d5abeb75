/* light_splat.cu - adds the light of bodies to the levels of the pyramid. A body is drawn as one spline, or with
 * perspective as two. Splines are counted, then sorted by tiles of LIGHT_TILE^2 cells. The splines of a tile are
 * divided into parts, and one block sums a part in shared memory. Several blocks thus share the work of a tile with
 * many bodies. Declared in light_cuda.cuh. */
#include "device/timing.h"
#include "light/cuda/light_cuda.cuh"

#include <cub/device/device_scan.cuh>

#define SIDE    (LIGHT_TILE + 2) /* a tile and one more cell on each side, because a spline covers 3 x 3 cells */
#define CELLS   (SIDE * SIDE)
#define PART    2048 /* number of splines that a block sums before it adds its sums to the level */
#define BLOCKS  65536
#define COPIES  8 /* number of counters per tile; blocks use different counters, so they seldom wait for each other */
#define NOWHERE (~0u)
#define SPLINES 2 /* maximum number of splines per body: 2 with perspective, otherwise 1 */

struct spline {  /* light of one body that is put into one level; arrays of splines are sorted by tile */
    float x, y;  /* position relative to the upper left corner of the tile, in cells */
    float light; /* amount of light, in units of light_scale.unit[0] */
    union {
        float value; /* (value of the body) * unit[0] / unit[1], so that value * light is in units of unit[1] */
        unsigned step;
    };
};

/* packed[t] contains two sums over all tiles before tile t. Lowest PART_BITS bits: number of parts (a part is a group
 * of up to PART splines of one tile). Higher bits: number of splines. */
#define PART_BITS 24
#define PART_MASK ((1u << PART_BITS) - 1)

struct place { /* position of a spline in the pyramid */
    int level;
    unsigned tile; /* NOWHERE: the spline is not drawn */
    double u, v;   /* position in cells of the level; (0, 0) is the upper left corner of the level's margin */
    float share;
};

/* Returns whether a spline at (u, v) is completely inside the level with its margin. */
static __device__ __forceinline__ bool holds(const light_level &l, double u, double v)
{
    return u >= 1 && v >= 1 && u < l.stride - 1 && v < l.rows - 1;
}

/* Perspective makes a body appear b.near times larger. Returns the level in which its footprint has this size:
 * log2(b.near), limited to the range from 0 to the highest level. */
static __device__ __forceinline__ float raised_by(const light_put &p, const light_body &b)
{
    return fminf(b.near > 1 ? log2f(b.near) : 0, (float)(p.shape.levels - 1));
}

/* Returns the level in which the body is drawn: the maximum of the level map's value and the level from perspective. */
static __device__ __forceinline__ float level_of(const light_put &p, const light_body &b)
{
    return fmaxf(light_level_of(p.map, b.x, b.y), raised_by(p, b));
}

/* Finds the place of a spline of body b: level k if the whole spline fits into level k, otherwise the first higher
 * level j into which it fits. share: the spline's share of the body's light. In a level j > k, only a fraction of this
 * share is put: 1 - (j - m), limited to 0 ... 1. m is the level in which the body is drawn (level_of). */
static __device__ __forceinline__ place find_place(const light_put &p, int k, const light_body &b, float share)
{
    const light_shape &s = p.shape;
    place to = {k, NOWHERE, 0, 0, share};
    for (; to.level < s.levels; to.level++) {
        to.u = b.x * light_half(to.level) + NB_LIGHT_BORDER;
        to.v = b.y * light_half(to.level) + NB_LIGHT_BORDER;
        if (holds(s.level[to.level], to.u, to.v))
            break;
    }
    if (to.level > k)
        to.share *= nb_level_keeps(0, (float)to.level - level_of(p, b));
    if (to.level < s.levels && to.share > 0) {
        const light_level &l = s.level[to.level];
        to.tile = l.first_tile + (unsigned)to.v / LIGHT_TILE * (unsigned)l.tiles_across + (unsigned)to.u / LIGHT_TILE;
    }
    return to;
}

/* Returns the place of spline k (0 or 1) of a body. With perspective, the body is put into the level r = raised_by(),
 * which need not be an integer. Spline 0 is in the integer level below r and has the share 1 - frac(r) of the light.
 * Spline 1 is in the next higher level and has the share frac(r). */
static __device__ __forceinline__ place find_spline(const light_put &p, const light_body &b, int k)
{
    const float raised = raised_by(p, b), above = raised - (float)(int)raised;
    if (b.light > 0 && (k == 0 || above > 0))
        return find_place(p, (int)raised + k, b, k == 0 ? 1 - above : above);
    return {0, NOWHERE, 0, 0, 0};
}

/* Called by a warp; each lane has its own argument `tile`. Adds 1 to counter[tile] for each lane, with one atomic
 * addition for all lanes that have the same tile. These lanes get successive indices, in the order of the lanes. The
 * first index is the former value of the counter. */
static __device__ __forceinline__ unsigned take_place(unsigned *counter, unsigned tile)
{
    const unsigned same = __match_any_sync(LIGHT_LANES, tile), lane = threadIdx.x & 31;
    const int leader = __ffs((int)same) - 1;
    unsigned before = 0;
    if (tile != NOWHERE && (int)lane == leader)
        before = atomicAdd(&counter[tile], (unsigned)__popc(same));
    return __shfl_sync(LIGHT_LANES, before, leader) + (unsigned)__popc(same & ((1u << lane) - 1));
}

/* Returns the counters that this block uses: one of the COPIES copies in counter[copy][tile]. */
static __device__ __forceinline__ unsigned *copy_of(const light_put &p, unsigned *counter)
{
    return counter + (size_t)(blockIdx.x % COPIES) * p.shape.tiles;
}

/* One thread per body: counts its splines in counter[copy][tile]. */
static __global__ void __launch_bounds__(NB_BLOCK, 6)
    count_kernel(const light_put p, const light_columns c, int splines, unsigned *counter)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    light_body b = {};
    if (i < c.count)
        b = light_load(p, c, i);
    for (int k = 0; k < splines; k++)
        take_place(copy_of(p, counter), find_spline(p, b, k).tile);
}

/* One thread per tile: writes to packed[tile] the number of splines of this tile, and the number of its parts (groups
 * of up to PART splines). One more thread writes 0 to packed[tiles]. Later, each element of packed[] is replaced by the
 * sum of all elements before it. */
static __global__ void pack_kernel(unsigned tiles, const unsigned *counter, unsigned long long *packed)
{
    const unsigned t = blockIdx.x * NB_BLOCK + threadIdx.x;
    unsigned sum = 0;
    if (t > tiles)
        return;
    for (unsigned k = 0; k < COPIES && t < tiles; k++)
        sum += counter[(size_t)k * tiles + t];
    packed[t] = (unsigned long long)sum << PART_BITS | (sum + PART - 1) / PART;
}

/* One warp per tile. Writes the number of the tile to the element of part[] for each of the tile's parts (groups of up
 * to PART splines). Also replaces the count of splines in counter[copy][tile]: the new value is the index in sorted[]
 * at which these splines begin. */
static __global__ void part_kernel(unsigned tiles, const unsigned long long *packed, unsigned *counter, unsigned *part)
{
    const unsigned t = (blockIdx.x * NB_BLOCK + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (t >= tiles)
        return;
    const unsigned end = (unsigned)packed[t + 1] & PART_MASK;
    for (unsigned k = ((unsigned)packed[t] & PART_MASK) + lane; k < end; k += 32)
        part[k] = t;
    unsigned first = (unsigned)(packed[t] >> PART_BITS);
    for (unsigned k = 0; k < COPIES && lane == 0; k++) {
        const unsigned count = counter[(size_t)k * tiles + t];
        counter[(size_t)k * tiles + t] = first;
        first += count;
    }
}

static __device__ __forceinline__ spline make_spline(const light_put &p, const light_columns &c, uint64_t i,
                                                     const light_body &b, const place &to)
{
    spline s;
    s.x = (float)(to.u - (double)((int)to.u / LIGHT_TILE * LIGHT_TILE));
    s.y = (float)(to.v - (double)((int)to.v / LIGHT_TILE * LIGHT_TILE));
    s.light = (float)((double)b.light * (double)to.share / p.scale->unit[0]);
    if (c.value)
        s.value = (float)((double)b.value * (p.scale->unit[0] / p.scale->unit[1]));
    else
        s.step = c.step ? c.step[i] : c.level_step ? c.level_step[nb_level_step(light_level_of(p.map, b.x, b.y))] : 0;
    return s;
}

/* One thread per body: writes the body's splines to sorted[], grouped by tile. One lane of each warp adds the light of
 * the warp's bodies to the sum p.scale->put. */
static __global__ void __launch_bounds__(NB_BLOCK, 6)
    sort_kernel(const light_put p, const light_columns c, int splines, unsigned *counter, spline *sorted)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    light_body b = {};
    long long put = 0;
    if (i < c.count)
        b = light_load(p, c, i);
    for (int k = 0; k < splines; k++) {
        const place to = find_spline(p, b, k);
        const unsigned at = take_place(copy_of(p, counter), to.tile);
        if (to.tile != NOWHERE) {
            sorted[at] = make_spline(p, c, i, b, to);
            put += __float2ll_rn(sorted[at].light);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2)
        put += __shfl_xor_sync(LIGHT_LANES, put, distance);
    if ((threadIdx.x & 31) == 0 && put)
        atomicAdd(&p.scale->put, (unsigned long long)put);
}

/* ---- summation ---- */

/* Rounds x to an integer and adds it to a 64-bit sum, whose lower and upper 32 bits are *low and *high. The sum is in
 * two words because shared memory has fast atomic additions of 32 bits only. */
static __device__ __forceinline__ void add(unsigned *low, unsigned *high, float x)
{
    if (fabsf(x) < 2e9f) {
        const int q = __float2int_rn(x);
        const unsigned before = atomicAdd(low, (unsigned)q);
        const int carry = (q >> 31) + (before + (unsigned)q < before);
        if (carry)
            atomicAdd(high, (unsigned)carry);
    } else {
        const unsigned long long q = (unsigned long long)__float2ll_rn(x);
        const unsigned before = atomicAdd(low, (unsigned)q);
        atomicAdd(high, (unsigned)(q >> 32) + (before + (unsigned)q < before));
    }
}

/* Rotates an array: a[k] gets the former value of a[(k + by) % count]. All indices are constants after unrolling, so
 * that the array stays in registers. */
template <int count> static __device__ __forceinline__ void rotate(float (&a)[count], int by)
{
    float b[count];
    for (int k = 0; k < count; k++)
        b[k] = a[k];
#pragma unroll
    for (int turn = 1; turn < count; turn++)
#pragma unroll
        for (int k = 0; k < count; k++)
            if (by == turn)
                a[k] = b[(k + turn) % count];
}

/* Adds one spline to the sums of its tile. The sum of channel d in cell (x, y) has index d * CELLS + y * SIDE + x.
 * Lanes process columns, rows and channels in different orders. If splines are in the same cell, two lanes then seldom
 * add to the same sum at the same time. */
template <int channels>
static __device__ __forceinline__ void add_spline(const spline &s, float4 colour, unsigned *low, unsigned *high)
{
    const int lane = threadIdx.x & 31, by_x = lane % 3, by_y = lane / 3 % 3, by_d = lane / 9 % channels;
    const int x = min((int)s.x, LIGHT_TILE - 1), y = min((int)s.y, LIGHT_TILE - 1);
    float wx[3], wy[3], c[channels];
    nb_spline_weights(s.x - (float)x - 0.5f, wx);
    nb_spline_weights(s.y - (float)y - 0.5f, wy);
    if (channels == 2)
        c[0] = s.light * s.value, c[1] = s.light;
    else
        c[0] = s.light * colour.x, c[1] = s.light * colour.y, c[2] = s.light * colour.z, c[3] = s.light;
    rotate(wx, by_x);
    rotate(wy, by_y);
    rotate(c, by_d);
#pragma unroll
    for (int j = 0; j < 3; j++) {
        const int row = (y + (j + by_y) % 3) * SIDE + x;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int cell = row + (i + by_x) % 3;
#pragma unroll
            for (int d = 0; d < channels; d++) {
                const int at = (d + by_d) % channels * CELLS + cell;
                add(&low[at], &high[at], c[d] * (wx[i] * wy[j]));
            }
        }
    }
}

/* Called by a block: adds the block's sums to the tile's cells in `fixed`. One thread handles one channel of a cell at
 * a time. */
template <int channels>
static __device__ __forceinline__ void hand_over(const light_shape &s, unsigned tile, const unsigned *low,
                                                 const unsigned *high, unsigned long long *fixed)
{
    int k = 0;
    while (k + 1 < s.levels && tile >= s.level[k + 1].first_tile)
        k++;
    const light_level &l = s.level[k];
    const int x0 = (int)((tile - l.first_tile) % (unsigned)l.tiles_across) * LIGHT_TILE - 1;
    const int y0 = (int)((tile - l.first_tile) / (unsigned)l.tiles_across) * LIGHT_TILE - 1;
    for (int i = threadIdx.x; i < channels * CELLS; i += NB_BLOCK) {
        const int cell = i / channels, d = i % channels, from = d * CELLS + cell;
        const unsigned long long sum = (unsigned long long)high[from] << 32 | low[from];
        if (sum) {
            const uint64_t to = l.first + (uint64_t)(y0 + cell / SIDE) * l.stride + (uint64_t)(x0 + cell % SIDE);
            atomicAdd(&fixed[4 * to + (channels == 2 ? 3 * d : d)], sum);
        }
    }
}

/* Sums the splines of all parts (groups of up to PART splines of one tile). Block b processes the parts b, b +
 * gridDim.x, b + 2 gridDim.x and so on. For each part, the threads of the block iterate over the splines and add them
 * to sums in shared memory. Then the block adds these sums to fixed[cell][4]. */
template <int channels>
static __global__ void __launch_bounds__(NB_BLOCK)
    splat_kernel(const light_shape s, const unsigned long long *packed, const unsigned *part, const spline *sorted,
                 const float4 *ramp, unsigned long long *fixed)
{
    __shared__ unsigned low[channels * CELLS], high[channels * CELLS];
    const unsigned parts = (unsigned)packed[s.tiles] & PART_MASK;
    for (unsigned k = blockIdx.x; k < parts; k += gridDim.x) {
        for (int i = threadIdx.x; i < channels * CELLS; i += NB_BLOCK)
            low[i] = high[i] = 0;
        __syncthreads();
        const unsigned tile = part[k], nth = k - ((unsigned)packed[tile] & PART_MASK);
        const unsigned begin = (unsigned)(packed[tile] >> PART_BITS) + nth * PART;
        const unsigned end = min(begin + PART, (unsigned)(packed[tile + 1] >> PART_BITS));
        for (unsigned i = begin + threadIdx.x; i < end; i += NB_BLOCK) {
            const spline one = sorted[i];
            add_spline<channels>(one, channels == 2 ? float4{} : ramp[one.step], low, high);
        }
        __syncthreads();
        hand_over<channels>(s, tile, low, high, fixed);
        __syncthreads();
    }
}

/* ---- the stage ---- */

static int splines_of(const nb_view *view)
{
    return view->inverse_distance != 0 ? SPLINES : 1;
}

size_t light_splat_bytes(const nb_view *view)
{
    return (size_t)splines_of(view) * sizeof(spline);
}

int light_splat(nb_device *d, light_splat_work *w, const light_put *p, const light_columns *c,
                unsigned long long *fixed)
{
    cudaStream_t stream = nb_cuda_stream(d);
    const int splines = splines_of(&p->view);
    const unsigned tiles = p->shape.tiles;
    const size_t most_parts = tiles + c->count * (uint64_t)splines / PART;
    unsigned long long *none = nullptr;
    size_t scan_bytes = 0;
    if (c->count == 0)
        return 0;
    if (NB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, none, none, tiles + 1, stream)) ||
        nb_cuda_reserve(&w->entry, c->count * light_splat_bytes(&p->view)) ||
        nb_cuda_reserve(&w->tile, (tiles + 1) * (2 * sizeof(unsigned long long) + COPIES * sizeof(unsigned))) ||
        nb_cuda_reserve(&w->part, most_parts * sizeof(unsigned)) || nb_cuda_reserve(&w->scratch, scan_bytes))
        return -1;
    unsigned long long *packed = (unsigned long long *)w->tile.d, *summed = packed + tiles + 1;
    unsigned *counter = (unsigned *)(summed + tiles + 1), *part = (unsigned *)w->part.d;
    nb_timing_stage(d, "sort");
    if (NB_CUDA(cudaMemsetAsync(counter, 0, COPIES * (size_t)tiles * sizeof *counter, stream)))
        return -1;
    count_kernel<<<nb_blocks_for(c->count), NB_BLOCK, 0, stream>>>(*p, *c, splines, counter);
    pack_kernel<<<nb_blocks_for(tiles + 1), NB_BLOCK, 0, stream>>>(tiles, counter, packed);
    if (NB_CUDA(cub::DeviceScan::ExclusiveSum(w->scratch.d, scan_bytes, packed, summed, tiles + 1, stream)))
        return -1;
    part_kernel<<<nb_blocks_for(32 * (uint64_t)tiles), NB_BLOCK, 0, stream>>>(tiles, summed, counter, part);
    sort_kernel<<<nb_blocks_for(c->count), NB_BLOCK, 0, stream>>>(*p, *c, splines, counter, (spline *)w->entry.d);
    nb_timing_stage(d, "splat");
    const unsigned blocks = most_parts < BLOCKS ? (unsigned)most_parts : BLOCKS;
    if (c->value)
        splat_kernel<2>
            <<<blocks, NB_BLOCK, 0, stream>>>(p->shape, summed, part, (const spline *)w->entry.d, c->ramp, fixed);
    else
        splat_kernel<4>
            <<<blocks, NB_BLOCK, 0, stream>>>(p->shape, summed, part, (const spline *)w->entry.d, c->ramp, fixed);
    return NB_CUDA(cudaGetLastError());
}
