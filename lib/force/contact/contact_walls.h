/* contact_walls.h - finds the nearest point of a wall. A table lists, for each cell of a grid, the segments of walls
 * near the cell. A disk far from all walls therefore needs only one look-up. For C and CUDA; computes in double
 * precision. Before this file is included, define CONTACT_CALL, the specifiers of its functions.
 *
 * A wall has no periodic images: it does not act across a periodic side of the box. */
#pragma once

#include "force/contact/contact.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nb_contact_segment {
    double x, y;   /* point at which the segment begins */
    double ux, uy; /* (ux, uy): unit vector along the segment; (uy, -ux): its normal, which points to the disks if the
                      wall is closed */
    double length;
    /* Normals at the segment's first point (corner[0]) and last point (corner[1]): each is the sum of the unit normals
     * of the two segments that meet at the point (Baerentzen & Aanaes 2005, IEEE Trans. Vis. Comput. Graph. 11, 243).
     * An end of an open wall has only one segment, and the segment's normal is used. */
    double corner[2][2];
    int wall, closed;
};

/* Square cells that cover the walls and a margin of one disk radius. If a wall is closer to a cell than one radius, the
 * cell lists segments of this wall. For every point of the cell, the list contains the segment of the wall that is
 * nearest to the point. The sign of the distance to the wall is therefore correct everywhere in the cell. On a GPU, the
 * pointers point to device memory. */
struct nb_contact_walls {
    double low[2], inverse_cell; /* low: low corner of cell (0, 0); inverse_cell: 1 / edge of a cell */
    int cells[2];                /* number of cells in x and y; 0: no walls */
    int outside;                 /* 1: everything outside the cells is solid, because a wall is a closed container */
    int segments;
    /* cells[0] * cells[1] + 1 elements. The list of cell c is item[begin[c]] to item[begin[c + 1] - 1]; cells are
     * ordered row by row along x */
    uint32_t *begin;
    /* for each cell: indices of its segments in ascending order; segments of one wall are therefore consecutive */
    uint32_t *item;
    /* 1: the cell is in the solid of a closed wall (outside the wall if it is a container), more than one disk radius
     * from the wall */
    uint8_t *solid;
    struct nb_contact_segment *segment; /* ordered by wall, then along the wall */
};

/* Builds the table. Returns -1 after nb_fail if there is no memory. */
int nb_contact_walls_make(const struct nb_scene *scene, struct nb_contact_walls *walls);
void nb_contact_walls_free(struct nb_contact_walls *walls);

struct nb_contact_hit { /* contact of a disk with a wall */
    double s;           /* signed distance from the wall; negative: the disk's centre is inside the wall */
    double n[2];        /* unit vector along which the wall pushes the disk */
    int wall;           /* index of the wall in the scene */
};

/* Finds the segments near the point (x, y): item[*begin] to item[*end - 1]. If no segment is near, or if x or y is NaN,
 * *begin and *end are equal. Returns 1 if the point is more than one radius inside the solid of a wall (for a
 * container, the solid is outside), otherwise 0. */
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

/* Sets *hit to the contact of a disk with segment g. P is the point of g that is nearest to the disk's centre. (px,
 * py): vector from P to the disk's centre; d: length of this vector. along: distance of P from the beginning of g. */
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

/* Sets *hit to the contact of a disk at (x, y) with one wall. The segments of this wall in the cell's list begin at
 * item[*at]; the list ends before item[end]. Increases *at to the first segment of the next wall. If several segments
 * are equally near, the first one is used. */
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

/* Converts a force component to an integer number of units. unit: NB_CONTACT_UNIT * k * r, with the stiffness k and the
 * header's radius r. Limits the force to 64 k r; contact forces are smaller. */
CONTACT_CALL int64_t contact_units(double force, double unit)
{
    const double most = 64 / NB_CONTACT_UNIT, count = force / unit;
    return (int64_t)rint(count > most ? most : count >= -most ? count : -most);
}

#ifdef __cplusplus
}
#endif
