/* Contact forces, on every device and with every method: sums compared with all pairs, for any order, cells and
 * walls; Newton's third law and the forces on walls; the limit of the step; rejected input. */
#include "contact_rows.h"

#include <errno.h>

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

static const char circle[] =
    "wall circle 0.5 0 0.25 0.4330127 -0.25 0.4330127 -0.5 0 -0.25 -0.4330127 0.25 -0.4330127 0.5 0";

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
    if (nb_force_set_evaluate(&r.set, nb_forces_all, s->precision, &from, &list, &out) == 0) {
        fetch_touching(&r, t);
        for (int k = 0; k < 3; k++)
            assert_true(same(row, t->a[3 * k], all.a[3 * index[k]]) && same(row, t->phi[k], all.phi[index[k]]) &&
                        same(row, t->pressure[k], all.pressure[index[k]]));
    } else
        assert_non_null(strstr(nb_error(), "contact"));
    if (nb_force_set_evaluate(&r.set, nb_forces_all, s->precision, &from, &range, &out) == 0) {
        fetch_touching(&r, t);
        for (int k = 0; k < 700; k++)
            assert_true(same(row, t->a[3 * k + 1], all.a[3 * (1000 + k) + 1]) &&
                        same(row, t->phi[k], all.phi[1000 + k]));
    } else
        assert_non_null(strstr(nb_error(), "contact"));
    const struct nb_targets points = {.n = 700, .stride = s->stride, .x = s->x, .self = -1};
    assert_int_equal(nb_force_set_evaluate(&r.set, nb_forces_all, s->precision, &from, &points, &out), -1);
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
    assert_true(errno == EDOM && strstr(nb_error(), "overlap"));
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

/* ---- the list of tests ---- */

static const struct contact_case cases[] = {
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
    {deep_disks_are_errors, "a disk deep in a wall is an error"},
    {crowds_are_errors, "a crowd is an error", .gpu_alone = true},
    {refusals, "refusals"},
};

int main(void)
{
    return run_contact_cases("contact", cases, sizeof cases / sizeof *cases);
}
