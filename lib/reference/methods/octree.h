/* octree.h - gravity from an octree of monopoles built by insertion; shared by the entries of all devices.
 *
 * Barnes & Hut 1986, Nature 324, 446; on a GPU, as six kernels, Burtscher & Pingali 2011, GPU Computing Gems Emerald
 * Edition, ch. 6. The stages on every device:
 *
 *   box        smallest cube around all bodies, centred on their bounding box
 *   insert     each body descends from the root until it reaches an octant that is not a cell. If this octant is empty,
 *              it receives the body. If it contains another body, it is divided into cells until the two bodies are
 *              separate. Bodies at the same position, and bodies in a cell of the smallest size, form a chain in the
 *              order of their indices. The tree does not depend on the order of insertion
 *   summarise  computes mass, centre of mass and reach (below) of each cell, from the leaves to the root. The children
 *              of a cell are added in octant order
 *   sort       finds the place of each body in the order of the tree (depth first, children in octant order)
 *   force      traverses the tree from the root for each body. A cell farther away than its reach acts as a point mass,
 *              other cells are opened. On CUDA a warp traverses the tree for 32 consecutive bodies at once, and opens
 *              a cell if this is necessary for any of these bodies
 *
 * Reach of a cell of side l whose centre of mass is at distance delta from its middle, for the opening parameter theta:
 *     opening=delta   l / theta + delta   (Barnes 1994, in Computational Astrophysics, ed. Barnes et al., 117)
 *     opening=size    l / theta
 * The reach is at least the distance from the centre of mass to the farthest corner. Therefore a cell that contains a
 * body is always opened for this body (Salmon & Warren 1994, J. Comput. Phys. 111, 136). This minimum is larger than
 * the formulas only for theta above 0.57 with `size`, 1.15 with `delta`. theta 0 sums all pairs. */
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

/* Indices of the parameters of `--force octree`, then the values of its parameter `opening`. */
enum { NB_OCTREE_THETA, NB_OCTREE_OPENING, NB_OCTREE_SORT, NB_OCTREE_BLOCK };
enum { NB_OCTREE_DELTA, NB_OCTREE_SIZE };
extern const struct nb_force_kind nb_octree_kinds[];

NB_C_END

#define NB_OCTREE_DEPTH 64 /* maximum number of nested cells */

/* Value of an element of a cell's array `child` if there is no child. Other values are the index of a body, which is
 * below n, or n + (index of a cell). */
#define NB_OCTREE_NONE 0xffffffffu

struct nb_octree_cell { /* a cell of the tree during descent: centre and half side */
    double x[3], half;
};

/* Returns the octant of a cell that contains the position: bit 0 for x, 1 for y, 2 for z. */
NB_OCTREE_BOTH unsigned nb_octree_octant(const struct nb_octree_cell *c, const double x[3])
{
    return (unsigned)(x[0] > c->x[0]) | (unsigned)(x[1] > c->x[1]) << 1 | (unsigned)(x[2] > c->x[2]) << 2;
}

/* Returns the child cell that fills the octant of the cell c. */
NB_OCTREE_BOTH struct nb_octree_cell nb_octree_child(const struct nb_octree_cell *c, unsigned octant)
{
    const double half = 0.5 * c->half;
    const struct nb_octree_cell part = {{c->x[0] + (octant & 1 ? half : -half), c->x[1] + (octant & 2 ? half : -half),
                                         c->x[2] + (octant & 4 ? half : -half)},
                                        half};
    return part;
}

/* Returns the root cell for bodies with coordinates in [low, high]. Halves `low` and `high` before it adds them,
 * because low + high can overflow. */
NB_OCTREE_BOTH struct nb_octree_cell nb_octree_root(const double low[3], const double high[3])
{
    struct nb_octree_cell root = {{0}, 0};
    for (int k = 0; k < 3; k++) {
        root.x[k] = 0.5 * low[k] + 0.5 * high[k];
        root.half = fmax(root.half, 0.5 * high[k] - 0.5 * low[k]);
    }
    return root;
}

/* Returns the squared reach of a cell: the cell is opened for bodies nearer to its centre of mass than the reach. half:
 * half of the cell's side; delta: its centre of mass minus its middle. Returns NaN if the cell has no size and theta is
 * 0. No distance is greater than NaN, so this cell is always opened. */
NB_OCTREE_BOTH double nb_octree_reach2(double theta, int opening, double half, const double delta[3])
{
    const double own = opening == NB_OCTREE_DELTA ? delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2] : 0;
    double corner2 = 0;
    for (int k = 0; k < 3; k++)
        corner2 += (half + fabs(delta[k])) * (half + fabs(delta[k]));
    const double reach = 2 * half / theta + sqrt(own);
    return reach * reach > corner2 ? reach * reach : theta > 0 ? corner2 : NAN;
}
