/* The counter of loads in bench: numbers that can be counted by hand; the result of the search is an order of all
 * pairs. The program is compiled into this test. */
int loads_main(int argc, char **argv);
#define main loads_main
#include "loads.c"
#undef main

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int loads_of(size_t order, int bodies, int group, int *groups)
{
    struct pairs p;
    begin(&p, bodies, group);
    orders[order].fill(&p);
    const int loads = count_loads(&p);
    *groups = groups_of(&p);
    free(p.pair);
    return loads;
}

/* Groups of 16 in rows of 16 bodies: 93. Tiles of 4 x 4 load 8 bodies each, and triangles of 4 bodies as many: 6 x 8 +
 * 4 x 4 in groups of their own; the 24 pairs of the triangles one after the other take two groups, of 12 and 7 bodies.
 */
static void orders_of_sixteen_bodies(void **state)
{
    static const int loads[ORDERS] = {93, 82, 67, 64}, groups[ORDERS] = {8, 8, 8, 10};
    (void)state;
    for (size_t k = 0; k < ORDERS; k++) {
        int found;
        assert_int_equal(loads_of(k, 16, 16, &found), loads[k]);
        assert_int_equal(found, groups[k]);
    }
}

/* A pair a group loads two bodies each; all pairs in one group load each body once. */
static void the_least_and_the_largest_groups(void **state)
{
    int groups;
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(loads_of(k, 9, 1, &groups), 72);
        assert_int_equal(groups, 36);
        assert_int_equal(loads_of(k, 9, 36, &groups), 9);
        assert_int_equal(groups, 1);
    }
}

static void what_is_found_is_an_order_of_all_pairs(void **state)
{
    struct pairs p;
    bool seen[16][16] = {{false}};
    int pairs = 0, loads = 0;
    (void)state;
    begin(&p, 16, 16);
    triangles_last(&p);
    search(&p, 1, 1);
    for (int first = 0; first < p.count; first += 16) {
        bool touched[16] = {false};
        for (int k = first; k < first + 16 && k < p.count; k++) {
            const struct pair one = p.pair[k];
            if (one.i < 0)
                continue;
            assert_true(one.i < one.j && one.j < 16 && !seen[one.i][one.j]);
            seen[one.i][one.j] = touched[one.i] = touched[one.j] = true;
            pairs++;
        }
        for (int body = 0; body < 16; body++)
            loads += touched[body];
    }
    assert_int_equal(pairs, 120);
    assert_int_equal(p.count, 128);
    assert_int_equal(loads, count_loads(&p));
    assert_true(loads <= 60); /* 54 to 56, by the last digits of this machine's exponential function */
    free(p.pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_sixteen_bodies),
        cmocka_unit_test(the_least_and_the_largest_groups),
        cmocka_unit_test(what_is_found_is_an_order_of_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
