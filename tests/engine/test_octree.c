/* The textbook octree (octree.h) on every device: the effect of its parameters, compared with sums in double that the
 * test computes; results are bitwise independent of the order of insertion and the number of threads; difficult
 * positions. */
#include "force_rows.h"

#include <omp.h>

/* ---- one evaluation ---- */

struct result { /* of a force, or of sums in double; freed by result_free */
    uint64_t n;
    double *a, *phi; /* a: a triple a body */
};

static void result_free(struct result *r)
{
    free(r->a);
    free(r->phi);
}

static struct result evaluate(const struct row *row, const char *parameters, const struct nb_bodies *b, double eps)
{
    char text[128];
    struct nb_device *device = device_of(row->force->device);
    struct nb_state *s = nb_state_create(device, row->precision, b);
    struct result r = {b->n, malloc(24 * b->n), malloc(8 * b->n)};
    snprintf(text, sizeof text, "octree%s%s", *parameters ? ":" : "", parameters);
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC | NB_WANT_PHI, text, NAN);
    void *d_phi = nb_state_vector(s);
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, eps, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &(struct nb_column){.type = NB_F64, .width = 3, .data = r.a}), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &(struct nb_column){.type = NB_F64, .width = 1, .data = r.phi}), 0);
    nb_device_free(device, d_phi);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    return r;
}

static double *mass_of(const struct nb_bodies *b)
{
    return b->columns[0].data;
}

static double *place_of(const struct nb_bodies *b)
{
    return b->columns[1].data;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct errors { /* relative, of the acceleration, and of the potential */
    double median, largest, phi;
};

/* Of some 500 bodies. Those that nothing pulls, as all bodies at one place, must not move at all. */
static struct errors errors_of(const struct nb_bodies *b, double eps, const struct result *r)
{
    const uint64_t step = 1 + b->n / 500;
    double *error = calloc(b->n, sizeof *error);
    struct errors e = {0};
    size_t count = 0;
    for (uint64_t i = 0; i < b->n; i += step) {
        double a[3], phi, d[3];
        reference(b, i, eps, a, &phi);
        for (int k = 0; k < 3; k++)
            d[k] = r->a[3 * i + (uint64_t)k] - a[k];
        assert_true(isfinite(norm(d)) && (norm(a) > 0 || norm(d) == 0));
        error[count++] = norm(a) > 0 ? norm(d) / norm(a) : 0;
        e.phi = fmax(e.phi, phi != 0 ? fabs(r->phi[i] / phi - 1) : fabs(r->phi[i]));
    }
    qsort(error, count, sizeof *error, ascending);
    e.median = error[count / 2];
    e.largest = error[count - 1];
    free(error);
    return e;
}

static struct errors errors_with(const struct row *row, const char *parameters, const struct nb_bodies *b, double eps)
{
    struct result r = evaluate(row, parameters, b, eps);
    const struct errors e = errors_of(b, eps, &r);
    result_free(&r);
    return e;
}

/* With theta 0 all pairs are summed: errors are those of rounding, of the largest of 500 bodies. In single and mixed an
 * acceleration may be small beside the parts that it is the sum of. */
static void assert_all_pairs(const struct row *row, const struct nb_bodies *b, double eps)
{
    const double bound = row->precision == NB_DOUBLE ? 2e-11 : 1e-3,
                 typical = row->precision == NB_DOUBLE ? 1e-14 : 2e-6;
    const struct errors e = errors_with(row, "theta=0", b, eps);
    if (!(e.median <= typical && e.largest <= bound && e.phi <= bound))
        fail_msg("n %d: errors %g, %g, phi %g", (int)b->n, e.median, e.largest, e.phi);
}

/* ---- cases ---- */

static void errors_fall_with_theta(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 33, 1000, 4097, 30011};
    static const char *const theta[] = {"theta=1", "theta=0.7", "theta=0.4", "theta=0.2"};
    const struct row *row = *state;
    const size_t count = sizeof sizes / sizeof *sizes - nb_device_is_host(device_of(row->force->device));
    for (size_t k = 0; k < count; k++) { /* without the last, which on the CPU takes a second and runs the same loops */
        struct nb_bodies b;
        struct errors last = {INFINITY, INFINITY, INFINITY};
        make_sphere(&b, sizes[k]);
        if (sizes[k] <= 4097)
            assert_all_pairs(row, &b, 0.01);
        for (int t = 0; sizes[k] >= 1000 && t < (sizes[k] < 4097 ? 4 : 2); t++) {
            const struct errors e = errors_with(row, theta[t], &b, 0.01);
            assert_true(e.median < 0.6 * last.median && e.phi < last.phi && e.median < 2e-2);
            last = e;
        }
        nb_bodies_free(&b);
    }
}

/* Cells whose masses are in a corner: by their size alone they are taken for a mass from too near. */
static void offset_centres_are_seen_by_delta(void **state)
{
    const struct row *row = *state;
    struct nb_bodies b;
    make_sphere(&b, 2000);
    double *m = mass_of(&b), *x = place_of(&b);
    for (uint64_t i = 0; i < b.n; i++) {
        m[i] = i % 200 == 0 ? 1 : 0x1p-10;
        for (uint64_t k = 0; k < 3; k++)
            x[3 * i + k] = fmod(x[3 * i + k], 1);
    }
    const struct errors delta = errors_with(row, "theta=1", &b, 0.001);
    const struct errors size = errors_with(row, "theta=1,opening=size", &b, 0.001);
    assert_true(delta.median < size.median && delta.largest < 0.7 * size.largest);
    /* No body is in a mass that acts on it, however wide the opening. */
    assert_true(errors_with(row, "theta=2,opening=size", &b, 0.001).largest < 5);
    nb_bodies_free(&b);
}

/* Hundreds at one place, among others and alone; and the places in no order. */
static void bodies_at_one_place_are_a_chain(void **state)
{
    const struct row *row = *state;
    for (int which = 0; which < 3; which++) {
        struct nb_bodies b;
        make_sphere(&b, which == 2 ? 300 : 1500);
        double *x = place_of(&b);
        for (uint64_t i = 0; i < b.n; i++)
            if (which == 2 || i * 7919 % 1500 < 400 || (which == 1 && i % 2)) /* 1: and pairs */
                memcpy(x + 3 * i, x + (which == 1 && i % 2 ? 3 * (i - 1) : 0), 24);
        assert_all_pairs(row, &b, 0.05);
        assert_true(errors_with(row, "", &b, 0.05).median < 5e-3);
        nb_bodies_free(&b);
    }
}

/* An outlier, masses over many decades, none, a line, a lattice whose bodies are on the sides of cells. */
static void odd_systems_are_summed(void **state)
{
    const struct row *row = *state;
    for (int which = 0; which < 5; which++) {
        struct nb_bodies b;
        make_sphere(&b, 1331);
        double *m = mass_of(&b), *x = place_of(&b);
        if (which == 0)
            x[3 * 77] = 1e6;
        for (uint64_t i = 0; i < b.n; i++) {
            const double lattice[] = {(double)(i % 11), (double)(i / 11 % 11), (double)(i / 121)};
            if (which == 1)
                m[i] = rounded_to_float(pow(10, -(double)(i % 13)));
            if (which == 2 && i % 3)
                m[i] = 0;
            if (which == 3)
                x[3 * i + 1] = x[3 * i + 2] = 0;
            if (which == 4)
                memcpy(x + 3 * i, lattice, sizeof lattice);
        }
        assert_all_pairs(row, &b, 0.01);
        assert_true(errors_with(row, "", &b, 0.01).median < 1e-2);
        nb_bodies_free(&b);
    }
}

/* Bodies nearer to one another than the least cell, beside ones far away; pairs that only the last digits tell apart;
 * places whose differences are near the end of the numbers' range. Results are there, and where they can be, right. */
static void depth_has_an_end(void **state)
{
    const struct row *row = *state;
    /* In mixed a GPU's places are two numbers of single precision. */
    const double far = row->precision == NB_DOUBLE ? 1e100 : 1e18, near = row->precision == NB_DOUBLE ? 1e-200 : 1e-30;
    struct nb_bodies b;
    make_sphere(&b, 500);
    double *x = place_of(&b);
    for (uint64_t k = 0; k < 3 * 250; k++)
        x[k] = (float)x[k] * near;
    assert_all_pairs(row, &b, 1);
    x[3 * 499] = far;
    struct result r = evaluate(row, "", &b, 1);
    for (uint64_t k = 0; k < 3 * b.n; k++)
        assert_true(isfinite(r.a[k]));
    result_free(&r);
    nb_bodies_free(&b);
    make_sphere(&b, 500);
    x = place_of(&b);
    for (uint64_t i = 0; i + 1 < b.n; i += 2)
        for (uint64_t k = 0; k < 3; k++)
            x[3 * i + 3 + k] =
                row->precision == NB_SINGLE ? (double)nextafterf((float)x[3 * i + k], 9) : nextafter(x[3 * i + k], 9);
    assert_all_pairs(row, &b, 0.05);
    nb_bodies_free(&b);
}

/* Bodies given in another order get the bits that they got: cells do not know who came first. Only a chain does, whose
 * bodies are in the order of their numbers. */
static void order_of_insertion_is_not_seen(void **state)
{
    const struct row *row = *state;
    const uint64_t n = 5003;
    struct nb_bodies b, moved;
    make_sphere(&b, n);
    make_sphere(&moved, n);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t to = i * 1009 % n;
        mass_of(&moved)[to] = mass_of(&b)[i];
        memcpy(place_of(&moved) + 3 * to, place_of(&b) + 3 * i, 24);
    }
    struct result before = evaluate(row, "", &b, 0.01), after = evaluate(row, "", &moved, 0.01);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t to = i * 1009 % n;
        assert_memory_equal(before.a + 3 * i, after.a + 3 * to, 24);
        assert_memory_equal(before.phi + i, after.phi + to, 8);
    }
    result_free(&before);
    result_free(&after);
    nb_bodies_free(&b);
    nb_bodies_free(&moved);
}

/* Runs, numbers of threads, and instances that held a larger tree before: the same bits. Without votes of warps the
 * order in which bodies are taken is not seen either. */
static void runs_are_equal(void **state)
{
    const struct row *row = *state;
    const bool votes = strcmp(row->force->device, "cpu") != 0;
    const int threads = omp_get_max_threads();
    struct nb_bodies b;
    make_sphere(&b, bodies_for(row, 8000, 4001, 0));
    for (uint64_t i = 0; i < 300; i++)
        memset(place_of(&b) + 3 * (i * 13), 0, 24); /* a chain, whose masses differ */
    for (int sorted = 0; sorted < 2; sorted++) {
        const char *const parameters = sorted ? "sort=on" : "sort=off";
        struct result once = evaluate(row, "sort=on", &b, 0.01);
        if (!sorted && votes) {
            result_free(&once);
            once = evaluate(row, parameters, &b, 0.01);
        }
        for (int k = 1; k <= 3; k += 2) {
            omp_set_num_threads(k);
            struct result again = evaluate(row, parameters, &b, 0.01);
            assert_memory_equal(once.a, again.a, 24 * b.n);
            assert_memory_equal(once.phi, again.phi, 8 * b.n);
            result_free(&again);
        }
        result_free(&once);
    }
    omp_set_num_threads(threads);
    nb_bodies_free(&b);
}

/* Of a GPU's kernel; elsewhere there are none. */
static void size_of_blocks_is_not_seen(void **state)
{
    static const char *const parameters[] = {"block=32", "block=64", "block=512", "block=1024", "block=autotune"};
    const struct row *row = *state;
    struct nb_bodies b;
    make_sphere(&b, 3001);
    struct result once = evaluate(row, "", &b, 0.01);
    for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++) {
        struct result again = evaluate(row, parameters[k], &b, 0.01);
        assert_memory_equal(once.a, again.a, 24 * b.n);
        assert_memory_equal(once.phi, again.phi, 8 * b.n);
        result_free(&again);
    }
    result_free(&once);
    nb_bodies_free(&b);
}

static void refusals_are_sentences(void **state)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"octree:theta=-0.1", "theta=-0.1 is not from 0 to 2"},
        {"octree:theta=nan", ": expected a number"},
        {"octree:opening=radius", "opening=radius: expected one of delta, size"},
        {"octree:sort=yes", "sort=yes: expected one of off, on"},
        {"octree:lambda=1", "unknown parameter 'lambda' (known: theta, opening, sort, block)"},
    };
    struct nb_force_spec spec;
    struct nb_device *cpu = device_of("cpu");
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(nb_force_parse(wrong[k].text, &spec), -1);
        assert_non_null(strstr(nb_error(), wrong[k].why));
    }
    assert_null(nb_force_choose("octree", cpu, NB_QUAD, NB_WANT_ACC, 10));
    assert_null(nb_force_choose("octree", cpu, NB_DOUBLE, NB_WANT_JERK, 10));
    assert_non_null(strstr(nb_error(), "acceleration and potential only"));
}

int main(void)
{
    static const struct row_case cases[] = {
        {"errors fall with theta", errors_fall_with_theta},
        {"offset centres", offset_centres_are_seen_by_delta},
        {"bodies at one place", bodies_at_one_place_are_a_chain},
        {"odd systems", odd_systems_are_summed},
        {"depth", depth_has_an_end},
        {"order of insertion", order_of_insertion_is_not_seen},
        {"equal runs", runs_are_equal},
        {"size of blocks", size_of_blocks_is_not_seen},
    };
    add_test(refusals_are_sentences, NULL, "refusals");
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if (strcmp((*f)->method, "octree") == 0)
            add_rows(*f, cases, sizeof cases / sizeof *cases);
    return _cmocka_run_group_tests("octree", row_tests, row_test_count, NULL, NULL);
}
