/* methods.h - textbook methods for comparison with the default methods of nbtools: `--force naive`, `openmp`, `tiled`,
 * `pairs-matrix`, `shared-tiles`, `pairs-symmetric`, `kdtree`, `octree`. Each method is an entry of the table of forces
 * and passes the same tests as the other forces. The methods compute acceleration and potential, and only for all
 * bodies at once. */
#pragma once

#include "base/extern_c.h"
#include "force/force.h"

NB_C_BEGIN

/* Implements nb_force.refuse. Returns NULL if the textbook methods can compute the quantities `want`, otherwise a
 * message that says why not. Ignores `precision`. */
const char *nb_methods_refuse(enum nb_precision precision, unsigned want);

/* Possible values of the parameter `block`, the number of threads of a block on a GPU: 8, 16, 32, 64, 96, 128, 192,
 * 256, 384, 512, 768, 1024 and autotune. With autotune, the force tries these numbers on the actual problem, and uses
 * the fastest one (cuda/autotune.cuh). The parameter does not change results. NB_BLOCK_WORDS_OF_WARPS is the same list
 * without 8 and 16, for kernels that need whole warps. */
extern const char *const nb_block_words[];
#define NB_BLOCK_WORDS_OF_WARPS (nb_block_words + 2)
/* Index of the word "256" in nb_block_words and in NB_BLOCK_WORDS_OF_WARPS. */
enum { NB_BLOCK_256 = 7, NB_BLOCK_256_OF_WARPS = 5 };
/* Returns the number of threads of a block from the spec's parameter `block`; 0: autotune. */
int nb_block_threads(const struct nb_force_spec *spec);

/* Parameters of shared-tiles, pairs-matrix and pairs-symmetric. All have `block`. pairs-symmetric also has `order`, a
 * value of enum nb_pair_order (force/pairs.h). */
extern const struct nb_force_kind nb_shared_tiles_kinds[], nb_pairs_matrix_kinds[], nb_pairs_symmetric_kinds[];

NB_C_END
