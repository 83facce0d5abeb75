/* measure_blocks.h - private to lib/measure: sums over bodies, computed by threads in blocks of fixed size. */
#pragma once

#include "base/sum.h"

#include <stdint.h>

#define NB_SUM_BLOCK 1024 /* number of bodies per block; affects results, so it does not depend on the machine */

/* Computes the sums over bodies i0 to i1 - 1, which are at most one block. `sums` are 0 before the call. */
typedef void nb_block_sums(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *sums);

/* Divides n bodies into blocks of `block` bodies. Calls the function `sum` for each block to compute its `count` sums.
 * Adds the sums of all blocks in order to total[0] to total[count - 1]. The result is identical for any number of
 * threads. Returns -1 if there is no memory. */
int nb_measure_blocks(uint64_t n, uint64_t block, int count, nb_block_sums *sum, const void *context,
                      struct nb_sum *total);
