/* Direct summation by Newton's third law on several GPUs (lib/force/direct/cuda/direct_together.cu): against sums in
 * double on the host, the same bytes in each evaluation, and added to another force. */
#include "gpu_parts.h"
#include "group_pair.h"

#define MANY    16500 /* above the least number for Newton's third law; the last group of bodies is not full */
#define TARGETS 200
#define SOFT    0.02

static struct nb_bodies cloud;

static int make(void **state)
{
    uint64_t seed = 3;
    (void)state;
    make_cloud(&cloud, MANY);
    double *m = cloud.columns[0].data;
    for (int i = 0; i < MANY; i++)
        m[i] = i % 1000 == 7 ? 0 : i < 9000 ? 1.0 / MANY : 2 * uniform01(&seed) / MANY; /* equal in some groups only */
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    nb_bodies_free(&cloud);
    return 0;
}

/* Acceleration and potential of body i, summed on the host. */
static void true_field(uint64_t i, double f[4])
{
    const double *m = cloud.columns[0].data, *x = cloud.columns[1].data;
    memset(f, 0, 4 * sizeof *f);
    for (uint64_t j = 0; j < MANY; j++) {
        const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
        const double y = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFT * SOFT);
        for (int axis = 0; axis < 3 && j != i; axis++)
            f[axis] += m[j] * y * y * y * d[axis];
        f[3] -= j == i ? 0 : m[j] * y;
    }
}

/* The field of all bodies by one force or two: accelerations, then potentials. */
static double *evaluate(const char *first, const char *second, enum nb_precision precision, int parts, bool together)
{
    struct nb_device *group = open_parts(parts);
    struct nb_state *s = nb_state_create(group, precision, &cloud);
    double *field = malloc(4 * MANY * sizeof *field);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = field};
    struct nb_force_spec spec;
    assert_non_null(s);
    struct nb_force_set set = open_force(group, precision, NB_WANT_ACC | NB_WANT_PHI, first, NAN);
    if (second) {
        assert_int_equal(nb_force_parse(second, &spec), 0);
        assert_int_equal(nb_force_set_add(&set, &spec, precision, NB_WANT_ACC | NB_WANT_PHI, MANY, NULL), 0);
    }
    void *phi = nb_state_vector(s);
    assert_int_equal(nb_timing_begin(group), 0);
    if (nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, SOFT, s->a, phi))
        fail_msg("%s", nb_error());
    assert_int_equal(has_stage(group, "exchange fields"), together);
    nb_timing_end(group);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_device_fetch(group, precision, MANY, s->stride, 1, phi, NB_F64, field + 3 * MANY), 0);
    nb_force_set_close(&set);
    nb_device_free(group, phi);
    nb_state_destroy(s);
    nb_device_close(group);
    return field;
}

static void fields_are_true(void **state)
{
    static const double bound[] = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-6, [NB_DOUBLE] = 1e-13};
    (void)state;
    for (int parts = 2; parts <= 5; parts++)
        for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++) {
            double *field = evaluate("direct", NULL, (enum nb_precision)precision, parts, true);
            for (uint64_t k = 0; k < TARGETS; k++) {
                const uint64_t i = k * (MANY - 1) / (TARGETS - 1);
                double f[4], off = 0, size = 0;
                true_field(i, f);
                for (int axis = 0; axis < 3; axis++)
                    off += pow(field[3 * i + axis] - f[axis], 2), size += f[axis] * f[axis];
                if (!(sqrt(off / size) < 10 * bound[precision]) ||
                    !(fabs(field[3 * MANY + i] / f[3] - 1) < bound[precision]))
                    fail_msg("%d parts, precision %d, body %d: off by %g and %g", parts, precision, (int)i,
                             sqrt(off / size), field[3 * MANY + i] / f[3] - 1);
            }
            free(field);
        }
}

static void evaluations_give_identical_bytes(void **state)
{
    (void)state;
    double *field[2];
    for (int k = 0; k < 2; k++)
        field[k] = evaluate("direct", NULL, NB_SINGLE, 3, true);
    assert_memory_equal(field[0], field[1], 4 * MANY * sizeof(double));
    free(field[0]);
    free(field[1]);
}

static void the_field_is_added_to_another(void **state)
{
    static const char halo[] = "external:nfw,mass=1,scale=2";
    (void)state;
    double *both = evaluate(halo, "direct", NB_DOUBLE, 2, true), *own = evaluate("direct", NULL, NB_DOUBLE, 2, true),
           *other = evaluate(halo, NULL, NB_DOUBLE, 2, false);
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
