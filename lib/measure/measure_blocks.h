/* measure_blocks.h - private to the measures: sums over bodies, in blocks of fixed size that threads share. */
#pragma once

#include "base/sum.h"

#include <stdint.h>

#define NB_SUM_BLOCK 1024 /* bodies of a block; part of the result, not to be tuned to the machine */

/* Adds bodies [i0, i1), a block at most, to its sums, which are empty before. */
typedef void nb_block_sums(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *sums);

/* Adds all blocks of bodies [0, n), in their order, to total[count]. Equal for any number of threads. -1: no memory. */
int nb_measure_blocks(uint64_t n, uint64_t block, int count, nb_block_sums *sum, const void *context,
                      struct nb_sum *total);
