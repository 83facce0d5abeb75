/* methods.h - textbook methods for comparison with the product's own: `--force naive`, `openmp`, `tiled`,
 * `pairs-matrix`, `shared-tiles`, `pairs-symmetric`, `kdtree`, `octree`. Each is an entry of the table of forces and
 * passes the same tests. They compute forces on all bodies only, and give acceleration and potential. */
#pragma once

#include "base/extern_c.h"
#include "force/force.h"

NB_C_BEGIN

/* Returns a sentence why a method cannot compute what is wanted, or NULL; for nb_force.refuse. */
const char *nb_methods_refuse(enum nb_precision precision, unsigned want);

/* Words of the parameter `block` on a GPU, threads of a block: 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
 * or autotune, which times all of them on the actual problem (cuda/autotune.cuh). The value does not change results.
 * Kernels that need whole warps use the words from 32 on. */
extern const char *const nb_block_words[];
#define NB_BLOCK_WORDS_OF_WARPS (nb_block_words + 2)
/* Indices of the word 256 in nb_block_words and in NB_BLOCK_WORDS_OF_WARPS. */
enum { NB_BLOCK_256 = 7, NB_BLOCK_256_OF_WARPS = 5 };
/* Returns the number of threads of a block from the spec's parameter `block`; 0: autotune. */
int nb_block_threads(const struct nb_force_spec *spec);

/* Parameters of methods over pairs: block, and order, a value of enum nb_pair_order (force/pairs.h). */
extern const struct nb_force_kind nb_shared_tiles_kinds[], nb_pairs_matrix_kinds[], nb_pairs_symmetric_kinds[];

NB_C_END
