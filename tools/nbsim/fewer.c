/* fewer.c - continues a run after bodies have left it: removes them from the frame and the state, and opens the forces
 * for the remaining bodies. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sim_motion_fetch(struct run *r, const struct sim_motion *to, bool a)
{
    const struct nb_state *s = r->stepper.state;
    struct nb_column c = {.type = NB_F64, .width = 3, .data = to->x};
    sim_check(nb_state_fetch(s, s->x, &c));
    c.data = to->v;
    sim_check(nb_state_fetch(s, s->v, &c));
    if (!a)
        return;
    c.data = to->a;
    sim_check(nb_step_acceleration(&r->stepper));
    sim_check(nb_state_fetch(s, s->a, &c));
}

/* ---- potentials ---- */

double sim_potential_at(const struct run *r, const double *all_x, const double x[3], uint64_t i, uint64_t j)
{
    const double *mass = r->events.mass;
    const long double eps2 = (long double)r->stepper.softening * r->stepper.softening;
    long double sum = 0;
    if (!nb_force_set_has_own(&r->forces))
        return 0;
    for (uint64_t k = 0; k < r->bodies.n; k++) {
        const double *y = all_x + 3 * k;
        const long double dx = y[0] - x[0], dy = y[1] - x[1], dz = y[2] - x[2], r2 = dx * dx + dy * dy + dz * dz + eps2;
        if (k != i && k != j && mass[k] > 0)
            sum -= mass[k] / sqrtl(r2);
    }
    return (double)(r->stepper.G * sum);
}

void sim_potential_external(struct run *r, uint64_t i, uint64_t j, double phi[2])
{
    const struct nb_state *s = r->stepper.state;
    struct nb_column all = {.type = NB_F64, .width = 1};
    phi[0] = phi[1] = 0;
    if (!(nb_force_set_flags(&r->forces) & NB_EXTERNAL))
        return;
    void *d_field = nb_state_vector(s);
    sim_check(d_field ? 0 : -1);
    all.data = claimed(malloc(nb_column_bytes_padded(&all, s->n)), "no memory for potentials");
    sim_potential_fetch(&r->stepper, nb_forces_external, d_field, &(struct sim_potential){.high = all});
    phi[0] = ((const double *)all.data)[i];
    phi[1] = ((const double *)all.data)[j];
    free(all.data);
    nb_device_free(s->device, d_field);
}

/* ---- arrays ---- */

/* Removes `count` elements from an array of n elements. `gone`: their indices, in ascending order. Returns the number
 * of elements left. */
static uint64_t close_up(void *data, size_t size, uint64_t n, const uint64_t *gone, uint64_t count)
{
    unsigned char *at = data;
    uint64_t left = 0, from = 0;
    for (uint64_t k = 0; k <= count; k++) {
        const uint64_t to = k < count ? gone[k] : n;
        memmove(at + left * size, at + from * size, (to - from) * size);
        left += to - from;
        from = to + 1;
    }
    return left;
}

static void close_up_columns(struct nb_bodies *b, const uint64_t *gone, uint64_t count)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        const size_t bytes = nb_column_bytes(c, b->n - count);
        close_up(c->data, nb_type_size(c->type) * (size_t)c->width, b->n, gone, count);
        memset((char *)c->data + bytes, 0, nb_column_bytes_padded(c, b->n - count) - bytes);
    }
    b->n -= count;
}

static void put(struct nb_column *c, uint64_t i, const double *value)
{
    for (int k = 0; c && k < c->width; k++)
        nb_column_set(c, i, k, value[k]);
}

/* ---- the state ---- */

/* Copies masses, positions and velocities of the state into new columns of b, in double precision. If the state is in
 * quad precision, also adds pos_lo and vel_lo: the exact values minus the values in pos and vel. */
static void fetch_state(const struct nb_state *s, struct nb_bodies *b)
{
    static const struct {
        const char *name, *low;
    } of[] = {{"pos", "pos_lo"}, {"vel", "vel_lo"}};
    const void *const d_rows[] = {s->x, s->v};
    b->n = s->n;
    sim_check(nb_bodies_add_known(b, "mass", NB_F64));
    for (int k = 0; k < 2; k++) {
        sim_check(nb_bodies_add_known(b, of[k].name, NB_F64));
        sim_check(s->precision == NB_QUAD ? nb_bodies_add_known(b, of[k].low, NB_F64) : 0);
    }
    sim_check(nb_bodies_alloc(b));
    sim_check(nb_state_fetch(s, s->m, nb_bodies_find(b, "mass")));
    for (int k = 0; k < 2; k++) {
        struct nb_column *high = nb_bodies_find(b, of[k].name), *low = nb_bodies_find(b, of[k].low);
        sim_check(nb_state_fetch(s, d_rows[k], high));
        sim_check(low ? nb_state_fetch_low(s, d_rows[k], high, low) : 0);
    }
}

static void change_state(struct nb_bodies *b, uint64_t i, const struct sim_star *star)
{
    static const double none[3] = {0};
    put(nb_bodies_find(b, "mass"), i, &star->mass);
    put(nb_bodies_find(b, "pos"), i, star->x);
    put(nb_bodies_find(b, "vel"), i, star->v);
    put(nb_bodies_find(b, "pos_lo"), i, none);
    put(nb_bodies_find(b, "vel_lo"), i, none);
}

static void change_frame(struct run *r, uint64_t i, const struct sim_star *star)
{
    put(nb_bodies_find(&r->bodies, "mass"), i, &star->mass);
    if (r->options->merge_column)
        put(nb_bodies_find(&r->bodies, "radius"), i, &star->radius);
    r->events.mass[i] = star->mass;
    if (r->events.radius)
        r->events.radius[i] = star->radius;
}

/* Makes new forces and a new state for the bodies `left`, as at the start of a run. */
static void begin_anew(struct run *r, const struct nb_bodies *left)
{
    struct nb_stepper *p = &r->stepper;
    const enum nb_precision precision = p->state->precision;
    struct nb_device *device = p->state->device;
    nb_step_end(p);
    nb_device_free(device, r->d_field);
    r->d_field = NULL;
    nb_state_destroy(p->state);
    sim_forces_reopen(r, precision);
    p->state = nb_state_create(device, precision, left);
    sim_check(p->state ? 0 : -1);
    p->state->time = (double)p->time;
    nb_state_part_massless(p->state, left, p->softening);
    p->stale = false;
    sim_check(nb_step_begin(p));
    sim_need_field(r);
}

void sim_fewer(struct run *r, const uint64_t *gone, uint64_t count, const struct sim_star *changed)
{
    struct sim_events *e = &r->events;
    const uint64_t n = r->bodies.n;
    struct nb_bodies left;
    uint64_t at = changed ? changed->body : 0;
    for (uint64_t k = 0; k < count; k++)
        at -= changed && gone[k] < changed->body;
    sim_frames_wait(r->frames);
    sim_checkpoints_wait(r); /* the checkpoint thread reads the columns, which change below */
    nb_bodies_init(&left);
    fetch_state(r->stepper.state, &left);
    close_up_columns(&left, gone, count);
    close_up_columns(&r->bodies, gone, count);
    close_up(e->mass, sizeof *e->mass, n, gone, count);
    if (e->radius)
        close_up(e->radius, sizeof *e->radius, n, gone, count);
    if (changed) {
        change_state(&left, at, changed);
        change_frame(r, at, changed);
    }
    begin_anew(r, &left);
    nb_bodies_free(&left);
}
