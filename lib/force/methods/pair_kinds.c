#include "force/methods/pair_kinds.h"

#include "force/methods/block.h"

#define ABOUT_BLOCK "threads of a block on a GPU; autotune tries them"

static const char *const orders[] = {"rowmajor", "tiles", "hilbert", NULL};

static const struct nb_parameter tiles[] = {{"block", ABOUT_BLOCK, NB_BLOCK_256, .words = nb_block_words}, {0}};

static const struct nb_parameter matrix[] = {
    {"block", ABOUT_BLOCK, NB_BLOCK_256_OF_WARPS, .words = NB_BLOCK_WORDS_OF_WARPS}, {0}};

static const struct nb_parameter symmetric[] = {
    {"block", ABOUT_BLOCK, NB_BLOCK_256_OF_WARPS, .words = NB_BLOCK_WORDS_OF_WARPS},
    {"order", "in which blocks take the tiles of the triangle", NB_PAIR_TILES, .words = orders},
    {0}};

const struct nb_force_kind nb_shared_tiles_kinds[] = {{"", "", tiles, 0}, {0}},
                           nb_pairs_matrix_kinds[] = {{"", "", matrix, 0}, {0}},
                           nb_pairs_symmetric_kinds[] = {{"", "", symmetric, 0}, {0}};
