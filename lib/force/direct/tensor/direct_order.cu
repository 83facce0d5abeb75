/* direct_order.cu - sorts the bodies along a Morton curve (Morton 1966), divides them into tiles of 64 sources and
 * groups of 256 targets, and finds the tiles that are far from each group. Declared in direct_cuda.cuh.
 *
 * The order of the bodies affects the results only by rounding, so the bodies are not sorted for every evaluation. The
 * bounding boxes of tiles and groups are always computed from the current positions. */
#include "force/cuda/morton.cuh"
#include "force/direct/cuda/direct_cuda.cuh"

#include <cfloat>

/* A tile is far from a group if the distance of their boxes is more than FAR times half the diagonal of the group's
 * box. The tensor cores compute the squared distance of a pair as a sum of terms with 22 bits. For a far tile, no term
 * is larger than (1 + 1/FAR)^2 = 9 times the squared distance, which limits the cancellation. */
#define FAR 0.5
/* Tiles at distances outside the range FAR_LEAST to FAR_MOST are treated as near: squares and cubes of these distances
 * approach the limits of single precision. */
#define FAR_LEAST 1e-9
#define FAR_MOST  1e9
/* Minimum fraction of far pairs for the tensor cores. With fewer far pairs the FP32 pipe is faster. */
#define FAR_WORTH 0.5

/* ---- tiles and groups ---- */

/* Copies the s.n sources into sorted order: bodies[i] is source order[i]. One thread per sorted position. */
template <typename B> static __global__ void pack(nb_sources s, const uint32_t *order, B *bodies)
{
    uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < s.n)
        body_read(bodies[i], s.x, s.m, s.stride, order[i]);
}

/* Computes bounding boxes. A block is one warp and owns one box, which contains `size` of the n bodies, or fewer in the
 * last box. The lanes iterate over these bodies in strides of the warp. */
template <typename B> static __global__ void find_boxes(const B *bodies, uint64_t n, int size, direct_box *boxes)
{
    const uint64_t first = (uint64_t)blockIdx.x * size;
    direct_box box;
    for (int k = 0; k < 3; k++)
        box.low[k] = DBL_MAX, box.high[k] = -DBL_MAX;
    for (uint64_t i = first + threadIdx.x; i < first + size && i < n; i += 32) {
        double x[3];
        body_position(bodies[i], x);
        for (int k = 0; k < 3; k++) {
            box.low[k] = fmin(box.low[k], x[k]);
            box.high[k] = fmax(box.high[k], x[k]);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2)
        for (int k = 0; k < 3; k++) {
            box.low[k] = fmin(box.low[k], __shfl_xor_sync(~0u, box.low[k], distance));
            box.high[k] = fmax(box.high[k], __shfl_xor_sync(~0u, box.high[k], distance));
        }
    if (threadIdx.x == 0)
        boxes[blockIdx.x] = box;
}

static __device__ bool is_far(const direct_box &group, const direct_box &tile)
{
    double gap2 = 0, reach2 = 0, half2 = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(0.0, fmax(group.low[k] - tile.high[k], tile.low[k] - group.high[k]));
        double reach = fmax(group.high[k], tile.high[k]) - fmin(group.low[k], tile.low[k]);
        double half = (group.high[k] - group.low[k]) / 2;
        gap2 += gap * gap;
        reach2 += reach * reach;
        half2 += half * half;
    }
    return gap2 > FAR * FAR * half2 && gap2 > FAR_LEAST * FAR_LEAST && reach2 < FAR_MOST * FAR_MOST;
}

/* Finds far tiles. A block owns a group. far_bits has a bit for each tile, in `words` 32-bit words for each group. Each
 * warp computes every eighth word, and each lane computes one bit of the word. Adds the number of far pairs (tile,
 * group) to *far_count. */
static __global__ void find_far(const direct_box *groups, const direct_box *tiles, uint32_t tile_count, uint32_t words,
                                uint32_t *far_bits, unsigned long long *far_count)
{
    const direct_box group = groups[blockIdx.x];
    unsigned long long count = 0;
    for (uint32_t tile = threadIdx.x; tile < words * 32; tile += NB_BLOCK) {
        bool far = tile < tile_count && is_far(group, tiles[tile]);
        uint32_t bits = __ballot_sync(~0u, far);
        if (threadIdx.x % 32 == 0) {
            far_bits[(size_t)blockIdx.x * words + tile / 32] = bits;
            count += __popc(bits);
        }
    }
    if (threadIdx.x % 32 == 0)
        atomicAdd(far_count, count);
}

/* ---- launching ---- */

/* Copies the bodies into sorted order, computes the bounding boxes of tiles and groups, and finds the far tiles of each
 * group. */
template <typename B> static int find_tiles(direct_work *w, const nb_sources *s)
{
    cudaStream_t stream = w->stream;
    const uint64_t n = s->n, tiles = (n + NB_DIRECT_TILE - 1) / NB_DIRECT_TILE;
    const uint64_t groups = (n + NB_DIRECT_GROUP - 1) / NB_DIRECT_GROUP, words = (tiles + 31) / 32;
    if (nb_cuda_reserve(&w->bodies, n * sizeof(B)) || nb_cuda_reserve(&w->tile_boxes, tiles * sizeof(direct_box)) ||
        nb_cuda_reserve(&w->group_boxes, groups * sizeof(direct_box)) ||
        nb_cuda_reserve(&w->far_bits, groups * words * sizeof(uint32_t)))
        return -1;
    B *bodies = (B *)w->bodies.d;
    direct_box *tile_boxes = (direct_box *)w->tile_boxes.d, *group_boxes = (direct_box *)w->group_boxes.d;
    pack<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(*s, (const uint32_t *)w->sort.order.d, bodies);
    find_boxes<<<(unsigned)tiles, 32, 0, stream>>>(bodies, n, NB_DIRECT_TILE, tile_boxes);
    find_boxes<<<(unsigned)groups, 32, 0, stream>>>(bodies, n, NB_DIRECT_GROUP, group_boxes);
    if (NB_CUDA(cudaMemsetAsync(w->count.d, 0, sizeof(unsigned long long), stream)))
        return -1;
    find_far<<<(unsigned)groups, NB_BLOCK, 0, stream>>>(group_boxes, tile_boxes, (uint32_t)tiles, (uint32_t)words,
                                                        (uint32_t *)w->far_bits.d, (unsigned long long *)w->count.d);
    return NB_CUDA(cudaGetLastError());
}

/* Sets w->worth_it to true if so many pairs are far that the tensor cores are faster. This function waits for the
 * device. It is therefore called only after the bodies have been sorted, not in every evaluation. */
static int count_far(direct_work *w, uint64_t n)
{
    unsigned long long far_pairs = 0;
    if (NB_CUDA(cudaMemcpyAsync(&far_pairs, w->count.d, sizeof far_pairs, cudaMemcpyDeviceToHost, w->stream)) ||
        NB_CUDA(cudaStreamSynchronize(w->stream)))
        return -1;
    double pairs = (double)far_pairs * NB_DIRECT_TILE * NB_DIRECT_GROUP;
    w->worth_it = pairs > FAR_WORTH * (double)n * (double)n;
    return 0;
}

int direct_order(direct_work *w, enum nb_precision precision, const nb_sources *s)
{
    const bool single = precision == NB_SINGLE, again = w->ordered_n != s->n || w->calls_until_order == 0;
    if (again) {
        const morton_points all = {s->x, s->stride, s->n};
        if (nb_cuda_reserve(&w->count, sizeof(unsigned long long)) ||
            morton_sort(w->stream, precision, &all, 1, 3, &w->sort))
            return -1;
        w->ordered_n = s->n;
        w->calls_until_order = NB_DIRECT_ORDER_SERVES;
    }
    w->calls_until_order--;
    if (!again && !w->worth_it)
        return 0;
    if (single ? find_tiles<body_single>(w, s) : find_tiles<body_mixed>(w, s))
        return -1;
    return again ? count_far(w, s->n) : 0;
}
