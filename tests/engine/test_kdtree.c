/* Numbers of nodes of the k-d tree, and its nodes on the CPU compared with their bodies. */
#include "kdtree_models.h"
#include "reference/methods/cpu/kdtree_cpu.h"

/* ---- numbers of nodes ---- */

static uint32_t count_leaves(uint32_t n, uint32_t i)
{
    return i >= n ? 1 : count_leaves(n, 2 * i) + count_leaves(n, 2 * i + 1);
}

static void every_node_is_visited_once(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 200; n++) {
        uint32_t visits[401] = {0}, count = 0, i = 1;
        do {
            assert_true(i >= 1 && i < 2 * n && count < 2 * n);
            visits[i]++;
            count++;
            i = i < n ? 2 * i : nb_kdtree_next(i);
        } while (i != 1);
        for (i = 1; i < 2 * n; i++)
            assert_int_equal(visits[i], 1);
    }
}

static void leaves_are_counted(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 200; n++) {
        uint32_t most = 0, least = 99;
        assert_int_equal(nb_kdtree_begin(n, 1), 0);
        assert_int_equal(nb_kdtree_end(n, 1), n);
        for (uint32_t i = 1; i < 2 * n; i++) {
            assert_int_equal(nb_kdtree_end(n, i) - nb_kdtree_begin(n, i), count_leaves(n, i));
            if (i < n) {
                assert_int_equal(nb_kdtree_begin(n, 2 * i), nb_kdtree_begin(n, i));
                assert_int_equal(nb_kdtree_end(n, 2 * i), nb_kdtree_begin(n, 2 * i + 1));
                continue;
            }
            assert_int_equal(nb_kdtree_leaf(n, nb_kdtree_begin(n, i)), i);
            const uint32_t level = (uint32_t)nb_kdtree_level(i);
            most = level > most ? level : most;
            least = level < least ? level : least;
        }
        assert_true(most - least <= 1);
    }
    const uint32_t n = NB_KDTREE_BODIES_MAX; /* no overflow */
    assert_int_equal(nb_kdtree_end(n, 1), n);
    assert_int_equal(nb_kdtree_end(n, 2), nb_kdtree_begin(n, 3));
    assert_int_equal(nb_kdtree_end(n, 3), n);
    assert_int_equal(nb_kdtree_leaf(n, n - 1), n);
}

static void a_node_holds_what_is_below_it(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 300; i++)
        for (uint32_t k = 1; k < 300; k++) {
            uint32_t above = k;
            while (above > i)
                above /= 2;
            assert_int_equal(nb_kdtree_holds(i, k), above == i);
        }
}

/* ---- the tree ---- */

static void check_node(const struct nb_kdtree *t, uint32_t i)
{
    const struct nb_kdtree_node *node = &t->node[i];
    const uint32_t begin = nb_kdtree_begin(t->n, i), end = nb_kdtree_end(t->n, i);
    double m = 0, c[3] = {0}, far2 = 0, scale = 0;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t k = begin; k < end; k++) {
        const struct nb_kdtree_node *leaf = &t->node[nb_kdtree_leaf(t->n, k)];
        const double d2 = nb_kdtree_distance2(node, leaf->x);
        m += leaf->m;
        far2 = d2 > far2 ? d2 : far2;
        scale = fmax(scale, norm(leaf->x));
        for (int q = 0; q < 3; q++) {
            c[q] += leaf->m * leaf->x[q];
            lo[q] = fmin(lo[q], leaf->x[q]);
            hi[q] = fmax(hi[q], leaf->x[q]);
        }
    }
    assert_true(fabs(node->m - m) <= 1e-12 * m);
    for (int q = 0; q < 3 && m > 0; q++)
        assert_true(fabs(node->x[q] - c[q] / m) <= 1e-12 * scale);
    assert_true(fabs(node->radius2 - far2) <= 1e-12 * far2);
    if (i >= t->n)
        return;
    int axis = 0; /* of the largest extent: the children are on the two sides of a place on it */
    for (int q = 1; q < 3; q++)
        axis = hi[q] - lo[q] > hi[axis] - lo[axis] ? q : axis;
    double left = -INFINITY, right = INFINITY;
    for (uint32_t k = begin; k < end; k++) {
        const double at = t->node[nb_kdtree_leaf(t->n, k)].x[axis];
        *(k < nb_kdtree_end(t->n, 2 * i) ? &left : &right) =
            k < nb_kdtree_end(t->n, 2 * i) ? fmax(left, at) : fmin(right, at);
    }
    assert_true(left <= right);
}

static void nodes_are_of_their_bodies(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 33, 100, 1000, 4097};
    (void)state;
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
        struct nb_bodies b;
        struct nb_kdtree t = {0};
        const uint64_t n = sizes[k / 2];
        make_model(&b, (int)(k % MODELS), n);
        const double *m = b.columns[0].data, *x = b.columns[1].data;
        double *rows = malloc(24 * n);
        bool *met = calloc(n, 1);
        for (uint64_t i = 0; i < 3 * n; i++)
            rows[i % 3 * n + i / 3] = x[i];
        assert_int_equal(nb_kdtree_build(&t, false, n, n, m, rows), 1);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t body = t.body[i];
            assert_true(body < n && !met[body]);
            met[body] = true;
            assert_memory_equal(t.node[n + i].x, &x[3 * body], 24);
            assert_true(t.node[n + i].m == m[body]);
        }
        for (uint32_t i = 1; i < 2 * n; i++)
            check_node(&t, i);
        nb_kdtree_free(&t);
        nb_bodies_free(&b);
        free(rows);
        free(met);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_is_visited_once),
        cmocka_unit_test(leaves_are_counted),
        cmocka_unit_test(a_node_holds_what_is_below_it),
        cmocka_unit_test(nodes_are_of_their_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
