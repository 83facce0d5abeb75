/* octree.c - the parameters of the force octree. Declared in octree.h. */
#include "reference/methods/octree.h"

#include "reference/methods/methods.h"

static const char *const openings[] = {"delta", "size", NULL}, *const off_on[] = {"off", "on", NULL};

static const struct nb_parameter parameters[] = {
    [NB_OCTREE_THETA] = {"theta", "opening parameter: the smaller, the more accurate and the slower; 0 sums all pairs",
                         0.5, .least = 0, .most = 2},
    [NB_OCTREE_OPENING] = {"opening", "a cell of side l is opened within l/theta, and its centre's offset (delta)",
                           NB_OCTREE_DELTA, .words = openings},
    [NB_OCTREE_SORT] = {"sort", "takes the bodies in the order of the tree", 1, .words = off_on},
    [NB_OCTREE_BLOCK] = {"block", "threads of a block of the force's kernel on a GPU; autotune tries them",
                         NB_BLOCK_256_OF_WARPS, .words = NB_BLOCK_WORDS_OF_WARPS},
    {0},
};

const struct nb_force_kind nb_octree_kinds[] = {{"", "opening by the distance of a cell", parameters, 0}, {0}};
