/* direct_simd.h - direct summation on the CPU, one kernel source compiled for several instruction sets.
 *
 * There are two algorithms. A kernel computes targets [i0, i1) from all sources. If all bodies act on all bodies, a
 * block pair computes each pair of bodies of two blocks once and adds the force to both (Newton's third law). In single
 * precision with AVX-512 a block pair takes 22 vector operations for two vectors of pair forces, the kernel 17 for one.
 * Sums over blocks of NB_DIRECT_BLOCK or NB_MUTUAL_BLOCK sources are in the pair's precision, sums of blocks in double,
 * so that long sums in single precision stay accurate. */
#pragma once

#include "force/force.h"
#include "simd/simd.h"

#define NB_DIRECT_BLOCK 256 /* number of sources per block of a kernel */
#define NB_MUTUAL_BLOCK 512 /* maximum number of bodies of each block in a pair of blocks */
#define NB_DIRECT_TASK  64  /* number of targets per task; a multiple of every kernel's number of targets in a group */

/* Computes targets [i0, i1) of t from all sources of s; lanes are targets. out->a and out->phi as in force.h; each may
 * be NULL. */
typedef void nb_direct_kernel(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                              uint64_t i0, uint64_t i1);

struct nb_direct_sums { /* rows with one sum per body, without G; NULL: not wanted (all of a[], or phi) */
    double *a[3], *phi;
};

/* Powers of two by which a block pair multiplies lengths and masses, so that r^-3 without a mass does not overflow or
 * underflow. */
struct nb_direct_scale {
    double length, mass;
};

/* Adds to the sums of bodies [i0, i1) and [j0, j1) their forces on each other; at most NB_MUTUAL_BLOCK bodies each. If
 * both ranges are equal: the forces within the range. Lanes are bodies of both blocks. */
typedef void nb_direct_block_pair(const struct nb_sources *s, const struct nb_direct_scale *scale,
                                  const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1, uint64_t j0,
                                  uint64_t j1);

struct nb_direct_set {
    nb_direct_kernel *kernel[NB_PRECISIONS];
    nb_direct_block_pair *block_pair[NB_PRECISIONS];
};

extern const struct nb_direct_set *const nb_direct_sets[NB_SIMD_SETS];

/* Computes the field of all bodies on all bodies by block pairs, distributed over the threads: s->n targets, out as in
 * force.h. Returns -1 if there is no memory. */
int nb_direct_mutual(const struct nb_direct_set *set, enum nb_precision precision, const struct nb_sources *s,
                     const struct nb_field *out);

/* ---- derivatives and quad: direct_pairs.h ---- */

/* Numbers of pairs up to which one thread is used: starting threads costs some 50 microseconds if the machine is busy.
 */
#define NB_DIRECT_PARALLEL_PAIRS      40000
#define NB_DIRECT_PARALLEL_PAIRS_QUAD 2500

/* Computes any targets with the jerk, and the snap if wanted, with all threads. */
typedef void nb_direct_jerk_field(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);

struct nb_direct_jerk_set {
    nb_direct_jerk_field *field[NB_PRECISIONS];
};

extern const struct nb_direct_jerk_set *const nb_direct_jerk_sets[NB_SIMD_SETS];

/* Returns the memory for accelerations of all bodies on each other in quad: one field of n bodies per block of bodies.
 */
size_t nb_direct_quad_bytes(uint64_t n);
/* Computes any targets in quad. Returns -1 if there is no memory. */
int nb_direct_quad(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);
