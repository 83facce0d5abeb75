/* plane_work.h - what the files of plane.c share: the forces at points, and a grid of such points. */
#ifndef NBRENDER_PLANE_WORK_H
#define NBRENDER_PLANE_WORK_H

#include "nbrender/map/near.h"
#include "nbrender/map/plane.h"
#include "nbrender/map/spline.h"

struct plane_work { /* of one map */
    const struct plane *plane;
    const struct nb_bodies *b;
    const struct nb_view *view;
    int width, height, rows; /* pixels; rows of the field: 1 or 3, along x, y (down) and z (to the camera) */
    struct nb_force_set set;
    enum nb_precision precision;
    struct nb_state *state;
    double softening;
};

/* ---- plane_points.c ---- */

struct plane_points { /* where the field is wanted, and what it is there */
    uint64_t n;
    double *place;  /* 3 n, length units */
    double *row[3]; /* n each */
};

int plane_points_alloc(struct plane_points *p, uint64_t n, int rows);
void plane_points_free(struct plane_points *p);
/* Makes point i that at pixel coordinates (x, y). */
void plane_points_set(struct plane_points *p, uint64_t i, const struct nb_view *v, double x, double y);
/* Fills the rows of the points with what that part of the forces does there. */
int plane_points_compute(const struct plane_work *w, struct nb_force_part part, struct plane_points *p);

/* ---- plane_grid.c: the bodies' field by a coarse grid ---- */

struct plane_grid {
    struct spline_grid nodes;
    struct near near;
    struct plane_points points; /* rows: the field, then the spline's coefficients */
};

/* The grid's step in pixels that costs least; 0: every pixel is to be computed. */
int plane_grid_step(const struct plane_work *w);
/* 0; -1 after nb_fail; 1: no grid serves, since the field is not finite at some node. To be closed in any case. */
int plane_grid_open(struct plane_grid *g, const struct plane_work *w, int step);
void plane_grid_close(struct plane_grid *g);
/* Adds the field in row y of the pixels. -1: no memory. */
int plane_grid_add_row(const struct plane_grid *g, const struct plane_work *w, int y, double *const row[3]);

#endif
