/* Every force on every device in every precision: against sums in double that are written here without any of the
 * library's kernels, and against what can be said exactly. Of a device that is not here one line says so. */
#include "devices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t sizes[] = {1, 2, 31, 33, 255, 4096, 11265, 30011};
#define SIZES (sizeof sizes / sizeof *sizes)

struct row {
    const struct nb_force *force;
    enum nb_precision precision;
};

/* ---- bodies and the reference ---- */

static double uniform01(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* A Plummer-like sphere, masses over a decade. All values are rounded to float, so that every precision starts from
 * the same numbers. */
static void make_bodies(struct nb_bodies *b, uint64_t n)
{
    uint64_t seed = n;
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
    for (uint64_t i = 0; i < n; i++) {
        double u = 0.001 + 0.998 * uniform01(&seed), r = 1 / sqrt(pow(u, -2. / 3) - 1);
        double z = 2 * uniform01(&seed) - 1, angle = 2 * M_PI * uniform01(&seed), s = sqrt(1 - z * z);
        m[i] = (float)((0.1 + uniform01(&seed)) / (double)n);
        x[3 * i] = (float)(r * s * cos(angle));
        x[3 * i + 1] = (float)(r * s * sin(angle));
        x[3 * i + 2] = (float)(r * z);
    }
}

/* a[3], phi of target i by the plainest sum there is. */
static void reference(const struct nb_bodies *b, uint64_t i, double eps, double *a, double *phi)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    a[0] = a[1] = a[2] = *phi = 0;
    for (uint64_t j = 0; j < b->n; j++) {
        double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps * eps);
        if (j == i)
            continue;
        *phi -= m[j] / r;
        for (int k = 0; k < 3; k++)
            a[k] += m[j] * d[k] / (r * r * r);
    }
}

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
    assert_int_equal(nb_force_set_state(set, nb_forces_all, s, G, eps, NULL, d_phi), 0);
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
    assert_int_equal(nb_force_set_state(&set, nb_forces_all, s, G, eps, s->a, d_phi), 0);
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

static double norm(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
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

/* ---- the tests ---- */

/* Does it sum all pairs? Then its errors are those of rounding; otherwise its tolerance says how large they are. */
static bool exact(const struct row *row)
{
    return row->force->flags & NB_EXACT;
}

/* Median error of acceleration and potential over (a sample of) the bodies. Bounds: what the row states, and what
 * every row that sums all pairs has to keep, 2e-6 in single and mixed, 1e-14 in double, which is also what the sums
 * here can tell of quad. */
static void check_errors(const struct row *row, const struct nb_bodies *b, double eps, const struct result *got)
{
    const double rounding = row->precision >= NB_DOUBLE ? 1e-14 : 2e-6;
    const double stated = row->force->tolerance[row->precision], bound = exact(row) ? rounding : stated;
    const uint64_t count = b->n < 3000 ? b->n : 3000, step = b->n / count;
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

/* Newton's third law: |sum m a| against sum m |a|, by every force to rounding (tree.h, "momentum"). */
static void check_momentum(const struct row *row, const struct nb_bodies *b, const struct result *got)
{
    const double *m = b->columns[0].data, *a = got->a.data;
    double total[3] = {0}, scale = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        for (int k = 0; k < 3; k++)
            total[k] += m[i] * a[3 * i + k];
        scale += m[i] * norm(a + 3 * i);
    }
    assert_true(norm(total) <= (row->precision >= NB_DOUBLE ? 1e-14 : 1e-6) * scale);
}

static void all_sizes_match_plain_sums(void **state)
{
    const struct row *row = *state;
    for (size_t k = 0; k < SIZES; k++) {
        struct nb_bodies b;
        struct result got;
        if (row->precision == NB_QUAD && sizes[k] > 4096)
            continue; /* minutes, in software */
        make_bodies(&b, sizes[k]);
        evaluate(row, &b, 1, 0.01, &got);
        if (b.n == 1) {
            assert_true(memcmp(got.a.data, (double[3]){0}, 24) == 0);
            assert_true(((double *)got.phi.data)[0] == 0);
        } else {
            check_errors(row, &b, 0.01, &got);
            check_momentum(row, &b, &got);
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
        make_bodies(&b, 777);
        evaluate(row, &b, 1, k ? 1e-6 : 0, &got);
        check_errors(row, &b, k ? 1e-6 : 0, &got);
        result_free(&got);
        nb_bodies_free(&b);
    }
}

/* Burrau's problem: masses 3 4 5 at rest in a right triangle; G enters as a factor. */
static void pythagorean_accelerations_are_exact(void **state)
{
    const struct row *row = *state;
    static const double mass[] = {3, 4, 5}, pos[] = {1, 3, 0, -2, -1, 0, 1, -1, 0};
    const double tolerance = row->precision >= NB_DOUBLE ? 1e-15 : 5e-7;
    struct nb_bodies b;
    struct result got;
    make_bodies(&b, 3);
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
        make_bodies(&b, 2);
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

/* Targets that are a range of the sources, and targets that are none of them. With a theta next to nothing a tree sums
 * all pairs. */
static void ranges_and_free_points(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->force->device);
    struct nb_force_set set =
        open_force(device, row->precision, NB_WANT_ACC, row->force->method, exact(row) ? (double)NAN : 1e-4);
    const uint64_t i0 = 100, count = 333;
    struct nb_bodies b;
    make_bodies(&b, 1000);
    struct nb_state *s = nb_state_create(device, row->precision, &b);
    size_t offset = i0 * nb_precision_size(row->precision);
    struct nb_sources sources = {.n = s->n, .stride = s->stride, .m = s->m, .x = s->x, .G = 1, .softening = 0.01};
    struct nb_targets targets = {.n = count, .stride = s->stride, .x = (char *)s->x + offset, .self = (int64_t)i0};
    struct nb_field out = {.stride = s->stride, .a = s->a};
    struct nb_column part = {.type = NB_F64, .width = 3}, free_points = part;
    part.data = calloc(b.n, 24);
    free_points.data = calloc(b.n, 24);
    assert_int_equal(nb_force_set_field(&set, nb_forces_all, row->precision, &sources, &targets, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &part), 0);
    targets.self = -1; /* the same points as nobody's: their own bodies act at distance 0, which adds nothing */
    assert_int_equal(nb_force_set_field(&set, nb_forces_all, row->precision, &sources, &targets, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &free_points), 0);
    for (uint64_t k = 0; k < count; k++) {
        double a[3], phi;
        reference(&b, i0 + k, 0.01, a, &phi);
        for (int c = 0; c < 3; c++) {
            double tolerance = (row->precision >= NB_DOUBLE ? 1e-13 : 2e-5) * norm(a);
            assert_true(fabs(((double *)part.data)[3 * k + c] - a[c]) <= tolerance);
            assert_true(fabs(((double *)free_points.data)[3 * k + c] - a[c]) <= tolerance);
        }
    }
    free(part.data);
    free(free_points.data);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

/* What is done with a state and then looked at: a set of one force and a vector or two of room. */
struct bench {
    struct nb_bodies b;
    struct nb_device *device;
    struct nb_force_set set;
    struct nb_state *s;
    struct nb_sources sources;
    void *d_phi;
    double *a, *phi;
};

static void begin(struct bench *w, const struct row *row, uint64_t n, double theta)
{
    make_bodies(&w->b, n);
    w->device = device_of(row->force->device);
    w->set = open_force(w->device, row->precision, NB_WANT_ACC, row->force->method, exact(row) ? (double)NAN : theta);
    w->s = nb_state_create(w->device, row->precision, &w->b);
    w->sources = (struct nb_sources){
        .n = w->s->n, .stride = w->s->stride, .m = w->s->m, .x = w->s->x, .G = 1, .softening = 0.01};
    w->d_phi = nb_state_vector(w->s);
    w->a = calloc(n, 24);
    w->phi = calloc(n, 8);
}

static void run(struct bench *w, const struct row *row, const struct nb_targets *targets, bool add)
{
    const struct nb_field out = {.stride = w->s->stride, .a = w->s->a, .phi = w->d_phi, .add = add};
    struct nb_column a = {.type = NB_F64, .width = 3, .data = w->a}, phi = {.type = NB_F64, .width = 1, .data = w->phi};
    assert_int_equal(nb_force_set_field(&w->set, nb_forces_all, row->precision, &w->sources, targets, &out), 0);
    assert_int_equal(nb_state_fetch(w->s, w->s->a, &a), 0);
    assert_int_equal(nb_state_fetch(w->s, w->d_phi, &phi), 0);
}

static void end(struct bench *w)
{
    nb_device_free(w->device, w->d_phi);
    nb_force_set_close(&w->set);
    nb_state_destroy(w->s);
    nb_bodies_free(&w->b);
    free(w->a);
    free(w->phi);
}

/* Is what target k has got the field at body i, times `factor`? */
static void assert_field(const struct bench *w, const struct row *row, uint64_t k, uint64_t i, double factor)
{
    const double digits = row->precision >= NB_DOUBLE ? 1e-13 : 2e-5;
    double a[3], phi;
    reference(&w->b, i, 0.01, a, &phi);
    for (int c = 0; c < 3; c++)
        if (!(fabs(w->a[3 * k + (uint64_t)c] - factor * a[c]) <= factor * digits * norm(a)))
            fail_msg("target %d, body %d: %g, not %g", (int)k, (int)i, w->a[3 * k + (uint64_t)c], factor * a[c]);
    assert_true(fabs(w->phi[k] - factor * phi) <= factor * digits * fabs(phi));
}

/* Targets that are a list of bodies: neighbours, single ones, the first and the last; also one alone, and all. */
static void a_list_of_targets(void **state)
{
    const struct row *row = *state;
    static const uint64_t counts[] = {1000, 6001};
    for (int which = 0; which < 6; which++) {
        struct bench w;
        const uint64_t n = counts[which % 2], stride = which < 2 ? 1 : which < 4 ? 37 : n;
        if (row->precision == NB_QUAD && n > 1000)
            continue;
        begin(&w, row, n, 1e-4);
        uint32_t *index = malloc(n * sizeof *index), count = 0;
        for (uint64_t i = 0; i < n; i++)
            if (i % stride == 0 || (stride < n && (i == n - 1 || i % 501 < 5)))
                index[count++] = (uint32_t)i;
        void *d_index = nb_device_alloc(w.device, count * sizeof *index);
        assert_int_equal(nb_device_to(w.device, d_index, index, count * sizeof *index), 0);
        const struct nb_targets targets = {.n = count, .stride = w.s->stride, .x = w.s->x, .index = d_index};
        run(&w, row, &targets, false);
        for (uint64_t k = 0; k < count; k += 1 + count / 200)
            assert_field(&w, row, k, index[k], 1);
        assert_field(&w, row, count - 1, index[count - 1], 1);
        nb_device_free(w.device, d_index);
        free(index);
        end(&w);
    }
}

enum { ALL, RANGE, LIST, POINTS, TARGETS };

/* Fields are added to what is there: all bodies, a range, a list, free points; acceleration and potential, or one. */
static void fields_add(void **state)
{
    const struct row *row = *state;
    const uint64_t n = row->precision == NB_QUAD ? 300 : 2501, first = 100;
    for (int which = 0; which < 3 * TARGETS; which++) {
        struct bench w;
        const int kind = which % TARGETS, wanted = which / TARGETS; /* both, a, phi */
        const uint64_t count = kind == ALL ? n : kind == RANGE ? n - first : n / 3;
        begin(&w, row, n, 1e-4);
        uint32_t *index = malloc(n * sizeof *index);
        for (uint64_t k = 0; k < n; k++)
            index[k] = (uint32_t)(kind == LIST ? 3 * k : kind == RANGE ? first + k : k);
        void *d_index = nb_device_alloc(w.device, n * sizeof *index);
        assert_int_equal(nb_device_to(w.device, d_index, index, n * sizeof *index), 0);
        const size_t offset = kind == RANGE ? first * nb_precision_size(row->precision) : 0;
        const struct nb_targets targets = {.n = count,
                                           .stride = w.s->stride,
                                           .x = (char *)w.s->x + offset,
                                           .self = kind == RANGE    ? (int64_t)first
                                                   : kind == POINTS ? -1
                                                                    : 0,
                                           .index = kind == LIST ? d_index : NULL};
        for (int k = 0; k < 3; k++) {
            const struct nb_field out = {.stride = w.s->stride,
                                         .a = wanted == 2 ? NULL : w.s->a,
                                         .phi = wanted == 1 ? NULL : w.d_phi,
                                         .add = k > 0};
            assert_int_equal(nb_force_set_field(&w.set, nb_forces_all, row->precision, &w.sources, &targets, &out), 0);
        }
        struct nb_column a = {.type = NB_F64, .width = 3, .data = w.a};
        struct nb_column phi = {.type = NB_F64, .width = 1, .data = w.phi};
        assert_int_equal(nb_state_fetch(w.s, w.s->a, &a), 0);
        assert_int_equal(nb_state_fetch(w.s, w.d_phi, &phi), 0);
        for (uint64_t k = 0; k < count; k += 1 + count / 50) {
            double want[3], potential;
            reference(&w.b, index[k], 0.01, want, &potential);
            if (kind == POINTS) /* a free point feels its own body too */
                potential -= ((double *)w.b.columns[0].data)[index[k]] / 0.01;
            const double digits = row->precision >= NB_DOUBLE ? 1e-13 : 2e-5;
            for (uint64_t c = 0; c < 3; c++)
                assert_true(fabs(w.a[3 * k + c] - (wanted == 2 ? 0 : 3 * want[c])) <= 3 * digits * norm(want));
            assert_true(fabs(w.phi[k] - (wanted == 1 ? 0 : 3 * potential)) <= 3 * digits * fabs(potential));
        }
        nb_device_free(w.device, d_index);
        free(index);
        end(&w);
    }
}

/* What is added twice as a tree makes it is twice as much, without a force on the whole. */
static void sums_keep_the_momentum(void **state)
{
    const struct row *row = *state;
    struct bench w;
    begin(&w, row, row->precision == NB_QUAD ? 300 : 5000, 0.75);
    const struct nb_targets all = {.n = w.s->n, .stride = w.s->stride, .x = w.s->x};
    for (int k = 0; k < 2; k++)
        run(&w, row, &all, k > 0);
    check_momentum(row, &w.b, &(struct result){{.data = w.a}, {.data = w.phi}});
    end(&w);
}

/* A position that is no number, or infinite: no hang and no full memory, but results that say so. */
static void what_is_not_finite_is_seen(void **state)
{
    const struct row *row = *state;
    for (int which = 0; which < 2; which++) {
        struct bench w;
        if (row->precision == NB_QUAD)
            return;
        begin(&w, row, 5000, 0.75);
        nb_state_destroy(w.s);
        ((double *)w.b.columns[1].data)[3 * 1234 + 1] = which ? (double)NAN : (double)INFINITY;
        w.s = nb_state_create(w.device, row->precision, &w.b);
        w.sources.m = w.s->m, w.sources.x = w.s->x;
        run(&w, row, &(struct nb_targets){.n = w.s->n, .stride = w.s->stride, .x = w.s->x}, false);
        assert_false(isfinite(w.a[3 * 1234 + 1]));
        for (uint64_t i = 0; i < w.b.n && !exact(row); i++) /* in a tree all hangs together */
            assert_true(isnan(w.a[3 * i]) && isnan(w.a[3 * i + 2]) && isnan(w.phi[i]));
        end(&w);
    }
}

/* Two instances of a device, on one card or on two, used in turn, give the bits of one: nothing is shared. */
static void two_instances_are_as_one(void **state)
{
    const struct row *row = *state;
    struct nb_device *device[2];
    struct bench alone, w[2];
    const uint64_t n = row->precision == NB_QUAD ? 200 : 5000;
    begin(&alone, row, n, 0.75);
    const struct nb_targets all = {.n = alone.s->n, .stride = alone.s->stride, .x = alone.s->x};
    run(&alone, row, &all, false);
    for (int k = 0; k < 2; k++) {
        begin(&w[k], row, n, 0.75);
        nb_force_set_close(&w[k].set);
        nb_device_free(w[k].device, w[k].d_phi);
        nb_state_destroy(w[k].s);
        device[k] = nb_device_open(alone.device->kind, k); /* the second on another card, where there is one */
        w[k].device = device[k] = device[k] ? device[k] : nb_device_open(alone.device->kind, 0);
        assert_non_null(device[k]);
        w[k].set =
            open_force(device[k], row->precision, NB_WANT_ACC, row->force->method, exact(row) ? (double)NAN : 0.75);
        w[k].s = nb_state_create(device[k], row->precision, &w[k].b);
        w[k].d_phi = nb_state_vector(w[k].s);
        w[k].sources.m = w[k].s->m, w[k].sources.x = w[k].s->x;
    }
    for (int turn = 0; turn < 4; turn++) {
        struct bench *now = &w[turn % 2];
        const struct nb_targets targets = {.n = now->s->n, .stride = now->s->stride, .x = now->s->x};
        run(now, row, &targets, false);
        assert_memory_equal(now->a, alone.a, 24 * n);
        assert_memory_equal(now->phi, alone.phi, 8 * n);
    }
    for (int k = 0; k < 2; k++) {
        end(&w[k]);
        nb_device_close(device[k]);
    }
    end(&alone);
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

static void nothing(void **state)
{
    (void)state;
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} cases[] = {
    {"all sizes match plain sums", all_sizes_match_plain_sums},
    {"softening 0 and 1e-6", softening_zero_and_tiny},
    {"pythagorean accelerations", pythagorean_accelerations_are_exact},
    {"bodies at one place", bodies_at_one_place},
    {"ranges and free points", ranges_and_free_points},
    {"a list of targets", a_list_of_targets},
    {"fields add", fields_add},
    {"sums keep the momentum", sums_keep_the_momentum},
    {"what is not finite is seen", what_is_not_finite_is_seen},
    {"two instances are as one", two_instances_are_as_one},
};
#define CASES    (sizeof cases / sizeof *cases)
#define ROWS_MAX 64

static struct CMUnitTest tests[ROWS_MAX * CASES + 3];
static size_t test_count;

static void add_test(CMUnitTestFunction function, struct row *row, const char *format, ...)
{
    char *name;
    va_list args;
    va_start(args, format);
    if (vasprintf(&name, format, args) < 0)
        abort();
    va_end(args);
    tests[test_count++] = (struct CMUnitTest){name, function, NULL, NULL, row};
}

/* All cases for each precision that the force offers; TAP's directive in a name where its device is not here. */
static void add_rows(const struct nb_force *force)
{
    static struct row rows[ROWS_MAX];
    static size_t row_count;
    if (force->flags & (NB_EXTERNAL | NB_CONTACT))
        return; /* test_external.c, test_contact.c */
    if (!device_of(force->device)) {
        add_test(nothing, NULL, "%s on %s # SKIP %s", force->method, force->device, nb_error());
        return;
    }
    for (int p = 0; p < NB_PRECISIONS; p++) {
        if (force->tolerance[p] == 0)
            continue;
        rows[row_count] = (struct row){force, (enum nb_precision)p};
        for (size_t c = 0; c < CASES; c++)
            add_test(cases[c].function, &rows[row_count], "%s %s %s: %s", force->method, force->device,
                     nb_precision_name((enum nb_precision)p), cases[c].name);
        row_count++;
    }
}

int main(void)
{
    bool cuda = false;
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        add_rows(*f);
        cuda = cuda || strcmp((*f)->device, "cuda") == 0;
    }
    if (!cuda)
        add_test(nothing, NULL, "cuda # SKIP built without CUDA");
    add_test(refusals_are_sentences, NULL, "refusals");
    return _cmocka_run_group_tests("force", tests, test_count, NULL, NULL); /* the macro wants an array of fixed size */
}
