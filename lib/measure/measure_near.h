/* measure_near.h - private to lib/measure: nearest neighbours of points with a k-d tree. */
#pragma once

#include "base/bodies.h"

#include <stddef.h>

#define NB_NEAR_MOST 6 /* maximum number of neighbours that a search returns */

struct nb_near_point {
    double x[3];
    union { /* nb_near_fill sets `mass`. A caller that does not call nb_near_fill may use `number` */
        double mass;
        uint64_t number;
    };
};

struct nb_near_plane {
    int axis;
    double at;
};

/* A balanced k-d tree over an array of points. A node is a range of points with the indices `begin` to `end` - 1. Its
 * two children are the halves of this range. The root is node 1. Node k has the children 2 k and 2 k + 1. */
struct nb_near {
    struct nb_near_point *points; /* allocated by nb_near_open */
    size_t n;                     /* number of points, set by the caller */
    struct nb_near_plane *planes; /* one for each node that has children */
};

/* Neighbours, nearest first. */
struct nb_near_found {
    double r2[NB_NEAR_MOST]; /* squared distances; INFINITY for neighbours that do not exist */
    size_t at[NB_NEAR_MOST]; /* indices in the array of points */
};

/* Allocates memory for `most` points. Returns 0, or -1 if there is no memory; call nb_near_free in both cases. */
int nb_near_open(struct nb_near *t, uint64_t most);
void nb_near_free(struct nb_near *t);
/* Stores bodies 0, stride, 2 stride, ... in t->points, except bodies without mass. Sets t->n to the number of stored
 * points. */
void nb_near_fill(struct nb_near *t, const struct nb_bodies *b, uint64_t stride);
/* Sorts the n > 0 points into a tree. Divides their positions by 2^k, so that coordinates are at most 1 and squared
 * distances do not overflow. Returns k. */
int nb_near_sort(struct nb_near *t);
/* Finds the `count` nearest neighbours of point i; count is from 1 to NB_NEAR_MOST. */
void nb_near_find(const struct nb_near *t, size_t i, int count, struct nb_near_found *found);
