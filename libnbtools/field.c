/* field.c - computes forces and potentials at points, and energies. Declared in nbtools.h. */
#include "system.h"

#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Makes the system ready to compute at its present time. Fails if the files of the forces do not cover this time. */
static int prepare_now(struct nbt_system *s)
{
    return nb_status(system_prepare(s, NAN) || nb_force_set_covers(&s->forces, s->time, s->time));
}

/* ---- fields at points ---- */

/* Evaluates the forces at `points` into `acc` and `phi`; each of the two may be NULL. The number of points is at->n.
 * `at` is a state used as working space: its mass array receives the potentials. */
static int compute(const struct nbt_system *s, struct nb_state *at, const double *points, double *acc, double *phi)
{
    const struct nb_sources from = nb_sources_of(s->stepper.state, s->stepper.G, s->stepper.softening);
    const struct nb_targets to = {.n = at->n, .stride = at->stride, .x = at->x, .v = at->v, .self = -1};
    const struct nb_field out = {
        .stride = at->stride, .a = acc ? at->a : NULL, .phi = phi ? at->m : NULL, .aside = true};
    struct nb_column a = {.name = "acc", .type = NB_F64, .width = 3, .data = acc};
    struct nb_column f = {.name = "phi", .type = NB_F64, .width = 1, .data = phi};
    if (nb_device_store(s->device, s->precision, at->n, at->stride, 3, points, NB_F64, at->x) ||
        nb_force_set_evaluate(&s->forces, nb_forces_all, s->precision, &from, &to, &out))
        return -1;
    return nb_status((acc && nb_state_fetch(at, at->a, &a)) || (phi && nb_state_fetch(at, at->m, &f)));
}

int nbt_field(struct nbt_system *s, uint64_t count, const double *points, double *acc, double *phi)
{
    if (count > VECTORS_MAX)
        return nb_fail("no memory for %" PRIu64 " points", count);
    if (prepare_now(s))
        return -1;
    if (nb_force_set_flags(&s->forces) & NB_ALL_BODIES)
        return nb_fail("the forces are known at bodies only, not at other points");
    for (uint64_t k = 0; k < 3 * count; k++)
        if (!isfinite(points[k]))
            return nb_fail("point %" PRIu64 " has a coordinate that is not finite", k / 3);
    if (count == 0 || (!acc && !phi))
        return 0;
    struct nb_state *at = nb_state_create_zero(s->device, s->precision, count);
    const int status = at ? compute(s, at, points, acc, phi) : -1;
    nb_state_destroy(at);
    return status;
}

/* ---- energies ---- */

struct potential {
    double *high, *low;
};

static void drop(struct potential *p)
{
    free(p->high);
    free(p->low);
}

/* Computes the potential of the forces selected by `part` at each body, into to->high. In quad precision, a potential
 * is the sum of a double in to->high and a double in to->low. Allocates these arrays. d_phi: scratch memory on the
 * device. Returns -1 on error. The caller frees to->high and to->low even then. */
static int find_potential(const struct nbt_system *s, struct nb_force_part part, void *d_phi, struct potential *to)
{
    const struct nb_state *state = s->stepper.state;
    const bool quad = s->precision == NB_QUAD;
    to->high = malloc(sizeof(double) * state->n);
    to->low = quad ? malloc(sizeof(double) * state->n) : NULL;
    if (!to->high || (quad && !to->low))
        return nb_fail("no memory for the energy of %" PRIu64 " bodies", state->n);
    struct nb_column high = {.type = NB_F64, .width = 1, .data = to->high};
    struct nb_column low = {.type = NB_F64, .width = 1, .data = to->low};
    if (nb_force_set_evaluate_state(&s->forces, part, state, s->stepper.G, s->stepper.softening, NULL, d_phi) ||
        nb_state_fetch(state, d_phi, &high))
        return -1;
    return quad ? nb_state_fetch_low(state, d_phi, &high, &low) : 0;
}

static int measure(const struct nbt_system *s, void *d_phi, struct potential *own, struct potential *external,
                   struct nb_energies *out)
{
    const struct nb_bodies *b = &s->frame.bodies;
    if (!d_phi || find_potential(s, nb_forces_own, d_phi, own) ||
        find_potential(s, nb_forces_external, d_phi, external))
        return -1;
    const struct nb_energy_terms terms = {.n = b->n,
                                          .mass = nb_bodies_find(b, "mass"),
                                          .vel = nb_bodies_find(b, "vel"),
                                          .vel_low = nb_bodies_find(b, "vel_lo"),
                                          .phi = own->high,
                                          .phi_low = own->low,
                                          .external = external->high,
                                          .external_low = external->low};
    return nb_measure_energies(&terms, out);
}

int nbt_energies(struct nbt_system *s, double energy[3])
{
    struct potential own = {0}, external = {0};
    struct nb_energies e;
    if (prepare_now(s) || system_fetch(s))
        return -1;
    void *d_phi = nb_state_row(s->stepper.state);
    const int status = measure(s, d_phi, &own, &external, &e);
    nb_device_free(s->device, d_phi);
    drop(&own);
    drop(&external);
    if (status)
        return -1;
    energy[0] = (double)e.kinetic;
    energy[1] = (double)e.potential;
    energy[2] = (double)e.external;
    return 0;
}
