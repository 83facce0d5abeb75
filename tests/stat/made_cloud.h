/* made_cloud.h - a cloud of random bodies and a pose in it, for tests of the structure of systems. */
#pragma once

#include "common/made_bodies.h"
#include "measure/measure_structure.h"

#include <math.h>

static inline double *mass(const struct nb_bodies *b)
{
    return b->columns[0].data;
}

static inline double *pos(const struct nb_bodies *b)
{
    return b->columns[1].data;
}

static inline double *vel(const struct nb_bodies *b)
{
    return b->columns[2].data;
}

/* Bodies of mass 1 at 0. */
static inline void make(struct nb_bodies *b, uint64_t n)
{
    make_bodies(b, n, 1);
}

/* Random bodies, denser in the middle; masses over three decades, and some of none. */
static inline void make_cloud(struct nb_bodies *b, uint64_t n, uint64_t seed)
{
    make(b, n);
    for (uint64_t i = 0; i < n; i++) {
        mass(b)[i] = i % 17 ? pow(10, -3 * uniform01(&seed)) : 0;
        for (uint64_t k = 0; k < 3; k++) {
            pos(b)[3 * i + k] = 5 + (double)k + pow(2 * uniform01(&seed) - 1, 3);
            vel(b)[3 * i + k] = 2 * uniform01(&seed) - 3;
        }
    }
}

static inline void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", a, tolerance, b);
}

static inline struct nb_pose tilted(void)
{
    struct nb_pose pose = {.centre = {5.1, 5.9, 7.2}, .velocity = {-2, -2.1, -1.8}};
    nb_pose_turn(&pose, (const double[3]){1, -2, 0.5});
    return pose;
}

static inline double brute_distance(const struct nb_bodies *b, const struct nb_pose *p, enum nb_geometry geometry,
                                    uint64_t i)
{
    long double d[3], along = 0, square = 0;
    for (uint64_t k = 0; k < 3; k++) {
        d[k] = (long double)pos(b)[3 * i + k] - p->centre[k];
        along += d[k] * p->axis[2][k];
    }
    for (int k = 0; k < 3; k++) {
        d[k] -= geometry == NB_CYLINDRICAL ? along * p->axis[2][k] : 0;
        square += d[k] * d[k];
    }
    return (double)sqrtl(square);
}
