/* The closest pair of bodies, compared with the minimum over all pairs. */
#include "base/bodies.h"
#include "common/uniform.h"
#include "prepare/prepare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 60 };

static void make(struct nb_bodies *b)
{
    nb_bodies_init(b);
    b->n = MANY;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
}

/* Fills a box with bodies. Every fifth body has no mass. */
static void fill(const struct nb_bodies *b, const double size[3], uint64_t *seed)
{
    double *mass = b->columns[0].data, *x = b->columns[1].data;
    for (int i = 0; i < MANY; i++) {
        mass[i] = i % 5 > 0;
        for (int c = 0; c < 3; c++)
            x[3 * i + c] = size[c] * uniform01(seed);
    }
}

static struct nb_nearest by_all_pairs(const struct nb_bodies *b)
{
    const double *mass = b->columns[0].data, *x = b->columns[1].data;
    struct nb_nearest best = {.distance = INFINITY};
    for (uint64_t i = 0; i < MANY; i++)
        for (uint64_t j = i + 1; j < MANY; j++) {
            const double *p = x + 3 * i, *q = x + 3 * j, d = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
            if (mass[i] > 0 && mass[j] > 0 && d < best.distance)
                best = (struct nb_nearest){i, j, d};
        }
    return best;
}

/* In boxes of any size, flat and long along each axis. */
static void is_the_closest(void **state)
{
    static const double sizes[][3] = {{1, 1, 1}, {1e-3, 1, 1}, {2, 1e-3, 1e-3}, {1, 3, 1}, {1, 1, 5}};
    struct nb_bodies b;
    uint64_t seed = 1;
    (void)state;
    make(&b);
    for (int k = 0; k < 200; k++) {
        const double unit = pow(10, k % 7 - 3), *size = sizes[k % 5];
        fill(&b, (double[3]){unit * size[0], unit * size[1], unit * size[2]}, &seed);
        const struct nb_nearest wanted = by_all_pairs(&b);
        struct nb_nearest found = {0};
        assert_true(nb_nearest_find(&b, &found));
        assert_true(found.i == wanted.i && found.j == wanted.j);
        assert_true(fabs(found.distance - wanted.distance) < 1e-14 * wanted.distance);
    }
    nb_bodies_free(&b);
}

static void needs_two_with_mass(void **state)
{
    struct nb_bodies b;
    struct nb_nearest found = {0};
    uint64_t seed = 1;
    (void)state;
    make(&b);
    fill(&b, (double[3]){1, 1, 1}, &seed);
    double *mass = b.columns[0].data;
    for (int i = 0; i < MANY; i++)
        mass[i] = i == 7;
    assert_false(nb_nearest_find(&b, &found));
    mass[3] = 1;
    assert_true(nb_nearest_find(&b, &found));
    assert_true(found.i == 3 && found.j == 7);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_closest),
        cmocka_unit_test(needs_two_with_mass),
    };
    return cmocka_run_group_tests_name("prepare_pair", tests, NULL, NULL);
}
