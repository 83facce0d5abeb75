/* columns.c - makes the columns of the output once, and copies their values from the device for each frame. */
#include "run.h"

#include "snap/narrow.h"

#include <math.h>
#include <stdlib.h>

static void change_type(struct nb_column *c, enum nb_type type, uint64_t n)
{
    struct nb_column old = *c;
    if (type == NB_F32) {
        if (nb_column_narrow(c, n))
            die("%s (--store f64)", nb_error());
        return;
    }
    c->type = type;
    c->data = claimed(aligned_alloc(NB_ALIGN, nb_column_bytes_padded(c, n)), "no memory for column '%s'", c->name);
    for (uint64_t k = 0; k < n * (uint64_t)c->width; k++)
        ((double *)c->data)[k] = ((float *)old.data)[k];
    free(old.data);
}

enum nb_type sim_type_of(enum nb_precision precision)
{
    return precision == NB_SINGLE ? NB_F32 : NB_F64;
}

static enum nb_type stored(const struct sim_options *o, enum nb_precision precision)
{
    return o->store >= 0 ? (enum nb_type)o->store : sim_type_of(precision);
}

static bool is_required(const struct nb_column *c)
{
    const struct nb_known *known = nb_column_known(c->name);
    return known && known->required;
}

#define ADDED_MAX 8

/* Lists the names of the columns that the output has in addition to the columns of the input. NULL ends the list. */
static void list_added(const struct sim_options *o, enum nb_precision precision, unsigned force_flags,
                       const char *names[ADDED_MAX])
{
    if (precision == NB_QUAD) {
        *names++ = "pos_lo";
        *names++ = "vel_lo";
    }
    if (o->write_acc)
        *names++ = "acc";
    if (o->write_pressure)
        *names++ = "pressure";
    if (o->write_step)
        *names++ = "step";
    if (o->write_phi)
        *names++ = "phi";
    if (o->write_phi && force_flags & NB_EXTERNAL)
        *names++ = "phi_external";
    *names = NULL;
}

double sim_columns_bytes(const struct nb_bodies *b, const struct sim_options *o, enum nb_precision precision,
                         unsigned force_flags)
{
    const enum nb_type type = stored(o, precision);
    const char *added[ADDED_MAX];
    double now = 0,
           /* a check at the start of the run needs a copy of the accelerations: three values per body */
        most = 3 * (double)(nb_type_size(sim_type_of(precision)) * b->n);
    for (int k = 0; k < b->column_count; k++) {
        struct nb_column c = b->columns[k];
        const struct nb_known *known = nb_column_known(c.name);
        if (known && known->role == NB_DERIVED)
            now -= (double)nb_column_bytes_padded(&c, b->n);
    }
    for (int k = 0; k < b->column_count; k++) {
        struct nb_column c = b->columns[k];
        if (!is_required(&c) || c.type == type)
            continue;
        const double old = (double)nb_column_bytes_padded(&c, b->n);
        c.type = type;
        now += (double)nb_column_bytes_padded(&c, b->n);
        most = fmax(most, now); /* the new and the old memory of a column exist together while values are copied */
        now -= old;
    }
    list_added(o, precision, force_flags, added);
    for (int k = 0; added[k]; k++) {
        const struct nb_known *known = nb_column_known(added[k]);
        now += (double)nb_type_size(nb_known_type(known, type)) * known->width * (double)b->n;
    }
    return fmax(most, now);
}

void sim_columns_lay_out(struct nb_bodies *b, const struct sim_options *o, enum nb_precision precision,
                         unsigned force_flags)
{
    const enum nb_type type = stored(o, precision);
    const char *added[ADDED_MAX];
    nb_bodies_drop_derived(b);
    for (int k = 0; k < b->column_count; k++)
        if (is_required(&b->columns[k]) && b->columns[k].type != type)
            change_type(&b->columns[k], type, b->n);
    list_added(o, precision, force_flags, added);
    for (int k = 0; added[k]; k++)
        sim_check(nb_bodies_add_known(b, added[k], type));
    sim_check(nb_bodies_alloc(b));
}

/* Copies d_rows (device memory) into the column `name`. Writes the rounding errors of this copy into the column `rest`,
 * unless `rest` is NULL or the frame has no such column. */
static void fetch(struct nb_bodies *b, const struct nb_state *s, const void *d_rows, const char *name, const char *rest)
{
    struct nb_column *hi = nb_bodies_find(b, name), *lo = rest ? nb_bodies_find(b, rest) : NULL;
    sim_check(nb_state_fetch(s, d_rows, hi));
    if (lo)
        sim_check(nb_state_fetch_low(s, d_rows, hi, lo));
}

/* Returns whether the accelerations for the column acc must be evaluated separately. This is true if a force depends on
 * velocities, because the stepper evaluated its accelerations before the last half kick changed the velocities. The
 * results must not replace the stepper's accelerations, because the next step needs those. */
static bool computes_acc(unsigned force_flags)
{
    return force_flags & NB_NEEDS_VELOCITY;
}

int sim_columns_field_rows(const struct run *r)
{
    const struct sim_options *o = r->options;
    if (o->write_acc && computes_acc(nb_force_set_flags(&r->forces)))
        return 3;
    return r->watch.on || o->write_phi || o->write_pressure;
}

/* Evaluates the forces that `part` selects (such as self-gravity) at the positions and velocities of the state, and
 * writes the results to `out`. */
static void compute_aside(struct nb_stepper *p, struct nb_force_part part, const struct nb_field *out)
{
    const struct nb_state *s = p->state;
    const struct nb_sources from = nb_sources_of(s, p->G, p->softening);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    sim_check(nb_force_set_evaluate(p->forces, part, s->precision, &from, &to, out));
}

static void fetch_acc(struct nb_bodies *b, struct nb_stepper *p, void *d_field)
{
    const struct nb_state *s = p->state;
    const bool apart = computes_acc(nb_force_set_flags(p->forces));
    if (apart)
        compute_aside(p, nb_forces_all, &(struct nb_field){.stride = s->stride, .a = d_field, .aside = true});
    else
        sim_check(nb_step_acceleration(p));
    fetch(b, s, apart ? d_field : s->a, "acc", NULL);
}

static void fetch_pressure(struct nb_bodies *b, struct nb_stepper *p, void *d_field)
{
    const struct nb_state *s = p->state;
    compute_aside(p, nb_forces_own, &(struct nb_field){.stride = s->stride, .pressure = d_field, .aside = true});
    fetch(b, s, d_field, "pressure", NULL);
}

static void fetch_potential(const struct nb_state *s, void *d_field, struct sim_potential *to)
{
    sim_check(nb_state_fetch(s, d_field, &to->high));
    if (to->low.data)
        sim_check(nb_state_fetch_low(s, d_field, &to->high, &to->low));
}

static void compute_potential(struct nb_stepper *p, struct nb_force_part part, void *d_field)
{
    sim_check(nb_force_set_evaluate_state(p->forces, part, p->state, p->G, p->softening, NULL, d_field));
}

void sim_potential_fetch(struct nb_stepper *p, struct nb_force_part part, void *d_field, struct sim_potential *to)
{
    compute_potential(p, part, d_field);
    fetch_potential(p->state, d_field, to);
}

/* Computes the potential of the forces that `part` selects (such as self-gravity). Copies it to the column `name` if
 * the frame has this column, and to `watched` if watched->high.data is not NULL. Computes nothing if both are missing.
 * d_field is work space on the device. */
static void fetch_potentials(struct nb_bodies *b, struct nb_stepper *p, struct nb_force_part part, void *d_field,
                             const char *name, struct sim_potential *watched)
{
    const bool written = nb_bodies_find(b, name);
    if (!written && !watched->high.data)
        return;
    compute_potential(p, part, d_field);
    if (written)
        fetch(b, p->state, d_field, name, NULL);
    if (watched->high.data)
        fetch_potential(p->state, d_field, watched);
}

static void fetch_steps(struct run *r, struct nb_column *to)
{
    sim_check(nb_step_fetch_own(&r->stepper, sim_step_size(r), r->options->run.tolerance, to));
}

void sim_steps_range(struct run *r, double range[2])
{
    const struct nb_column *written = nb_bodies_find(&r->bodies, "step");
    struct nb_column own = {.type = NB_F64, .width = 1};
    range[0] = range[1] = sim_step_size(r);
    if (!written && !(r->stepper.scheme->traits & NB_OWN_STEPS))
        return;
    if (!written) {
        own.data = claimed(malloc(nb_column_bytes_padded(&own, r->bodies.n)), "no memory for the steps of bodies");
        fetch_steps(r, &own);
    }
    range[0] = INFINITY, range[1] = 0;
    for (uint64_t i = 0; i < r->bodies.n; i++) {
        const double step = nb_column_get(written ? written : &own, i, 0);
        range[0] = fmin(range[0], step);
        range[1] = fmax(range[1], step);
    }
    free(own.data);
}

/* Copies the accelerations by self-gravity into `to`. Uses the stepper's accelerations if they belong to the present
 * state and there are no external fields. Otherwise evaluates self-gravity, into temporary memory. */
static void fetch_own_acc(struct nb_stepper *p, struct nb_column *to)
{
    const struct nb_state *s = p->state;
    if (!p->stale && !(nb_force_set_flags(p->forces) & NB_EXTERNAL)) {
        sim_check(nb_state_fetch(s, s->a, to));
        return;
    }
    void *d_a = nb_state_vector(s);
    sim_check(d_a ? 0 : -1);
    compute_aside(p, nb_forces_own, &(struct nb_field){.stride = s->stride, .a = d_a, .aside = true});
    sim_check(nb_state_fetch(s, d_a, to));
    nb_device_free(s->device, d_a);
}

void sim_columns_fetch(struct run *r)
{
    struct nb_bodies *b = &r->bodies;
    struct nb_stepper *p = &r->stepper;
    struct sim_watch *w = &r->watch;
    void *d_field = r->d_field;
    const struct nb_state *s = p->state;
    fetch(b, s, s->x, "pos", "pos_lo");
    fetch(b, s, s->v, "vel", "vel_lo");
    if (nb_bodies_find(b, "acc"))
        fetch_acc(b, p, d_field);
    if (nb_bodies_find(b, "pressure"))
        fetch_pressure(b, p, d_field);
    if (nb_bodies_find(b, "step"))
        fetch_steps(r, nb_bodies_find(b, "step"));
    if (w->acc.data && !w->warned_of_steps)
        fetch_own_acc(p, &w->acc);
    fetch_potentials(b, p, nb_forces_own, d_field, "phi", &w->own);
    fetch_potentials(b, p, nb_forces_external, d_field, "phi_external", &w->external);
}

bool sim_column_computed(const struct nb_column *c)
{
    const struct nb_known *known = nb_column_known(c->name);
    return known && (known->role == NB_STATE || known->role == NB_DERIVED);
}

void sim_columns_pin(const struct nb_bodies *b, struct nb_device *device, bool pin)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        if (pin && sim_column_computed(c))
            nb_device_pin(device, c->data, nb_column_bytes_padded(c, b->n));
        else if (sim_column_computed(c))
            nb_device_unpin(device, c->data);
    }
}
