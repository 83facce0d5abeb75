/* Disks with individual radii (radius=column), with every contact method on every device: sums compared
 * with all pairs, walls, the step, two unequal disks, the energy of a closed box, bitwise identical
 * results, rejected input. */
#include "touching_run.h"

#include <errno.h>

#define OWN "radius=column"

struct checked_row {
    struct row row;
    enum nb_precision precision;
};

static double digits_of(enum nb_precision precision)
{
    return precision == NB_DOUBLE ? 1e-11 : 3e-5; /* mixed as single: the pairs may be in single */
}

static void evaluate(const struct checked_row *c, const char *more, struct touching *t)
{
    char spec[100];
    snprintf(spec, sizeof spec, "%s:" OWN "%s", c->row.method, more);
    evaluate_touching(device_of(c->row.device), c->precision, spec, t);
}

/* ---- sums ---- */

static void check(const struct checked_row *c, const char *what, uint64_t seed, double least, struct touching *t)
{
    give_radii(t, seed, least);
    evaluate(c, "", t);
    assert_true(assert_truth(what, t, digits_of(c->precision)) > 100);
    free_touching(t);
}

static void pairs_are_all_pairs(void **state)
{
    const struct checked_row *c = *state;
    struct touching *t = make_touching(4096, LINES("contact 100 0 0.02"));
    scatter(t, 1, -1, 1, -0.5, 0.5);
    check(c, "random", 1, 0.2, t);
    t = make_touching(4096, LINES("contact 100 0.5 0.02", "box -1 1 -1 1", "periodic xy"));
    scatter(t, 2, -1, 1, -1, 1);
    check(c, "periodic and damped", 2, 0.2, t);
    t = make_touching(4096, LINES("contact 100 0 0.05", "box -1 1 -1 1", "periodic y"));
    scatter(t, 3, -2, 3, -1, 1);
    check(c, "periodic in y, radii over a factor 1000", 3, 0.001, t);
    t = make_touching(1024, LINES("contact 100 0 0.001"));
    scatter(t, 4, 0, 0.003, 0, 0.003);
    check(c, "all in one cell", 4, 0.2, t);
}

static const char circle[] =
    "wall circle 0.5 0 0.25 0.4330127 -0.25 0.4330127 -0.5 0 -0.25 -0.4330127 0.25 -0.4330127 0.5 0";

/* The walls act at each disk's own radius, and feel what they do. */
static void walls_are_walls(void **state)
{
    const struct checked_row *c = *state;
    const double digits = c->precision == NB_SINGLE ? 1e-4 : 1e-9;
    double truth[3][2] = {{0}}, felt[2];
    static const char *const names[] = {"circle", "thin", "box"};
    char spec[100];
    struct touching *t =
        make_touching(3000, LINES("contact 100 0.5 0.05", circle, "wall thin -0.8 0.7 0.8 0.75 0.8 0.6",
                                  "wall box -1 -1 -1 1 1 1 1 -1 -1 -1", "box -1 1 -1 1"));
    scatter(t, 8, -0.99, 0.99, -0.99, 0.99);
    for (uint64_t i = 0; i < t->b.n; i++) {
        double n[2];
        if (true_distance(&t->scene.walls[0], t->x[3 * i], t->x[3 * i + 1], n) < -0.005) /* the least radius is 0.01 */
            t->x[3 * i] = (double)(float)(0.8 + 0.001 * (double)(i % 100));
    }
    give_radii(t, 8, 0.2);
    snprintf(spec, sizeof spec, "%s:" OWN, c->row.method);
    struct touching_run r = open_touching(device_of(c->row.device), c->precision, spec, t);
    assert_int_equal(touching_field(&r), 0);
    fetch_touching(&r, t);
    assert_int_equal(nb_force_set_report(&r.set, &t->meta), 0);
    assert_truth("walls", t, digits_of(c->precision));
    true_field(t, truth);
    for (int w = 0; w < 3; w++) {
        assert_true(nb_scene_wall_force(&t->meta, names[w], felt));
        for (int k = 0; k < 2; k++)
            assert_true(truth[w][k] != 0 && fabs(felt[k] - truth[w][k]) <= digits * 100);
    }
    close_touching(&r);
    free_touching(t);
}

/* A depth that one disk's radius allows is an error for a smaller one. */
static void deep_by_the_own_radius(void **state)
{
    const struct checked_row *c = *state;
    for (int deep = 0; deep < 2; deep++) {
        char spec[100];
        double h = 0;
        struct touching *t = make_touching(2, LINES("contact 100 0 0.1", circle));
        t->x[0] = -0.7, t->x[3] = 0.05, t->x[4] = 0.4330127 - 0.03;
        give_radii(t, 1, 0.5);
        t->r[1] = deep ? 0.02 : 0.04;
        snprintf(spec, sizeof spec, "%s:" OWN, c->row.method);
        struct touching_run r = open_touching(device_of(c->row.device), c->precision, spec, t);
        const bool failed = touching_field(&r) || nb_force_set_longest_step(&r.set, r.s, &h);
        assert_true(failed == deep && (!deep || (strstr(nb_error(), "disk 1") && strstr(nb_error(), "circle"))));
        close_touching(&r);
        free_touching(t);
    }
}

/* A column of the header's radius is the header's radius, bit for bit. */
static void equal_radii_are_one_radius(void **state)
{
    const struct checked_row *c = *state;
    struct touching *t = make_touching(3000, LINES("contact 100 0.3 0.03125", circle, "box -1 1 -1 1", "periodic xy"));
    scatter(t, 9, 0.5, 1, -1, 1);
    evaluate_touching(device_of(c->row.device), c->precision, c->row.method, t);
    double *a = malloc(24 * 3000), *pressure = malloc(8 * 3000);
    memcpy(a, t->a, 24 * 3000), memcpy(pressure, t->pressure, 8 * 3000);
    give_radii(t, 9, 0.5);
    for (uint64_t i = 0; i < 3000; i++)
        t->r[i] = 0.03125;
    evaluate(c, "", t);
    assert_memory_equal(a, t->a, 24 * 3000);
    assert_memory_equal(pressure, t->pressure, 8 * 3000);
    free(a), free(pressure);
    free_touching(t);
}

/* Partners by cells, by boxes and by lists of any reach: the same bits; by each pair once, but for the last. */
static void ways_are_one(void **state)
{
    const struct checked_row *c = *state;
    const bool lists = strcmp(c->row.method, "contact-grid") == 0;
    static const char *const grid[] = {",skin=0", ",skin=9"}, *const bvh[] = {",reorder=off", ",reflexive=on"};
    struct touching *t = make_touching(3000, LINES("contact 100 0.3 0.04", "box -1 1 -1 1", "periodic xy"));
    scatter(t, 10, -1, 1, -1, 1);
    give_radii(t, 10, 0.2);
    evaluate(c, "", t);
    double *a = malloc(24 * 3000);
    memcpy(a, t->a, 24 * 3000);
    for (int k = 0; k < 2; k++) {
        evaluate(c, lists ? grid[k] : bvh[k], t);
        if (strstr(bvh[k], "reflexive") && !lists)
            assert_truth("each pair once", t, digits_of(c->precision));
        else
            assert_memory_equal(a, t->a, 24 * 3000);
    }
    free(a);
    free_touching(t);
}

/* The force is what the energy of all springs falls by. */
static void forces_are_slopes(void **state)
{
    const struct checked_row *c = *state;
    const double h = 1e-6;
    if (c->precision != NB_DOUBLE)
        return;
    struct touching *t = make_touching(60, LINES("contact 100 0 0.15", circle, "box -1 1 -1 1", "periodic xy"));
    double a[180];
    scatter(t, 11, 0.45, 1, -1, 1);
    give_radii(t, 11, 0.4);
    evaluate(c, "", t);
    memcpy(a, t->a, sizeof a);
    for (uint64_t place = 0; place < 180; place += place % 3 + 1) {
        double energy[2] = {0}, at = t->x[place];
        for (int side = 0; side < 2; side++) {
            t->x[place] = at + (side ? h : -h);
            evaluate(c, "", t);
            for (int i = 0; i < 60; i++)
                energy[side] += t->m[i] * t->phi[i] / 2;
        }
        t->x[place] = at;
        assert_true(fabs((energy[1] - energy[0]) / (2 * h) + t->m[place / 3] * a[place]) < 1e-3);
    }
    free_touching(t);
}

/* ---- steps ---- */

static void the_least_radius_bounds_the_step(void **state)
{
    const struct checked_row *c = *state;
    struct touching *t = make_touching(7000, LINES("contact 1 0 0.1"));
    double h, fastest = 0;
    scatter(t, 12, 0, 1, 0, 1);
    give_radii(t, 12, 0.5);
    t->r[6543] = 0.0078125;
    struct run *r = open_run(&c->row, c->precision, OWN, t);
    assert_int_equal(nb_force_set_longest_step(&r->force.set, r->force.s, &h), 0);
    for (uint64_t i = 0; i < 7000; i++)
        fastest = fmax(fastest, hypot(t->v[3 * i], t->v[3 * i + 1]));
    assert_true(fabs(h * fastest / 0.00078125 - 1) < 1e-6);
    end_run(r);
    free_touching(t);
}

static void two_unequal_disks(void **state)
{
    const struct checked_row *c = *state;
    static const double dampings[] = {0, 2, 8, 20};
    for (size_t k = 0; k < 4 && c->precision == NB_DOUBLE; k++) {
        const double mu = 0.75, b = dampings[k] / (2 * mu), time = M_PI / sqrt(1000 / mu - b * b);
        char law[64];
        double x[6], v[6];
        snprintf(law, sizeof law, "contact 1000 %g 0.25", dampings[k]);
        struct touching *t = make_touching(2, LINES(law));
        give_radii(t, 1, 1);
        t->r[0] = 0.04, t->r[1] = 0.16, t->m[1] = 3;
        t->x[0] = 0.12, t->x[1] = 0.16; /* 0.2 from the other */
        t->v[0] = -0.6, t->v[1] = -0.8;
        struct run *r = begin_run(&c->row, NB_DOUBLE, OWN, t);
        advance(r, time / 100, 120);
        fetch(r, x, v);
        const double e = (v[0] - v[3]) * 0.6 + (v[1] - v[4]) * 0.8;
        assert_true(hypot(x[0] - x[3], x[1] - x[4]) > 0.2 && fabs(e / exp(-b * time) - 1) < 0.01);
        assert_true(fabs(v[0] + 3 * v[3] + 0.6) < 1e-12 && fabs(v[1] + 3 * v[4] + 0.8) < 1e-12);
        end_run(r);
        free_touching(t);
    }
}

/* Disks of one density, radii over a factor 3, on a lattice in a container. */
static void a_closed_box_keeps_its_energy(void **state)
{
    const struct checked_row *c = *state;
    const uint64_t n = 400;
    if (c->precision != NB_DOUBLE)
        return;
    struct touching *t = make_touching(n, LINES("contact 2000 0 0.02", "wall box 0 0 0 1 1 1 1 0 0 0"));
    double *x = malloc(24 * n), *v = malloc(24 * n), worst = 0, turned = 0, h;
    scatter(t, 21, 0, 1, 0, 1);
    give_radii(t, 21, 0.33);
    for (uint64_t i = 0; i < n; i++) {
        t->m[i] = 0.01 * pow(t->r[i] / 0.02, 2);
        t->x[3 * i] = ((double)(i % 20) + 0.5) / 20, t->x[3 * i + 1] = ((double)(i / 20) + 0.5) / 20;
        t->v[3 * i + 2] = 0;
    }
    struct run *r = begin_run(&c->row, NB_DOUBLE, OWN, t);
    const double first = energy_of(r, t, v, x);
    for (int k = 0; k < 30; k++) {
        assert_int_equal(nb_force_set_longest_step(&r->force.set, r->p.state, &h), 0);
        advance(r, h, 100);
        worst = fmax(worst, fabs(energy_of(r, t, v, x) / first - 1));
    }
    for (uint64_t i = 0; i < n; i++)
        turned += hypot(v[3 * i] - t->v[3 * i], v[3 * i + 1] - t->v[3 * i + 1]) / (double)n;
    if (!(worst < 1e-3 && worst > 0 && turned > 0.3))
        fail_msg("energy changed by %g, velocities by %g", worst, turned);
    free(x), free(v);
    end_run(r);
    free_touching(t);
}

static void equal_bytes(void **state)
{
    const struct checked_row *c = *state;
    if (c->precision == NB_MIXED)
        return;
    struct outcome *one = stream_outcome(&c->row, c->precision, "seed=5," OWN, 1, 0);
    assert_true(one->felt[0] != 0 && one->felt[3] != 0);
    assert_same("five threads", one, stream_outcome(&c->row, c->precision, "seed=5," OWN, 5, 0));
    assert_same("gone on with", one, stream_outcome(&c->row, c->precision, "seed=5," OWN, 2, 4));
    struct outcome *other = stream_outcome(&c->row, c->precision, "seed=5", 2, 0);
    assert_true(memcmp(one->x, other->x, sizeof one->x) != 0);
    free(other);
    free(one);
}

/* In the fringe of a flow, by each disk's own mass and radius. */
static void the_inlet_knows_the_radius(void **state)
{
    const struct checked_row *c = *state;
    const uint64_t n = 6000;
    const char *const lines[] = {"contact 100 0 0.01", "box -2 6 -2.5 2.5", "periodic x", "flow 1 1 2 1", NULL};
    struct touching *t = make_touching(n, lines);
    double *v = malloc(24 * n), sum2[2] = {0}, count[2] = {0};
    struct nb_column pv = {.type = NB_F64, .width = 3, .data = v};
    scatter(t, 13, -1.31, -1.21, -2.5, 2.5);
    give_radii(t, 13, 0.5);
    for (uint64_t i = 0; i < n; i++)
        t->m[i] = 1.0 / 1024, t->r[i] = i % 2 ? 0.0078125 : 0.001953125;
    struct run *r = open_run(&c->row, c->precision, OWN, t);
    for (int k = 0; k < 16; k++) /* each has got a velocity by then */
        assert_int_equal(nb_force_set_boundary(&r->force.set, r->force.s, false), 0);
    assert_int_equal(nb_state_fetch(r->force.s, r->force.s->v, &pv), 0);
    for (uint64_t i = 0; i < n; i++)
        sum2[i % 2] += pow(v[3 * i] - 1, 2) + pow(v[3 * i + 1], 2), count[i % 2] += 2;
    for (int k = 0; k < 2; k++) { /* sigma^2 = (1/2)^2 / (Z + f Z' + Z^2), by a difference of Z */
        const double s = sqrt(sum2[k] / count[k]), r0 = k ? 0.0078125 : 0.001953125;
        /* of the effective radius, sqrt(pi m / 8 k) s less */
        const double f = M_PI * pow(r0 - sqrt(M_PI / 1024 / 800) * s, 2) * 1024, z = (1 + f * f / 8) / pow(1 - f, 2),
                     e = 1e-6;
        const double slope = ((1 + pow(f + e, 2) / 8) / pow(1 - f - e, 2) - z) / e;
        assert_true(fabs(s * s / (0.25 / (z + f * slope + z * z)) - 1) < 5 * sqrt(2 / count[k]));
    }
    free(v);
    end_run(r);
    free_touching(t);
}

/* ---- what is refused ---- */

static void refused(const struct checked_row *c, const char *text, struct touching *t)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device_of(c->row.device));
    assert_int_equal(nb_force_parse(c->row.method, &spec) || nb_force_spec_set(&spec, "radius", "column"), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, c->precision, NB_WANT_ACC, t->b.n, &t->meta), 0);
    assert_true(nb_force_set_flags(&set) & NB_READS_RADIUS);
    struct nb_state *s = nb_state_create(set.device, c->precision, &t->b);
    const struct nb_field out = {.stride = s->stride, .a = s->a};
    const struct nb_sources from = nb_sources_of(s, 1, 0);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, c->precision, &from, &to, &out), -1); /* no radii yet */
    assert_non_null(strstr(nb_error(), "radii"));
    errno = 0;
    const int status = nb_force_set_read_columns(&set, &t->b, s);
    if (text && !(status == -1 && errno == EDOM && strstr(nb_error(), text)))
        fail_msg("%s: %s", text, nb_error());
    assert_true(text || status == 0);
    nb_state_destroy(s);
    nb_force_set_close(&set);
}

static void refusals(void **state)
{
    const struct checked_row *c = *state;
    static const double bad[] = {0, -0.1, (double)INFINITY, (double)NAN};
    struct touching *t = make_touching(5, LINES("contact 100 0 0.125"));
    refused(c, "no column 'radius'", t);
    give_radii(t, 1, 0.5);
    refused(c, NULL, t);
    for (int k = 0; k < 4; k++) {
        t->r[3] = bad[k];
        refused(c, "disk 3: radius ", t);
    }
    t->r[3] = 0.126;
    refused(c, "disk 3: radius 0.126 is larger than 0.125", t);
    t->r[3] = 0.125 * (1 + 1e-7); /* by rounding, as of a column in f32 */
    refused(c, NULL, t);
    t->r[3] = 1e-60;
    refused(c, c->precision == NB_SINGLE ? "disk 3: radius 1e-60" : NULL, t);
    free_touching(t);
}

/* Radii of the column are taken where some differ from the header's. */
static void where_radii_differ(void **state)
{
    (void)state;
    struct touching *t = make_touching(5, LINES("contact 100 0 0.1"));
    struct nb_force_spec spec;
    assert_false(nb_force_radii_differ(&t->b));
    give_radii(t, 1, 0.5);
    assert_true(nb_force_radii_differ(&t->b));
    for (int i = 0; i < 5; i++)
        t->r[i] = (double)0.1f; /* what a column in f32 has of it */
    assert_false(nb_force_radii_differ(&t->b));
    t->r[4] = 0.0999;
    assert_true(nb_force_radii_differ(&t->b));
    t->r[4] = NAN;
    assert_true(nb_force_radii_differ(&t->b));
    assert_int_equal(nb_force_parse("contact", &spec), 0);
    assert_true(nb_force_value(&spec, "radius") == 0);
    assert_int_equal(nb_force_choose_radius(&spec, &t->b), 0);
    assert_true(nb_force_value(&spec, "radius") == 1);
    free_touching(t);
    t = make_touching(5, LINES("box 0 1 0 1")); /* which do not touch */
    assert_int_equal(nb_bodies_add_known(&t->b, "radius", NB_F64) || nb_bodies_alloc(&t->b), 0);
    assert_false(nb_force_radii_differ(&t->b));
    free_touching(t);
}

/* ---- the list of tests ---- */

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(pairs_are_all_pairs),
    cmocka_unit_test(walls_are_walls),
    cmocka_unit_test(deep_by_the_own_radius),
    cmocka_unit_test(equal_radii_are_one_radius),
    cmocka_unit_test(ways_are_one),
    cmocka_unit_test(forces_are_slopes),
    cmocka_unit_test(the_least_radius_bounds_the_step),
    cmocka_unit_test(two_unequal_disks),
    cmocka_unit_test(a_closed_box_keeps_its_energy),
    cmocka_unit_test(equal_bytes),
    cmocka_unit_test(the_inlet_knows_the_radius),
    cmocka_unit_test(refusals),
};
#define CASES (sizeof cases / sizeof *cases)

int main(void)
{
    static struct CMUnitTest tests[256] = {cmocka_unit_test(where_radii_differ)};
    static struct checked_row rows[32];
    size_t count = 1, row_count = 0;
    omp_set_num_threads(1); /* where threads are not the question */
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        if (!((*f)->flags & NB_CONTACT))
            continue;
        if (!device_of((*f)->device))
            tests[count++] = (struct CMUnitTest){"a device # SKIP it is not here", run_nothing, NULL, NULL, NULL};
        for (int p = NB_SINGLE; p <= NB_DOUBLE && device_of((*f)->device); p++, row_count++) {
            rows[row_count] = (struct checked_row){{(*f)->device, (*f)->method}, (enum nb_precision)p};
            for (size_t c = 0; c < CASES; c++) {
                char *name;
                assert_true(asprintf(&name, "%s on %s, %s: %s", (*f)->method, (*f)->device,
                                     nb_precision_name((enum nb_precision)p), cases[c].name) > 0);
                tests[count] = cases[c];
                tests[count].name = name;
                tests[count++].initial_state = &rows[row_count];
            }
        }
    }
    return _cmocka_run_group_tests("contact_radius", tests, count, NULL, NULL);
}
