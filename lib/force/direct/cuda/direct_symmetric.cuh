/* direct_symmetric.cuh - accelerations and potentials of all bodies by Newton's third law: each pair is computed once
 * for both bodies. */
#pragma once

#include "force/cuda/pair.cuh"
#include "force/pairs.h"

struct direct_symmetric { /* working memory; must be zeros before the first use */
    nb_cuda_buffer of_rows, of_columns, total;
};

/* Returns the maximum size of the working memory in bytes. A larger n never gives a smaller size. */
double direct_symmetric_bytes(enum nb_precision precision, uint64_t n);
/* Queues the computation of out->a and out->phi on the device's stream, from a share of all pairs. share[0] and
 * share[1]: begin and end of the share, as fractions of the pairs; {0, 1}: all pairs. If some bodies have no pair in
 * the share, their elements of `out` stay unchanged. `threads`: number of threads per block, 32 to 1024. The results
 * are bitwise identical for all values of `threads` and `order`. Returns 0, or -1 after nb_fail if there is no
 * memory. */
int direct_symmetric_sum(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         const double share[2], const nb_field *out, enum nb_pair_order order, int threads);
/* Returns e: the bodies [0, e) have pairs in the share, and later bodies have no pairs in it. Returns 0 if the share
 * has no pairs. */
uint64_t direct_symmetric_end(uint64_t n, const double share[2]);
/* Allocates the memory that direct_symmetric_sum needs. Returns 0, or -1 after nb_fail. */
int direct_symmetric_reserve(direct_symmetric *w, enum nb_precision precision, uint64_t n, const double share[2]);
/* For measurements of time: queues the computation of the last band of tiles only. This band has the longest rows of
 * tiles. Writes no result. */
int direct_symmetric_try(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         bool phi, enum nb_pair_order order, int threads);
void direct_symmetric_release(direct_symmetric *w, nb_device *device);
