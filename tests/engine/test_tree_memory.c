/* The memory that a tree needs, estimated from a sample of the bodies, compared with the memory that it allocates. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "device/group.h"

#include <malloc.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A Plummer sphere, or a cube. */
static void make_model(struct nb_bodies *b, uint64_t n, bool sphere)
{
    uint64_t seed = 3;
    make_bodies(b, n, 1.0 / (double)n);
    double *x = nb_bodies_find(b, "pos")->data;
    for (uint64_t i = 0; i < n; i++, x += 3) {
        const double u = uniform01(&seed), z = 2 * uniform01(&seed) - 1, angle = 2 * M_PI * uniform01(&seed);
        const double r = 1 / sqrt(pow(u * 0.999 + 1e-9, -2.0 / 3) - 1), across = r * sqrt(1 - z * z);
        x[0] = sphere ? across * cos(angle) : u;
        x[1] = sphere ? across * sin(angle) : z;
        x[2] = sphere ? r * z : angle;
    }
}

/* Bytes in use: of this process, or of the device. */
static double in_use(struct nb_device *d)
{
    double available, total;
    if (!nb_device_is_host(d)) {
        assert_int_equal(nb_device_memory(d, &available, &total), 0);
        return total - available;
    }
    unsigned long pages, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages, &resident), 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static struct nb_force_set open_tree(struct nb_device *d, enum nb_precision precision, const char *text, uint64_t n)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, d);
    assert_int_equal(nb_force_parse(text, &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, precision, NB_WANT_ACC, n, NULL), 0);
    return set;
}

/* The estimate by every `step`-th body, and what the evaluation of all bodies has taken. */
static void compare(struct nb_device *d, enum nb_precision precision, const char *text, bool sphere, uint64_t n,
                    uint64_t step)
{
    struct nb_bodies b;
    make_model(&b, n, sphere);
    struct nb_force_set set = open_tree(d, precision, text, n);
    assert_int_equal(nb_force_set_sample(&set, precision, &b, 0.01, n / step), 0);
    assert_true(set.force[0].sampled);
    struct nb_state *s = nb_state_create(d, precision, &b);
    assert_non_null(s);
    assert_int_equal(nb_device_axpy(d, precision, 3 * s->stride, 1, s->x, s->a), 0); /* its pages are there now */
    assert_int_equal(nb_device_sync(d), 0);
    malloc_trim(0);
    const double before = in_use(d), said = nb_force_set_bytes(&set, precision, 0, n) - nb_state_bytes(precision, 0, n);
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_own, s, 1, 0.01, s->a, NULL), 0);
    assert_int_equal(nb_device_sync(d), 0);
    const double taken = in_use(d) - before;
    print_message("# %s, %s, %.0f bodies: said %.4g MB, taken %.4g MB: %+.1f %%\n", d->name, text, (double)n,
                  1e-6 * said, 1e-6 * taken, 100 * (said / taken - 1));
    assert_true(fabs(said / taken - 1) < 0.05);
    nb_state_destroy(s);
    nb_force_set_close(&set);
    nb_bodies_free(&b);
}

static void on_a_cpu(void **state)
{
    const int threads = omp_get_max_threads();
    (void)state;
    if (getenv("NB_SANITIZER")) {
        print_message("# a sanitizer's allocator takes other memory\n");
        skip();
    }
    omp_set_num_threads(1); /* of several, one or all may gather the bodies of a long list */
    compare(cpu_alone(), NB_DOUBLE, "tree", true, 1 << 18, 2);
    compare(cpu_alone(), NB_SINGLE, "tree:theta=0.6", false, 1 << 18, 2);
    omp_set_num_threads(threads);
}

static void on_a_gpu(void **state)
{
    (void)state;
    struct nb_device *d = device_of("cuda");
    if (!d || nb_device_is_group(d))
        skip();
    compare(d, NB_MIXED, "tree", true, 1 << 23, 8);
    compare(d, NB_SINGLE, "tree:theta=0.5", true, 1 << 23, 8);
    compare(d, NB_DOUBLE, "tree", false, 1 << 23, 8);
}

/* What a sample is taken of, and what not. */
static void few_bodies_need_none(void **state)
{
    struct nb_bodies b;
    (void)state;
    make_model(&b, 1000, true);
    struct nb_force_set set = open_tree(cpu_alone(), NB_DOUBLE, "tree", 1000);
    assert_int_equal(nb_force_set_sample(&set, NB_DOUBLE, &b, 0, 501), 0);
    assert_false(set.force[0].sampled);
    assert_int_equal(nb_force_set_sample(&set, NB_DOUBLE, &b, 0, 500), 0);
    assert_true(set.force[0].sampled);
    nb_force_set_close(&set);
    set = open_tree(cpu_alone(), NB_DOUBLE, "direct", 1000);
    assert_int_equal(nb_force_set_sample(&set, NB_DOUBLE, &b, 0, 10), 0);
    assert_false(set.force[0].sampled);
    nb_force_set_close(&set);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_cpu), cmocka_unit_test(few_bodies_need_none),
                                       cmocka_unit_test(on_a_gpu)};
    mallopt(M_MMAP_THRESHOLD, 1 << 16); /* as large arrays are: what is freed leaves no holes */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
