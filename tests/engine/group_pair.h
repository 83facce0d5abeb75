/* group_pair.h - for tests of several devices together: the same bodies on the group and on one device. */
#pragma once

#include "common/devices.h"
#include "common/made_bodies.h"
#include "device/choose.h"
#include "device/group.h"

#define BODIES 1000 /* three parts of 320, 320 and 360 */

/* Positions, velocities and masses without any order. */
static inline void make_cloud(struct nb_bodies *b, uint64_t n)
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

static inline struct pair make_pair(const char *many, enum nb_precision precision, uint64_t n)
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

static inline void free_pair(struct pair *p)
{
    nb_state_destroy(p->on_one);
    nb_state_destroy(p->on_many);
    nb_device_close(p->one);
    nb_device_close(p->many);
    nb_bodies_free(&p->bodies);
}

/* The largest difference of two vectors, and of what is expected the largest value. */
static inline double difference(const struct nb_state *a, const void *d_a, const struct nb_state *b, const void *d_b,
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

#define GROUP_TEST(test, devices)                        \
    {                                                    \
#test "(" devices ")", test, NULL, NULL, devices \
    }

/* Runs them; of the last `on_gpus`, which are for cuda:0-1, where there are not two GPUs, one that says so instead. */
static inline int run_on_groups(const char *name, struct CMUnitTest *tests, size_t count, size_t on_gpus)
{
    struct nb_device *gpus = nb_device_choose("cuda:0-1");
    char skip[256];
    if (!gpus) {
        const size_t first = count - on_gpus;
        snprintf(skip, sizeof skip, "several GPUs # SKIP %s", nb_error());
        tests[first] = (struct CMUnitTest){.name = skip, .test_func = run_nothing};
        count = first + 1;
    }
    nb_device_close(gpus);
    return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}
