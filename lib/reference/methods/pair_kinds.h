/* pair_kinds.h - the parameters of the textbook methods over pairs. */
#ifndef NB_PAIR_KINDS_H
#define NB_PAIR_KINDS_H

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* block: block.h. order: values of enum nb_pair_order. */
extern const struct nb_force_kind nb_shared_tiles_kinds[], nb_pairs_matrix_kinds[], nb_pairs_symmetric_kinds[];

/* In which order tiles of the triangle of pairs are taken: row by row, in squares of 8 x 8 tiles, along Hilbert's curve
 * in squares of 32 x 32. */
enum nb_pair_order { NB_PAIR_ROWS, NB_PAIR_TILES, NB_PAIR_HILBERT };

#ifdef __cplusplus
}
#endif
#endif
