#include "step.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct nb_scheme leapfrog = {
    .name = "leapfrog",
    .about = "kick-drift-kick, symplectic and reversible",
    .order = 2,
    .stages = 1,
    .kick = (const double[]){0.5, 0.5},
    .drift = (const double[]){1},
};

const struct nb_scheme *const nb_schemes[] = {&leapfrog, NULL};

const struct nb_scheme *nb_scheme_find(const char *name)
{
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        if (strcmp(name, (*s)->name) == 0)
            return *s;
    nb_fail("integrator '%s' is not known", name);
    return NULL;
}

int nb_step_begin(struct nb_stepper *p)
{
    p->evaluations++;
    return nb_force_state(p->force, p->work, p->state, p->G, p->softening, p->state->a, NULL);
}

int nb_steps(struct nb_stepper *p, double h, uint64_t count)
{
    const struct nb_scheme *scheme = p->scheme;
    const struct nb_state *s = p->state;
    double closing = 0; /* the last kick of a step waits for the first of the next, to be made in one pass */
    for (uint64_t step = 0; step < count; step++) {
        for (int k = 0; k < scheme->stages; k++) {
            if (s->device->leap(s->precision, 3 * s->stride, closing, scheme->kick[k] * h, scheme->drift[k] * h, s->a,
                                s->v, s->x) ||
                nb_step_begin(p))
                return -1;
            closing = 0;
        }
        closing = scheme->kick[scheme->stages] * h;
    }
    return count ? s->device->axpy(s->precision, 3 * s->stride, closing, s->a, s->v) : 0;
}

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
