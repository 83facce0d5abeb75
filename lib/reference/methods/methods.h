/* methods.h - textbook methods beside the product's own, each a row of the table of forces, so that a reader can see
 * what an idea is worth: `--force naive`, `openmp`, `tiled`, `pairs-matrix`, `shared-tiles`, `pairs-symmetric`,
 * `kdtree`, `octree`. They are held to the same tests as the others, serve all bodies at once, and give acceleration
 * and potential.
 */
#pragma once

#include "base/extern_c.h"
#include "force/force.h"

NB_C_BEGIN

/* Why a method cannot serve what is wanted, as nb_force.refuse: a sentence, or NULL. */
const char *nb_methods_refuse(enum nb_precision precision, unsigned want);

/* The parameter `block` on a GPU: threads of a block of the kernels, or `autotune`, which tries them on the problem
 * itself (cuda/autotune.cuh). It changes no bit of a result. Its words: 8, 16, 32, 64, 96, 128, 192, 256, 384, 512,
 * 768, 1024, autotune. Kernels that work by whole warps have those from 32 on. */
extern const char *const nb_block_words[];
#define NB_BLOCK_WORDS_OF_WARPS (nb_block_words + 2)
/* Places of words. */
enum { NB_BLOCK_256 = 7, NB_BLOCK_256_OF_WARPS = 5 };
/* Threads of a block that the spec's parameter `block` asks for; 0: autotune. */
int nb_block_threads(const struct nb_force_spec *spec);

/* The parameters of methods over pairs: block, and order, which is of enum nb_pair_order (force/pairs.h). */
extern const struct nb_force_kind nb_shared_tiles_kinds[], nb_pairs_matrix_kinds[], nb_pairs_symmetric_kinds[];

NB_C_END
