#include "force/methods/octree.h"

static const char *const openings[] = {"delta", "size", NULL}, *const off_on[] = {"off", "on", NULL};

static const struct nb_parameter parameters[] = {
    [NB_OCTREE_THETA] = {"theta", "opening parameter: the smaller, the more accurate and the slower; 0 sums all pairs",
                         0.5, .least = 0, .most = 2},
    [NB_OCTREE_OPENING] = {"opening", "a cell of side l is opened within l/theta, and its centre's offset (delta)",
                           NB_OCTREE_DELTA, .words = openings},
    [NB_OCTREE_SORT] = {"sort", "takes the bodies in the order of the tree", 1, .words = off_on},
    {0},
};

const struct nb_force_kind nb_octree_kinds[] = {{"", "opening by the distance of a cell", parameters, 0}, {0}};
