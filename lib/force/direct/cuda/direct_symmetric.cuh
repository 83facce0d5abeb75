/* direct_symmetric.cuh - accelerations and potentials of all bodies by Newton's third law: each pair is computed once
 * for both bodies. */
#pragma once

#include "force/cuda/pair.cuh"
#include "force/pairs.h"

struct direct_symmetric { /* working memory; begins as zeros */
    nb_cuda_buffer of_rows, of_columns, total;
};

/* the share of all pairs, for direct_symmetric_sum */
static const double direct_all_pairs[2] = {0, 1};

/* Returns the maximum size of the working memory in bytes; never decreases with n. */
double direct_symmetric_bytes(enum nb_precision precision, uint64_t n);
/* Queues the sum on the device's stream. `threads` per block (32 to 1024) and `order` do not change the bits. With a
 * share [share[0], share[1]) of the pairs other than all, 0 to 1, each body gets the sum over its pairs in this share,
 * and bodies without such pairs stay unchanged. The sums over all shares are the field. 0, or -1 after nb_fail: no
 * memory. */
int direct_symmetric_sum(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         const double share[2], const nb_field *out, enum nb_pair_order order, int threads);
/* Runs a part of the sum for timing: the last tiles, whose rows are the longest. Writes no result. */
int direct_symmetric_try(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         bool phi, enum nb_pair_order order, int threads);
void direct_symmetric_release(direct_symmetric *w, nb_device *device);
