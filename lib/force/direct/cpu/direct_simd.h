/* direct_simd.h - direct summation on the CPU, one kernel source compiled for several instruction sets.
 *
 * There are two algorithms:
 * - kernel (nb_direct_kernel): computes the results of targets [i0, i1) from all sources.
 * - block pair (nb_direct_block_pair), used if the targets are all sources: computes the force of each pair of bodies
 *   once, and adds it to both bodies with opposite signs (Newton's third law). In single precision with AVX-512, this
 *   algorithm needs about 2/3 of the operations of the kernel.
 *
 * Sums over a block of sources are in the precision of the pairs. The sums of all blocks are added in double, because a
 * long sum in single precision would lose accuracy. */
#pragma once

#include "force/force.h"
#include "simd/simd.h"

#define NB_DIRECT_BLOCK 256 /* number of sources per block of a kernel */
#define NB_MUTUAL_BLOCK 512 /* maximum number of bodies in a block of nb_direct_block_pair */
/* number of targets per task of a thread; a multiple of the number of targets that a kernel processes together */
#define NB_DIRECT_TASK 64

/* Computes the results of targets [i0, i1) of t from all sources of s; each vector lane holds a target. Writes or adds
 * to out->a and out->phi (force.h); each may be NULL. */
typedef void nb_direct_kernel(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                              uint64_t i0, uint64_t i1);

/* Rows with one sum per body, without the factor G. All three a[k] are NULL if no accelerations are wanted; phi is NULL
 * if no potentials are wanted. */
struct nb_direct_sums {
    double *a[3], *phi;
};

/* Factors by which nb_direct_block_pair multiplies lengths and masses. Without them, r^-3 could overflow or underflow.
 * They are powers of two, so these multiplications are exact. */
struct nb_direct_scale {
    double length, mass;
};

/* Adds the forces between bodies [i0, i1) and bodies [j0, j1) to the sums of both. Each range has at most
 * NB_MUTUAL_BLOCK bodies. If both ranges are equal, adds the forces within the range. Vector lanes hold bodies of both
 * blocks. */
typedef void nb_direct_block_pair(const struct nb_sources *s, const struct nb_direct_scale *scale,
                                  const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1, uint64_t j0,
                                  uint64_t j1);

struct nb_direct_set {
    nb_direct_kernel *kernel[NB_PRECISIONS];
    nb_direct_block_pair *block_pair[NB_PRECISIONS];
};

extern const struct nb_direct_set *const nb_direct_sets[NB_SIMD_SETS];

/* Computes the accelerations and potentials of all bodies from all others, in block pairs distributed over the threads.
 * Writes the s->n elements of each row of `out`, or adds to them (nb_field.add). Returns -1 if there is no memory. */
int nb_direct_mutual(const struct nb_direct_set *set, enum nb_precision precision, const struct nb_sources *s,
                     const struct nb_field *out);

/* ---- derivatives and quad: direct_pairs.h ---- */

/* Maximum number of pairs that a single thread computes (..._QUAD: in quad precision). For so few pairs, starting other
 * threads takes too long (some 50 microseconds if the machine is busy). */
#define NB_DIRECT_PARALLEL_PAIRS      40000
#define NB_DIRECT_PARALLEL_PAIRS_QUAD 2500

/* Computes acceleration, potential, jerk and snap of the targets, each only if its row or vector in `out` is not NULL.
 * Uses all threads. */
typedef void nb_direct_jerk_field(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);

struct nb_direct_jerk_set {
    nb_direct_jerk_field *field[NB_PRECISIONS];
};

extern const struct nb_direct_jerk_set *const nb_direct_jerk_sets[NB_SIMD_SETS];

/* Returns how many bytes of working memory nb_direct_quad allocates if all n bodies are targets: one vector of n
 * accelerations for each block of bodies. */
size_t nb_direct_quad_bytes(uint64_t n);
/* Computes the field at the targets, which need not be sources, in quad. Returns -1 if there is no memory. */
int nb_direct_quad(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);
