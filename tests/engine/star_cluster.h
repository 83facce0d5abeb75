/* star_cluster.h - for tests of the Ahmad-Cohen scheme: a small cluster of stars with a binary and a massless body. */
#pragma once

#include "common/made_bodies.h"

#include <math.h>
#include <string.h>

enum { STARS = 150 };

static inline void place(struct nb_bodies *b, uint64_t i, double m, const double x[3], const double v[3])
{
    ((double *)b->columns[0].data)[i] = m;
    memcpy((double *)b->columns[1].data + 3 * i, x, 24);
    memcpy((double *)b->columns[2].data + 3 * i, v, 24);
}

/* A ball of stars of different masses, at rest as a whole; of the last three, one has no mass, and two are a binary
 * with a period of 0.01. */
static inline void make_cluster(struct nb_bodies *b)
{
    const double m = 1.0 / STARS, a = cbrt(2 * m * pow(0.01 / (2 * M_PI), 2)), half = sqrt(2 * m / a) / 2;
    uint64_t seed = 3;
    make_bodies(b, STARS, 0);
    for (uint64_t i = 0; i < STARS; i++) {
        double x[3], v[3];
        for (int k = 0; k < 3; k++) {
            x[k] = 2 * uniform01(&seed) - 1;
            v[k] = uniform01(&seed) - 0.5;
        }
        place(b, i, m * (0.2 + 1.6 * uniform01(&seed)), x, v);
    }
    place(b, STARS - 3, 0, (double[3]){0.1, 0.2, 0.3}, (double[3]){0.3, 0, 0});
    place(b, STARS - 2, m, (double[3]){0.5 + a / 2, 0.1, 0}, (double[3]){0, half, 0.1});
    place(b, STARS - 1, m, (double[3]){0.5 - a / 2, 0.1, 0}, (double[3]){0, -half, 0.1});
}
