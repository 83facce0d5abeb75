/* Computes the potential or the acceleration at every pixel of a map's plane. */
#include "nbrender/map/map.h"

#define HOST_BLOCK   ((uint64_t)1 << 18) /* number of points computed in one call on the CPU */
#define DEVICE_BLOCK ((uint64_t)1 << 22) /* number of points computed in one call on a device */

/* ---- pixels ---- */

static void take_row(const struct plane_work *w, double *const row[3], float *value)
{
    for (int x = 0; x < w->width; x++)
        value[x] = (float)(w->rows == 1 ? row[0][x]
                                        : sqrt(row[0][x] * row[0][x] + row[1][x] * row[1][x] + row[2][x] * row[2][x]));
}

/* Computes the pixel rows y0 to y1 - 1. External fields are computed at each pixel. The field of the bodies is
 * interpolated from the grid g, or computed at each pixel if g is NULL. `p` is work space. */
static int fill_block(const struct plane_work *w, const struct plane_grid *g, int y0, int y1, struct plane_points *p,
                      float *value)
{
    const size_t width = (size_t)w->width;
    int failed = 0;
    p->n = (uint64_t)(y1 - y0) * width;
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < w->width; x++)
            plane_points_set(p, (size_t)(y - y0) * width + (size_t)x, w->view, x + 0.5, y + 0.5);
    if (plane_points_compute(w, g ? nb_forces_external : nb_forces_all, p))
        return -1;
#pragma omp parallel for schedule(dynamic) reduction(| : failed)
    for (int y = y0; y < y1; y++) {
        double *row[3] = {NULL};
        for (int k = 0; k < w->rows; k++)
            row[k] = p->row[k] + (size_t)(y - y0) * width;
        failed |= g && plane_grid_add_row(g, w, y, row);
        take_row(w, row, value + (size_t)y * width);
    }
    return failed ? nb_fail("no memory for the map") : 0;
}

static int fill_pixels(const struct plane_work *w, const struct plane_grid *g, float *value)
{
    const uint64_t block = nb_device_is_host(w->set.device) ? HOST_BLOCK : DEVICE_BLOCK;
    const uint64_t most = block / (uint64_t)w->width;
    const int rows = most < 1 ? 1 : most > (uint64_t)w->height ? w->height : (int)most;
    struct plane_points p;
    int status = plane_points_alloc(&p, (uint64_t)rows * (uint64_t)w->width, w->rows);
    for (int y = 0; y < w->height && status == 0; y += rows)
        status = fill_block(w, g, y, y + rows < w->height ? y + rows : w->height, &p, value);
    plane_points_free(&p);
    return status;
}

/* ---- the map ---- */

static void open_forces(struct plane_work *w)
{
    struct nb_force_request forces = *w->plane->forces;
    struct nb_force_spec spec[NB_FORCES_MAX];
    const struct nb_meta *meta = &w->b->meta;
    const unsigned want = w->rows == 1 ? NB_WANT_PHI : NB_WANT_ACC;
    if (!forces.theta)
        forces.theta = PLANE_THETA;
    const int count = tool_forces_choose(&forces, w->b, spec);
    nb_force_set_init(&w->set, w->plane->device);
    for (int k = 0; k < count; k++)
        must(nb_force_set_add_kept(&w->set, w->plane->kept, &spec[k], w->precision, want, w->b->n, meta));
}

static int find_softening(struct plane_work *w)
{
    w->softening = w->plane->softening;
    if (!isnan(w->softening) || nb_bodies_softening(w->b, &w->softening) == 0)
        return 0;
    char why[NB_ERROR_MAX];
    snprintf(why, sizeof why, "%s", nb_error());
    return nb_fail("%s (--softening L sets one length)", why);
}

static int compute(struct plane_work *w, float *value)
{
    struct plane_grid g = {.near = {0}};
    const int step = plane_grid_step(w);
    int status = step > 0 ? plane_grid_open(&g, w, step) : 1;
    if (status >= 0)
        status = fill_pixels(w, status == 0 ? &g : NULL, value);
    plane_grid_close(&g);
    return status;
}

int plane_compute(const struct plane *p, const struct nb_bodies *b, const struct nb_view *view, int width, int height,
                  float *value)
{
    struct plane_work w = {.plane = p,
                           .b = b,
                           .view = view,
                           .width = width,
                           .height = height,
                           .rows = p->what == PLANE_POTENTIAL ? 1 : 3,
                           .precision = p->device->usual};
    if (find_softening(&w))
        return -1;
    open_forces(&w);
    w.state = nb_state_create(p->device, w.precision, b);
    const int status =
        w.state && nb_force_set_covers(&w.set, b->meta.time, b->meta.time) == 0 ? compute(&w, value) : -1;
    nb_state_destroy(w.state);
    nb_force_set_close(&w.set);
    return status;
}
