/* direct_simd.h - the direct sum on the CPU as one kernel source, compiled for several instruction sets.
 *
 * There are two ways. A kernel computes targets [i0, i1) against all sources. Where all bodies act on all, a block pair
 * computes each pair of bodies of two blocks once and adds to both (Newton's third law): 22 operations of a vector for
 * two vectors of pair forces (in single with AVX-512), where the kernel takes 17 for one. Sums run over blocks of
 * sources, NB_DIRECT_BLOCK or NB_MUTUAL_BLOCK, in the pair's precision and from block to block in double, so that long
 * single-precision sums keep their digits. */
#pragma once

#include "force/force.h"
#include "simd/simd.h"

#define NB_DIRECT_BLOCK 256 /* sources of a block of a kernel */
#define NB_MUTUAL_BLOCK 512 /* bodies of a block of a block pair, at most */
#define NB_DIRECT_TASK  64  /* targets of one task; every kernel's own group divides it */

/* Targets [i0, i1) of t, all sources of s; lanes are targets. out->a and out->phi as in force.h; either may be NULL. */
typedef void nb_direct_kernel(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                              uint64_t i0, uint64_t i1);

struct nb_direct_sums { /* rows with a value a body, without G; NULL, all of a or phi, what is not wanted */
    double *a[3], *phi;
};

/* Powers of two by which a block pair multiplies lengths and masses, so that r^-3 without a mass is in range. */
struct nb_direct_scale {
    double length, mass;
};

/* Adds to the sums of bodies [i0, i1) and [j0, j1), at most NB_MUTUAL_BLOCK each, what they do to each other; a range
 * that is given twice: what its bodies do among themselves. Lanes are bodies of both blocks. */
typedef void nb_direct_block_pair(const struct nb_sources *s, const struct nb_direct_scale *scale,
                                  const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1, uint64_t j0,
                                  uint64_t j1);

struct nb_direct_set {
    nb_direct_kernel *kernel[NB_PRECISIONS];
    nb_direct_block_pair *block_pair[NB_PRECISIONS];
};

extern const struct nb_direct_set *const nb_direct_sets[NB_SIMD_SETS];

/* All bodies act on all by block pairs, spread over the threads: s->n targets, out as in force.h. -1: no memory. */
int nb_direct_mutual(const struct nb_direct_set *set, enum nb_precision precision, const struct nb_sources *s,
                     const struct nb_field *out);

/* ---- what the kernels leave out: direct_pairs.h ---- */

/* With so few pairs or fewer, threads cost more than they save, also beside other work: some 50 microseconds. */
#define NB_DIRECT_PARALLEL_PAIRS      40000
#define NB_DIRECT_PARALLEL_PAIRS_QUAD 2500

/* Any targets, with the jerk, and the snap where it is wanted, by all threads. */
typedef void nb_direct_jerk_field(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);

struct nb_direct_jerk_set {
    nb_direct_jerk_field *field[NB_PRECISIONS];
};

extern const struct nb_direct_jerk_set *const nb_direct_jerk_sets[NB_SIMD_SETS];

/* Memory of all bodies' accelerations on one another in quad: what each block of bodies does to all. */
size_t nb_direct_quad_bytes(uint64_t n);
/* Any targets in quad. -1: no memory. */
int nb_direct_quad(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);
