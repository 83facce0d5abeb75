/* plain.h - the loops of the methods `naive`, `openmp` and `tiled`: simple code in double precision. plain_simd.c is
 * compiled once for each instruction set, so the loops use the best instructions of the user's processor. */
#pragma once

#include "force/force.h"

/* number of bodies per tile; a tile of targets and their sums takes 3.5 KiB, and a tile of sources 2 KiB */
#define NB_PLAIN_TILE 64

/* Writes the field of all sources at the positions of the sources [i0, i1). */
typedef void nb_plain_loops(const struct nb_sources *s, const struct nb_field *out, uint64_t i0, uint64_t i1);

struct nb_plain_set {
    nb_plain_loops *rows; /* double loop: for each body, a loop over all sources in order */
    /* double loop: for each source, a loop over the targets [i0, i1). The targets are the bodies of one tile: i0 is a
     * multiple of NB_PLAIN_TILE, and i1 is the minimum of i0 + NB_PLAIN_TILE and n */
    nb_plain_loops *tile;
};

/* Returns the loops for this processor. */
const struct nb_plain_set *nb_plain(void);
