/* step_family.c - functions that all families use: vectors, force evaluation, kicks, linear combinations, counts.
 * Declared in step_family.h. */
#include "step/step_family.h"

#include "base/error.h"
#include "device/timing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

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

void nb_step_at(struct nb_stepper *p, nb_quad time)
{
    p->time = time;
    p->state->time = (double)time;
}

static int evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, const void *d_b, const struct nb_field *out)
{
    const struct nb_state *s = p->state;
    struct nb_sources from = nb_sources_of(s, p->G, p->softening);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = d_x, .v = d_v, .a = d_b};
    from.x = d_x, from.v = d_v, from.a = d_b;
    from.kick = p->kick;
    p->evaluations++;
    return nb_force_set_evaluate(p->forces, nb_forces_all, s->precision, &from, &to, out);
}

int nb_step_evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, void *d_a, void *d_jerk)
{
    /* If p->plain is set, this evaluation repeats an earlier one for the same state. `aside` is then true, so that the
     * forces do not count the evaluation in their statistics. */
    const struct nb_field out = {.stride = p->state->stride, .a = d_a, .jerk = d_jerk, .aside = p->plain};
    return evaluate(p, d_x, d_v, NULL, &out);
}

int nb_step_evaluate_snap(struct nb_stepper *p, const void *d_x, const void *d_v, const void *d_b, void *d_a,
                          void *d_jerk, void *d_snap)
{
    return evaluate(p, d_x, d_v, d_b,
                    &(struct nb_field){.stride = p->state->stride, .a = d_a, .jerk = d_jerk, .snap = d_snap});
}

int nb_step_evaluate_state(struct nb_stepper *p)
{
    return nb_step_evaluate(p, p->state->x, p->state->v, p->state->a, NULL);
}

static void count_single(struct nb_stepper *p, uint64_t count, uint64_t *part)
{
    *part += count;
    p->evaluations += *part / p->state->n;
    *part %= p->state->n;
}

int nb_step_evaluate_due(struct nb_stepper *p, const void *d_m, const void *d_x, const void *d_v, uint64_t count,
                         const uint32_t *d_index, uint64_t stride, void *d_a, void *d_jerk, uint64_t *part)
{
    const struct nb_state *s = p->state;
    struct nb_sources from = nb_sources_of(s, p->G, p->softening);
    const struct nb_targets due = {.n = count, .stride = s->stride, .x = d_x, .v = d_v, .index = d_index};
    const struct nb_field out = {.stride = stride, .a = d_a, .jerk = d_jerk};
    from.m = d_m, from.x = d_x, from.v = d_v;
    count_single(p, count, part);
    const struct nb_force_part part_of = p->scheme->traits & NB_REGULARISED ? nb_forces_own : nb_forces_all;
    return nb_force_set_evaluate(p->forces, part_of, s->precision, &from, &due, &out);
}

int nb_step_find_due(struct nb_stepper *p, const void *d_step, double longest, uint32_t *d_index, uint64_t *count)
{
    const struct nb_state *s = p->state;
    *count = s->n;
    if (longest < INFINITY && nb_device_select_due(s->device, s->precision, 0, s->n, d_step, longest, d_index, count))
        return -1;
    return *count > 0 ? 0 : nb_fail("no body has a step that ends at the next time");
}

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void nb_step_note_rung(struct nb_stepper *p, int rung, uint64_t count, double *clock)
{
    const double now_s = clock_s();
    p->rung[rung].times += count > 0;
    p->rung[rung].steps += count;
    p->rung[rung].seconds += count > 0 ? now_s - *clock : 0;
    *clock = now_s;
}

void nb_step_note_run(struct nb_stepper *p, const struct nb_own_run *run, uint64_t *part, double *clock)
{
    count_single(p, run->steps, part);
    for (int k = 0; k <= NB_RUNGS_MAX; k++) {
        p->rung[k].times += run->rung[k].times;
        p->rung[k].steps += run->rung[k].steps;
        p->rung[k].seconds += run->rung[k].seconds;
    }
    *clock = clock_s();
}

/* Returns how many elements of a vector kicks and drifts change: in planar systems, z components do not change. */
static uint64_t moving(const struct nb_stepper *p)
{
    return (p->planar ? 2 : 3) * p->state->stride;
}

int nb_step_kick(struct nb_stepper *p, nb_quad factor)
{
    const struct nb_state *s = p->state;
    const void *const in[] = {s->a};
    if (s->precision == NB_QUAD)
        return nb_step_combine(p, 1, in, 1, &(struct nb_combination){.c = &factor, .base = s->v, .out = s->v}, NULL);
    return nb_device_axpy(s->device, s->precision, moving(p), (double)factor, s->a, s->v);
}

int nb_step_kick_drift(struct nb_stepper *p, nb_quad k1, nb_quad k2, nb_quad drift)
{
    const struct nb_state *s = p->state;
    const void *const in[] = {s->v};
    if (s->precision != NB_QUAD)
        return nb_device_kick_drift(s->device, s->precision, moving(p), (double)k1, (double)k2, (double)drift, s->a,
                                    s->v, s->x);
    if ((k1 != 0 && nb_step_kick(p, k1)) || (k2 != 0 && nb_step_kick(p, k2)))
        return -1;
    return nb_step_combine(p, 1, in, 1, &(struct nb_combination){.c = &drift, .base = s->x, .out = s->x}, NULL);
}

int nb_step_combine_scalar(struct nb_stepper *p, int inputs, const void *const *in, int rows,
                           const struct nb_combination *row, double *norm)
{
    const struct nb_state *s = p->state;
    nb_timing_stage(s->device, "sums of vectors");
    return nb_device_combine(s->device, s->precision, 3 * s->stride, inputs, in, rows, row, norm);
}

int nb_step_combine(struct nb_stepper *p, int inputs, const void *const *in, int rows, const struct nb_combination *row,
                    double *norm)
{
    struct nb_combination scalar[NB_COMBINATIONS_MAX];
    double c[NB_COMBINATIONS_MAX][NB_INPUTS_MAX];
    if (p->state->precision == NB_QUAD)
        return nb_step_combine_scalar(p, inputs, in, rows, row, norm);
    for (int r = 0; r < rows; r++) {
        scalar[r] = row[r];
        scalar[r].c = c[r];
        for (int k = 0; k < inputs; k++)
            c[r][k] = (double)((const nb_quad *)row[r].c)[k];
    }
    return nb_step_combine_scalar(p, inputs, in, rows, scalar, norm);
}

void nb_step_swap(void **a, void **b)
{
    void *other = *a;
    *a = *b;
    *b = other;
}

double nb_step_epsilon(enum nb_precision precision)
{
    return precision == NB_SINGLE ? (double)FLT_EPSILON : precision == NB_QUAD ? 0x1p-112 : DBL_EPSILON;
}

double nb_step_force_epsilon(enum nb_precision precision)
{
    return precision == NB_MIXED ? (double)FLT_EPSILON : nb_step_epsilon(precision);
}

int nb_step_pack_vectors(struct nb_stepper *p, struct nb_pack *k, int k0, int k1)
{
    for (int i = k0; i < k1; i++)
        if (nb_state_pack_vector(p->state, k, p->vectors[i]))
            return -1;
    return 0;
}
