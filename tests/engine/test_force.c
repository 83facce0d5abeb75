/* Every force on every device in every precision: compared with sums in double that the test computes without the
 * library's kernels, and with exact properties. */
#include "device/choose.h"
#include "force_rows.h"

static const uint64_t sizes[] = {1, 2, 3, 31, 33, 255, 1000, 4097, 11265, 30011};
#define SIZES (sizeof sizes / sizeof *sizes)

/* ---- one evaluation ---- */

struct result {
    struct nb_column a, phi;
};

/* The potential by itself, which may have a kernel of its own, is that which comes with the acceleration. */
static void check_phi_alone(const struct nb_force_set *set, const struct nb_state *s, double G, double eps, void *d_phi,
                            const double *together)
{
    const double digits = s->precision >= NB_DOUBLE ? 1e-13 : 2e-5;
    struct nb_column phi = {.type = NB_F64, .width = 1};
    phi.data = malloc(nb_column_bytes(&phi, s->n));
    assert_int_equal(nb_force_set_evaluate_state(set, nb_forces_all, s, G, eps, NULL, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &phi), 0);
    for (uint64_t i = 0; i < s->n; i++) {
        const double alone = ((double *)phi.data)[i];
        if (isfinite(together[i]))
            assert_true(fabs(alone - together[i]) <= digits * fabs(together[i]));
        else
            assert_false(isfinite(alone));
    }
    free(phi.data);
}

static void evaluate(const struct row *row, const struct nb_bodies *b, double G, double eps, struct result *out)
{
    struct nb_device *device = device_of(row->force->device);
    struct nb_state *s = nb_state_create(device, row->precision, b);
    assert_non_null(s);
    void *d_phi = nb_state_vector(s);
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, row->force->method, NAN);
    *out = (struct result){{.type = NB_F64, .width = 3}, {.type = NB_F64, .width = 1}};
    out->a.data = malloc(nb_column_bytes(&out->a, b->n));
    out->phi.data = malloc(nb_column_bytes(&out->phi, b->n));
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, G, eps, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &out->a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &out->phi), 0);
    check_phi_alone(&set, s, G, eps, d_phi, out->phi.data);
    nb_device_free(device, d_phi);
    nb_force_set_close(&set);
    nb_state_destroy(s);
}

static void result_free(struct result *r)
{
    free(r->a.data);
    free(r->phi.data);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return values[n / 2];
}

/* Median error of acceleration and potential over (a sample of) the bodies. Bounds: what the row states, and what
 * every row that sums all pairs has to keep, 2e-6 in single and mixed, 1e-14 in double, which is also what the sums
 * here can tell of quad. */
static void check_errors(const struct row *row, const struct nb_bodies *b, double eps, const struct result *got)
{
    const double rounding = row->precision >= NB_DOUBLE ? 1e-14 : 2e-6;
    const double stated = row->force->tolerance[row->precision], bound = exact(row) ? rounding : stated;
    const uint64_t most = b->n > 10000 ? 250 : 1000, count = b->n < most ? b->n : most, step = b->n / count;
    double *ea = malloc(count * sizeof *ea), *ephi = malloc(count * sizeof *ephi);
    for (uint64_t k = 0; k < count; k++) {
        double a[3], phi, d[3];
        const double *have = (double *)got->a.data + 3 * k * step;
        reference(b, k * step, eps, a, &phi);
        for (int c = 0; c < 3; c++)
            d[c] = have[c] - a[c];
        ea[k] = norm(d) / norm(a);
        ephi[k] = fabs(((double *)got->phi.data)[k * step] - phi) / fabs(phi);
    }
    double error_a = median(ea, count), error_phi = median(ephi, count);
    print_message("# %s %s %s: n %llu, softening %g: median error %.2e (phi %.2e), largest %.2e\n", row->force->method,
                  row->force->device, nb_precision_name(row->precision), (unsigned long long)b->n, eps, error_a,
                  error_phi, ea[count - 1]);
    assert_true(error_a <= bound && (error_a <= stated || row->precision == NB_QUAD));
    assert_true(error_phi <= bound);
    free(ea);
    free(ephi);
}

static void all_sizes_match_plain_sums(void **state)
{
    const struct row *row = *state;
    for (size_t k = 0; k < SIZES; k++) {
        struct nb_bodies b;
        struct result got;
        if (row->precision == NB_QUAD && sizes[k] > 500)
            continue; /* seconds, in software */
        if (nb_device_is_host(device_of(row->force->device)) && strcmp(row->force->method, "tree") != 0 &&
            sizes[k] > (is_textbook(row->force) ? 4000 : 20000))
            continue; /* seconds, in loops to which no size is another */
        if (starts_slowly(device_of(row->force->device)) && sizes[k] > 5000)
            continue; /* seconds, where the device is this machine's CPU */
        if (!has_memory(row, sizes[k])) {
            print_message("# %s: no memory for %llu bodies\n", row->force->method, (unsigned long long)sizes[k]);
            continue;
        }
        make_sphere(&b, sizes[k]);
        evaluate(row, &b, 1, 0.01, &got);
        if (b.n == 1) {
            assert_true(memcmp(got.a.data, (double[3]){0}, 24) == 0);
            assert_true(((double *)got.phi.data)[0] == 0);
        } else {
            check_errors(row, &b, 0.01, &got);
            check_momentum(row, &b, got.a.data);
        }
        result_free(&got);
        nb_bodies_free(&b);
    }
}

static void softening_zero_and_tiny(void **state)
{
    const struct row *row = *state;
    for (int k = 0; k < 2; k++) {
        struct nb_bodies b;
        struct result got;
        make_sphere(&b, bodies_for(row, 777, 777, 155));
        evaluate(row, &b, 1, k ? 1e-6 : 0, &got);
        check_errors(row, &b, k ? 1e-6 : 0, &got);
        result_free(&got);
        nb_bodies_free(&b);
    }
}

/* Components of bodies with one mass each, one of them without mass: methods may treat such blocks differently. */
static void components_of_equal_masses(void **state)
{
    const struct row *row = *state;
    struct nb_bodies b;
    struct result got;
    make_sphere(&b, bodies_for(row, 900, 900, 150));
    for (uint64_t i = 0; i < b.n; i++)
        ((double *)b.columns[0].data)[i] = 9 * i < 3 * b.n   ? 0.002
                                           : 9 * i < 6 * b.n ? 0.0005
                                           : 9 * i < 8 * b.n ? 0
                                                             : 0.001;
    evaluate(row, &b, 1, 0.01, &got);
    check_errors(row, &b, 0.01, &got);
    check_momentum(row, &b, got.a.data);
    result_free(&got);
    nb_bodies_free(&b);
}

/* Burrau's problem: masses 3 4 5 at rest in a right triangle; G enters as a factor. */
static void pythagorean_accelerations_are_exact(void **state)
{
    const struct row *row = *state;
    static const double mass[] = {3, 4, 5}, pos[] = {1, 3, 0, -2, -1, 0, 1, -1, 0};
    const double tolerance = row->precision >= NB_DOUBLE ? 1e-15 : 5e-7;
    struct nb_bodies b;
    struct result got;
    make_sphere(&b, 3);
    memcpy(b.columns[0].data, mass, sizeof mass);
    memcpy(b.columns[1].data, pos, sizeof pos);
    evaluate(row, &b, 2, 0, &got);
    const double *a = got.a.data, *phi = got.phi.data;
    assert_true(fabs(a[0] / 2 + 0.096) < tolerance && fabs(a[1] / 2 + 0.4405) < tolerance);
    assert_true(fabs(a[6] / 2 + 4. / 9) < tolerance && fabs(a[7] / 2 - 0.1875) < tolerance);
    assert_true(a[2] == 0 && a[5] == 0 && a[8] == 0);
    double potential = 0.5 * (3 * phi[0] + 4 * phi[1] + 5 * phi[2]) / 2;
    assert_true(fabs(potential + 769. / 60) < 12 * tolerance);
    result_free(&got);
    nb_bodies_free(&b);
}

/* Two bodies at one place: softened they do not accelerate each other, unsoftened the result is not a number. */
static void bodies_at_one_place(void **state)
{
    const struct row *row = *state;
    for (int softened = 0; softened < 2; softened++) {
        struct nb_bodies b;
        struct result got;
        make_sphere(&b, 2);
        memset(b.columns[1].data, 0, nb_column_bytes(&b.columns[1], 2));
        evaluate(row, &b, 1, softened ? 0.5 : 0, &got);
        const double *a = got.a.data, *phi = got.phi.data, m1 = ((double *)b.columns[0].data)[1];
        if (softened) {
            assert_true(a[0] == 0 && a[1] == 0 && a[2] == 0);
            assert_true(fabs(phi[0] + 2 * m1) < 1e-6);
        } else
            assert_false(isfinite(a[0]));
        result_free(&got);
        nb_bodies_free(&b);
    }
}

/* A body 10^5 times as far out as the others: its own acceleration is that of a point mass, and theirs do not suffer.
 */
static void an_outlier(void **state)
{
    const struct row *row = *state;
    struct nb_bodies b;
    struct result got;
    double a[3], phi, d[3];
    const uint64_t n = bodies_for(row, 1000, 1000, 200), at = n / 2;
    make_sphere(&b, n);
    double *far = (double *)b.columns[1].data + 3 * at;
    far[0] = 65536, far[1] = -98304, far[2] = 32768;
    evaluate(row, &b, 1, 0.01, &got);
    check_errors(row, &b, 0.01, &got);
    check_momentum(row, &b, got.a.data);
    reference(&b, at, 0.01, a, &phi);
    for (int c = 0; c < 3; c++)
        d[c] = ((double *)got.a.data)[3 * at + (uint64_t)c] - a[c];
    assert_true(norm(d) <= norm(a) * (!exact(row)                   ? row->force->tolerance[row->precision]
                                      : row->precision >= NB_DOUBLE ? 1e-14
                                                                    : 1e-5));
    result_free(&got);
    nb_bodies_free(&b);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    struct nb_device *cpu = device_of("cpu");
    assert_non_null(cpu);
    assert_null(nb_force_choose("gravitons", cpu, NB_DOUBLE, NB_WANT_ACC, 1));
    assert_non_null(strstr(nb_error(), "gravitons"));
    assert_null(nb_device_choose("abacus"));
    assert_non_null(strstr(nb_error(), "abacus"));
    assert_int_equal(nb_precision_parse("triple"), -1);
}

int main(void)
{
    static const struct row_case cases[] = {
        {"all sizes match plain sums", all_sizes_match_plain_sums},
        {"softening 0 and 1e-6", softening_zero_and_tiny},
        {"components of equal masses", components_of_equal_masses},
        {"pythagorean accelerations", pythagorean_accelerations_are_exact},
        {"bodies at one place", bodies_at_one_place},
        {"an outlier", an_outlier},
    };
    add_test(refusals_are_sentences, NULL, "refusals");
    return run_on_rows("force", cases, sizeof cases / sizeof *cases);
}
