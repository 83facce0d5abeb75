/* The choice of a force: names, the method of "auto" below and above its limit of bodies, rejected texts. Needs no
 * device. */
#include "base/error.h"
#include "device/device_kind.h"
#include "force/force.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct nb_force *row_of(const char *method, const char *device)
{
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if (strcmp((*f)->method, method) == 0 && strcmp((*f)->device, device) == 0)
            return *f;
    return NULL;
}

/* OpenCL has none. */
static bool has_tree(const struct nb_device_kind *kind)
{
    return strcmp(kind->name, "opencl") != 0;
}

/* A device by name alone: choosing asks for no more. */
#define NAMED(kind) (&(const struct nb_device){.name = (kind)->name})

static void assert_method(const struct nb_device *device, enum nb_precision precision, unsigned want, uint64_t n,
                          const char *method)
{
    const struct nb_force *force = nb_force_choose("auto", device, precision, want, n);
    assert_non_null(force);
    assert_string_equal(force->method, method);
    assert_string_equal(force->device, device->name);
}

static void auto_is_direct_to_16384_and_tree_above(void **state)
{
    (void)state;
    for (const struct nb_device_kind *const *d = nb_device_kinds; *d; d++)
        for (int p = NB_SINGLE; p <= NB_DOUBLE; p++)
            for (unsigned want = NB_WANT_ACC; want <= (NB_WANT_ACC | NB_WANT_PHI); want++) {
                assert_method(NAMED(*d), (enum nb_precision)p, want, 1, "direct");
                assert_method(NAMED(*d), (enum nb_precision)p, want, 16384, "direct");
                if (!has_tree(*d)) {
                    assert_null(nb_force_choose("auto", NAMED(*d), (enum nb_precision)p, want, 16385));
                    assert_non_null(strstr(nb_error(), "16384 bodies, and the tree does not run on device opencl"));
                    continue;
                }
                assert_method(NAMED(*d), (enum nb_precision)p, want, 16385, "tree");
                assert_method(NAMED(*d), (enum nb_precision)p, want, 1000000000, "tree");
            }
}

static void auto_is_direct_where_the_tree_refuses(void **state)
{
    (void)state;
    for (const struct nb_device_kind *const *d = nb_device_kinds; *d; d++) {
        if (!has_tree(*d))
            continue;
        assert_method(NAMED(*d), NB_DOUBLE, NB_WANT_ACC | NB_WANT_JERK, 1000000, "direct");
        if (row_of("direct", (*d)->name)->tolerance[NB_QUAD] > 0)
            assert_method(NAMED(*d), NB_QUAD, NB_WANT_ACC, 1000000, "direct");
        assert_null(nb_force_choose("tree", NAMED(*d), NB_DOUBLE, NB_WANT_JERK, 10));
        assert_non_null(strstr(nb_error(), "jerk"));
        assert_null(nb_force_choose("tree", NAMED(*d), NB_QUAD, NB_WANT_ACC, 10));
        assert_non_null(
            strstr(nb_error(), "quad precision: it does not offer this precision (--precision single, mixed, double)"));
    }
}

/* Or "auto" would be one method here and another there. */
static void trees_serve_the_same_on_every_device(void **state)
{
    (void)state;
    const struct nb_force *cpu = row_of("tree", "cpu");
    assert_non_null(cpu);
    for (const struct nb_device_kind *const *d = nb_device_kinds; *d; d++) {
        const struct nb_force *tree = row_of("tree", (*d)->name);
        assert_true(has_tree(*d) == (tree != NULL));
        if (!tree)
            continue;
        for (int p = NB_SINGLE; p < NB_PRECISIONS; p++)
            for (unsigned want = NB_WANT_ACC; want < 8; want++) {
                assert_int_equal(tree->tolerance[p] > 0, cpu->tolerance[p] > 0);
                assert_int_equal(tree->refuse((enum nb_precision)p, want) != NULL,
                                 cpu->refuse((enum nb_precision)p, want) != NULL);
            }
    }
}

static void names_are_taken_as_given(void **state)
{
    (void)state;
    for (const struct nb_device_kind *const *d = nb_device_kinds; *d; d++) {
        if (has_tree(*d))
            assert_ptr_equal(nb_force_choose("tree", NAMED(*d), NB_DOUBLE, NB_WANT_ACC, 1), row_of("tree", (*d)->name));
        assert_ptr_equal(nb_force_choose("direct", NAMED(*d), NB_DOUBLE, NB_WANT_ACC, 1000000000),
                         row_of("direct", (*d)->name));
        assert_null(nb_force_choose("gravitons", NAMED(*d), NB_DOUBLE, NB_WANT_ACC, 1));
        assert_non_null(strstr(nb_error(), "unknown force 'gravitons'"));
    }
    const struct nb_device opencl = {.name = "opencl"};
    assert_null(nb_force_choose("tree", &opencl, NB_DOUBLE, NB_WANT_ACC, 1));
    assert_non_null(strstr(nb_error(), "force tree does not run on device opencl"));
    assert_null(nb_force_choose("direct", &opencl, NB_DOUBLE, NB_WANT_JERK, 1));
    assert_non_null(strstr(nb_error(), "jerk"));
    assert_null(nb_force_choose("tree", &(struct nb_device){.name = "abacus"}, NB_DOUBLE, NB_WANT_ACC, 1));
    assert_non_null(strstr(nb_error(), "does not run on device abacus"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_direct_to_16384_and_tree_above),
        cmocka_unit_test(auto_is_direct_where_the_tree_refuses),
        cmocka_unit_test(trees_serve_the_same_on_every_device),
        cmocka_unit_test(names_are_taken_as_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
