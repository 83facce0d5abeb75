/* changeover.h - gravity in two parts: the far one of each pair is K times its force, the near one the rest, with K = 0
 * up to the distance `inner`, 1 from `outer` on, and in between, with y from 0 to 1 as r^2 goes from inner^2 to
 * outer^2, K = y^4 (35 - 84 y + 70 y^2 - 20 y^3), which joins both ends with three derivatives that are 0 (Oshino,
 * Funato & Makino 2011, Publ. Astron. Soc. Japan 63, 881, have such a polynomial in r; in r^2 it needs no root). */
#pragma once

#include <stdbool.h>

#ifdef __CUDACC__
#define CHANGEOVER_CALL static __host__ __device__ __forceinline__
#else
#define CHANGEOVER_CALL static inline
#endif

struct nb_changeover {
    double inner, outer; /* 0 < inner < outer; 0 and 0: all is far */
};

/* K at y, 0 to 1. */
#define NB_CHANGEOVER(y) ((y) * (y) * (y) * (y) * (35 + (y) * (-84 + (y) * (70 - 20 * (y)))))
/* Its derivative in y. */
#define NB_CHANGEOVER_RATE(y) (140 * ((y) * (1 - (y))) * ((y) * (1 - (y))) * ((y) * (1 - (y))))

/* y at the distance r: 0 below `inner`, 1 above `outer`. */
CHANGEOVER_CALL double nb_changeover_place(struct nb_changeover c, double r2)
{
    const double inner2 = c.inner * c.inner, y = (r2 - inner2) / (c.outer * c.outer - inner2);
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

/* The square of the least distance of two bodies while the offset d of one from the other grows by `move`, straight. */
CHANGEOVER_CALL double nb_least_distance2(const double d[3], const double move[3])
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double along = d[0] * move[0] + d[1] * move[1] + d[2] * move[2];
    const double way2 = move[0] * move[0] + move[1] * move[1] + move[2] * move[2];
    const double part = along < 0 ? (-along < way2 ? -along / way2 : 1) : 0;
    return r2 + part * (2 * along + part * way2);
}

/* Do they come nearer than `distance` in that time? */
CHANGEOVER_CALL bool nb_comes_within(const double d[3], const double move[3], double distance)
{
    return nb_least_distance2(d, move) < distance * distance;
}
