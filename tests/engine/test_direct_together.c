/* Direct summation by Newton's third law on several GPUs (lib/force/direct/cuda/direct_together.cu): against sums in
 * double on the host, the same bytes in each evaluation, and added to another force. */
#include "gpu_parts.h"
#include "group_pair.h"

#define MANY    16500 /* above the least number for Newton's third law; the last group of bodies is not full */
#define LARGE   93001 /* several bands of tiles in double */
#define TARGETS 200
#define SOFT    0.02

static struct nb_bodies cloud, large;

/* Masses are equal in some groups only, and some are 0. */
static void make_masses(struct nb_bodies *b)
{
    const double n = (double)b->n;
    double *m = b->columns[0].data;
    uint64_t seed = 3;
    for (uint64_t i = 0; i < b->n; i++)
        m[i] = i % 1000 == 7 ? 0 : i < b->n / 2 ? 1 / n : 2 * uniform01(&seed) / n;
}

static int make(void **state)
{
    (void)state;
    make_cloud(&cloud, MANY);
    make_cloud(&large, LARGE);
    make_masses(&cloud);
    make_masses(&large);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    nb_bodies_free(&cloud);
    nb_bodies_free(&large);
    return 0;
}

/* Acceleration and potential of body i, summed on the host. */
static void true_field(const struct nb_bodies *b, uint64_t i, double f[4])
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(f, 0, 4 * sizeof *f);
    for (uint64_t j = 0; j < b->n; j++) {
        const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        const double y = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFT * SOFT);
        for (int axis = 0; axis < 3 && j != i; axis++)
            f[axis] += m[j] * y * y * y * d[axis];
        f[3] -= j == i ? 0 : m[j] * y;
    }
}

static struct nb_force_set open_set(struct nb_device *group, enum nb_precision precision, const char *first,
                                    const char *second)
{
    struct nb_force_set set = open_force(group, precision, NB_WANT_ACC | NB_WANT_PHI, first, NAN);
    struct nb_force_spec spec;
    if (second) {
        assert_int_equal(nb_force_parse(second, &spec), 0);
        assert_int_equal(nb_force_set_add(&set, &spec, precision, NB_WANT_ACC | NB_WANT_PHI, MANY, NULL), 0);
    }
    return set;
}

/* The field of all bodies: accelerations (left out if `potentials` is true), then potentials. */
static double *evaluate_with(const struct nb_force_set *set, const struct nb_bodies *b, enum nb_precision precision,
                             bool potentials)
{
    struct nb_device *group = set->device;
    struct nb_state *s = nb_state_create(group, precision, b);
    double *field = calloc(4 * b->n, sizeof *field);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = field};
    assert_non_null(s);
    void *phi = nb_state_vector(s);
    if (nb_force_set_evaluate_state(set, nb_forces_all, s, 1, SOFT, potentials ? NULL : s->a, phi))
        fail_msg("%s", nb_error());
    assert_int_equal(potentials ? 0 : nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_device_fetch(group, precision, b->n, s->stride, 1, phi, NB_F64, field + 3 * b->n), 0);
    nb_device_free(group, phi);
    nb_state_destroy(s);
    return field;
}

/* The field by one force or two, on a new group. together: whether direct_together is to have computed it. */
static double *evaluate(const char *first, const char *second, const struct nb_bodies *b, enum nb_precision precision,
                        int parts, bool together)
{
    struct nb_device *group = open_parts(parts);
    struct nb_force_set set = open_set(group, precision, first, second);
    assert_int_equal(nb_timing_begin(group), 0);
    double *field = evaluate_with(&set, b, precision, false);
    assert_int_equal(has_stage(group, "exchange fields"), together);
    nb_timing_end(group);
    nb_force_set_close(&set);
    nb_device_close(group);
    return field;
}

static void check_field(const struct nb_bodies *b, enum nb_precision precision, int parts)
{
    static const double bound[] = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-13};
    double *field = evaluate("direct", NULL, b, precision, parts, true);
    for (uint64_t k = 0; k < TARGETS; k++) {
        const uint64_t i = k * (b->n - 1) / (TARGETS - 1);
        double f[4], off = 0, size = 0;
        true_field(b, i, f);
        for (int axis = 0; axis < 3; axis++)
            off += pow(field[3 * i + axis] - f[axis], 2), size += f[axis] * f[axis];
        if (!(sqrt(off / size) < 10 * bound[precision]) || !(fabs(field[3 * b->n + i] / f[3] - 1) < bound[precision]))
            fail_msg("%d parts, precision %d, body %d: off by %g and %g", parts, precision, (int)i, sqrt(off / size),
                     field[3 * b->n + i] / f[3] - 1);
    }
    free(field);
}

static void fields_are_true(void **state)
{
    (void)state;
    for (int parts = 2; parts <= 5; parts++)
        for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++)
            check_field(&cloud, (enum nb_precision)precision, parts);
    check_field(&large, NB_DOUBLE, 3);
}

/* Evaluations of one set follow each other without a pause, also of other numbers of bodies, whose memory grows. */
static void evaluations_give_identical_bytes(void **state)
{
    const struct nb_bodies *const order[] = {&cloud, &large, &cloud, &large};
    (void)state;
    struct nb_device *group = open_parts(3);
    struct nb_force_set set = open_set(group, NB_SINGLE, "direct", NULL);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const size_t n = order[k]->n;
        double *alone = evaluate("direct", NULL, order[k], NB_SINGLE, 3, true),
               *field = evaluate_with(&set, order[k], NB_SINGLE, false),
               *phi = evaluate_with(&set, order[k], NB_SINGLE, true);
        assert_memory_equal(field, alone, 4 * n * sizeof *field);
        assert_memory_equal(phi + 3 * n, alone + 3 * n, n * sizeof *field);
        free(alone);
        free(field);
        free(phi);
    }
    nb_force_set_close(&set);
    nb_device_close(group);
}

static void the_field_is_added_to_another(void **state)
{
    static const char halo[] = "external:nfw,mass=1,scale=2";
    (void)state;
    double *both = evaluate(halo, "direct", &cloud, NB_DOUBLE, 2, true),
           *own = evaluate("direct", NULL, &cloud, NB_DOUBLE, 2, true),
           *other = evaluate(halo, NULL, &cloud, NB_DOUBLE, 2, false);
    for (int i = 0; i < 4 * MANY; i++)
        assert_true(fabs(both[i] - own[i] - other[i]) < 1e-12);
    free(both);
    free(own);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_are_true, make, unmake),
        cmocka_unit_test_setup_teardown(evaluations_give_identical_bytes, make, unmake),
        cmocka_unit_test_setup_teardown(the_field_is_added_to_another, make, unmake),
    };
    return run_gpu_tests("test_direct_together", tests, sizeof tests / sizeof *tests);
}
