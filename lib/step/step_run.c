/* step_run.c - the functions of step.h that are common to all families: begin, steps, end, checkpoints. */
#include "step/step_family.h"

#include "base/error.h"
#include "device/timing.h"

#include <math.h>
#include <stdlib.h>

/* Sets p->timed, p->velocity and p->planar from the flags of the forces and from the state. */
static int look(struct nb_stepper *p)
{
    static const nb_quad none = 0;
    const struct nb_state *s = p->state;
    const size_t rows = 2 * s->stride * nb_precision_size(s->precision);
    double fastest;
    const unsigned flags = nb_force_set_flags(p->forces);
    p->timed = flags & NB_EXTERNAL && flags & NB_OPEN;
    p->velocity = flags & NB_NEEDS_VELOCITY;
    p->planar = p->forces->count > 0;
    for (int k = 0; k < p->forces->count; k++)
        p->planar = p->planar && p->forces->force[k].flags & NB_PLANAR;
    if (!p->planar)
        return 0;
    const struct nb_combination along_z = {.c = &none, .base = (char *)s->v + rows};
    if (nb_device_combine(s->device, s->precision, s->n, 0, NULL, 1, &along_z, &fastest))
        return -1;
    p->planar = fastest == 0;
    return 0;
}

int nb_step_begin(struct nb_stepper *p)
{
    nb_step_at(p, p->state->time);
    if (look(p) || nb_step_evaluate_state(p))
        return -1;
    p->plain = p->scheme->family->kicks && nb_force_set_flags(p->forces) & NB_TAKES_KICK;
    return p->memory ? 0 : p->scheme->family->begin(p);
}

int nb_steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    nb_quad end = p->time;
    int status = count > 0 ? p->scheme->family->steps(p, h, count) : 0;
    /* If p->timed is set, the integrators add h to the time after each step. Do the same additions here, so that `end`
     * has the same rounding error. Two calls with n steps each then evaluate forces at the same times as one call with
     * 2 n steps. */
    if (p->timed)
        for (uint64_t k = 0; k < count; k++)
            end += h;
    else
        end += h * (nb_quad)count;
    nb_step_at(p, end);
    p->scaled = false;
    nb_timing_stage(p->state->device, NULL);
    return status;
}

int nb_step_acceleration(struct nb_stepper *p)
{
    if (!p->stale)
        return 0;
    p->stale = false;
    return nb_step_evaluate_state(p);
}

int nb_step_fetch_own(struct nb_stepper *p, double h, double tolerance, struct nb_column *to)
{
    const bool own = p->scheme->family->own;
    double factor = h;
    if (own && p->scheme->family->own(p, h, tolerance, to, &factor))
        return -1;
    for (uint64_t i = 0; i < p->state->n; i++)
        nb_column_set(to, i, 0, factor * (own ? nb_column_get(to, i, 0) : 1));
    return 0;
}

void nb_step_end(struct nb_stepper *p)
{
    if (p->memory && p->scheme->family->end)
        p->scheme->family->end(p);
    free(p->memory);
    p->memory = NULL;
    p->scaled = false;
    for (int k = 0; k < NB_STEP_VECTORS; k++) {
        nb_device_free(p->state->device, p->vectors[k]);
        p->vectors[k] = NULL;
    }
}

/* ---- checkpoints ---- */

static int pack_state(struct nb_stepper *p, struct nb_pack *k)
{
    return nb_pack_begin(k, "state") || nb_pack_same(k, "integrator", p->scheme->name) ||
                   nb_pack_bytes(k, &p->G, sizeof p->G) || nb_pack_bytes(k, &p->softening, sizeof p->softening) ||
                   nb_state_pack(p->state, k) || nb_pack_end(k)
               ? -1
               : 0;
}

static int pack_steps(struct nb_stepper *p, struct nb_pack *k)
{
    return nb_pack_begin(k, "steps") || nb_pack_unsigned(k, &p->evaluations, UINT64_MAX) ||
                   nb_pack_flag(k, &p->stale) || nb_pack_flag(k, &p->plain) || nb_pack_flag(k, &p->scaled) ||
                   nb_pack_bytes(k, p->scale, sizeof p->scale) || nb_pack_bytes(k, &p->time, sizeof p->time) ||
                   (p->scheme->family->carry && p->scheme->family->carry(p, k)) || nb_pack_end(k)
               ? -1
               : 0;
}

int nb_step_pack(struct nb_stepper *p, struct nb_pack *k)
{
    if (pack_state(p, k))
        return -1;
    if (k->way == NB_PACK_LOAD) {
        if (look(p) || (!p->memory && p->scheme->family->begin(p)))
            return -1;
    }
    return pack_steps(p, k) || nb_force_set_pack(p->forces, p->state->n, k) ? -1 : 0;
}

/* ---- step size ---- */

uint64_t nb_step_count(double span, double dt)
{
    double count = ceil(span / dt - 1e-9);
    return count > 1 ? (uint64_t)count : 1;
}
