/* changeover.h - splits the force between two bodies into a far part, K * force, and a near part, (1 - K) * force. K
 * depends on the distance r of the bodies:
 * - r <= inner: K = 0
 * - between: K = y^4 * (35 - 84 y + 70 y^2 - 20 y^3), y = (r^2 - inner^2) / (outer^2 - inner^2)
 * - r >= outer: K = 1
 * The first three derivatives of K are 0 at r = inner and r = outer. Oshino, Funato & Makino (2011, Publ. Astron. Soc.
 * Japan 63, 881) use such a polynomial in r, but a polynomial in r^2 needs no square root. */
#pragma once

#include <stdbool.h>

#ifdef __CUDACC__
#define CHANGEOVER_CALL static __host__ __device__ __forceinline__
#else
#define CHANGEOVER_CALL static inline
#endif

struct nb_changeover {
    double inner, outer; /* lengths, 0 < inner < outer; both 0: the entire force is the far part */
};

/* Returns K for 0 <= y <= 1: the fraction of a pair's force that belongs to the far part. */
#define NB_CHANGEOVER(y) ((y) * (y) * (y) * (y) * (35 + (y) * (-84 + (y) * (70 - 20 * (y)))))
/* Returns dK/dy for 0 <= y <= 1. */
#define NB_CHANGEOVER_RATE(y) (140 * ((y) * (1 - (y))) * ((y) * (1 - (y))) * ((y) * (1 - (y))))

/* Returns y, the argument of NB_CHANGEOVER, for two bodies whose squared distance is r2: 0 up to inner^2, 1 from
 * outer^2 on. */
CHANGEOVER_CALL double nb_changeover_place(struct nb_changeover c, double r2)
{
    const double inner2 = c.inner * c.inner, y = (r2 - inner2) / (c.outer * c.outer - inner2);
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

/* Returns the squared minimum distance of two bodies whose relative position changes linearly from d to d + move. */
CHANGEOVER_CALL double nb_least_distance2(const double d[3], const double move[3])
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double along = d[0] * move[0] + d[1] * move[1] + d[2] * move[2];
    const double way2 = move[0] * move[0] + move[1] * move[1] + move[2] * move[2];
    const double part = along < 0 ? (-along < way2 ? -along / way2 : 1) : 0;
    return r2 + part * (2 * along + part * way2);
}

/* Returns whether the two bodies of nb_least_distance2 come closer to each other than `distance`. */
CHANGEOVER_CALL bool nb_comes_within(const double d[3], const double move[3], double distance)
{
    return nb_least_distance2(d, move) < distance * distance;
}
