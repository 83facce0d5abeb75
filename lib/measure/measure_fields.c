/* measure_fields.c - computes potentials and accelerations of the bodies of a frame on the device. Declared in
 * measure.h. */
#include "base/error.h"
#include "measure/measure.h"

#include <errno.h>
#include <inttypes.h>

static int check_memory(uint64_t n, const struct nb_force_set *set, enum nb_precision precision)
{
    double free_bytes, total_bytes;
    const double needed = nb_force_set_bytes(set, precision, 1, n);
    if (nb_device_memory(set->device, &free_bytes, &total_bytes))
        return -1;
    if (needed <= free_bytes)
        return 0;
    return nb_fail("the potential of %" PRIu64 " bodies needs %.4g GB on %s; %.4g GB are free", n, 1e-9 * needed,
                   set->device->description, 1e-9 * free_bytes);
}

/* The state of one measurement. The forces write accelerations to s->a and potentials to d_phi, both on the device. */
struct sum {
    const struct nb_bodies *b;
    const struct nb_force_set *set;
    const struct nb_state *s;
    double softening;
    void *d_phi;
};

/* Evaluates the forces that the filter `part` selects (forces between bodies, or external forces) at all bodies. Writes
 * accelerations to d_a and potentials to d_phi; d_a or d_phi may be NULL. add = true: adds to the arrays; false:
 * overwrites them. */
static int put(const struct sum *c, struct nb_force_part part, void *d_a, void *d_phi, bool add)
{
    const struct nb_state *s = c->s;
    const struct nb_sources sources = nb_sources_of(s, c->b->meta.G, c->softening);
    const struct nb_targets targets = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field out = {.stride = s->stride, .a = d_a, .phi = d_phi, .add = add};
    return d_a || d_phi ? nb_force_set_evaluate(c->set, part, s->precision, &sources, &targets, &out) : 0;
}

/* Copies an array from the device to n * width doubles at `values`. Does nothing if `values` is NULL. Fails with EDOM
 * if a value is not finite. For the error message: `what` is the name of the quantity; `own` is true if forces between
 * bodies contribute to it. */
static int fetch(const struct sum *c, bool own, const char *what, const void *d_rows, int width, double *values)
{
    struct nb_column column = {.type = NB_F64, .width = width, .data = values};
    if (!values)
        return 0;
    if (nb_state_fetch(c->s, d_rows, &column))
        return -1;
    const uint64_t bad = nb_column_first_bad(&column, c->b->n);
    if (bad == c->b->n)
        return 0;
    errno = EDOM;
    if (own)
        return nb_fail("body %" PRIu64 ": its %s is not finite (two bodies at the same position with softening %g)",
                       bad, what, c->softening);
    return nb_fail("body %" PRIu64 ": its %s is not a finite number", bad, what);
}

static int fetch_low(const struct sum *c, const struct nb_fields *out)
{
    const struct nb_column high = {.type = NB_F64, .width = 1, .data = out->phi};
    struct nb_column low = {.type = NB_F64, .width = 1, .data = out->phi_low};
    return out->phi_low ? nb_state_fetch_low(c->s, c->d_phi, &high, &low) : 0;
}

/* Computes the wanted fields. The forces between the bodies are the expensive part, so their potential and acceleration
 * are computed in one pass. */
static int find_fields(const struct sum *c, const struct nb_fields *out)
{
    void *d_a = out->acc ? c->s->a : NULL, *d_phi = c->d_phi;
    if (put(c, nb_forces_own, d_a, out->phi ? d_phi : NULL, false) || fetch(c, true, "potential", d_phi, 1, out->phi) ||
        fetch_low(c, out) || put(c, nb_forces_external, NULL, out->external ? d_phi : NULL, false) ||
        fetch(c, false, "potential in the external fields", d_phi, 1, out->external))
        return -1;
    if (nb_force_set_flags(c->set) & NB_EXTERNAL && put(c, nb_forces_external, d_a, NULL, true))
        return -1;
    return fetch(c, true, "acceleration", d_a, 3, out->acc);
}

int nb_measure_fields(const struct nb_bodies *b, const struct nb_force_set *set, enum nb_precision precision,
                      const struct nb_fields *out)
{
    struct sum c = {.b = b, .set = set};
    if (nb_bodies_softening(b, &c.softening) || nb_force_set_covers(set, b->meta.time, b->meta.time) ||
        check_memory(b->n, set, precision))
        return -1;
    struct nb_state *s = nb_state_create(set->device, precision, b);
    if (!s)
        return -1;
    nb_state_part_massless(s, b, c.softening);
    c.s = s;
    c.d_phi = nb_state_row(s);
    int status = !c.d_phi || nb_force_set_read_columns(set, b, s) ? -1 : find_fields(&c, out);
    nb_device_free(set->device, c.d_phi);
    nb_state_destroy(s);
    return status;
}
