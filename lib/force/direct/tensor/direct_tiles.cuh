/* direct_tiles.cuh - iterates over the tiles that are far from (or near to) a block's group of targets. blockIdx.x is
 * the index of this group. */
#pragma once

#include "force/direct/cuda/direct_cuda.cuh"

#define TILE  NB_DIRECT_TILE
#define GROUP NB_DIRECT_GROUP

/* Returns whether the block's group is in [share.x, share.y), the groups that this device computes. */
static __device__ __forceinline__ bool is_in_share(uint2 share)
{
    return blockIdx.x - share.x < share.y - share.x;
}

/* Iterator over the far (or near) tiles of a group. The group's far_bits has one bit per tile, in words of 32 bits.
 * Each group has `parts` blocks, which share the words: block p reads the words p, p + parts, ... */
struct tile_walk {
    const uint32_t *row; /* the far_bits of the group: `words` words, one bit per tile */
    uint32_t word, words, parts, flip, bits;
    uint32_t last_bits; /* mask of the valid bits of the last word */
};

static __device__ tile_walk walk_begin(const uint32_t *far_bits, uint64_t n, bool far)
{
    const uint32_t tiles = (uint32_t)((n + TILE - 1) / TILE), words = (tiles + 31) / 32;
    return {far_bits + (size_t)blockIdx.x * words,    blockIdx.y - gridDim.y, words, gridDim.y, far ? 0 : ~0u, 0,
            tiles % 32 ? (1u << tiles % 32) - 1 : ~0u};
}

/* Returns the next tile, or -1 if there is none. If no bits of the current word are left, adds `parts` to `word`, and
 * reads the word with this index. Before the first call, `word` is blockIdx.y - parts, modulo 2^32. The first call
 * therefore reads the word blockIdx.y. */
static __device__ __forceinline__ int walk_next(tile_walk &walk)
{
    while (walk.bits == 0) {
        walk.word += walk.parts;
        if (walk.word >= walk.words)
            return -1;
        walk.bits = (walk.row[walk.word] ^ walk.flip) & (walk.word == walk.words - 1 ? walk.last_bits : ~0u);
    }
    int bit = __ffs((int)walk.bits) - 1;
    walk.bits &= walk.bits - 1;
    return (int)(walk.word * 32) + bit;
}
