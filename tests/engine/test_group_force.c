/* Forces of several devices together (lib/force/force_group.c): equal to one device, bitwise if no sum has another
 * order. Uses parts of a CPU, ranks, and GPUs if there are several. */
#include "base/pack.h"
#include "force/force_group.h"
#include "force/force_group_job.h"
#include "group_pair.h"

#include <omp.h>

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
            assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, states[k], 1, 0.05, states[k]->a,
                                                         again == 2 ? phi[k] : NULL),
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
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, p.on_many, 1, 0.05, p.on_many->a, NULL), 0);
    assert_int_equal(nb_state_fetch(p.on_many, p.on_many->a, &one), 0);
    assert_int_equal(nb_force_parse("pairs-matrix", &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, BODIES, NULL), 0);
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, p.on_many, 1, 0.05, p.on_many->a, NULL), 0);
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
        assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, 0.05, s->a, NULL), 0);
        assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
        assert_int_equal(nb_device_fetch(s->device, NB_DOUBLE, 600, s->stride, 1, s->a, NB_F64, phi[k]), 0);
        assert_int_equal(nb_device_store(s->device, NB_DOUBLE, 600, 640, 3, p.bodies.columns[2].data, NB_F64, d_points),
                         0);
        t = (struct nb_targets){.n = 600, .stride = 640, .x = d_points, .self = -1};
        out = (struct nb_field){.stride = 640, .phi = d_out};
        assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
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
            assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
            nb_force_set_close(&set);
        }
        assert_true(difference(p.on_one, p.on_one->a, p.on_many, p.on_many->a, &largest) < 1e-12 * largest);
        assert_true(difference(p.on_many, p.on_many->a, p.on_many, p.on_many->v, &largest) > 0.5);
    }
    free_pair(&p);
}

/* A list of fewer bodies than there are parts: those that have none of it age their order of the tree's as the others
 * do, so that what they keep is equal later on. On a GPU only the order is compared: nodes get their numbers by chance.
 */
static void parts_without_targets_age_too(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    struct nb_state *s = p.on_many;
    const bool is_host = nb_device_is_host(p.one);
    struct nb_force_set set = open_force(s->device, NB_DOUBLE, NB_WANT_ACC, "tree:rebuild=4", NAN);
    const struct nb_group_force *f = set.force[0].work;
    const uint32_t first = 3;
    void *d_list = nb_device_alloc(s->device, sizeof first);
    const struct nb_sources sources = nb_sources_of(s, 1, 0.05);
    const struct nb_targets t = {.n = 1, .stride = s->stride, .x = s->x, .index = d_list};
    const struct nb_field out = {.stride = s->stride, .a = s->a};
    assert_int_equal(nb_device_to(s->device, d_list, &first, sizeof first), 0);
    for (int again = 0; again < 6; again++) {
        char *kept[NB_GROUP_MAX];
        size_t size_bytes = 0;
        assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, NB_DOUBLE, &sources, &t, &out), 0);
        for (int k = 0; k < f->count; k++) {
            struct nb_pack count = nb_pack_make(NB_PACK_COUNT, NULL, 0);
            assert_int_equal(f->part[k].row->carry(nb_group_part(p.many, k), f->part[k].work, BODIES, &count), 0);
            assert_true(k == 0 || count.at == size_bytes);
            size_bytes = count.at;
            kept[k] = calloc(size_bytes, 1);
            struct nb_pack save = nb_pack_make(NB_PACK_SAVE, kept[k], size_bytes);
            assert_int_equal(f->part[k].row->carry(nb_group_part(p.many, k), f->part[k].work, BODIES, &save), 0);
            assert_memory_equal(kept[k], kept[0], is_host ? size_bytes : BODIES * sizeof(uint32_t));
        }
        assert_true(size_bytes > BODIES * sizeof(uint32_t));
        for (int k = 0; k < f->count; k++)
            free(kept[k]);
        assert_int_equal(nb_device_axpy(s->device, NB_DOUBLE, 3 * s->stride, 0.1, s->v, s->x), 0);
    }
    nb_device_free(s->device, d_list);
    nb_force_set_close(&set);
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
    static const struct nb_force_own one_device = {NULL, NULL, NULL};
    static const struct nb_force row = {
        .method = "shares", .device = "cpu", .tolerance = {0, 0, 1, 0}, .shares = &shares, .own = &one_device};
    const struct nb_force *entry;
    void *work;
    struct pair p = make_pair("cpu:0-2", NB_DOUBLE, BODIES);
    struct nb_state *s = p.on_many;
    double largest, expected = 0;
    (void)state;
    assert_int_equal(nb_force_group_open(p.many, &row, NULL, NULL, &entry, &work), 0);
    assert_null(entry->own); /* what one device does by itself, its parts do not */
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

/* The least of a few times that a share of a CPU's tree takes. */
static double time_share(const struct pair *p, double begin, double end)
{
    const struct nb_sources sources = nb_sources_of(p->on_one, 1, 0);
    const struct nb_field out = {.stride = p->on_one->stride, .a = p->on_one->a};
    struct nb_force_set set = open_force(p->one, NB_DOUBLE, NB_WANT_ACC, "tree", NAN);
    double least = INFINITY, seconds;
    for (int again = 0; again < 5; again++) {
        assert_int_equal(set.force[0].entry->shares->field(p->one, set.force[0].work, NB_DOUBLE, &sources,
                                                           (const double[]){begin, end}, &out, &seconds),
                         0);
        least = fmin(least, seconds);
    }
    nb_force_set_close(&set);
    return least;
}

/* Ranks with a CPU each are balanced by what their shares take: with one thread, as a tenth of 6000 bodies is too
 * little work for many. */
static void a_share_on_a_cpu_tells_its_time(void **state)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    struct pair p = make_pair("cpu:0-2", NB_DOUBLE, 6000);
    (void)state;
    const double all_s = time_share(&p, 0, 1), tenth_s = time_share(&p, 0.4, 0.5);
    omp_set_num_threads(threads);
    assert_true(tenth_s > 0 && all_s > 3 * tenth_s);
    free_pair(&p);
}

#define GROUP_TESTS(devices)                                                                         \
    GROUP_TEST(fields_are_those_of_one_device, devices), GROUP_TEST(lists_and_free_points, devices), \
        GROUP_TEST(ranges_add_to_what_is_there, devices),                                            \
        GROUP_TEST(textbook_methods_are_those_of_one_device, devices), GROUP_TEST(fields_of_all_bodies_add, devices)

int main(void)
{
    struct CMUnitTest tests[] = {GROUP_TESTS("cpu:0-2"),
                                 GROUP_TESTS("ranks:3"), /* whose works cannot be looked into */
                                 GROUP_TEST(parts_without_targets_age_too, "cpu:0-2"),
                                 cmocka_unit_test(shares_meet),
                                 cmocka_unit_test(a_share_on_a_cpu_tells_its_time),
                                 GROUP_TESTS("cuda:0-1"),
                                 GROUP_TEST(parts_without_targets_age_too, "cuda:0-1")};
    return run_on_groups("forces of groups", tests, sizeof tests / sizeof *tests, 6);
}
