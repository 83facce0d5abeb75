/* direct_groups.cuh - iterates over groups of bodies that have pairs with the group of a block. blockIdx.x is the index
 * of this group. */
#pragma once

#include "force/direct/cuda/direct_cuda.cuh"

#define GROUP NB_DIRECT_GROUP

/* Returns whether the block's group is in [share.x, share.y), the groups that this device computes. */
static __device__ __forceinline__ bool is_in_share(uint2 share)
{
    return blockIdx.x - share.x < share.y - share.x;
}

/* Iterator over the groups whose bit is set in a line of a table. A line has a bit for each group, in words of 32 bits.
 * Each group has `parts` blocks, which share the words: block p reads the words p, p + parts, ... */
struct group_walk {
    const uint32_t *line;
    uint32_t word, words, parts, bits;
};

static __device__ group_walk walk_begin(const uint32_t *table, uint64_t n)
{
    const uint32_t groups = (uint32_t)((n + GROUP - 1) / GROUP), words = (groups + 31) / 32;
    return {table + (size_t)blockIdx.x * words, blockIdx.y - gridDim.y, words, gridDim.y, 0};
}

/* Returns the next group, or -1 if there is none. If no bits of the current word are left, adds `parts` to `word`, and
 * reads the word with this index. Before the first call, `word` is blockIdx.y - parts, modulo 2^32. The first call
 * therefore reads the word blockIdx.y. */
static __device__ __forceinline__ int walk_next(group_walk &walk)
{
    while (walk.bits == 0) {
        walk.word += walk.parts;
        if (walk.word >= walk.words)
            return -1;
        walk.bits = walk.line[walk.word];
    }
    int bit = __ffs((int)walk.bits) - 1;
    walk.bits &= walk.bits - 1;
    return (int)(walk.word * 32) + bit;
}
