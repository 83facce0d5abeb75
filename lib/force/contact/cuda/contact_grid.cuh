/* contact_grid.cuh - finds partners on the GPU with a uniform grid, and keeps them in lists. The lists include disks up
 * to a distance `skin` beyond contact (Verlet lists).
 *
 * Grid: nx * ny cells, repeated over the entire plane. A point belongs to the cell of its coordinates modulo the size
 * of the grid. Disks may therefore be anywhere, and periodic axes need no special case. Cells are at least as wide as
 * the maximum distance of listed disks, 2 r + skin. All partners of a disk therefore lie in the 3 x 3 cells around it.
 *
 * Lists: valid until a disk has moved by half of the skin since the lists were built. The sum of forces does not depend
 * on the age of a list: the indices in a list ascend, and listed disks that do not touch add nothing.
 *
 * The device, not the host, decides when to rebuild the lists, so that a step can be recorded as a CUDA graph. Before
 * each force evaluation, the kernel apply_boundary or grid_prepare reads all positions and sets a flag if the lists are
 * not valid. The cooperative kernel grid_build then rebuilds the lists, or returns at once if the flag is not set. */
#pragma once

#include "force/contact/cuda/contact_cuda.cuh"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

/* Maximum of contact_counters.looks for n disks. Above it, too many disks overlap, and the run fails with an error.
 * Without large overlaps, `looks` is far smaller. */
#define GRID_LOOKS(n) (((uint64_t)1 << 32) + 16384 * (n))

#define GRID_FIRST 4 /* number of partners that a thread reads with one load instruction */

/* Bits of grid_view.about: */
#define GRID_COUNT 0x1fu /* these bits hold the number of partners in the list */
/* set if there are more partners than a list holds; each evaluation then searches the cells, which is slower */
#define GRID_MANY 0x40u
#define GRID_WALL 0x80u /* set if a wall may touch the disk */

struct grid_shape {
    int nx, ny;
    double x0, y0, per_x, per_y; /* x0, y0: low corner of cell 0; per_x, per_y: number of cells per unit of length */
};

/* pointers are device pointers to n elements, one per disk, unless stated otherwise */
template <typename P> struct grid_view {
    typedef typename P::point point;
    grid_shape shape;
    contact_view<P> contact;
    double way; /* distance that a disk may move before the lists become invalid */
    uint64_t n, stride;
    uint64_t first_own, end; /* the device's own disks are first_own to end - 1; only they have lists. If there is one
                                device, all disks are its own disks */
    typename P::state way2;  /* square of `way`. A negative value means: rebuild the lists for each evaluation */
    typename P::real reach2; /* square of 2 r + skin, the distance up to which disks are listed */
    typename P::real margin; /* disks with own radii are listed up to the distance r_i + r_j + margin */
    /* positions for which forces are being computed. With several devices, only the positions of this device's own
     * disks and of ghosts (other disks in their lists) are up to date */
    point *now;
    point *built;     /* positions at the last build; NaN: never built */
    uint32_t *count;  /* number of disks in each cell; all zeros except during a build */
    uint32_t *start;  /* cells + 1 elements: where each cell's disks begin in `sorted` and `number` */
    point *sorted;    /* positions of the disks, sorted by cell */
    uint32_t *number; /* indices of the disks, sorted by cell */
    uint32_t *rank;   /* number of each disk within its cell, from 0; the order is arbitrary */
    /* first four partners of each disk; with fewer partners, the remaining elements contain the disk's own index */
    uint4 *first;
    uint32_t *partner; /* further partners: partner k of disk i is partner[(k - GRID_FIRST) * stride + i] */
    uint8_t *about;    /* for each disk: the bits GRID_COUNT, GRID_MANY and GRID_WALL */
    uint32_t *sums;    /* for each block of grid_build: number of disks in the cells that the block owns */
    /* With several devices, a device has lists for its own disks only. Ghosts are the other disks in these lists. Bit
     * i % 32 of ghosts[i / 32] is 1 if disk i is a ghost. NULL on one device */
    uint32_t *ghosts;
};

#define GRID_NOWHERE -1 /* cell of a disk whose position is NaN or too large; such a disk touches nothing */

static __device__ __forceinline__ int grid_column(double u, int count)
{
    if (u >= 0 && u < count)
        return (int)u;
    if (!(fabs(u) < 1e15))
        return GRID_NOWHERE;
    u = floor(u);
    return min(max((int)(u - count * floor(u / count)), 0), count - 1);
}

template <typename point> static __device__ __forceinline__ int2 grid_cell(const grid_shape &s, const point &p)
{
    return make_int2(grid_column(((double)p.x - s.x0) * s.per_x, s.nx),
                     grid_column(((double)p.y - s.y0) * s.per_y, s.ny));
}

/* Returns the number of the cell that contains p, counted row by row, or GRID_NOWHERE. */
template <typename point>
static __device__ __forceinline__ int64_t grid_cell_number(const grid_shape &s, const point &p)
{
    const int2 cell = grid_cell(s, p);
    return cell.x < 0 || cell.y < 0 ? GRID_NOWHERE : (int64_t)cell.y * s.nx + cell.x;
}

/* Calls visit(slot) once for each slot (index into `sorted` and `number`) of the 3 x 3 cells around `cell`. Cells wrap
 * around at the edges of the grid: the neighbour of the last cell of a row or column is its first cell. If an axis has
 * fewer than three cells, all cells along the axis are visited, and no cell is visited twice. */
template <typename P, typename V>
static __device__ __forceinline__ void grid_visit(const grid_view<P> &g, int2 cell, const V &visit)
{
    const int nx = g.shape.nx, ny = g.shape.ny;
    for (int k = 0; k < min(3, ny); k++) {
        const int row = ny < 3 ? k : cell.y + k == 0 ? ny - 1 : cell.y + k > ny ? 0 : cell.y + k - 1;
        const int first = nx < 3 ? 0 : cell.x - 1, last = nx < 3 ? nx - 1 : cell.x + 1;
        const uint32_t *start = g.start + (size_t)row * nx;
        const uint32_t end = start[min(last, nx - 1) + 1];
        for (uint32_t slot = start[max(first, 0)]; slot < end; slot++)
            visit(slot);
        if (first >= 0 && last < nx)
            continue;
        const int other = first < 0 ? nx - 1 : 0;
        for (uint32_t slot = start[other]; slot < start[other + 1]; slot++)
            visit(slot);
    }
}

/* Returns the squared distance up to which disks i and j are partners. This is reach2 if all disks have the same
 * radius. If disks have their own radii, it is the square of (contact distance + margin). */
template <typename P>
static __device__ __forceinline__ typename P::real grid_reach2(const grid_view<P> &g, uint32_t i, uint32_t j,
                                                               typename P::real reach2, typename P::real margin)
{
    if constexpr (P::own) {
        const typename P::real reach = contact_reach(g.contact, i, j) + margin;
        return reach * reach * (typename P::real)(1 + 1e-6);
    }
    return reach2;
}

/* Sets *found to the partners of disk `self` that have indices above `after`. Returns the number of pairs examined.
 * - me, cell: position and cell of disk `self`.
 * - reach2, margin: arguments of grid_reach2, which returns the squared distance up to which two disks are partners.
 * - place(slot): returns the position of the disk with the index g.number[slot]. */
template <typename P, typename V>
static __device__ __forceinline__ uint32_t grid_collect(const grid_view<P> &g, int2 cell, const typename P::point &me,
                                                        uint32_t self, int64_t after, typename P::real reach2,
                                                        typename P::real margin, const V &place, contact_found *found)
{
    uint32_t looks = 0;
    found->count = 0;
    grid_visit(g, cell, [&](uint32_t slot) {
        const uint32_t number = g.number[slot];
        looks++;
        if (number != self && (int64_t)number > after &&
            contact_near(g.contact, me, place(slot), grid_reach2(g, self, number, reach2, margin)))
            contact_note(found, number);
    });
    return looks;
}

/* ---- build ---- */

/* Functions that the kernel apply_boundary calls for each disk. `read` returns the position of disk i at the last build
 * of the lists. `put` stores the new position in now[i]. `put` returns true if the lists are no longer valid, because
 * the disk has moved too far since the last build. */
template <typename P> struct grid_next {
    typedef typename P::point before;
    typename P::point *now;
    const typename P::point *built;
    typename P::space space;
    typename P::state way2;
    __device__ __forceinline__ before read(uint64_t i) const
    {
        return built[i];
    }
    __device__ __forceinline__ bool put(uint64_t i, typename P::state x, typename P::state y, const before &from) const
    {
        const typename P::point p = {x, y};
        const auto d = contact_difference(space, p, from);
        now[i] = p;
        return !(d.x * d.x + d.y * d.y <= way2);
    }
};

/* Stores the positions of n disks. If a disk has moved too far for the lists to be valid, sets counters->build. One
 * thread per disk. Reads x (rows of `stride` elements) and next.built, writes next.now, n elements each. counts:
 * whether the next evaluation counts forces on walls. */
template <typename P>
static __global__ void __launch_bounds__(NB_BLOCK)
    grid_prepare(const __grid_constant__ grid_next<P> next, uint64_t n, const typename P::state *x, uint64_t stride,
                 contact_counters *counters, bool counts)
{
    const uint64_t i = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x;
    const bool build = i < n && next.put(i, x[i], x[i + stride], next.read(i));
    if (__syncthreads_or(build) && threadIdx.x == 0)
        counters->build = 1;
    if (blockIdx.x == 0 && counts)
        contact_begin(counters);
}

/* Sets start[] (cells + 1 elements) to the prefix sum of count[] (one element per cell), and resets count to zero. Adds
 * to counters->looks an upper limit of the number of pairs that this build examines. Called by all blocks of
 * grid_build; each block owns a contiguous range of the cells. All blocks synchronise before a block reads the sums of
 * other blocks. */
template <typename P>
static __device__ void grid_scan(const grid_view<P> &g, const cooperative_groups::grid_group &grid,
                                 contact_counters *counters)
{
    typedef cub::BlockReduce<uint32_t, NB_BLOCK> reduce;
    typedef cub::BlockReduce<unsigned long long, NB_BLOCK> reduce_looks;
    typedef cub::BlockScan<uint32_t, NB_BLOCK> scan;
    __shared__ union {
        typename reduce::TempStorage reduce;
        typename reduce_looks::TempStorage looks;
        typename scan::TempStorage scan;
    } shared;
    __shared__ uint32_t base;
    const uint64_t cells = (uint64_t)g.shape.nx * g.shape.ny, share = (cells + gridDim.x - 1) / gridDim.x;
    const uint64_t first = min(blockIdx.x * share, cells), last = min(first + share, cells);
    uint32_t sum = 0;
    unsigned long long looks = 0;
    for (uint64_t c = first + threadIdx.x; c < last; c += NB_BLOCK) {
        const uint32_t own = g.count[c];
        sum += own;
        looks += 9ull * own * own;
    }
    sum = reduce(shared.reduce).Sum(sum);
    __syncthreads();
    looks = reduce_looks(shared.looks).Sum(looks);
    if (threadIdx.x == 0) {
        g.sums[blockIdx.x] = sum;
        atomicAdd(&counters->looks, looks);
    }
    grid.sync();
    sum = 0;
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += NB_BLOCK)
        sum += g.sums[b];
    sum = reduce(shared.reduce).Sum(sum);
    if (threadIdx.x == 0)
        base = sum;
    __syncthreads();
    uint32_t before = base;
    for (uint64_t c0 = first; c0 < last; c0 += NB_BLOCK) {
        const uint64_t c = c0 + threadIdx.x;
        uint32_t own = c < last ? g.count[c] : 0, rank, total;
        scan(shared.scan).ExclusiveSum(own, rank, total);
        if (c < last) {
            g.start[c] = before + rank;
            g.count[c] = 0;
        }
        before += total;
        __syncthreads();
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        g.start[cells] = before;
}

template <typename P>
static __device__ __forceinline__ uint32_t grid_about_walls(const grid_view<P> &g, const typename P::point &me)
{
    return contact_near_wall(g.contact.walls.table, me.x, me.y, g.way) ? GRID_WALL : 0;
}

template <typename P>
static __device__ __forceinline__ void grid_put_list(const grid_view<P> &g, uint32_t i, const contact_found &found)
{
    uint32_t first[GRID_FIRST];
    for (uint32_t k = 0; k < GRID_FIRST; k++)
        first[k] = k < found.count ? found.number[k] : i;
    g.first[i] = make_uint4(first[0], first[1], first[2], first[3]);
    for (uint32_t k = GRID_FIRST; k < contact_held(found.count); k++)
        g.partner[(k - GRID_FIRST) * g.stride + i] = found.number[k];
}

template <typename P> static __device__ __forceinline__ bool grid_is_own(const grid_view<P> &g, uint32_t i)
{
    return i >= g.first_own && i < g.end;
}

/* Sets the bit of disk i in g.ghosts, unless disk i is one of this device's own disks. Most bits are already set,
 * because a ghost is in the lists of several disks. No atomic operation is then needed. */
template <typename P> static __device__ __forceinline__ void grid_note_ghost(const grid_view<P> &g, uint32_t i)
{
    uint32_t *word = &g.ghosts[i / 32];
    const uint32_t bit = 1u << (i % 32);
    if (!grid_is_own(g, i) && !(*(volatile uint32_t *)word & bit))
        atomicOr(word, bit);
}

/* Marks the ghosts among the partners of a disk in `cell`. If the disk has more partners than its list holds, marks the
 * ghosts among all disks in the 3 x 3 cells around it, because all these disks may be partners. */
template <typename P>
static __device__ __forceinline__ void grid_note_ghosts(const grid_view<P> &g, int2 cell, const contact_found &found)
{
    if (found.count > CONTACT_PARTNERS)
        grid_visit(g, cell, [&](uint32_t slot) { grid_note_ghost(g, g.number[slot]); });
    else
        for (uint32_t k = 0; k < found.count; k++)
            grid_note_ghost(g, found.number[k]);
}

/* Builds the list of the disk at index `slot` of g.sorted and g.number. */
template <typename P> static __device__ void grid_list(const grid_view<P> &g, uint32_t slot, contact_counters *counters)
{
    contact_found found;
    const typename P::point me = g.sorted[slot];
    const uint32_t i = g.number[slot];
    if (!grid_is_own(g, i))
        return;
    const int2 cell = grid_cell(g.shape, me);
    uint32_t about = grid_about_walls(g, me);
    const uint64_t looks = grid_collect(
        g, cell, me, i, -1, g.reach2, g.margin, [&](uint32_t other) { return g.sorted[other]; }, &found);
    /* The list cannot hold all partners. Each evaluation therefore makes several searches (`times`) of the cells, and
     * each search finds at most CONTACT_PARTNERS partners. Adds the number of pairs that these searches examine to
     * counters->looks. */
    if (found.count > CONTACT_PARTNERS) {
        const uint64_t times = found.count / CONTACT_PARTNERS + 1;
        about |= GRID_MANY;
        if (atomicAdd(&counters->looks, (unsigned long long)(times * looks)) > GRID_LOOKS(g.n))
            counters->crowded = 1;
    }
    grid_put_list(g, i, found);
    if (g.ghosts)
        grid_note_ghosts(g, cell, found);
    g.about[i] = (uint8_t)(about | contact_held(found.count));
}

/* Rebuilds cells and lists if counters->build is set. Cooperative launch: all blocks are resident, and grid.sync
 * separates the phases. Threads iterate over disks, then over the elements of `sorted`, in strides of the number of
 * threads. Reads now[n]; writes built, rank, sorted, number, first, partner, about and ghosts. Only own disks get
 * lists. */
template <typename P>
static __global__ void __launch_bounds__(NB_BLOCK)
    grid_build(const __grid_constant__ grid_view<P> g, contact_counters *counters)
{
    if (!counters->build || counters->crowded)
        return;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint64_t begin = (uint64_t)blockIdx.x * NB_BLOCK + threadIdx.x, step = (uint64_t)gridDim.x * NB_BLOCK;
    if (begin == 0)
        counters->looks = 0;
    for (uint64_t word = begin; g.ghosts && word < (g.n + 31) / 32; word += step)
        g.ghosts[word] = 0;
    for (uint64_t i = begin; i < g.n; i += step) {
        const typename P::point p = g.now[i];
        const int64_t cell = grid_cell_number(g.shape, p);
        if (cell >= 0)
            g.rank[i] = atomicAdd(&g.count[cell], 1u);
        else
            g.about[i] = (uint8_t)grid_about_walls(g, p);
        g.built[i] = p;
    }
    grid.sync();
    grid_scan(g, grid, counters);
    grid.sync();
    const bool crowded = counters->looks > GRID_LOOKS(g.n);
    for (uint64_t i = begin; i < g.n; i += step) {
        const typename P::point p = g.now[i];
        const int64_t cell = grid_cell_number(g.shape, p);
        if (cell < 0)
            continue;
        const uint32_t slot = g.start[cell] + g.rank[i];
        g.sorted[slot] = p;
        g.number[slot] = (uint32_t)i;
    }
    grid.sync();
    const uint64_t slots = crowded ? 0 : g.start[(size_t)g.shape.nx * g.shape.ny];
    for (uint64_t slot = begin; slot < slots; slot += step)
        grid_list(g, (uint32_t)slot, counters);
    if (begin == 0) { /* all threads have read `build` before the last grid.sync, so it can be reset */
        counters->build = 0;
        counters->builds++;
        if (crowded)
            counters->crowded = 1;
    }
}
