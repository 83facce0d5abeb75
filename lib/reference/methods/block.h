/* block.h - the parameter `block` of textbook methods on a GPU: threads of a block of their kernels, or `autotune`,
 * which tries them on the problem itself (cuda/autotune.cuh). It changes no bit of a result. */
#ifndef NB_BLOCK_H
#define NB_BLOCK_H

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The words of the parameter: 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, autotune. Kernels that work by
 * whole warps have those from 32 on. */
extern const char *const nb_block_words[];
#define NB_BLOCK_WORDS_OF_WARPS (nb_block_words + 2)
/* Places of words. */
enum { NB_BLOCK_256 = 7, NB_BLOCK_256_OF_WARPS = 5 };

/* Threads of a block that the spec's parameter `block` asks for; 0: autotune. */
int nb_block_threads(const struct nb_force_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
