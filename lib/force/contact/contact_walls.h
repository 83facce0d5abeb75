/* contact_walls.h - the walls of a scene as a table: which segments are near a place, so that disks far from all walls
 * cost a look at one cell; and the nearest point of a wall, for C and CUDA, in double. CONTACT_CALL, to be defined
 * before, says how a function is declared.
 *
 * A wall has no images: near a periodic side of the box it acts from where it is. */
#pragma once

#include "force/contact/contact.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nb_contact_segment {
    double x, y;   /* where it begins */
    double ux, uy; /* its direction; the normal to the disks' side of a closed wall is (uy, -ux) */
    double length;
    double corner[2][2]; /* sums of the normals that meet where it begins and ends (Baerentzen & Aanaes 2005, IEEE
                            Trans. Vis. Comput. Graph. 11, 243); at the end of an open wall its own */
    int wall, closed;
};

/* Square cells over the walls and a radius around. A cell that has any segment of a wall within a radius of any of its
 * points lists all that can be the nearest one, so that the sign of the distance is right for each point in it. The
 * pointers may be replaced by those of copies on a device. */
struct nb_contact_walls {
    double low[2], inverse_cell; /* where cell (0, 0) begins; 1 / the edge of a cell */
    int cells[2];                /* 0: no walls */
    int outside;                 /* 1: outside of all cells is solid, there is a closed container */
    int segments;
    uint32_t *begin;                    /* cells + 1: where a cell's part of item begins, row by row along x */
    uint32_t *item;                     /* numbers of segments, ascending, and so the walls */
    uint8_t *solid;                     /* of each cell: all of it is solid, deeper than a radius */
    struct nb_contact_segment *segment; /* in the order of walls and of their points */
};

/* -1 after nb_fail: no memory. */
int nb_contact_walls_make(const struct nb_scene *scene, struct nb_contact_walls *walls);
void nb_contact_walls_free(struct nb_contact_walls *walls);

struct nb_contact_hit { /* a wall and a disk */
    double s;           /* signed distance, L */
    double n[2];        /* the normal */
    int wall;           /* its number in the scene */
};

/* The part of item for a place. 1: it is deep within a solid, or outside a container. Nowhere for what is not a number.
 */
CONTACT_CALL int contact_cell(const struct nb_contact_walls *w, double x, double y, uint32_t *begin, uint32_t *end)
{
    const double u = (x - w->low[0]) * w->inverse_cell, v = (y - w->low[1]) * w->inverse_cell;
    *begin = *end = 0;
    if (!(u >= 0 && v >= 0 && u < w->cells[0] && v < w->cells[1]))
        return w->outside && u == u && v == v;
    const uint64_t cell = (uint64_t)(int)v * (uint64_t)w->cells[0] + (uint64_t)(int)u;
    *begin = w->begin[cell];
    *end = w->begin[cell + 1];
    return w->solid[cell];
}

/* Signed distance and normal, from the nearest point of segment g, which is (px, py) off the place with distance d,
 * `along` the segment's begin. */
CONTACT_CALL void contact_side(const struct nb_contact_segment *g, double along, double px, double py, double d,
                               struct nb_contact_hit *hit)
{
    const int end = along > 0;
    const int corner = along <= 0 || along >= g->length;
    const double nx = corner ? g->corner[end][0] : g->uy, ny = corner ? g->corner[end][1] : -g->ux;
    const double sign = g->closed && px * nx + py * ny < 0 ? -1 : 1;
    const double size = d > 0 ? d : sqrt(nx * nx + ny * ny);
    hit->s = sign * d;
    hit->n[0] = d > 0 ? sign * px / size : size > 0 ? nx / size : g->uy;
    hit->n[1] = d > 0 ? sign * py / size : size > 0 ? ny / size : -g->ux;
    hit->wall = g->wall;
}

/* The nearest point of the wall whose segments begin at item[*at]; *at moves behind them. Of equally near ones the
 * first segment's. */
CONTACT_CALL void contact_nearest(const struct nb_contact_walls *w, uint32_t *at, uint32_t end, double x, double y,
                                  struct nb_contact_hit *hit)
{
    const int wall = w->segment[w->item[*at]].wall;
    const struct nb_contact_segment *nearest = 0;
    double least = 0, along = 0, px = 0, py = 0;
    for (; *at < end && w->segment[w->item[*at]].wall == wall; ++*at) {
        const struct nb_contact_segment *g = &w->segment[w->item[*at]];
        const double dx = x - g->x, dy = y - g->y;
        double t = dx * g->ux + dy * g->uy;
        t = t < 0 ? 0 : t > g->length ? g->length : t;
        const double qx = dx - t * g->ux, qy = dy - t * g->uy, d2 = qx * qx + qy * qy;
        if (!nearest || d2 < least)
            nearest = g, least = d2, along = t, px = qx, py = qy;
    }
    contact_side(nearest, along, px, py, sqrt(least), hit);
}

/* A component of a force, in units of NB_CONTACT_UNIT k r; what no contact can reach counts as 64 k r. */
CONTACT_CALL int64_t contact_units(double force, double unit)
{
    const double most = 64 / NB_CONTACT_UNIT, count = force / unit;
    return (int64_t)rint(count > most ? most : count >= -most ? count : -most);
}

#ifdef __cplusplus
}
#endif
