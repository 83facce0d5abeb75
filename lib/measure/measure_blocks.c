/* measure_blocks.c - sums over bodies in parallel, in fixed blocks, so that the result does not depend on the number of
 * threads. Declared in measure_blocks.h. */
#include "measure/measure_blocks.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

int nb_measure_blocks(uint64_t n, uint64_t block, int count, nb_block_sums *sum, const void *context,
                      struct nb_sum *total)
{
    const uint64_t blocks = n / block + (n % block > 0), width = (uint64_t)count;
    struct nb_sum *sums = calloc(blocks > 0 ? blocks * width : 1, sizeof *sums);
    if (!sums)
        return nb_fail("no memory for the sums of %" PRIu64 " bodies", n);
#pragma omp parallel for schedule(static) if (n > 4 * NB_SUM_BLOCK)
    for (uint64_t k = 0; k < blocks; k++)
        sum(context, k * block, k + 1 < blocks ? (k + 1) * block : n, &sums[k * width]);
    for (uint64_t k = 0; k < blocks; k++)
        for (uint64_t q = 0; q < width; q++)
            nb_sum_merge(&total[q], &sums[k * width + q]);
    free(sums);
    return 0;
}
