#include "step/step_family.h"

#include "base/error.h"
#include "device/timing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Finds out what the forces and the state let steps leave out. */
static int look(struct nb_stepper *p)
{
    static const nb_quad none = 0;
    const struct nb_state *s = p->state;
    const size_t rows = 2 * s->stride * nb_precision_size(s->precision);
    double fastest;
    p->velocity = nb_force_set_flags(p->forces) & NB_NEEDS_VELOCITY;
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
    if (look(p) || nb_step_evaluate_state(p))
        return -1;
    p->plain = p->scheme->family == &nb_family_splitting && nb_force_set_flags(p->forces) & NB_TAKES_KICK;
    return p->memory ? 0 : p->scheme->family->begin(p);
}

int nb_steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    int status = count > 0 ? p->scheme->family->steps(p, h, count) : 0;
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

/* ---- saved and loaded ---- */

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
                   nb_pack_bytes(k, p->scale, sizeof p->scale) ||
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

int nb_step_pack_vectors(struct nb_stepper *p, struct nb_pack *k, int k0, int k1)
{
    for (int i = k0; i < k1; i++)
        if (nb_state_pack_vector(p->state, k, p->vectors[i]))
            return -1;
    return 0;
}

bool nb_scheme_carries(const struct nb_scheme *scheme)
{
    return scheme->family->carry != NULL;
}

double nb_scheme_pack_bytes(const struct nb_scheme *scheme, enum nb_precision precision, uint64_t n)
{
    return nb_state_bytes(precision, scheme->family->carried, n);
}

int nb_scheme_vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    return scheme->family->vectors ? scheme->family->vectors(scheme, adaptive, velocity) : 0;
}

const char *nb_scheme_refuse(const struct nb_scheme *scheme, unsigned force_flags)
{
    if ((force_flags & NB_NEEDS_VELOCITY) && (scheme->traits & NB_NO_VELOCITY))
        return "a force needs the velocity, and it has none where it evaluates forces";
    if ((force_flags & NB_MOVES) && scheme->family != &nb_family_splitting)
        return "a force moves bodies between steps, from which splitting schemes alone can go on (leapfrog)";
    if ((force_flags & (NB_EXTERNAL | NB_CONTACT)) && (scheme->traits & NB_PLANETARY))
        return "it moves bodies by their own gravity alone, and neither an external field nor a contact has a place there";
    if (!(force_flags & NB_EXACT) && (scheme->traits & NB_PLANETARY))
        return "it takes the direct sum alone (--force direct)";
    return NULL;
}

const char *nb_scheme_refuse_state(const struct nb_scheme *scheme, const struct nb_device *device,
                                   enum nb_precision precision, double softening)
{
    if (!(scheme->traits & NB_PLANETARY))
        return NULL;
    if (!nb_device_is_host(device))
        return "it runs on the CPU alone, which is faster for the few bodies that it is for";
    if (precision != NB_DOUBLE)
        return "it computes in double precision alone";
    if (softening > 0)
        return "its Kepler motion has no softening, and the bodies have (--softening 0)";
    return NULL;
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

static int evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, const void *d_b, const struct nb_field *out)
{
    const struct nb_state *s = p->state;
    struct nb_sources from = nb_sources_of(s, p->G, p->softening);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = d_x, .v = d_v, .a = d_b};
    from.x = d_x, from.v = d_v, from.a = d_b;
    from.kick = p->kick;
    p->evaluations++;
    return nb_force_set_field(p->forces, nb_forces_all, s->precision, &from, &to, out);
}

int nb_step_evaluate(struct nb_stepper *p, const void *d_x, const void *d_v, void *d_a, void *d_jerk)
{
    /* What is plain was evaluated before, and is counted. */
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

/* Elements of a vector that kicks and drifts change. */
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

/* ---- the size of a step ---- */

uint64_t nb_step_count(double span, double dt)
{
    double count = ceil(span / dt - 1e-9);
    return count > 1 ? (uint64_t)count : 1;
}
