/* step_adaptive.c - step-size control, for all families with an error estimate. */
#include "step/step_family.h"

#include "base/error.h"
#include "device/range.h"
#include "device/timing.h"

#include <math.h>

/* Returns the step size to try next, with the sign of `left`. The wanted size is the smaller of c->step and
 * c->max_step. Returns
 * - `left` if it is not larger than the wanted size (within 1e-6);
 * - half of `left` if it is less than twice the wanted size;
 * - the wanted size otherwise. */
static nb_quad next_size(const struct nb_control *c, nb_quad left)
{
    const nb_quad far = nb_quad_abs(left), most = c->max_step, wanted = c->step < most ? c->step : most;
    nb_quad size = wanted;
    if (far <= wanted * (1 + NB_Q(1e-6)) && far <= most)
        size = far;
    else if (far < 2 * wanted)
        size = far / 2;
    return left < 0 ? -size : size;
}

/* Tries smaller and smaller steps until one is accepted. Subtracts the accepted step from *left. */
static int step(struct nb_stepper *p, struct nb_control *c, nb_quad *left)
{
    struct nb_trial trial = {.factor = 1};
    for (bool again = false; !trial.accepted; again = true) {
        if (c->step < c->min_step)
            return nb_fail("the tolerance needs a step size of %g, below the minimum of %g", (double)c->step,
                           c->min_step);
        const nb_quad h = next_size(c, *left), size = nb_quad_abs(h);
        const nb_quad begin = p->time;
        trial.taken = h, trial.least = (double)size;
        if (p->scheme->family->attempt(p, h, c->tolerance, &trial))
            return -1;
        nb_step_at(p, trial.accepted ? begin + trial.taken : begin);
        const double factor = again ? fmin(trial.factor, 1) : trial.factor; /* no increase after a rejection */
        const nb_quad next = size * factor;
        /* An accepted step that was shortened to end at an output does not limit the next size. */
        if (!trial.accepted || size >= NB_Q(0.999) * c->step || next > c->step)
            c->step = next;
        if (trial.least < c->min_step)
            c->step = trial.least;
        if (trial.accepted)
            *left = trial.taken == *left ? 0 : *left - trial.taken;
        else
            c->rejected++;
    }
    c->taken++;
    return 0;
}

/* Sets size[0] to the scale of the positions, and size[1] to the scale of the velocities. A scale is half of the
 * extent, because the extent is the same in all frames of reference. External fields are fixed in space. With external
 * fields, a scale is therefore the largest absolute value of a component. */
static int measure(struct nb_stepper *p, double size[2])
{
    const struct nb_state *s = p->state;
    const void *const vector[] = {s->x, s->v};
    const struct nb_combination rows[] = {{.base = s->x}, {.base = s->v}};
    if (nb_force_set_has_field(p->forces))
        return nb_step_combine(p, 0, NULL, 2, rows, size);
    if (nb_device_extent(s->device, s->precision, s->n, s->stride, 2, vector, size))
        return -1;
    size[0] /= 2;
    size[1] /= 2;
    return 0;
}

/* Computes the shortest time scale of the bodies. For this, accelerations below part * largest are replaced by this
 * value. Reason: if attractions from all sides cancel, the remaining acceleration and its derivatives are rounding
 * errors. The replacement does not change the shortest time scale, because the body with this time scale (for
 * example in a close pair) has a large acceleration. */
int nb_step_shortest(struct nb_stepper *p, const void *const d_derivative[4], double largest, double *time)
{
    const struct nb_state *s = p->state;
    const double part = fmin(1e7 * nb_step_force_epsilon(s->precision), 3e-3);
    return nb_device_step_scale(s->device, s->precision, s->n, s->stride, d_derivative, part * largest, time);
}

double nb_step_error(const struct nb_stepper *p, const double norm[4])
{
    double error = 0;
    for (int k = 0; k < 2; k++) {
        if (!isfinite(norm[k]) || !isfinite(norm[k + 2]))
            return INFINITY;
        if (norm[k + 2] > 0)
            error = fmax(error, p->scale[k] > 0 ? norm[k + 2] / p->scale[k] : INFINITY);
    }
    return error;
}

int nb_step_rescale(struct nb_stepper *p)
{
    double size[2];
    if (measure(p, size))
        return -1;
    for (int k = 0; k < 2; k++) /* if a size is 0 (all bodies momentarily at rest), the previous scale is kept */
        p->scale[k] = size[k] > 0 ? size[k] : p->scale[k];
    return 0;
}

/* Sets p->scale, the sizes by which errors are divided. Limits the size of the first step, so that the error estimate
 * of this step is valid. If all bodies are at rest, velocity errors are divided by the velocity after this step. */
static int begin(struct nb_stepper *p, struct nb_control *c)
{
    double a, most = INFINITY;
    if (measure(p, p->scale) || nb_step_combine(p, 0, NULL, 1, &(struct nb_combination){.base = p->state->a}, &a))
        return -1;
    p->scaled = true;
    if (p->scheme->family->first && p->scheme->family->first(p, c->tolerance, &most))
        return -1;
    if (isinf(most) && a > 0)
        most = p->scale[1] > 0 ? 0.1 * p->scale[1] / a : 0.01 * sqrt(p->scale[0] / a);
    if (c->step > most)
        c->step = most > c->min_step ? most : c->min_step;
    if (p->scale[1] == 0)
        p->scale[1] = (double)c->step * a;
    if (p->scale[0] == 0)
        p->scale[0] = (double)c->step * p->scale[1];
    return 0;
}

/* Returns whether a loaded control has valid values. With other values the trials of a step would never end. */
static bool is_control(const struct nb_control *c)
{
    const double step = (double)c->step;
    return isfinite(step) && step >= 0 && c->tolerance >= 0 && c->min_step >= 0 && c->max_step >= c->min_step;
}

int nb_control_pack(struct nb_control *c, struct nb_pack *k)
{
    if (nb_pack_bytes(k, &c->tolerance, sizeof c->tolerance) || nb_pack_bytes(k, &c->min_step, sizeof c->min_step) ||
        nb_pack_bytes(k, &c->max_step, sizeof c->max_step) || nb_pack_bytes(k, &c->step, sizeof c->step) ||
        nb_pack_unsigned(k, &c->taken, UINT64_MAX) || nb_pack_unsigned(k, &c->rejected, UINT64_MAX))
        return -1;
    return k->way != NB_PACK_LOAD || is_control(c) ? 0 : nb_fail("contains invalid data of the step-size control");
}

int nb_steps_adaptive(struct nb_stepper *p, struct nb_control *c, nb_quad *left, uint64_t most)
{
    int status = p->scaled ? 0 : begin(p, c);
    for (; most > 0 && *left != 0 && status == 0; most--)
        status = step(p, c, left);
    nb_timing_stage(p->state->device, NULL);
    return status;
}
