/* measure_near.h - private to the measures: the nearest neighbours of points, by a k-d tree. */
#pragma once

#include "base/bodies.h"

#include <stddef.h>

#define NB_NEAR_MOST 6 /* neighbours of a point that are looked for */

struct nb_near_point {
    double x[3];
    union { /* what belongs to the place */
        double mass;
        uint64_t number;
    };
};

struct nb_near_plane {
    int axis;
    double at;
};

/* A balanced tree over an array of points: a node is a range [begin, end), divided in its middle. Its number is 1 for
 * the root and 2 node, 2 node + 1 for the children. */
struct nb_near {
    struct nb_near_point *points; /* room for the number that was asked for */
    size_t n;                     /* the caller's to set */
    struct nb_near_plane *planes; /* of each node that is divided */
};

/* Neighbours, the nearest first. */
struct nb_near_found {
    double r2[NB_NEAR_MOST]; /* distances, squared; INFINITY where there is no other point */
    size_t at[NB_NEAR_MOST]; /* in the array of points */
};

/* Makes room for so many points. -1: no memory; nb_near_free is right in both cases. */
int nb_near_open(struct nb_near *t, uint64_t most);
void nb_near_free(struct nb_near *t);
/* Puts the bodies with mass, one of `stride` each, as points. */
void nb_near_fill(struct nb_near *t, const struct nb_bodies *b, uint64_t stride);
/* Sorts the n > 0 points into a tree. Divides their places by 2^octaves, which is returned, so that none is above 1 and
 * the squares of distances are numbers. */
int nb_near_sort(struct nb_near *t);
/* The `count` nearest neighbours of point i, 1 to NB_NEAR_MOST. */
void nb_near_find(const struct nb_near *t, size_t i, int count, struct nb_near_found *found);
