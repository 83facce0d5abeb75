/* Disks that touch, on every device and by every row: the sums against all pairs, whatever the order, the cells and the
 * walls; the third law; what the boundary does, and what the walls felt. */
#include "touching.h"

#include <errno.h>

#define ROWS 8

struct row {
    const char *device;
    const char *spec;
    enum nb_precision precision;
};

static double digits_of(const struct row *row)
{
    return row->precision == NB_DOUBLE ? 1e-11 : 3e-5; /* mixed as single: the pairs may be in single */
}

static void check(const struct row *row, const char *what, struct touching *t)
{
    evaluate_touching(device_of(row->device), row->precision, row->spec, t);
    assert_truth(what, t, digits_of(row));
    free_touching(t);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- sums ---- */

static void pairs_are_all_pairs(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(4096, LINES("contact 100 0 0.005"));
    scatter(t, 1, -1, 1, -0.5, 0.5);
    check(row, "random", t);
    t = make_touching(4096, LINES("contact 100 0.5 0.02", "box -1 1 -1 1", "periodic xy"));
    scatter(t, 2, -1, 1, -1, 1);
    check(row, "periodic and damped", t);
    t = make_touching(4096, LINES("contact 100 0 0.02", "box -1 1 -1 1", "periodic y"));
    scatter(t, 3, -2, 3, -1, 1);
    check(row, "periodic in y", t);
    t = make_touching(1024, LINES("contact 100 0 0.001"));
    scatter(t, 4, 0, 0.001, 0, 0.001);
    check(row, "all in one cell", t);
    t = make_touching(1, LINES("contact 100 0 0.001"));
    check(row, "one", t);
    t = make_touching(2, LINES("contact 100 0 0.001"));
    t->x[3] = 0.0015;
    check(row, "two", t);
}

/* Clumps at places far from one another, and some so far that no grid would hold the way to them. */
static void wild_places(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(4096, LINES("contact 100 0 0.01"));
    scatter(t, 5, 0, 0.5, 0, 0.5);
    for (uint64_t i = 0; i < t->b.n; i++) {
        t->x[3 * i] += (double)(i % 5) * 1024;
        t->x[3 * i + 1] -= (double)(i % 3) * 4096;
        for (uint64_t k = 0; k < 2; k++)
            t->x[3 * i + k] = (double)(float)t->x[3 * i + k];
    }
    for (uint64_t i = 0; i < 8; i++)
        t->x[3 * i] = i & 1 ? 1e30 : -1e20, t->x[3 * i + 1] = i & 2 ? 1e12 : 3e37;
    for (uint64_t i = 0; i < 24; i++)
        t->x[i] = (double)(float)t->x[i];
    t->x[3 * 8] = 1e30; /* alone there */
    evaluate_touching(device_of(row->device), row->precision, row->spec, t);
    for (uint64_t i = 0; i < 9; i++) /* whether those touch that are where no difference is left is not said */
        t->x[3 * i] = 1e30 * (double)(i + 1), t->a[3 * i] = t->a[3 * i + 1] = t->phi[i] = t->pressure[i] = 0;
    assert_truth("far", t, digits_of(row));
    free_touching(t);
}

/* Values that are none touch nobody, and nobody else is any different. */
static void not_numbers(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(600, LINES("contact 100 0.1 0.02", "wall a -1 -1 1 1"));
    scatter(t, 6, -0.5, 0.5, -0.5, 0.5);
    t->x[3 * 5] = NAN, t->x[3 * 77 + 1] = INFINITY, t->x[3 * 300] = -INFINITY;
    evaluate_touching(device_of(row->device), row->precision, row->spec, t);
    for (uint64_t i = 0; i < t->b.n; i++)
        if (i == 5 || i == 77 || i == 300) {
            t->x[3 * i] = 1e6 * (double)i, t->x[3 * i + 1] = 0;
            t->a[3 * i] = t->a[3 * i + 1] = t->phi[i] = t->pressure[i] = 0;
        }
    assert_truth("not numbers", t, digits_of(row));
    free_touching(t);
}

/* Where a cell's edge is lost beside a coordinate there is no wall, and no disk that is touched. */
static void far_from_walls(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(64, LINES("contact 100 0 0.002", "wall a -1 -1 1 1", "wall b 0.5 0 1 0.4"));
    for (uint64_t i = 0; i < t->b.n; i++) {
        t->x[3 * i] = (double)(float)(i & 1 ? 3e12 * (double)i : -1e14 * (double)i);
        t->x[3 * i + 1] = (double)(float)(i & 2 ? 1e14 * (double)i : 0.25 * (double)i);
    }
    t->x[0] = 0.5, t->x[1] = (double)0.502f;
    check(row, "far from walls", t);
}

static const char circle[] = "wall circle 0.5 0 0.25 0.4330127 -0.25 0.4330127 -0.5 0 -0.25 -0.4330127 0.25 -0.4330127 "
                             "0.5 0";

/* A solid, a container around, a thin wall and a bent one; damped. */
static void walls_are_walls(void **state)
{
    const struct row *row = *state;
    struct touching *t =
        make_touching(4096, LINES("contact 100 0.5 0.03", circle, "wall thin -0.9 0.7 0.9 0.75 0.8 0.6",
                                  "wall box -1 -1 -1 1 1 1 1 -1 -1 -1", "box -1 1 -1 1"));
    scatter(t, 8, -0.99, 0.99, -0.99, 0.99);
    for (uint64_t i = 0; i < t->b.n; i++) { /* out of the solid, but for some depth */
        double n[2];
        const double s = true_distance(&t->scene.walls[0], t->x[3 * i], t->x[3 * i + 1], n);
        if (s < -0.02)
            t->x[3 * i] = (double)(float)(0.8 + 0.001 * (double)(i % 100));
    }
    check(row, "walls", t);
}

/* Masses times accelerations add up to nothing without walls; with them, to what the walls felt. */
static void third_law(void **state)
{
    const struct row *row = *state;
    const double digits = row->precision == NB_SINGLE ? 1e-4 : 1e-9;
    struct touching *t =
        make_touching(3000, LINES("contact 100 0.2 0.03", circle, "wall box -1 -1 -1 1 1 1 1 -1 -1 -1"));
    scatter(t, 9, 0.51, 0.99, -0.99, 0.99);
    struct touching_run r = open_touching(device_of(row->device), row->precision, row->spec, t);
    for (int k = 0; k < 3; k++) /* the mean of three is what each is */
        assert_int_equal(touching_field(&r), 0);
    fetch_touching(&r, t);
    double sum[2] = {0}, truth[2][2] = {{0}}, felt[2][2];
    for (uint64_t i = 0; i < 3 * t->b.n; i++)
        if (i % 3 < 2)
            sum[i % 3] += t->m[i / 3] * t->a[i];
    assert_int_equal(nb_force_set_report(&r.set, &t->meta), 0);
    true_field(t, truth);
    assert_true(nb_scene_wall_force(&t->meta, "circle", felt[0]) && nb_scene_wall_force(&t->meta, "box", felt[1]));
    assert_true(fabs(truth[0][0]) > 1 && fabs(truth[1][0]) > 1);
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(sum[k] + felt[0][k] + felt[1][k]) <= digits * 1000);
        for (int w = 0; w < 2; w++)
            assert_true(fabs(felt[w][k] - truth[w][k]) <= digits * 100);
    }
    close_touching(&r);
    free_touching(t);
}

/* Equal values; but for rounding where each pair is added as it comes. */
static bool same(const struct row *row, double a, double b)
{
    return strstr(row->spec, "reflexive=on") ? fabs(a - b) <= 1e-4 * (1 + fabs(a)) : a == b;
}

/* A range and a list of targets get what they get among all. */
static void parts_are_parts(void **state)
{
    const struct row *row = *state;
    static const uint32_t index[] = {3, 7, 1500};
    const size_t size = nb_precision_size(row->precision);
    struct touching *t = make_touching(2000, LINES("contact 100 0.2 0.03", circle));
    scatter(t, 10, 0.5, 1.5, -0.5, 0.5);
    struct touching_run r = open_touching(device_of(row->device), row->precision, row->spec, t);
    assert_int_equal(touching_field(&r), 0);
    fetch_touching(&r, t);
    const struct nb_state *s = r.s;
    void *d_index = nb_device_alloc(s->device, sizeof index);
    assert_int_equal(nb_device_to(s->device, d_index, index, sizeof index), 0);
    const struct nb_sources from = {.n = s->n, .stride = s->stride, .m = s->m, .x = s->x, .v = s->v, .G = 1};
    const struct nb_targets list = {.n = 3, .stride = s->stride, .x = s->x, .v = s->v, .index = d_index};
    const struct nb_targets range = {
        .n = 700, .stride = s->stride, .x = (char *)s->x + 1000 * size, .v = (char *)s->v + 1000 * size, .self = 1000};
    const struct nb_field out = {.stride = s->stride, .a = s->a, .phi = r.d_phi, .pressure = r.d_pressure};
    const struct touching all = *t;
    t->a = calloc(t->b.n, 24), t->phi = calloc(t->b.n, 8), t->pressure = calloc(t->b.n, 8);
    if (nb_force_set_field(&r.set, nb_forces_all, s->precision, &from, &list, &out) == 0) {
        fetch_touching(&r, t);
        for (int k = 0; k < 3; k++)
            assert_true(same(row, t->a[3 * k], all.a[3 * index[k]]) && same(row, t->phi[k], all.phi[index[k]]) &&
                        same(row, t->pressure[k], all.pressure[index[k]]));
    } else
        assert_non_null(strstr(nb_error(), "contact"));
    if (nb_force_set_field(&r.set, nb_forces_all, s->precision, &from, &range, &out) == 0) {
        fetch_touching(&r, t);
        for (int k = 0; k < 700; k++)
            assert_true(same(row, t->a[3 * k + 1], all.a[3 * (1000 + k) + 1]) &&
                        same(row, t->phi[k], all.phi[1000 + k]));
    } else
        assert_non_null(strstr(nb_error(), "contact"));
    const struct nb_targets points = {.n = 700, .stride = s->stride, .x = s->x, .self = -1};
    assert_int_equal(nb_force_set_field(&r.set, nb_forces_all, s->precision, &from, &points, &out), -1);
    assert_non_null(strstr(nb_error(), "contact"));
    free(all.a), free(all.phi), free(all.pressure);
    nb_device_free(s->device, d_index);
    close_touching(&r);
    free_touching(t);
}

/* Two at one place part along x, the first to -x. */
static void coincident_disks_part(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(3, LINES("contact 100 0 0.5"));
    t->x[0] = t->x[3] = 0.25, t->x[1] = t->x[4] = 2, t->x[6] = 100;
    evaluate_touching(device_of(row->device), row->precision, row->spec, t);
    assert_true(t->a[0] == -100 && t->a[3] == 100 && t->a[1] == 0 && t->a[4] == 0 && t->a[6] == 0);
    assert_true(fabs(t->phi[0] - 50) < 1e-4 && fabs(t->pressure[0] - 100 / M_PI) < 1e-3);
    free_touching(t);
}

/* The force is what the energy of all springs, sum m phi / 2, falls by: differences of it, with pairs and walls. */
static void forces_are_slopes(void **state)
{
    const struct row *row = *state;
    if (row->precision != NB_DOUBLE)
        return;
    const double h = 1e-6;
    struct touching *t = make_touching(60, LINES("contact 100 0 0.1", circle, "box -1 1 -1 1", "periodic xy"));
    scatter(t, 11, 0.45, 1, -1, 1);
    evaluate_touching(device_of(row->device), row->precision, row->spec, t);
    double *a = malloc(24 * 60);
    memcpy(a, t->a, 24 * 60);
    for (uint64_t place = 0; place < 180; place += place % 3 + 1) {
        double energy[2] = {0}, at = t->x[place];
        for (int side = 0; side < 2; side++) {
            t->x[place] = at + (side ? h : -h);
            evaluate_touching(device_of(row->device), row->precision, row->spec, t);
            for (int i = 0; i < 60; i++)
                energy[side] += t->m[i] * t->phi[i] / 2;
        }
        t->x[place] = at;
        const double slope = (energy[1] - energy[0]) / (2 * h);
        if (!(fabs(slope + t->m[place / 3] * a[place]) < 1e-3)) /* a contact may begin in between: k h */
            fail_msg("disk %d: force %.9g, slope %.9g", (int)place / 3, t->m[place / 3] * a[place], slope);
    }
    free(a);
    free_touching(t);
}

/* A disk on both sides of a corner's bisector, next to it: by walls that meet there what it feels is nearly the same;
 * by one wall it has another direction, with the same size and the same potential (nbs(5)). */
static void corners(void **state)
{
    const struct row *row = *state;
    const char *const one_wall[] = {"contact 100 0 0.25", "wall one 0 0 0 4 4 4 4 0 0 0", NULL};
    const char *const two_walls[] = {"contact 100 0 0.25", "wall left 0 0 0 4", "wall low 0 0 4 0", NULL};
    const double s = 0.1875, e = ldexp(1, -14), push = 100 * (0.25 - s), slack = 400 * e;
    for (int meet = 0; meet < 2; meet++) {
        struct touching *t = make_touching(1, meet ? two_walls : one_wall);
        double a[2][2], phi[2];
        for (int side = 0; side < 2; side++) {
            t->x[0] = side ? s + e : s - e;
            t->x[1] = side ? s - e : s + e;
            evaluate_touching(device_of(row->device), row->precision, row->spec, t);
            a[side][0] = t->a[0], a[side][1] = t->a[1], phi[side] = t->phi[0];
        }
        const double jump = hypot(a[0][0] - a[1][0], a[0][1] - a[1][1]);
        for (int side = 0; side < 2; side++)
            assert_true(fabs(hypot(a[side][0], a[side][1]) - (meet ? M_SQRT2 : 1) * push) < slack);
        assert_true(fabs(jump - (meet ? 0 : M_SQRT2 * push)) < slack && fabs(phi[0] - phi[1]) < slack);
        free_touching(t);
    }
}

/* ---- steps ---- */

static void bound_of_the_step(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(500, LINES("contact 100 0 0.1"));
    double h;
    scatter(t, 12, 0, 1, 0, 1);
    t->m[17] = 0.25;
    struct touching_run r = open_touching(device_of(row->device), row->precision, row->spec, t);
    assert_int_equal(nb_force_set_longest_step(&r.set, r.s, &h), 0);
    double fastest = 0;
    for (uint64_t i = 0; i < 500; i++)
        fastest = fmax(fastest, hypot(t->v[3 * i], t->v[3 * i + 1]));
    assert_true(fabs(h / fmin(M_PI * sqrt(0.25 / 200) / 25, 0.01 / fastest) - 1) < 1e-6);
    close_touching(&r);
    t->v[0] = 50;
    r = open_touching(device_of(row->device), row->precision, row->spec, t);
    assert_int_equal(nb_force_set_longest_step(&r.set, r.s, &h), 0);
    assert_true(fabs(h * hypot(50, t->v[1]) / 0.01 - 1) < 1e-6);
    close_touching(&r);
    free_touching(t);
    t = make_touching(2, LINES("contact 100 1000 0.1")); /* damped so much that no disk comes back */
    r = open_touching(device_of(row->device), row->precision, row->spec, t);
    assert_int_equal(nb_force_set_longest_step(&r.set, r.s, &h), 0);
    assert_true(fabs(h / (fmin(t->m[0], t->m[1]) / 2000 / 3) - 1) < 1e-6);
    close_touching(&r);
    free_touching(t);
}

#define DISKS 20000

struct inflow { /* disks in a flow, and what of them the device has */
    struct touching *t;
    struct touching_run r;
    double *x, *v, *before;
};

/* 80 of mass where the flow has 40: the chamber is twice as dense as the flow, but for what the tests find. */
static struct inflow open_inflow(const struct row *row, const char *const *lines)
{
    struct inflow f = {.t = make_touching(DISKS, lines)};
    scatter(f.t, 13, -10, 14, -2.5, 2.5);
    for (uint64_t i = 0; i < DISKS; i++)
        f.t->m[i] = (double)(float)(80.0 / DISKS);
    f.r = open_touching(device_of(row->device), row->precision, row->spec, f.t);
    f.x = malloc(24 * DISKS), f.v = malloc(24 * DISKS), f.before = malloc(24 * DISKS);
    return f;
}

static void close_inflow(struct inflow *f)
{
    close_touching(&f->r);
    free_touching(f->t);
    free(f->x), free(f->v), free(f->before);
}

static void step_inflow(struct inflow *f)
{
    struct nb_column x = {.type = NB_F64, .width = 3, .data = f->x}, v = {.type = NB_F64, .width = 3, .data = f->v};
    memcpy(f->before, f->v, 24 * DISKS);
    assert_int_equal(nb_force_set_boundary(&f->r.set, f->r.s, false), 0);
    assert_int_equal(nb_state_fetch(f->r.s, f->r.s->x, &x), 0);
    assert_int_equal(nb_state_fetch(f->r.s, f->r.s->v, &v), 0);
}

struct inflow_rate { /* densities over the flow's: of the chamber, x = -1.92 to -1.52, and of the entry before it */
    double filling, coming;
};

static struct inflow_rate inflow_rate(const struct inflow *f)
{
    double chamber = 0, entry = 0;
    for (uint64_t i = 0; i < DISKS; i++) {
        chamber += f->x[3 * i] >= -1.92 && f->x[3 * i] < -1.52;
        entry += f->x[3 * i] < -1.92;
    }
    return (struct inflow_rate){chamber * f->t->m[0] / (0.4 * 5), entry * f->t->m[0] / (0.08 * 5)};
}

/* The integral of dn/dq from s to 1, n = sqrt(q^2 + (1 - q^2) s), by the middles of intervals. */
static double nozzle_gain(double q, double s)
{
    const int parts = 2000;
    const double h = (1 - s) / parts;
    double sum = 0;
    for (int k = 0; k < parts; k++) {
        const double at = s + (k + 0.5) * h;
        sum += h * q * (1 - at) / sqrt(q * q + (1 - q * q) * at);
    }
    return sum;
}

/* Of all disks before the outlet, x = -1.32: the speed that contact.h states, away from the ends of its parts. */
static void check_inlet_speeds(const struct inflow *f, struct inflow_rate rate)
{
    const double q = fmax(1, rate.filling), gain = (fmin(rate.coming, 2) - 1) / (2 + nozzle_gain(q, 0));
    int seen = 0;
    for (uint64_t i = 0; i < DISKS; i++) {
        const double x = f->x[3 * i], *v = f->v + 3 * i, s = fmax(0, (x + 1.52) / 0.2);
        double due = 1;
        if (x > -1.3201)
            continue;
        if (x > -1.92)
            due = (1 + (q > 1 && i % 8 == 0 ? gain * nozzle_gain(q, s) : 0)) / sqrt(q * q + (1 - q * q) * s);
        assert_true(v[1] == 0 && v[2] == 0);
        if (fabs(x + 1.92) > 1e-4 && (q == 1 || i % 8 == 0) && !(fabs(v[0] - due) < 1e-5))
            fail_msg("disk at %g: speed %.9g, and %.9g is due", x, v[0], due);
        seen++;
    }
    assert_true(seen > 0.07 * DISKS);
}

/* Of the mean density that was let in, and the stock, after one or more steps. */
static void check_report(struct inflow *f, double density, struct inflow_rate rate)
{
    double inflow[3];
    assert_int_equal(nb_force_set_report(&f->r.set, &f->t->meta), 0);
    assert_true(nb_scene_inflow(&f->t->meta, inflow));
    assert_true(fabs(inflow[0] - density) < 1e-9 && fabs(inflow[1] / 2 / rate.filling - 1) < 1e-6);
    assert_true(fabs(inflow[2] / rate.coming - 1) < 1e-6);
}

/* Places are wrapped. The first step counts the chamber; later ones have its rate. */
static void inlet_of_a_flow(void **state)
{
    const char *const lines[] = {"contact 100 0 0.003", "box -2 6 -2.5 2.5", "periodic x", "flow 1 1 2 1", NULL};
    struct inflow f = open_inflow(*state, lines);
    double inflow[3];
    assert_true((nb_force_set_flags(&f.r.set) & (NB_MOVES | NB_OPEN | NB_NEEDS_VELOCITY)) == (NB_MOVES | NB_OPEN));
    assert_int_equal(nb_force_set_report(&f.r.set, &f.t->meta), 0);
    assert_false(nb_scene_inflow(&f.t->meta, inflow));
    step_inflow(&f);
    for (uint64_t i = 0; i < DISKS; i++) {
        const double *x = f.x + 3 * i, *v = f.v + 3 * i, *x0 = f.t->x + 3 * i, *v0 = f.t->v + 3 * i;
        const double d = (x[0] - x0[0]) / 8;
        assert_true(x[0] >= -2 && x[0] < 6 && fabs(d - rint(d)) < 1e-6 && x[1] == x0[1]);
        assert_true((x[0] > -1.3201 && x[0] < -1.1999) || (v[0] == v0[0] && v[1] == v0[1] && v[2] == v0[2]));
    }
    const struct inflow_rate rate = inflow_rate(&f);
    assert_true(fabs(rate.filling - 2) < 0.2 && fabs(rate.coming - 2) < 0.4);
    for (int k = 0; k < 3; k++) {
        step_inflow(&f);
        check_inlet_speeds(&f, rate);
    }
    check_report(&f, 1, rate);
    close_inflow(&f);
}

/* In 16 steps each disk of the outlet gets one velocity, by the formula; nobody beyond it does. */
static void outlet_of_a_flow(void **state)
{
    const char *const lines[] = {"contact 100 0 0.003", "box -2 6 -2.5 2.5", "periodic x", "flow 1 1 2 1", NULL};
    struct inflow f = open_inflow(*state, lines);
    double sum = 0, sum2 = 0, count = 0;
    int *drawn = calloc(DISKS, sizeof *drawn);
    step_inflow(&f);
    for (int k = 0; k < 16; k++) {
        step_inflow(&f);
        for (uint64_t i = 0; i < DISKS; i++) {
            const double *v = f.v + 3 * i, *v0 = f.before + 3 * i;
            if (f.x[3 * i] < -1.3199 || (v[0] == v0[0] && v[1] == v0[1] && v[2] == v0[2]))
                continue;
            drawn[i]++;
            assert_true(f.x[3 * i] < -1.1999 && v[0] != v0[0] && v[1] != v0[1] && v[2] == 0);
            sum += v[0] - 1 + v[1], sum2 += pow(v[0] - 1, 2) + pow(v[1], 2), count += 2;
        }
    }
    for (uint64_t i = 0; i < DISKS; i++)
        assert_true(drawn[i] == 1 || f.x[3 * i] < -1.3199 || f.x[3 * i] > -1.2001);
    /* sigma^2 = (1/2)^2 / (Z + f Z' + Z^2), by a difference of Z */
    const double s = M_PI * 9e-6 / f.t->m[0], z = (1 + s * s / 8) / pow(1 - s, 2), e = 1e-6;
    const double slope = ((1 + pow(s + e, 2) / 8) / pow(1 - s - e, 2) - z) / e, sigma2 = 0.25 / (z + s * slope + z * z);
    assert_true(count > 500 && fabs(sum / count) < 5 * sqrt(sigma2 / count));
    assert_true(fabs(sum2 / count / sigma2 - 1) < 5 * sqrt(2 / count));
    free(drawn);
    close_inflow(&f);
}

/* A chamber that the header says to be thin lets out what it has; in step 128 of the header's count, and in no other,
 * disks get places in all of the chamber and are counted. */
static void mixing_of_a_flow(void **state)
{
    const char *const lines[] = {"contact 100 0 0.003", "box -2 6 -2.5 2.5",   "periodic x",
                                 "flow 1 1 2 1",        "inflow 0.9 1.5 1.25", NULL};
    const struct inflow_rate before = {0.75, 1.25};
    struct inflow f = open_inflow(*state, lines);
    double mixed = 0, mean[2] = {0}, square[2] = {0};
    double *places = malloc(24 * DISKS);
    for (int k = 1; k < 128; k++) {
        if (k > 3 && k < 126)
            assert_int_equal(nb_force_set_boundary(&f.r.set, f.r.s, false), 0);
        else
            step_inflow(&f);
        if (k == 1)
            memcpy(places, f.x, 24 * DISKS);
    }
    assert_memory_equal(places, f.x, 24 * DISKS);
    check_inlet_speeds(&f, before);
    check_report(&f, 0.75, before);
    const struct inflow_rate after = inflow_rate(&f);
    step_inflow(&f);
    check_inlet_speeds(&f, before);
    assert_true(fabs(after.filling / inflow_rate(&f).filling - 1) < 1e-3);
    for (uint64_t i = 0; i < DISKS; i++) {
        const double *x = f.x + 3 * i, *x0 = places + 3 * i;
        if (x0[0] > -1.9199 && x0[0] < -1.5201) {
            const double at[2] = {(x[0] + 1.72) / 0.2, x[1] / 2.497};
            assert_true(x[0] != x0[0] && x[1] != x0[1] && x[2] == x0[2]);
            assert_true(fabs(at[0]) < 1 + 1e-5 && fabs(at[1]) < 1 + 1e-5);
            mixed++;
            for (int k = 0; k < 2; k++)
                mean[k] += at[k], square[k] += at[k] * at[k];
        } else
            assert_true((x0[0] > -1.9201 && x0[0] < -1.5199) || (x[0] == x0[0] && x[1] == x0[1] && x[2] == x0[2]));
    }
    assert_true(mixed > 0.04 * DISKS);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(mean[k] / mixed) < 5 / sqrt(3 * mixed) &&
                    fabs(3 * square[k] / mixed - 1) < 5 * sqrt(0.8 / mixed));
    step_inflow(&f);
    check_inlet_speeds(&f, after);
    check_report(&f, (0.75 + 1) / 2, after);
    free(places);
    close_inflow(&f);
}

/* ---- what is refused ---- */

static void deep_disks_are_errors(void **state)
{
    const struct row *row = *state;
    static const double place[][2] = {{0, 0}, {0.45, 0}, {3, 3}};
    static const char *const inside[] = {"circle", "circle", "box"};
    for (int k = 0; k < 3; k++) {
        double h;
        struct touching *t =
            make_touching(3, LINES("contact 100 0 0.03", circle, "wall box -1 -1 -1 1 1 1 1 -1 -1 -1"));
        t->x[0] = 0.7, t->x[3] = place[k][0], t->x[4] = place[k][1], t->x[6] = -0.7;
        struct touching_run r = open_touching(device_of(row->device), row->precision, row->spec, t);
        assert_true(touching_field(&r) || nb_force_set_longest_step(&r.set, r.s, &h));
        assert_true(strstr(nb_error(), "disk 1") && strstr(nb_error(), inside[k]));
        close_touching(&r);
        free_touching(t);
    }
}

/* So many on one another that their pairs would take minutes, on a GPU: a CPU takes a minute and a GB to refuse them.
 */
static void crowds_are_errors(void **state)
{
    const struct row *row = *state;
    struct touching *t = make_touching(50000, LINES("contact 100 0 0.01"));
    double h;
    scatter(t, 17, 0.5, 0.501, 0.5, 0.501);
    struct touching_run r = open_touching(device_of(row->device), row->precision, row->spec, t);
    errno = 0;
    assert_true(touching_field(&r) || nb_force_set_longest_step(&r.set, r.s, &h));
    assert_true(errno == EDOM && strstr(nb_error(), "lie on one another"));
    close_touching(&r);
    free_touching(t);
}

static void refusals(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->device);
    struct nb_force_set set;
    struct nb_force_spec spec;
    struct nb_meta none = {.G = 1};
    struct touching *t = make_touching(2, LINES("contact 100 0 0.03"));
    nb_force_set_init(&set, device);
    assert_int_equal(nb_force_parse("direct", &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, row->precision, NB_WANT_ACC, 2, &t->meta), -1);
    assert_int_equal(nb_force_parse(row->spec, &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, row->precision, NB_WANT_ACC, 2, &none), -1);
    assert_int_equal(nb_force_set_add(&set, &spec, row->precision, NB_WANT_JERK, 2, &t->meta), -1);
    assert_non_null(strstr(nb_error(), "jerk"));
    free_touching(t);
    t = make_touching(2, LINES("contact 100 0 0.03"));
    t->m[1] = 0;
    double h;
    struct touching_run r = open_touching(device, row->precision, row->spec, t);
    assert_int_equal(nb_force_set_longest_step(&r.set, r.s, &h), -1);
    close_touching(&r);
    free_touching(t);
}

static void nothing(void **state)
{
    (void)state;
}

/* ---- the list of tests ---- */

static const struct {
    void (*function)(void **);
    const char *name;
} cases[] = {
    {pairs_are_all_pairs, "pairs are all pairs"},
    {wild_places, "wild places"},
    {not_numbers, "values that are not numbers"},
    {far_from_walls, "places far from walls"},
    {walls_are_walls, "walls"},
    {third_law, "the third law, and what walls felt"},
    {parts_are_parts, "targets that are a part"},
    {coincident_disks_part, "disks at one place part"},
    {forces_are_slopes, "forces are slopes of the potential"},
    {corners, "corners of one wall, and of walls that meet"},
    {bound_of_the_step, "the bound of the step"},
    {inlet_of_a_flow, "the inlet of a flow"},
    {outlet_of_a_flow, "the inlet's outlet"},
    {mixing_of_a_flow, "the inlet's chamber"},
    {deep_disks_are_errors, "a disk deep in a wall is an error"},
    {crowds_are_errors, "a crowd is an error"},
    {refusals, "refusals"},
};
#define CASES     (sizeof cases / sizeof *cases)
#define TESTS_MAX 512

static struct CMUnitTest tests[TESTS_MAX];
static size_t test_count;

static void add_test(void (*function)(void **), struct row *row, const char *name)
{
    assert(test_count < TESTS_MAX);
    tests[test_count++] = (struct CMUnitTest){name, function, NULL, NULL, row};
}

static void add_rows(const char *device, const char *spec, enum nb_precision last)
{
    static struct row rows[32];
    static size_t row_count;
    const bool cpu = strcmp(device, "cpu") == 0;
    for (int p = NB_SINGLE; p <= (int)last; p++) {
        rows[row_count] = (struct row){device, spec, (enum nb_precision)p};
        for (size_t c = 0; c < CASES; c++) {
            if (cpu && cases[c].function == crowds_are_errors)
                continue;
            char *name;
            assert_true(asprintf(&name, "%s on %s, %s: %s", spec, device, nb_precision_name((enum nb_precision)p),
                                 cases[c].name) > 0);
            add_test(cases[c].function, &rows[row_count], name);
        }
        row_count++;
    }
}

/* Ways to the same sums, in single precision alone. */
static void add_switches(const struct nb_force *f)
{
    static const char *const switches[] = {
        "contact-grid:skin=0",
        "contact-grid:skin=9", /* more partners than a list holds, on some devices */
        "contact-bvh:reorder=off,stack=shared",
        "contact-bvh:reflexive=on",
        "contact-bvh:reflexive=on,stack=shared",
        "contact-bvh:reflexive=on,aggregate=on,reorder=off",
    };
    const size_t length = strlen(f->method);
    const bool cpu = strcmp(f->device, "cpu") == 0; /* where those of a GPU are refused: test_contact_bvh.c */
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
        if (strncmp(switches[k], f->method, length) == 0 && switches[k][length] == ':' &&
            !(cpu && (strstr(switches[k], "stack") || strstr(switches[k], "aggregate"))))
            add_rows(f->device, switches[k], NB_SINGLE);
}

int main(void)
{
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if ((*f)->flags & NB_CONTACT) {
            if (device_of((*f)->device)) {
                add_rows((*f)->device, (*f)->method, NB_DOUBLE);
                add_switches(*f);
            } else
                add_test(nothing, NULL, "a device # SKIP it is not here");
        }
    return _cmocka_run_group_tests("contact", tests, test_count, NULL, NULL);
}
