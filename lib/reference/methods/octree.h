/* octree.h - gravity by an octree of monopoles, built by insertion: what the rows of all devices share.
 *
 * Barnes & Hut 1986, Nature 324, 446; on a GPU, as six kernels, Burtscher & Pingali 2011, GPU Computing Gems Emerald
 * Edition, ch. 6. What every device does:
 *
 *   box        the least cube around all bodies that is centred on their bounding box
 *   insert     each body goes down from the root by the octant that it is in, to a place that is free; where a body is,
 *              the cell is divided until the two are apart. Bodies at one place, and those in a cell of the least size,
 *              are a chain, in the order of their numbers. The tree does not depend on the order of insertion
 *   summarise  leaves up, children in the order of their octants: mass, centre of mass, and reach (below) of each cell
 *   sort       root down, places for the bodies in the order of the tree, children in the order of their octants
 *   force      root down for each body: a cell farther from it than its reach acts as a mass at its centre of mass,
 *              another is opened. On CUDA a warp of 32 bodies that follow one another opens a cell that one needs open
 *
 * The reach of a cell of side l, whose centre of mass is delta off its middle, with the opening parameter theta:
 *     opening=delta   l / theta + delta   (Barnes 1994, in Computational Astrophysics, ed. Barnes et al., 117)
 *     opening=size    l / theta
 * but at least the distance from the centre of mass to the farthest corner, so that no body is part of a mass that acts
 * on it (Salmon & Warren 1994, J. Comput. Phys. 111, 136); that is more only at theta above 0.57 with `size`, 1.15 with
 * `delta`. With theta 0 all pairs are summed. */
#pragma once

#include "base/extern_c.h"
#include "force/force.h"

#include <math.h>

#ifdef __CUDACC__
#define NB_OCTREE_BOTH static __host__ __device__ inline
#else
#define NB_OCTREE_BOTH static inline
#endif

NB_C_BEGIN

/* Parameters of `--force octree`, in the order of their values, and words of theirs. */
enum { NB_OCTREE_THETA, NB_OCTREE_OPENING, NB_OCTREE_SORT, NB_OCTREE_BLOCK };
enum { NB_OCTREE_DELTA, NB_OCTREE_SIZE };
extern const struct nb_force_kind nb_octree_kinds[];

NB_C_END

#define NB_OCTREE_DEPTH 64 /* cells above one another, at most */

/* What a place for a child holds: a body's number, below n; n and a cell's number; or nothing. */
#define NB_OCTREE_NONE 0xffffffffu

struct nb_octree_cell { /* of the tree, while it is gone down */
    double x[3], half;
};

/* Which of a cell's eight octants a place is in. */
NB_OCTREE_BOTH unsigned nb_octree_octant(const struct nb_octree_cell *c, const double x[3])
{
    return (unsigned)(x[0] > c->x[0]) | (unsigned)(x[1] > c->x[1]) << 1 | (unsigned)(x[2] > c->x[2]) << 2;
}

/* The cell that the octant is. */
NB_OCTREE_BOTH struct nb_octree_cell nb_octree_child(const struct nb_octree_cell *c, unsigned octant)
{
    const double half = 0.5 * c->half;
    const struct nb_octree_cell part = {{c->x[0] + (octant & 1 ? half : -half), c->x[1] + (octant & 2 ? half : -half),
                                         c->x[2] + (octant & 4 ? half : -half)},
                                        half};
    return part;
}

/* The root of bodies within [low, high]. Halves, whose sums do not leave the range of the numbers. */
NB_OCTREE_BOTH struct nb_octree_cell nb_octree_root(const double low[3], const double high[3])
{
    struct nb_octree_cell root = {{0}, 0};
    for (int k = 0; k < 3; k++) {
        root.x[k] = 0.5 * low[k] + 0.5 * high[k];
        root.half = fmax(root.half, 0.5 * high[k] - 0.5 * low[k]);
    }
    return root;
}

/* The square of a cell's reach; not a number where the cell has no size and theta is 0: nothing is beyond it then. */
NB_OCTREE_BOTH double nb_octree_reach2(double theta, int opening, double half, const double delta[3])
{
    const double own = opening == NB_OCTREE_DELTA ? delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2] : 0;
    double corner2 = 0;
    for (int k = 0; k < 3; k++)
        corner2 += (half + fabs(delta[k])) * (half + fabs(delta[k]));
    const double reach = 2 * half / theta + sqrt(own);
    return reach * reach > corner2 ? reach * reach : theta > 0 ? corner2 : NAN;
}
