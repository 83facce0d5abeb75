#include "step.h"

#include "error.h"
#include "timing.h"

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

/* A step without its closing kick, which waits for the opening one of the next step, to be made in one pass with it;
 * `closing` is that of the step before, 0 for none. */
static int step(struct nb_stepper *p, double closing, double h)
{
    const struct nb_scheme *scheme = p->scheme;
    const struct nb_state *s = p->state;
    for (int k = 0; k < scheme->stages; k++) {
        nb_timing_stage("kick and drift");
        if (s->device->leap(s->precision, 3 * s->stride, k == 0 ? closing : 0, scheme->kick[k] * h,
                            scheme->drift[k] * h, s->a, s->v, s->x) ||
            nb_step_begin(p))
            return -1;
    }
    return 0;
}

/* Steps of a recording: starting it is then a small part of doing it, and making it as long as a few replays. */
#define RECORDED 32

static bool recordable(const struct nb_stepper *p)
{
    const struct nb_state *s = p->state;
    return !nb_timing_on() && s->device->record_begin && p->force->recordable &&
           p->force->recordable(p->work, s->precision, s->n);
}

static int record(struct nb_stepper *p, double closing, double h)
{
    const struct nb_device *device = p->state->device;
    uint64_t evaluations = p->evaluations;
    int status = 0;
    if (p->recording && p->recorded_h == h)
        return 0;
    nb_step_end(p);
    if (device->record_begin())
        return -1;
    for (int k = 0; k < RECORDED && status == 0; k++)
        status = step(p, closing, h);
    p->recording = device->record_end();
    p->recorded_h = h;
    p->evaluations = evaluations; /* none was made */
    return status || !p->recording ? -1 : 0;
}

/* As many of `count` steps as recordings make; how many are left to the caller, or -1. */
static int64_t replay(struct nb_stepper *p, double closing, double h, uint64_t count)
{
    if (record(p, closing, h))
        return -1;
    for (; count >= RECORDED; count -= RECORDED) {
        if (p->state->device->replay(p->recording))
            return -1;
        p->evaluations += RECORDED * (uint64_t)p->scheme->stages;
    }
    return (int64_t)count;
}

int nb_steps(struct nb_stepper *p, double h, uint64_t count)
{
    const struct nb_state *s = p->state;
    const double closing = p->scheme->kick[p->scheme->stages] * h;
    if (count == 0)
        return 0;
    if (step(p, 0, h)) /* also the call of the force that must come before a recording */
        return -1;
    int64_t left = (int64_t)count - 1;
    if (left >= RECORDED && recordable(p))
        left = replay(p, closing, h, (uint64_t)left);
    for (; left > 0; left--)
        if (step(p, closing, h))
            return -1;
    if (left < 0)
        return -1;
    nb_timing_stage("kick and drift");
    int status = s->device->axpy(s->precision, 3 * s->stride, closing, s->a, s->v);
    nb_timing_stage(NULL);
    return status;
}

void nb_step_end(struct nb_stepper *p)
{
    if (p->recording)
        p->state->device->record_free(p->recording);
    p->recording = NULL;
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
