/* direct_order.cu - sorts the bodies along a Hilbert curve, divides them into groups, and finds the groups that are far
 * from each other. Declared in direct_cuda.cuh. */
#include "force/cuda/morton.cuh"
#include "force/direct/cuda/direct_cuda.cuh"

#include <cfloat>

/* A group is far from a second group if the distance of their boxes is more than FAR times half the diagonal of the
 * second box. The tensor cores compute the squared distance of a pair, relative to the centre of the second box, as a
 * sum of terms with 22 bits. No term is larger than (1 + 1/FAR)^2 = 9 times the squared distance, which limits the
 * cancellation. */
#define FAR 0.5
/* Groups at distances outside the range FAR_LEAST to FAR_MOST are treated as near: squares and cubes of these distances
 * approach the limits of single precision. */
#define FAR_LEAST 1e-9
#define FAR_MOST  1e9
/* Minimum distance of far groups, relative to the size of both together. It limits the range of the forces of a pair of
 * groups, which are added as integers: they are at most 1e10 times smaller than their bound (find_scales). */
#define FAR_SPREAD 1e-5

/* ---- groups ---- */

/* Copies the s.n sources into sorted order: bodies[i] is source order[i]. One thread per sorted position. */
template <typename B> static __global__ void pack(nb_sources s, const uint32_t *order, B *bodies)
{
    uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    if (i < s.n)
        body_read(bodies[i], s.x, s.m, s.stride, order[i]);
}

/* Returns the square of the diagonal of the smallest box that contains both boxes. */
static __device__ double reach2_of(const direct_box &a, const direct_box &b)
{
    double reach2 = 0;
    for (int k = 0; k < 3; k++) {
        double reach = fmax(a.high[k], b.high[k]) - fmin(a.low[k], b.low[k]);
        reach2 += reach * reach;
    }
    return reach2;
}

/* Computes the boxes of the groups. A block is one warp and owns one group, whose bodies the lanes share. */
template <typename B> static __global__ void find_boxes(const B *bodies, uint64_t n, direct_box *boxes)
{
    const uint64_t first = (uint64_t)blockIdx.x * NB_DIRECT_GROUP;
    direct_box box = {};
    for (int k = 0; k < 3; k++)
        box.low[k] = DBL_MAX, box.high[k] = -DBL_MAX;
    for (uint64_t i = first + threadIdx.x; i < first + NB_DIRECT_GROUP && i < n; i += 32) {
        double x[3];
        body_position(bodies[i], x);
        box.mass += fabs((double)bodies[i].m) + 0 * (x[0] + x[1] + x[2]); /* NaN if a number is not finite */
        for (int k = 0; k < 3; k++) {
            box.low[k] = fmin(box.low[k], x[k]);
            box.high[k] = fmax(box.high[k], x[k]);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        box.mass += __shfl_xor_sync(~0u, box.mass, distance);
        for (int k = 0; k < 3; k++) {
            box.low[k] = fmin(box.low[k], __shfl_xor_sync(~0u, box.low[k], distance));
            box.high[k] = fmax(box.high[k], __shfl_xor_sync(~0u, box.high[k], distance));
        }
    }
    box.diagonal2 = reach2_of(box, box);
    if (threadIdx.x == 0)
        boxes[blockIdx.x] = box;
}

/* Returns the square of the smallest distance between two boxes. */
static __device__ double gap2_of(const direct_box &a, const direct_box &b)
{
    double gap2 = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(0.0, fmax(a.low[k] - b.high[k], b.low[k] - a.high[k]));
        gap2 += gap * gap;
    }
    return gap2;
}

enum pair_owner { NEAR_PAIR, OWN_PAIR, OTHER_PAIR };

/* Returns who computes the forces between the group `own` and the group `other`. If the groups are near, each computes
 * the forces on its own bodies. If only one is far from the other, the other one owns the pair. If each is far from the
 * other, the first one owns the pair if the sum of the indices is odd, else the second one, so that all groups own
 * about the same number of pairs. */
static __device__ pair_owner owner_of(const direct_box *groups, uint32_t own, uint32_t other, double eps2)
{
    const direct_box &a = groups[own], &b = groups[other];
    /* reach2 is NaN if a position or mass is not finite. The groups are then near, and the result is that of a plain
     * sum: integers could not store NaN. */
    const double gap2 = gap2_of(a, b), reach2 = reach2_of(a, b) + eps2 + 0 * (a.mass + b.mass);
    if (!(gap2 > FAR_LEAST * FAR_LEAST && reach2 < FAR_MOST * FAR_MOST && gap2 > FAR_SPREAD * FAR_SPREAD * reach2))
        return NEAR_PAIR;
    const bool can_own = gap2 > FAR * FAR / 4 * a.diagonal2, other_can = gap2 > FAR * FAR / 4 * b.diagonal2;
    const bool is_turn = ((own + other) % 2 == 1) == (own < other);
    return !can_own && !other_can ? NEAR_PAIR : can_own && (is_turn || !other_can) ? OWN_PAIR : OTHER_PAIR;
}

/* Writes the tables `owned` and `near`. A block writes a line of both, for its group. Each warp computes every eighth
 * word, and each lane one bit of the word. */
static __global__ void find_owners(const direct_box *groups, uint32_t count, uint32_t words, double eps2,
                                   uint32_t *owned, uint32_t *near)
{
    for (uint32_t other = threadIdx.x; other < words * 32; other += NB_BLOCK) {
        const pair_owner owner = other < count ? owner_of(groups, blockIdx.x, other, eps2) : OTHER_PAIR;
        const uint32_t owned_bits = __ballot_sync(~0u, owner == OWN_PAIR);
        const uint32_t near_bits = __ballot_sync(~0u, owner == NEAR_PAIR);
        if (threadIdx.x % 32 == 0) {
            const size_t word = (size_t)blockIdx.x * words + other / 32;
            owned[word] = owned_bits, near[word] = near_bits;
        }
    }
}

/* Computes the scale of each group. A block owns a group. The acceleration by far groups that own the pair is at most
 * the sum of mass / (squared distance of the boxes + eps2). Multiplied by the scale, it is at most 2^61. */
static __global__ void find_scales(const direct_box *groups, uint32_t count, uint32_t words, const uint32_t *owned,
                                   double eps2, float *scales)
{
    __shared__ double sums[NB_BLOCK];
    double sum = 0;
    for (uint32_t other = threadIdx.x; other < count; other += NB_BLOCK)
        if (owned[(size_t)other * words + blockIdx.x / 32] >> blockIdx.x % 32 & 1)
            sum += groups[other].mass / (gap2_of(groups[blockIdx.x], groups[other]) + eps2);
    sums[threadIdx.x] = sum;
    for (unsigned distance = NB_BLOCK / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            sums[threadIdx.x] += sums[threadIdx.x + distance];
    }
    if (threadIdx.x == 0)
        scales[blockIdx.x] = sums[0] > 0 ? ldexpf(1, max(-126, min(126, 60 - ilogb(sums[0])))) : 1;
}

/* ---- launching ---- */

/* Copies the bodies into sorted order, and computes the boxes, owners and scales of the groups. */
template <typename B> static int find_groups(direct_work *w, enum nb_precision precision, const nb_sources *s)
{
    cudaStream_t stream = w->stream;
    const uint64_t n = s->n, groups = (n + NB_DIRECT_GROUP - 1) / NB_DIRECT_GROUP, words = (groups + 31) / 32;
    const double eps2 = s->softening * s->softening;
    if (direct_tensor_reserve(w, precision, n))
        return -1;
    B *bodies = (B *)w->bodies.d;
    direct_box *boxes = (direct_box *)w->boxes.d;
    uint32_t *owned = (uint32_t *)w->owned.d;
    pack<<<nb_blocks_for(n), NB_BLOCK, 0, stream>>>(*s, (const uint32_t *)w->sort.order.d, bodies);
    find_boxes<<<(unsigned)groups, 32, 0, stream>>>(bodies, n, boxes);
    find_owners<<<(unsigned)groups, NB_BLOCK, 0, stream>>>(boxes, (uint32_t)groups, (uint32_t)words, eps2, owned,
                                                           (uint32_t *)w->near.d);
    find_scales<<<(unsigned)groups, NB_BLOCK, 0, stream>>>(boxes, (uint32_t)groups, (uint32_t)words, owned, eps2,
                                                           (float *)w->scales.d);
    return NB_CUDA(cudaGetLastError());
}

int direct_order(direct_work *w, enum nb_precision precision, const nb_sources *s)
{
    const morton_points all = {s->x, s->stride, s->n};
    w->sort.hilbert = true;
    if (morton_sort(w->stream, precision, &all, 1, 3, &w->sort))
        return -1;
    return precision == NB_SINGLE ? find_groups<body_single>(w, precision, s)
                                  : find_groups<body_mixed>(w, precision, s);
}
