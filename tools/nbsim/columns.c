/* The columns of the output: laid out once, fetched for each frame. */
#include "nbsim.h"

#include "error.h"

#include <stdlib.h>

static void checked(int status)
{
    if (status)
        die("%s", nb_error());
}

static void change_type(struct nb_column *c, enum nb_type type, uint64_t n)
{
    struct nb_column old = *c;
    c->type = type;
    c->data = aligned_alloc(NB_ALIGN, nb_column_bytes_padded(c, n));
    if (!c->data)
        die("no memory for column '%s'", c->name);
    for (uint64_t k = 0; k < n * (uint64_t)c->width; k++) {
        double value = type == NB_F32 ? ((double *)old.data)[k] : (double)((float *)old.data)[k];
        if (type == NB_F32)
            ((float *)c->data)[k] = (float)value;
        else
            ((double *)c->data)[k] = value;
    }
    free(old.data);
}

void sim_columns_lay_out(struct nb_bodies *b, const struct sim_options *o, const struct nb_stepper *p)
{
    const enum nb_precision precision = p->state->precision;
    static const char *const stale[] = {"acc", "phi", "phi_external", "jerk", "pos_lo", "vel_lo"};
    enum nb_type type = o->store >= 0 ? (enum nb_type)o->store : precision == NB_SINGLE ? NB_F32 : NB_F64;
    for (size_t k = 0; k < sizeof stale / sizeof *stale; k++)
        nb_bodies_drop(b, stale[k]);
    for (int k = 0; k < 3; k++) {
        struct nb_column *c = nb_bodies_find(b, (const char *const[]){"mass", "pos", "vel"}[k]);
        if (c->type != type)
            change_type(c, type, b->n);
    }
    if (nb_column_first_bad(nb_bodies_find(b, "mass"), b->n) < b->n)
        die("a mass is too large for %s (--store f64)", nb_type_name(type));
    if (precision == NB_QUAD) {
        checked(nb_bodies_add(b, "pos_lo", NB_F64, 3, "L"));
        checked(nb_bodies_add(b, "vel_lo", NB_F64, 3, "L/T"));
    }
    if (o->write_acc)
        checked(nb_bodies_add(b, "acc", type, 3, "L/T^2"));
    if (o->write_phi)
        checked(nb_bodies_add(b, "phi", type, 1, "L^2/T^2"));
    if (o->write_phi && nb_force_set_flags(p->forces) & NB_EXTERNAL)
        checked(nb_bodies_add(b, "phi_external", type, 1, "L^2/T^2"));
    checked(nb_bodies_alloc(b));
}

/* Rows into the column of that name, and what it rounds away into another, where there is one. */
static void fetch(struct nb_bodies *b, const struct nb_state *s, const void *d_rows, const char *name, const char *rest)
{
    struct nb_column *hi = nb_bodies_find(b, name), *lo = rest ? nb_bodies_find(b, rest) : NULL;
    checked(nb_state_fetch(s, d_rows, hi));
    if (lo)
        checked(nb_state_fetch_rest(s, d_rows, hi, lo));
}

void sim_columns_fetch(struct nb_bodies *b, struct nb_stepper *p, void *d_phi)
{
    const struct nb_state *s = p->state;
    fetch(b, s, s->x, "pos", "pos_lo");
    fetch(b, s, s->v, "vel", "vel_lo");
    if (nb_bodies_find(b, "acc")) {
        checked(nb_step_acceleration(p));
        fetch(b, s, s->a, "acc", NULL);
    }
    if (nb_bodies_find(b, "phi")) {
        checked(nb_force_set_state(p->forces, nb_forces_own, s, p->G, p->softening, NULL, d_phi));
        fetch(b, s, d_phi, "phi", NULL);
    }
    if (nb_bodies_find(b, "phi_external")) {
        checked(nb_force_set_state(p->forces, nb_forces_external, s, p->G, p->softening, NULL, d_phi));
        fetch(b, s, d_phi, "phi_external", NULL);
    }
}

void sim_columns_pin(const struct nb_bodies *b, struct nb_device *device, bool pin)
{
    static const char *const fetched[] = {"pos", "vel", "acc", "phi", "phi_external"};
    for (size_t k = 0; k < sizeof fetched / sizeof *fetched; k++) {
        struct nb_column *c = nb_bodies_find(b, fetched[k]);
        if (c && pin)
            nb_device_pin(device, c->data, nb_column_bytes_padded(c, b->n));
        else if (c)
            nb_device_unpin(device, c->data);
    }
}
