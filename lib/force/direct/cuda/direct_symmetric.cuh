/* direct_symmetric.cuh - accelerations and potentials of all bodies by Newton's third law: each pair once for both. */
#pragma once

#include "force/cuda/pair.cuh"
#include "force/pairs.h"

struct direct_symmetric { /* working memory; begins as zeros */
    nb_cuda_buffer of_rows, of_columns, total;
};

/* Bytes of it, at most; more bodies never need less. */
double direct_symmetric_bytes(enum nb_precision precision, uint64_t n);
/* Puts the sum on the device's stream; `threads` of a block, 32 to 1024, and `order` change no bit. 0, or -1 after
 * nb_fail: no memory. */
int direct_symmetric_sum(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         const nb_field *out, enum nb_pair_order order, int threads);
/* A part of it, to be timed: its last tiles, whose rows are longest. Nothing is put out. */
int direct_symmetric_try(direct_symmetric *w, nb_device *device, enum nb_precision precision, const nb_sources *s,
                         bool phi, enum nb_pair_order order, int threads);
void direct_symmetric_release(direct_symmetric *w, nb_device *device);
