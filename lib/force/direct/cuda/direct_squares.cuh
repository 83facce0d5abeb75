/* direct_squares.cuh - computes which tile a warp of direct_symmetric.cu processes. A tile consists of the pairs
 * between two groups of bodies. There are several orders of the tiles. */
#pragma once

#include "force/pairs.h"

/* With the orders NB_PAIR_TILES and NB_PAIR_HILBERT, the tiles are processed in squares of SQUARE x SQUARE tiles. A
 * band (rows of tiles that are processed together, direct_symmetric.cu) therefore has a multiple of SQUARE rows. */
#define SQUARE 32

/* A band: the tiles (i, j) with begin <= i < end and j <= i. Tile (i, j) contains the pairs between the groups i and j
 * of bodies. groups: number of all groups. The bands of one call cover the tiles with first <= i < last. */
struct tile_band {
    uint64_t begin, end, groups, first, last;
    enum nb_pair_order order;
};

struct tile_place {
    uint64_t i, j;
};

/* Returns the number of tiles (k, j) with j <= k < i. */
static __host__ __device__ inline uint64_t tiles_before(uint64_t i)
{
    return pairs_before(i + 1);
}

static __device__ inline tile_place tile_of_number(uint64_t k)
{
    const uint64_t i = pairs_body(k) - 1;
    return {i, k - tiles_before(i)};
}

/* Returns the coordinates of point k of Hilbert's curve through SQUARE x SQUARE points (Hilbert 1891, Math. Ann. 38,
 * 459). */
static __device__ inline tile_place hilbert(unsigned k)
{
    unsigned x = 0, y = 0;
    for (unsigned side = 1; side < SQUARE; side *= 2, k /= 4) {
        const unsigned right = k / 2 & 1, up = (k ^ right) & 1, x0 = x;
        if (!up) {
            x = right ? side - 1 - y : y;
            y = right ? side - 1 - x0 : x0;
        }
        x += side * right;
        y += side * up;
    }
    return {x, y};
}

/* Returns the coordinates of point k of a path through SQUARE x SQUARE points. The path visits all points of a square
 * of 8 x 8 points before it enters the next square. */
static __device__ inline tile_place by_tiles(unsigned k)
{
    const unsigned tile = k / 64, in = k % 64;
    return {tile / (SQUARE / 8) * 8 + in / 8, tile % (SQUARE / 8) * 8 + in % 8};
}

/* Returns the number of warps for a band. If the tiles are processed in squares, some of these warps have no tile,
 * because squares extend beyond the band's rows or the diagonal. */
static uint64_t band_work(const tile_band *b)
{
    if (b->order == NB_PAIR_ROWS)
        return tiles_before(b->end) - tiles_before(b->begin);
    return (tiles_before((b->end + SQUARE - 1) / SQUARE) - tiles_before(b->begin / SQUARE)) * SQUARE * SQUARE;
}

/* Sets *tile to the tile (i, j) of a warp. Returns false if the warp has no tile. */
static __device__ inline bool band_place(const tile_band &b, uint64_t warp, tile_place *tile)
{
    if (b.order == NB_PAIR_ROWS)
        *tile = tile_of_number(tiles_before(b.begin) + warp);
    else {
        const unsigned k = (unsigned)(warp % (SQUARE * SQUARE));
        const tile_place square = tile_of_number(tiles_before(b.begin / SQUARE) + warp / (SQUARE * SQUARE));
        const tile_place in = b.order == NB_PAIR_HILBERT ? hilbert(k) : by_tiles(k);
        *tile = {square.i * SQUARE + in.i, square.j * SQUARE + in.j};
    }
    return tile->i >= b.begin && tile->i < b.end && tile->j <= tile->i;
}
