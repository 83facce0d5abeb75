/* The field of the forces at points of the plane, computed on the device. */
#include "nbrender/map/map.h"

#include <inttypes.h>

void plane_points_free(struct plane_points *p)
{
    free(p->place);
    for (int k = 0; k < 3; k++)
        free(p->row[k]);
    *p = (struct plane_points){0};
}

int plane_points_alloc(struct plane_points *p, uint64_t n, int rows)
{
    *p = (struct plane_points){.n = n, .place = malloc(n * 3 * sizeof(double))};
    bool good = p->place;
    for (int k = 0; k < rows; k++) {
        p->row[k] = malloc(n * sizeof(double));
        good &= p->row[k] != NULL;
    }
    if (good)
        return 0;
    plane_points_free(p);
    return nb_fail("no memory for %" PRIu64 " points of the map", n);
}

void plane_points_set(struct plane_points *p, uint64_t i, const struct nb_view *v, double x, double y)
{
    const double u = (x - v->middle_x) / v->scale, w = (v->middle_y - y) / v->scale;
    for (int d = 0; d < 3; d++)
        p->place[3 * i + (uint64_t)d] = v->centre[d] + u * v->right[d] + w * v->up[d];
}

static void turn(const struct plane_work *w, struct plane_points *p)
{
    const struct nb_view *v = w->view;
    for (uint64_t i = 0; i < p->n && w->rows == 3; i++) {
        const double a[3] = {p->row[0][i], p->row[1][i], p->row[2][i]};
        p->row[0][i] = vector_dot(a, v->right);
        p->row[1][i] = -vector_dot(a, v->up);
        p->row[2][i] = vector_dot(a, v->back);
    }
}

static int fetch(const struct plane_work *w, struct plane_points *p, uint64_t stride, char *d_field)
{
    struct nb_device *device = w->set.device;
    for (int k = 0; k < w->rows; k++)
        if (nb_device_fetch(device, w->precision, p->n, stride, 1,
                            d_field + (uint64_t)k * stride * nb_precision_size(w->precision), NB_F64, p->row[k]))
            return -1;
    turn(w, p);
    return 0;
}

static int compute_on(const struct plane_work *w, struct nb_force_part part, struct plane_points *p, uint64_t stride,
                      void *d_x, void *d_field)
{
    const struct nb_state *s = w->state;
    const struct nb_sources sources = {.n = s->n,
                                       .stride = s->stride,
                                       .m = s->m,
                                       .x = s->x,
                                       .G = w->b->meta.G,
                                       .softening = w->softening,
                                       .v = s->v,
                                       .time = s->time};
    const struct nb_targets targets = {.n = p->n, .stride = stride, .x = d_x, .self = -1};
    const bool scalar = w->plane->what == PLANE_POTENTIAL;
    const struct nb_field out = {.stride = stride, .a = scalar ? NULL : d_field, .phi = scalar ? d_field : NULL};
    if (nb_device_store(w->set.device, w->precision, p->n, stride, 3, p->place, NB_F64, d_x) ||
        nb_force_set_evaluate(&w->set, part, w->precision, &sources, &targets, &out))
        return -1;
    return fetch(w, p, stride, d_field);
}

int plane_points_compute(const struct plane_work *w, struct nb_force_part part, struct plane_points *p)
{
    struct nb_device *device = w->set.device;
    const uint64_t stride = (p->n + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
    const size_t row = stride * nb_precision_size(w->precision);
    void *d_x = nb_device_alloc(device, 3 * row),
         *d_field = d_x ? nb_device_alloc(device, (size_t)w->rows * row) : NULL;
    const int status = d_field ? compute_on(w, part, p, stride, d_x, d_field) : -1;
    nb_device_free(device, d_x);
    nb_device_free(device, d_field);
    return status;
}
