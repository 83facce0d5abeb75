/* plain.h - the loops of `naive`, `openmp` and `tiled`: simple code in double, compiled once for each instruction set
 * (plain_simd.c), as a user would compile it for the machine. */
#pragma once

#include "force/force.h"

#define NB_PLAIN_TILE 64 /* number of bodies per tile: 3.5 KiB of targets and sums, 2 KiB of sources */

/* Writes the field of all sources at the bodies [i0, i1), which are sources too. */
typedef void nb_plain_loops(const struct nb_sources *s, const struct nb_field *out, uint64_t i0, uint64_t i1);

struct nb_plain_set {
    nb_plain_loops *rows; /* double loop: for each body, a loop over all sources in order */
    /* for each source, a loop over the bodies [i0, i1). Sources are read block by block. [i0, i1) is one block: i0 is a
     * multiple of NB_PLAIN_TILE, and i1 is i0 + NB_PLAIN_TILE or n */
    nb_plain_loops *tile;
};

/* Returns the loops for this processor. */
const struct nb_plain_set *nb_plain(void);
