/* Several devices as one (lib/device/group, lib/force/force_group.c): what one device computes, bit for bit where no
 * sum has another order, and what goes wrong on one of them. Parts of a CPU, and GPUs where there are several. */
#include "device/group.h"
#include "devices.h"
#include "force/force_group.h"
#include "made_bodies.h"
#include "measure.h"
#include "step/step.h"

#include <errno.h>

#define BODIES 1000 /* three parts of 320, 320 and 360 */

/* Positions, velocities and masses without any order. */
static void make_cloud(struct nb_bodies *b, uint64_t n)
{
    uint64_t seed = 7;
    make_bodies(b, n, 1.0 / (double)n);
    for (uint64_t k = 0; k < 3 * n; k++) {
        ((double *)b->columns[1].data)[k] = uniform01(&seed) - 0.5;
        ((double *)b->columns[2].data)[k] = uniform01(&seed) - 0.5;
    }
}

struct pair { /* the same bodies on one device and on several */
    struct nb_device *one, *many;
    struct nb_bodies bodies;
    struct nb_state *on_one, *on_many;
};

static struct pair make_pair(const char *many, enum nb_precision precision, uint64_t n)
{
    struct pair p;
    char kind[16];
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(many, ":"), many);
    p.one = nb_device_choose(strcmp(kind, "ranks") == 0 ? "cpu" : kind);
    p.many = open_device(many);
    assert_non_null(p.one);
    assert_non_null(p.many);
    make_cloud(&p.bodies, n);
    p.on_one = nb_state_create(p.one, precision, &p.bodies);
    p.on_many = nb_state_create(p.many, precision, &p.bodies);
    assert_non_null(p.on_one);
    assert_non_null(p.on_many);
    return p;
}

static void free_pair(struct pair *p)
{
    nb_state_destroy(p->on_one);
    nb_state_destroy(p->on_many);
    nb_device_close(p->one);
    nb_device_close(p->many);
    nb_bodies_free(&p->bodies);
}

/* The largest difference of two vectors, and of what is expected the largest value. */
static double difference(const struct nb_state *a, const void *d_a, const struct nb_state *b, const void *d_b,
                         double *largest)
{
    struct nb_column x = {.type = NB_F64, .width = 3}, y = x;
    double most = 0;
    x.data = calloc(a->n, 24);
    y.data = calloc(a->n, 24);
    assert_int_equal(nb_state_fetch(a, d_a, &x), 0);
    assert_int_equal(nb_state_fetch(b, d_b, &y), 0);
    *largest = 0;
    for (uint64_t k = 0; k < 3 * a->n; k++) {
        most = fmax(most, fabs(((double *)x.data)[k] - ((double *)y.data)[k]));
        *largest = fmax(*largest, fabs(((double *)x.data)[k]));
    }
    free(x.data);
    free(y.data);
    return most;
}

/* ---- the split ---- */

static void every_body_has_one_part(void **state)
{
    struct nb_device *d = open_device(*state);
    assert_non_null(d);
    assert_true(nb_device_is_group(d));
    for (uint64_t n = 1; n < 100000; n = n * 3 / 2 + 1)
        for (int k = 0; k < nb_group_count(d); k++) {
            const uint64_t begin = nb_group_begin(d, n, k), end = nb_group_begin(d, n, k + 1);
            assert_true(begin <= end && (begin % 64 == 0 || begin == n));
            assert_true(k > 0 || begin == 0);
            assert_true(k + 1 < nb_group_count(d) || end == n);
            assert_true((double)(end - begin) < (double)n / nb_group_count(d) + 65);
            assert_true(nb_group_stride(d, n, k) >= end - begin && nb_group_stride(d, n, k) % 64 == 0);
        }
    nb_device_close(d);
}

static void what_is_stored_is_fetched(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    double largest, *rows = malloc(3 * p.on_one->stride * sizeof *rows),
                    *same = malloc(3 * p.on_one->stride * sizeof *rows);
    assert_true(difference(p.on_one, p.on_one->v, p.on_many, p.on_many->v, &largest) == 0 && largest > 0);
    /* Rows by bytes, as a checkpoint takes them, lie as on one device. */
    assert_int_equal(nb_device_from(p.one, rows, p.on_one->x, 3 * p.on_one->stride * sizeof *rows), 0);
    assert_int_equal(nb_device_from(p.many, same, p.on_many->x, 3 * p.on_one->stride * sizeof *rows), 0);
    assert_memory_equal(rows, same, 3 * p.on_one->stride * sizeof *rows);
    assert_int_equal(nb_device_to(p.many, p.on_many->v, rows, 3 * p.on_one->stride * sizeof *rows), 0);
    assert_true(difference(p.on_one, p.on_one->x, p.on_many, p.on_many->v, &largest) == 0);
    free(rows);
    free(same);
    free_pair(&p);
}

/* ---- vectors ---- */

static void combinations_are_equal_bits(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    const double c[] = {0.3, -1.7};
    double norm[2], largest;
    struct nb_state *const states[] = {p.on_one, p.on_many};
    for (int k = 0; k < 2; k++) {
        struct nb_state *s = states[k];
        const void *in[] = {s->x, s->v};
        const struct nb_combination row = {.c = c, .base = s->x, .out = s->a};
        assert_int_equal(nb_device_combine(s->device, NB_DOUBLE, 3 * s->stride, 2, in, 1, &row, &norm[k]), 0);
        assert_int_equal(nb_device_axpy(s->device, NB_DOUBLE, 3 * s->stride, 0.1, s->a, s->v), 0);
        assert_int_equal(nb_device_kick_drift(s->device, NB_DOUBLE, 3 * s->stride, 0.2, 0, 0.5, s->a, s->v, s->x), 0);
        /* A row alone, by an address within, and its first values. */
        const void *middle = (char *)s->v + s->stride * sizeof(double);
        const struct nb_combination few = {.c = c, .out = (char *)s->a + 2 * s->stride * sizeof(double)};
        assert_int_equal(nb_device_combine(s->device, NB_DOUBLE, 500, 1, &middle, 1, &few, NULL), 0);
    }
    assert_true(norm[0] == norm[1] && norm[0] > 0);
    assert_true(difference(p.on_one, p.on_one->a, p.on_many, p.on_many->a, &largest) == 0 && largest > 0);
    assert_true(difference(p.on_one, p.on_one->v, p.on_many, p.on_many->v, &largest) == 0 && largest > 0);
    assert_true(difference(p.on_one, p.on_one->x, p.on_many, p.on_many->x, &largest) == 0 && largest > 0);
    free_pair(&p);
}

static void scales_and_extents_are_equal(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    double time[2], extent[2][2];
    struct nb_state *const states[] = {p.on_one, p.on_many};
    for (int k = 0; k < 2; k++) {
        struct nb_state *s = states[k];
        const void *derivative[NB_DERIVATIVES_MAX] = {s->x, s->v, s->x, s->v}, *vectors[] = {s->x, s->v};
        assert_int_equal(nb_device_step_scale(s->device, NB_DOUBLE, s->n, s->stride, derivative, 0, &time[k]), 0);
        assert_int_equal(nb_device_extent(s->device, NB_DOUBLE, s->n, s->stride, 2, vectors, extent[k]), 0);
    }
    assert_true(time[0] == time[1] && time[0] > 0 && isfinite(time[0]));
    assert_true(extent[0][0] == extent[1][0] && extent[0][1] == extent[1][1] && extent[0][0] > 0.9);
    free_pair(&p);
}

/* ---- forces ---- */

static void check_field(const struct pair *p, const char *force, double tolerance)
{
    double largest;
    struct nb_state *const states[] = {p->on_one, p->on_many};
    void *phi[2];
    for (int k = 0; k < 2; k++) {
        struct nb_force_set set =
            open_force(states[k]->device, states[k]->precision, NB_WANT_ACC | NB_WANT_PHI, force, NAN);
        phi[k] = nb_state_vector(states[k]);
        for (int again = 0; again < 3; again++) /* bounds of shares move */
            assert_int_equal(
                nb_force_set_state(&set, nb_forces_all, states[k], 1, 0.05, states[k]->a, again == 2 ? phi[k] : NULL),
                0);
        nb_force_set_close(&set);
    }
    const double off = difference(states[0], states[0]->a, states[1], states[1]->a, &largest);
    if (!(off <= tolerance * largest))
        fail_msg("%s: accelerations differ by %g of %g", force, off, largest);
    const double phi_off = difference(states[0], phi[0], states[1], phi[1], &largest);
    assert_true(phi_off <= tolerance * largest && largest > 0);
    nb_device_free(p->one, phi[0]);
    nb_device_free(p->many, phi[1]);
}

/* The tree's errors are its tolerance; 20 bodies fill one part alone. */
static void fields_are_those_of_one_device(void **state)
{
    for (uint64_t n = 20; n <= BODIES; n *= 50)
        for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++) {
            struct pair p = make_pair(*state, (enum nb_precision)precision, n);
            check_field(&p, "direct", precision == NB_DOUBLE ? 1e-14 : 2e-6);
            check_field(&p, "tree", 2e-3);
            check_field(&p, "external:nfw,mass=1,scale=2", 0);
            free_pair(&p);
        }
}

/* Methods that serve all bodies alone: the bits of one device, on a GPU as near as another choice of threads comes. */
static void textbook_methods_are_those_of_one_device(void **state)
{
    int found = 0;
    for (uint64_t n = 20; n <= BODIES; n *= 50)
        for (const struct nb_force *const *f = nb_forces; *f; f++) {
            struct pair p = make_pair(*state, NB_DOUBLE, n);
            if ((*f)->flags & NB_ALL_BODIES && strcmp((*f)->device, p.one->name) == 0 &&
                (*f)->tolerance[NB_DOUBLE] > 0) {
                check_field(&p, (*f)->method, nb_device_is_host(p.one) ? 0 : fmax(1e-14, (*f)->tolerance[NB_DOUBLE]));
                found++;
            }
            free_pair(&p);
        }
    assert_true(found >= 8);
}

/* Each of two methods adds its field to the other's. */
static void fields_of_all_bodies_add(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    struct nb_force_set set = open_force(p.many, NB_DOUBLE, NB_WANT_ACC, "direct", NAN);
    struct nb_force_spec spec;
    struct nb_column one = {.type = NB_F64, .width = 3, .data = malloc(24 * BODIES)}, two = one;
    two.data = malloc(24 * BODIES);
    assert_int_equal(nb_force_set_state(&set, nb_forces_all, p.on_many, 1, 0.05, p.on_many->a, NULL), 0);
    assert_int_equal(nb_state_fetch(p.on_many, p.on_many->a, &one), 0);
    assert_int_equal(nb_force_parse("pairs-matrix", &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, BODIES, NULL), 0);
    assert_int_equal(nb_force_set_state(&set, nb_forces_all, p.on_many, 1, 0.05, p.on_many->a, NULL), 0);
    assert_int_equal(nb_state_fetch(p.on_many, p.on_many->a, &two), 0);
    for (int i = 0; i < 3 * BODIES; i++)
        assert_true(fabs(((double *)two.data)[i] - 2 * ((double *)one.data)[i]) < 1e-12);
    nb_force_set_close(&set);
    free(one.data);
    free(two.data);
    free_pair(&p);
}

/* As an energy is checked: a list of bodies, the output beginning in the first part and going on in others; behind the
 * field of all, of which a part computes a share. */
static void check_some(const char *devices, const char *force, double tolerance)
{
    struct pair p = make_pair(devices, NB_DOUBLE, BODIES);
    struct nb_state *const states[] = {p.on_one, p.on_many};
    uint32_t list[600];
    double phi[2][600], at_points[2][600];
    for (uint32_t k = 0; k < 600; k++)
        list[k] = k * 5 / 3;
    for (int k = 0; k < 2; k++) {
        struct nb_state *s = states[k];
        struct nb_force_set set = open_force(s->device, NB_DOUBLE, NB_WANT_ACC | NB_WANT_PHI, force, NAN);
        void *d_list = nb_device_alloc(s->device, sizeof list), *d_points = nb_device_alloc(s->device, 24 * 640),
             *d_out = nb_device_alloc(s->device, 8 * 640);
        const struct nb_sources sources = nb_sources_of(s, 1, 0.05);
        struct nb_targets t = {.n = 600, .stride = s->stride, .x = s->x, .index = d_list};
        struct nb_field out = {.stride = s->stride, .phi = s->a};
        assert_int_equal(nb_device_to(s->device, d_list, list, sizeof list), 0);
        assert_int_equal(nb_force_set_state(&set, nb_forces_all, s, 1, 0.05, s->a, NULL), 0);
        assert_int_equal(nb_force_set_field(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
        assert_int_equal(nb_device_fetch(s->device, NB_DOUBLE, 600, s->stride, 1, s->a, NB_F64, phi[k]), 0);
        assert_int_equal(nb_device_store(s->device, NB_DOUBLE, 600, 640, 3, p.bodies.columns[2].data, NB_F64, d_points),
                         0);
        t = (struct nb_targets){.n = 600, .stride = 640, .x = d_points, .self = -1};
        out = (struct nb_field){.stride = 640, .phi = d_out};
        assert_int_equal(nb_force_set_field(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
        assert_int_equal(nb_device_fetch(s->device, NB_DOUBLE, 600, 640, 1, d_out, NB_F64, at_points[k]), 0);
        nb_device_free(s->device, d_list);
        nb_device_free(s->device, d_points);
        nb_device_free(s->device, d_out);
        nb_force_set_close(&set);
    }
    for (int k = 0; k < 600; k++) {
        assert_true(phi[0][k] < 0 && fabs(phi[1][k] / phi[0][k] - 1) <= tolerance);
        assert_true(at_points[0][k] < 0 && fabs(at_points[1][k] / at_points[0][k] - 1) <= tolerance);
    }
    free_pair(&p);
}

static void lists_and_free_points(void **state)
{
    check_some(*state, "direct", 1e-14);
    check_some(*state, "tree", 2e-3);
    check_some(*state, "external:nfw,mass=1,scale=2", 1e-15);
}

/* A range that begins within one part and ends within another, and free points that are bodies' own rows, both added to
 * what is there, by a force of the bodies and one that has none. */
static void ranges_add_to_what_is_there(void **state)
{
    static const char *const forces[] = {"direct", "external:nfw,mass=1,scale=2"};
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    struct nb_state *const states[] = {p.on_one, p.on_many};
    for (int what = 0; what < 4; what++) {
        double largest;
        for (int k = 0; k < 2; k++) {
            struct nb_state *s = states[k];
            struct nb_force_set set = open_force(s->device, NB_DOUBLE, NB_WANT_ACC, forces[what / 2], NAN);
            const struct nb_sources sources = nb_sources_of(s, 1, 0.05);
            const struct nb_targets t = {.n = what % 2 ? BODIES : 700,
                                         .stride = s->stride,
                                         .x = (const char *)s->x + (what % 2 ? 0 : 200 * sizeof(double)),
                                         .self = what % 2 ? -1 : 200};
            const struct nb_field out = {.stride = s->stride, .a = s->a, .add = true};
            const void *from = s->v;
            const double two = 2;
            const struct nb_combination twice = {.c = &two, .out = s->a};
            assert_int_equal(nb_device_combine(s->device, NB_DOUBLE, 3 * s->stride, 1, &from, 1, &twice, NULL), 0);
            assert_int_equal(nb_force_set_field(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
            nb_force_set_close(&set);
        }
        assert_true(difference(p.on_one, p.on_one->a, p.on_many, p.on_many->a, &largest) < 1e-12 * largest);
        assert_true(difference(p.on_many, p.on_many->a, p.on_many, p.on_many->v, &largest) > 0.5);
    }
    free_pair(&p);
}

/* ---- shares, by a force of the test ---- */

/* Share of the bodies: those whose number, read backwards, is there; the field is the position, and 3 for phi. */
static int share_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const double share[2], const struct nb_field *out, double *seconds)
{
    (void)device, (void)work, (void)precision;
    const double *x = s->x;
    *seconds = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        const double at = (double)(s->n - 1 - i) / (double)s->n;
        if (!(at >= share[0] && at < share[1]))
            continue;
        *seconds += 1 + 9 * (at < 0.1); /* the first tenth takes ten times as long */
        for (uint64_t c = 0; c < 3; c++)
            ((double *)out->a)[c * out->stride + i] = x[c * s->stride + i];
        if (out->phi)
            ((double *)out->phi)[i] = 3;
    }
    return 0;
}

static int share_sum(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                     const void *d_m, const void *d_own, double sum[4])
{
    (void)device, (void)work, (void)precision, (void)own_stride;
    for (uint64_t i = 0; i < n; i++)
        sum[0] += ((const double *)d_m)[i] * ((const double *)d_own)[i];
    sum[3] = 1;
    return 0;
}

static double sum_seen[4];

static int share_finish(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n,
                        uint64_t own_stride, const void *d_own, const double sum[4], const struct nb_field *out)
{
    (void)device, (void)work, (void)precision;
    memcpy(sum_seen, sum, sizeof sum_seen);
    for (uint64_t c = 0; c < 3; c++)
        for (uint64_t i = 0; i < n; i++)
            ((double *)out->a)[c * out->stride + i] = ((const double *)d_own)[c * own_stride + i];
    return 0;
}

static void shares_meet(void **state)
{
    static const struct nb_force_shares shares = {NULL, share_field, share_sum, share_finish};
    static const struct nb_force row = {
        .method = "shares", .device = "cpu", .tolerance = {0, 0, 1, 0}, .shares = &shares};
    const struct nb_force *entry;
    void *work;
    struct pair p = make_pair("cpu:0-2", NB_DOUBLE, BODIES);
    struct nb_state *s = p.on_many;
    double largest, expected = 0;
    (void)state;
    assert_int_equal(nb_force_group_open(p.many, &row, NULL, NULL, &entry, &work), 0);
    const struct nb_sources sources = nb_sources_of(s, 1, 0);
    const struct nb_targets t = {.n = s->n, .stride = s->stride, .x = s->x};
    struct nb_column phi = {.type = NB_F64, .width = 1, .data = malloc(8 * BODIES)};
    for (int again = 0; again < 20; again++) {
        const struct nb_field out = {.stride = s->stride, .a = s->a, .phi = s->v};
        assert_int_equal(entry->field(p.many, work, NB_DOUBLE, &sources, &t, &out), 0);
        assert_true(difference(p.on_one, p.on_one->x, s, s->a, &largest) == 0 && largest > 0.4);
        assert_int_equal(nb_state_fetch(s, s->v, &phi), 0);
        for (int i = 0; i < BODIES; i++)
            assert_true(((double *)phi.data)[i] == 3);
    }
    for (int i = 0; i < BODIES; i++)
        expected += 1e-3 * ((double *)p.bodies.columns[1].data)[3 * i];
    assert_true(fabs(sum_seen[0] - expected) < 1e-14 && sum_seen[3] == 3);
    entry->close(p.many, work);
    free(phi.data);
    free_pair(&p);
}

/* ---- what goes wrong ---- */

static int fail_on_one(void *context, int k)
{
    errno = k == 1 ? *(int *)context : 0;
    return k == 1 ? nb_fail("it is full") : 0;
}

static void a_part_that_fails_is_named(void **state)
{
    struct nb_device *d = open_device(*state);
    const int why[] = {EDOM, ENOMEM, EIO}; /* EIO: none is lost, all still answer */
    for (int again = 0; again < 99; again++) {
        int is = why[again % 3];
        assert_int_equal(nb_group_run(d, fail_on_one, &is), -1);
        /* a state that cannot go on does so wherever it is */
        assert_non_null(strstr(nb_error(), is == EDOM ? "it is full" : "1: it is full"));
        assert_true(is != EDOM || strcmp(nb_error(), "it is full") == 0);
        assert_int_equal(errno, is);
    }
    nb_device_close(d);
}

static void what_is_no_group(void **state)
{
    (void)state;
    struct nb_device *one = nb_device_choose("cpu:0-0");
    assert_non_null(one);
    assert_false(nb_device_is_group(one));
    nb_device_close(one);
    assert_true(nb_device_is_name("cuda:all") && nb_device_is_name("cuda:0-63") && nb_device_is_name("cuda:1-2"));
    for (const char *const *name =
             (const char *const[]){"cuda:1-0", "cuda:", "cuda:-", "cuda:0-", "cuda:0-1x", "cuda:every", NULL};
         *name; name++)
        assert_false(nb_device_is_name(*name));
    assert_null(nb_device_choose("cpu:0-64"));
    assert_non_null(strstr(nb_error(), "at most 64"));
}

#define GROUP_TEST(test, devices)                        \
    {                                                    \
#test "(" devices ")", test, NULL, NULL, devices \
    }
#define GROUP_TESTS(devices)                                                                                          \
    GROUP_TEST(every_body_has_one_part, devices), GROUP_TEST(what_is_stored_is_fetched, devices),                     \
        GROUP_TEST(combinations_are_equal_bits, devices), GROUP_TEST(scales_and_extents_are_equal, devices),          \
        GROUP_TEST(fields_are_those_of_one_device, devices), GROUP_TEST(lists_and_free_points, devices),              \
        GROUP_TEST(ranges_add_to_what_is_there, devices),                                                             \
        GROUP_TEST(textbook_methods_are_those_of_one_device, devices), GROUP_TEST(fields_of_all_bodies_add, devices), \
        GROUP_TEST(a_part_that_fails_is_named, devices)

int main(void)
{
    struct CMUnitTest tests[] = {GROUP_TESTS("cpu:0-2"), GROUP_TESTS("ranks:3"), cmocka_unit_test(shares_meet),
                                 cmocka_unit_test(what_is_no_group), GROUP_TESTS("cuda:0-1")};
    struct nb_device *gpus = nb_device_choose("cuda:0-1");
    size_t count = sizeof tests / sizeof *tests;
    char skip[256];
    if (!gpus) {
        const size_t first = count - 10;
        snprintf(skip, sizeof skip, "several GPUs # SKIP %s", nb_error());
        tests[first] = (struct CMUnitTest){.name = skip, .test_func = run_nothing};
        count = first + 1;
    }
    nb_device_close(gpus);
    return _cmocka_run_group_tests("groups", tests, count, NULL, NULL);
}
