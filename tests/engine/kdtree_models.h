/* kdtree_models.h - bodies for the tests of the k-d tree. */
#pragma once

#include "force_rows.h"

enum { SPHERE, CLUSTERS, MODELS };

/* Clusters: a tenth of the bodies without mass, some at one place, one far out. */
static inline void make_model(struct nb_bodies *b, int model, uint64_t n)
{
    make_sphere(b, n);
    double *m = b->columns[0].data, *x = b->columns[1].data;
    for (uint64_t i = 0; i < n && model == CLUSTERS; i++) {
        if (i % 10 == 3)
            m[i] = 0;
        for (int k = 0; k < 3; k++)
            x[3 * i + (uint64_t)k] = (float)(0.1 * x[3 * i + (uint64_t)k] + (double)(i % 7 * (uint64_t)k % 5));
        if (i % 50 == 49)
            memcpy(&x[3 * i], &x[3 * (i - 7)], 24);
    }
    if (model == CLUSTERS)
        x[0] = 1e6;
}
