/* Computes the field of the bodies on a plane. For bodies near a pixel, the short-range part of the field is added at
 * the pixel. The rest is smooth. It is computed on a coarse grid and interpolated with a spline. */
#include "nbrender/map/map.h"

/* Offset of the grid nodes in pixels. Bodies are often exactly at the centre of the view, which is at the centre or the
 * corner of a pixel. The field may be infinite there. No node is at such a point, because the offset is not a multiple
 * of half a pixel. */
#define NODE_X 0.3819660113
#define NODE_Y 0.2360679775
/* Number of grid nodes outside each side of the picture. The end conditions of the spline cause an error at the border
 * of the grid. From each node to the next node farther inside, the error decreases by a factor of 3.7. */
#define MARGIN 8

/* a grid is used if its estimated time is at most this fraction of the time without a grid */
#define WORTH 0.5

/* Estimated times of one core in nanoseconds, from which the grid step is chosen:
 * - PAIR_NS for the force of one body at one point in a direct sum;
 * - TREE_NS for the force of all bodies at one point with a tree;
 * - NEAR_NS for the short-range part of the field of one body at one pixel. */
#define PAIR_NS 1.0
#define TREE_NS 2000.0
#define NEAR_NS 2.0

static struct spline_grid lay_grid(const struct plane_work *w, int step)
{
    return (struct spline_grid){.columns = (w->width + step - 1) / step + 1 + 2 * MARGIN,
                                .rows = (w->height + step - 1) / step + 1 + 2 * MARGIN,
                                .x0 = NODE_X - MARGIN * step,
                                .y0 = NODE_Y - MARGIN * step,
                                .step = step};
}

static struct near_frame frame_of(const struct plane_work *w, const struct spline_grid *g)
{
    return (struct near_frame){.view = w->view,
                               .x0 = g->x0,
                               .y0 = g->y0,
                               .x1 = g->x0 + g->step * (g->columns - 1),
                               .y1 = g->y0 + g->step * (g->rows - 1),
                               .softening = w->softening};
}

static double reach_of_step(const struct plane_work *w, int step)
{
    return step * (w->rows == 1 ? NEAR_STEPS_POTENTIAL : NEAR_STEPS_ACCELERATION);
}

static double point_ns(const struct plane_work *w)
{
    return nb_force_set_flags(&w->set) & NB_ALL_PAIRS ? PAIR_NS * (double)w->b->n : TREE_NS;
}

/* Returns the estimated time, in nanoseconds, for a grid whose nodes are `step` pixels apart. */
static double grid_ns(const struct plane_work *w, int step)
{
    const struct spline_grid g = lay_grid(w, step);
    const struct near_frame frame = frame_of(w, &g);
    const double reach = reach_of_step(w, step);
    return (double)g.columns * g.rows * point_ns(w) +
           (double)near_count(w->b, &frame, reach) * M_PI * reach * reach * NEAR_NS;
}

int plane_grid_step(const struct plane_work *w)
{
    double least = WORTH * w->width * w->height * point_ns(w);
    int best = 0;
    for (int step = 2; step <= 8 && nb_force_set_has_own(&w->set) && nb_device_is_host(w->set.device); step *= 2) {
        const double cost = grid_ns(w, step);
        best = cost < least ? step : best;
        least = fmin(cost, least);
    }
    return best;
}

static void add_near(const struct plane_work *w, const struct near *near, double x0, double y, double step, int count,
                     double *const row[3])
{
    if (w->rows == 1)
        near_add_potential(near, x0, y, step, count, row[0]);
    else
        near_add_acceleration(near, x0, y, step, count, row);
}

static void turn_signs(struct near *near)
{
    for (uint64_t k = 0; k < near->count; k++)
        near->body[k].gm = -near->body[k].gm;
}

/* Subtracts the short-range fields of the bodies near the plane from the field at the nodes. A smooth field remains. */
static void smooth(const struct plane_work *w, struct plane_grid *g)
{
    const struct spline_grid *nodes = &g->nodes;
    turn_signs(&g->near);
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < nodes->rows; j++) {
        double *row[3] = {NULL};
        for (int k = 0; k < w->rows; k++)
            row[k] = g->points.row[k] + (size_t)j * (size_t)nodes->columns;
        add_near(w, &g->near, nodes->x0, nodes->y0 + j * nodes->step, nodes->step, nodes->columns, row);
    }
    turn_signs(&g->near);
}

static bool is_finite(const struct plane_work *w, const struct plane_points *p)
{
    bool finite = true;
    for (int k = 0; k < w->rows; k++)
        for (uint64_t i = 0; i < p->n; i++)
            finite &= isfinite(p->row[k][i]);
    return finite;
}

void plane_grid_close(struct plane_grid *g)
{
    near_free(&g->near);
    plane_points_free(&g->points);
}

int plane_grid_open(struct plane_grid *g, const struct plane_work *w, int step)
{
    *g = (struct plane_grid){.nodes = lay_grid(w, step)};
    const struct spline_grid *nodes = &g->nodes;
    const struct near_frame frame = frame_of(w, nodes);
    const double factor = w->b->meta.G * w->view->scale * (w->rows == 1 ? 1 : w->view->scale);
    if (plane_points_alloc(&g->points, (uint64_t)nodes->columns * (uint64_t)nodes->rows, w->rows))
        return -1;
    for (int j = 0; j < nodes->rows; j++)
        for (int i = 0; i < nodes->columns; i++)
            plane_points_set(&g->points, (size_t)j * (size_t)nodes->columns + (size_t)i, w->view,
                             nodes->x0 + i * nodes->step, nodes->y0 + j * nodes->step);
    if (plane_points_compute(w, nb_forces_own, &g->points) ||
        near_find(&g->near, w->b, &frame, reach_of_step(w, step), factor))
        return -1;
    smooth(w, g);
    if (!is_finite(w, &g->points))
        return 1;
    for (int k = 0; k < w->rows; k++)
        spline_fit(nodes, g->points.row[k]);
    return 0;
}

int plane_grid_add_row(const struct plane_grid *g, const struct plane_work *w, int y, double *const row[3])
{
    double *line = malloc((size_t)g->nodes.columns * sizeof *line);
    if (!line)
        return -1;
    for (int k = 0; k < w->rows; k++)
        spline_add_row(&g->nodes, g->points.row[k], y, w->width, line, row[k]);
    add_near(w, &g->near, 0.5, y + 0.5, 1, w->width, row);
    free(line);
    return 0;
}
