/* footprint.h - what both rows compute alike: the shape of a level, the spline's weights, the level of a node. */
#ifndef NB_FOOTPRINT_H
#define NB_FOOTPRINT_H

#include <math.h>

#ifdef __CUDACC__
#define NB_BOTH __host__ __device__ static inline
#else
#define NB_BOTH static inline
#endif

/* Weights of the three cells for a centre at `offset` from the middle of the second one, -0.5 to 0.5 cells: the
 * quadratic B-spline (Hockney and Eastwood 1981, section 5-2). Their sum is 1. */
NB_BOTH void nb_spline_weights(float offset, float weight[3])
{
    weight[0] = 0.5f * (0.5f - offset) * (0.5f - offset);
    weight[1] = 0.75f - offset * offset;
    weight[2] = 0.5f * (0.5f + offset) * (0.5f + offset);
}

/* The level between k - 1, with `before` bodies, and k, with `count` >= K, at which a cell holds K. */
NB_BOTH float nb_level_between(int k, float before, float count, float K)
{
    if (k == 0)
        return 0;
    float share = before > 0 ? logf(K / before) / logf(count / before) : 1;
    return (float)(k - 1) + (share < 0 ? 0 : share > 1 ? 1 : share);
}

#endif
