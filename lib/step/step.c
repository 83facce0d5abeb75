#include "step/step_family.h"

#include "device/timing.h"
#include "error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

int nb_step_begin(struct nb_stepper *p)
{
    if (nb_step_evaluate(p, p->state->x, p->state->a))
        return -1;
    return p->memory ? 0 : p->scheme->family->begin(p);
}

int nb_steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    int status = count > 0 ? p->scheme->family->steps(p, h, count) : 0;
    p->scaled = false;
    nb_timing_stage(NULL);
    return status;
}

int nb_step_acceleration(struct nb_stepper *p)
{
    if (!p->stale)
        return 0;
    p->stale = false;
    return nb_step_evaluate(p, p->state->x, p->state->a);
}

void nb_step_end(struct nb_stepper *p)
{
    if (p->memory && p->scheme->family->end)
        p->scheme->family->end(p);
    free(p->memory);
    p->memory = NULL;
    p->scaled = false;
    for (int k = 0; k < NB_STEP_VECTORS; k++) {
        p->state->device->free(p->vectors[k]);
        p->vectors[k] = NULL;
    }
}

int nb_scheme_vectors(const struct nb_scheme *scheme, bool follow)
{
    return scheme->family->vectors ? scheme->family->vectors(scheme, follow) : 0;
}

/* ---- for the families ---- */

void *nb_step_memory(struct nb_stepper *p, size_t size_bytes)
{
    p->memory = calloc(1, size_bytes);
    if (!p->memory)
        nb_fail("no memory");
    return p->memory;
}

int nb_step_vectors(struct nb_stepper *p, int k0, int k1)
{
    for (int k = k0; k < k1; k++)
        if (!p->vectors[k] && !(p->vectors[k] = nb_state_vector(p->state)))
            return -1;
    return 0;
}

int nb_step_evaluate(struct nb_stepper *p, const void *d_x, void *d_a)
{
    const struct nb_state *s = p->state;
    const struct nb_sources from = {s->n, s->stride, s->m, d_x, p->G, p->softening, s->v};
    const struct nb_targets to = {s->n, s->stride, d_x, 0, s->v};
    p->evaluations++;
    return p->force->field(p->work, s->precision, &from, &to, &(struct nb_field){.stride = s->stride, .a = d_a});
}

int nb_step_combine(struct nb_stepper *p, int inputs, const void *const *in, int rows, const struct nb_row *row,
                    double *norm)
{
    const struct nb_state *s = p->state;
    nb_timing_stage("sums of vectors");
    return s->device->combine(s->precision, 3 * s->stride, inputs, in, rows, row, norm);
}

void nb_step_swap(void **a, void **b)
{
    void *other = *a;
    *a = *b;
    *b = other;
}

double nb_step_error(const struct nb_stepper *p, const double norm[4])
{
    double error = 0;
    for (int k = 0; k < 2; k++) {
        const double scale = p->scale[k] > 0 ? p->scale[k] : norm[k]; /* at rest: what it will be */
        if (!isfinite(norm[k]) || !isfinite(norm[k + 2]))
            return INFINITY;
        if (norm[k + 2] > 0) /* an error of what is 0 is all there is */
            error = fmax(error, scale > 0 ? norm[k + 2] / scale : INFINITY);
    }
    return error;
}

void nb_step_rescale(struct nb_stepper *p, const double norm[4])
{
    p->scale[0] = norm[0];
    p->scale[1] = norm[1];
}

double nb_step_epsilon(enum nb_precision precision)
{
    return precision == NB_SINGLE ? (double)FLT_EPSILON : precision == NB_QUAD ? 0x1p-112 : DBL_EPSILON;
}

/* ---- the size of a step ---- */

uint64_t nb_step_count(double span, double dt)
{
    double count = ceil(span / dt - 1e-9);
    return count > 1 ? (uint64_t)count : 1;
}

double nb_step_suggest(struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    struct nb_column a = {.type = NB_F64, .width = 3}, phi = {.type = NB_F64, .width = 1};
    void *d_a = nb_state_vector(s), *d_phi = nb_state_vector(s);
    double step = -1;
    a.data = malloc(nb_column_bytes(&a, s->n));
    phi.data = malloc(nb_column_bytes(&phi, s->n));
    if (!a.data || !phi.data)
        nb_fail("no memory");
    else if (d_a && d_phi && nb_force_state(p->force, p->work, s, p->G, p->softening, d_a, d_phi) == 0 &&
             nb_state_fetch(s, d_a, &a) == 0 && nb_state_fetch(s, d_phi, &phi) == 0) {
        step = INFINITY;
        for (uint64_t i = 0; i < s->n; i++) {
            const double *ai = (double *)a.data + 3 * i;
            double acceleration = sqrt(ai[0] * ai[0] + ai[1] * ai[1] + ai[2] * ai[2]);
            if (acceleration > 0)
                step = fmin(step, 0.02 * sqrt(fabs(((double *)phi.data)[i])) / acceleration);
        }
        step = isfinite(step) ? step : 0;
    }
    s->device->free(d_a);
    s->device->free(d_phi);
    free(a.data);
    free(phi.data);
    return step;
}
