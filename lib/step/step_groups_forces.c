/* step_groups_forces.c - forces between particles of hermite4-groups. If the device has its own memory, it keeps a copy
 * of the particles (mirror). Declared in step_groups_forces.h. */
#include "step/step_groups_forces.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Returns the length of the rows of a list of `count` particles. The length is as short as possible, because one copy
 * transfers all rows of a list. */
static uint64_t list_stride(uint64_t count)
{
    return (count + NB_STRIDE_UNIT - 1) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
}

int nb_group_forces_open(struct nb_group_forces *f, struct nb_stepper *p, struct nb_cluster *c)
{
    const struct nb_state *s = p->state;
    const uint64_t stride = list_stride(s->n) > s->stride ? list_stride(s->n) : s->stride;
    void **const mirror[] = {&f->d_x, &f->d_v, &f->d_a, &f->d_j};
    bool whole = true;
    f->p = p;
    f->c = c;
    f->host = nb_device_is_host(s->device);
    f->inverse_G = 1 / p->G;
    f->d_mass = nb_state_row(s);
    f->d_px = nb_state_vector(s);
    f->d_pv = nb_state_vector(s);
    f->d_field = nb_device_alloc(s->device, 6 * stride * sizeof(double));
    f->d_index = nb_device_alloc(s->device, s->n * sizeof *f->d_index);
    whole = f->d_mass && f->d_px && f->d_pv && f->d_field && f->d_index;
    if (f->host) {
        f->mass = f->d_mass;
        c->px = f->d_px;
        c->pv = f->d_pv;
        c->field_a = f->d_field;
        c->field_j = c->field_a ? c->field_a + 3 * stride : NULL;
        return whole ? 0 : -1;
    }
    for (int k = 0; k < 4; k++)
        whole = (*mirror[k] = nb_state_vector(s)) && whole;
    f->d_begun = nb_state_row(s);
    f->d_put = nb_device_alloc(s->device, NB_OWN_PUT_ROWS * stride * sizeof(double));
    f->staged = calloc(NB_OWN_PUT_ROWS * stride, sizeof *f->staged);
    f->mass = calloc(s->stride, sizeof *f->mass);
    c->px = calloc(3 * s->stride, sizeof(double));
    c->pv = calloc(3 * s->stride, sizeof(double));
    c->field_a = calloc(3 * s->stride, sizeof(double));
    c->field_j = calloc(3 * s->stride, sizeof(double));
    if (!(whole && f->d_begun && f->d_put))
        return -1;
    return f->staged && f->mass && c->px && c->pv && c->field_a && c->field_j
               ? 0
               : nb_fail("no memory for the groups of %llu bodies", (unsigned long long)s->n);
}

void nb_group_forces_close(struct nb_group_forces *f, struct nb_device *device)
{
    void *const d_all[] = {f->d_mass, f->d_px, f->d_pv, f->d_field, f->d_index, f->d_x,
                           f->d_v,    f->d_a,  f->d_j,  f->d_begun, f->d_put};
    if (!f->host) {
        free(f->mass);
        if (f->c) {
            free(f->c->px);
            free(f->c->pv);
            free(f->c->field_a);
            free(f->c->field_j);
        }
    }
    free(f->staged);
    for (size_t k = 0; k < sizeof d_all / sizeof *d_all; k++)
        nb_device_free(device, d_all[k]);
}

static int send_masses(struct nb_group_forces *f)
{
    struct nb_cluster *c = f->c;
    if (!c->regrouped)
        return 0;
    for (uint64_t i = 0; i < c->n; i++)
        f->mass[i] = c->gm[i] * f->inverse_G;
    c->regrouped = false;
    return f->host ? 0 : nb_device_to(f->p->state->device, f->d_mass, f->mass, c->stride * sizeof *f->mass);
}

/* Returns arguments for nb_device_hermite_own, which then copies new values of `count` particles to the device's
 * copy of the particles. f->d_index: indices of these particles; f->d_put: their values, in rows of `stride`
 * elements. */
static struct nb_own_hermite mirror(const struct nb_group_forces *f, uint64_t count, uint64_t stride)
{
    const struct nb_cluster *c = f->c;
    return (struct nb_own_hermite){.task = NB_OWN_PUT,
                                   .n = c->n,
                                   .stride = c->stride,
                                   .count = count,
                                   .d_index = f->d_index,
                                   .d_field_a = f->d_put,
                                   .field_stride = stride,
                                   .d_x = f->d_x,
                                   .d_v = f->d_v,
                                   .d_a = f->d_a,
                                   .d_j = f->d_j,
                                   .d_begun = f->d_begun,
                                   .d_px = f->d_px,
                                   .d_pv = f->d_pv,
                                   .base = c->base,
                                   .now = (double)c->now / (double)NB_WHOLE};
}

static int send_changes(struct nb_group_forces *f)
{
    struct nb_cluster *c = f->c;
    struct nb_device *d = f->p->state->device;
    double *const rows[] = {c->x, c->v, c->a, c->j};
    const bool all = c->changes > c->n;
    const uint64_t count = all ? c->n : c->changes, stride = list_stride(count);
    double range[2];
    if (count == 0)
        return 0;
    for (uint64_t q = 0; q < count; q++) {
        const uint64_t i = all ? q : c->changed[q];
        c->changed[q] = (uint32_t)i;
        for (uint64_t k = 0; k < 12; k++)
            f->staged[k * stride + q] = rows[k / 3][k % 3 * c->stride + i];
        f->staged[12 * stride + q] = c->begun[i] / (double)NB_WHOLE;
    }
    c->changes = 0;
    struct nb_own_hermite put = mirror(f, count, stride);
    return nb_device_to(d, f->d_index, c->changed, count * sizeof *c->changed) ||
                   nb_device_to(d, f->d_put, f->staged, NB_OWN_PUT_ROWS * stride * sizeof(double)) ||
                   nb_device_hermite_own(d, NB_DOUBLE, &put, range)
               ? -1
               : 0;
}

/* Predicts the positions and velocities of all particles at the present time, on the device. Particles that begin a
 * step now get their position and velocity at the beginning of this step. */
static int predict(struct nb_group_forces *f)
{
    double range[2];
    struct nb_own_hermite now = mirror(f, 0, 0);
    now.task = NB_OWN_PREDICT;
    now.d_index = NULL;
    return nb_device_hermite_own(f->p->state->device, NB_DOUBLE, &now, range);
}

int nb_group_forces(void *data, uint64_t count, const uint32_t *index, double *a, double *j)
{
    struct nb_group_forces *f = data;
    struct nb_device *d = f->p->state->device;
    const uint64_t stride = f->host ? (uint64_t)f->c->stride : list_stride(count), bytes = stride * sizeof(double);
    if (send_masses(f) || (!f->host && (send_changes(f) || predict(f))) ||
        nb_device_to(d, f->d_index, index, count * sizeof *index) ||
        nb_step_evaluate_due(f->p, f->d_mass, f->d_px, f->d_pv, count, f->d_index, stride, f->host ? a : f->d_field,
                             f->host ? j : (double *)f->d_field + 3 * stride, &f->kicks))
        return -1;
    if (f->host)
        return 0;
    if (nb_device_from(d, f->staged, f->d_field, 6 * bytes))
        return -1;
    for (uint64_t k = 0; k < 3; k++) {
        memcpy(a + k * f->c->stride, f->staged + k * stride, count * sizeof *a);
        memcpy(j + k * f->c->stride, f->staged + (k + 3) * stride, count * sizeof *j);
    }
    return 0;
}
