/* Internal data of the tree on the CPU: order, nodes, boxes, centres, radii and moments compared with the bodies, for
 * random bodies of every small number and for inputs that are difficult to divide; identical trees for any number of
 * threads. */
#include "force/tree/cpu/tree_cpu.h"
#include "force/tree/cpu/tree_simd.h"
#include "force/tree/tree.h"
#include "tree_models.h"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MOMENTS 32

struct built {
    uint64_t n;
    double *m, *x; /* x: three rows */
    struct nb_tree t;
};

static void build(struct built *b, const struct model *model, uint64_t n, bool in_double)
{
    double *triples = malloc(24 * n), largest;
    struct nb_tree_box box;
    *b = (struct built){.n = n, .m = malloc(8 * n), .x = malloc(24 * n)};
    model_make(model, n, b->m, triples);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < 3; k++)
            b->x[k * n + i] = triples[3 * i + k];
    free(triples);
    const struct nb_tree_input in = {false, n, n, b->m, {b->x, b->x + n, b->x + 2 * n}, {0}};
    assert_int_equal(nb_tree_reserve(&b->t, &in), 0);
    assert_true(nb_tree_extent(&in, &box, &largest));
    nb_tree_units(&b->t, &box, largest, model->softening);
    assert_int_equal(nb_tree_keys(&b->t, &in, &box), 0);
    assert_int_equal(nb_tree_sort(n, b->t.keys, b->t.order, b->t.spare_keys, b->t.spare_order), 0);
    nb_tree_gather(&b->t, &in, 0, n);
    assert_int_equal(nb_tree_build(&b->t, &in), 0);
    const struct nb_tree_walk w = {
        .t = &b->t, .opening = nb_tree_opening(0.75), .softening = model->softening * b->t.length};
    assert_int_equal(nb_tree_moments(&w, nb_tree_sets[nb_simd_in_use()], in_double), 0);
}

static void built_free(struct built *b)
{
    nb_tree_free(&b->t);
    free(b->m);
    free(b->x);
}

/* ---- order and nodes ---- */

static void check_order(const struct built *b)
{
    const struct nb_tree *t = &b->t;
    char *seen = calloc(b->n, 1);
    for (uint64_t k = 0; k < b->n; k++) {
        const uint32_t i = t->order[k];
        assert_true(i < b->n && !seen[i]++);
        for (uint64_t c = 0; c < 3; c++)
            assert_true(t->x[c][k] == t->length * b->x[c * b->n + i]);
        assert_true(t->m[k] == t->mass * b->m[i]);
        if (k > 0 && !t->divided_on) {
            assert_true(t->keys[k - 1] <= t->keys[k]);
            assert_true(t->keys[k - 1] < t->keys[k] || t->order[k - 1] < i);
        }
    }
    free(seen);
}

static void check_nodes(const struct built *b)
{
    const struct nb_tree *t = &b->t;
    char *in_leaf = calloc(b->n, 1);
    assert_true(t->node[0].body_begin == 0 && t->node[0].body_end == b->n);
    assert_true(t->level[0] == 0 && t->level[t->levels] == t->nodes);
    for (uint32_t v = 0; v < t->nodes; v++) {
        const struct nb_tree_node *node = &t->node[v], *child = &t->node[node->first_child];
        assert_true(node->body_begin < node->body_end);
        if (node->first_child) {
            assert_true(node->first_child > v && node->first_child + 1 < t->nodes);
            assert_true(child[0].parent == v && child[1].parent == v);
            assert_true(child[0].body_begin == node->body_begin && child[1].body_end == node->body_end);
            assert_true(child[0].body_end == child[1].body_begin);
        } else {
            assert_true(node->body_end - node->body_begin <= NB_TREE_LEAF);
            for (uint32_t i = node->body_begin; i < node->body_end; i++)
                assert_false(in_leaf[i]++);
        }
    }
    for (uint64_t i = 0; i < b->n; i++)
        assert_true(in_leaf[i]);
    free(in_leaf);
}

/* ---- what nodes know of their bodies ---- */

static double length_of(const double *d)
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* How far the box reaches from the centre, as the node has it, is what it is, or more by rounding. */
static void check_box(const struct nb_tree *t, uint32_t v, const struct nb_tree_box *box, bool in_double)
{
    const double *c = t->ball[v].c, rounding = in_double ? 1e-13 : 1e-6;
    for (size_t k = 0; k < 6; k++) {
        const size_t at = (size_t)v * NB_TREE_MULTIPOLE + MOMENTS + 6 + k;
        const double have = in_double ? ((double *)t->multipole)[at] : (double)((float *)t->multipole)[at];
        const double want = k < 3 ? c[k] - box->lo[k] : box->hi[k - 3] - c[k - 3];
        const double least = in_double ? want - 1e-15 * fabs(c[k % 3]) - 1e-15 * want : want;
        assert_true(have >= least);
        assert_true(have <= want * (1 + 30 * rounding) + 1e-14 * fabs(c[k % 3]));
    }
}

static void check_ball(const struct nb_tree *t, uint32_t v, bool in_double)
{
    const struct nb_tree_node *node = &t->node[v];
    const struct nb_tree_ball *ball = &t->ball[v];
    struct nb_tree_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double m = 0, farthest = 0, corner[3], size = 0;
    for (uint32_t i = node->body_begin; i < node->body_end; i++) {
        double d[3];
        m += t->m[i];
        for (int k = 0; k < 3; k++) {
            box.lo[k] = fmin(box.lo[k], t->x[k][i]);
            box.hi[k] = fmax(box.hi[k], t->x[k][i]);
            d[k] = t->x[k][i] - ball->c[k];
        }
        farthest = fmax(farthest, length_of(d));
    }
    check_box(t, v, &box, in_double);
    assert_true(fabs(ball->m - m) <= 1e-13 * m);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (uint32_t i = node->body_begin; i < node->body_end; i++)
            sum += t->m[i] * (t->x[k][i] - box.lo[k]);
        const double c = m > 0 ? box.lo[k] + sum / m : box.lo[k] / 2 + box.hi[k] / 2;
        size = fmax(size, box.hi[k] - box.lo[k]);
        assert_true(fabs(ball->c[k] - c) <= 1e-12 * (box.hi[k] - box.lo[k]) + 1e-15 * fabs(c));
        corner[k] = fmax(box.hi[k] - ball->c[k], ball->c[k] - box.lo[k]);
    }
    const double rounding = (in_double ? 1e-12 : 4e-6) * size + 1e-15 * length_of(ball->c);
    assert_true(ball->r >= farthest - rounding && ball->r <= length_of(corner) + rounding);
}

/* Moments in the order of tree_expansion.h, from what they are: sum m (c - x)^n / n!. */
static void direct_moments(const struct nb_tree *t, uint32_t v, double *q)
{
    static const double factorial[] = {1, 1, 2, 6, 24};
    const struct nb_tree_node *node = &t->node[v];
    int at = 0;
    for (int order = 0; order <= 4; order++)
        for (int a = order; a >= 0 && order != 1; a--)
            for (int b = order - a; b >= 0; b--) {
                const int c = order - a - b;
                double sum = 0;
                for (uint32_t i = node->body_begin; i < node->body_end; i++)
                    sum += t->m[i] * pow(t->ball[v].c[0] - t->x[0][i], a) * pow(t->ball[v].c[1] - t->x[1][i], b) *
                           pow(t->ball[v].c[2] - t->x[2][i], c);
                q[at++] = sum / (factorial[a] * factorial[b] * factorial[c]);
            }
    assert_int_equal(at, MOMENTS);
}

static void check_moments(const struct nb_tree *t, uint32_t v, bool in_double)
{
    const double r = t->ball[v].r, tolerance = in_double ? 1e-12 : 2e-6;
    double q[MOMENTS];
    direct_moments(t, v, q);
    for (int k = 0; k < MOMENTS; k++) {
        const size_t at = (size_t)v * NB_TREE_MULTIPOLE + (size_t)k;
        const double have = in_double ? ((double *)t->multipole)[at] : (double)((float *)t->multipole)[at];
        const double scale = t->ball[v].m * pow(r, k == 0 ? 0 : k < 7 ? 2 : k < 17 ? 3 : 4);
        assert_true(fabs(have - q[k]) <= tolerance * scale + (in_double ? 0 : 1e-37));
    }
}

static void check(const struct model *model, uint64_t n, bool in_double)
{
    struct built b;
    build(&b, model, n, in_double);
    check_order(&b);
    check_nodes(&b);
    for (uint32_t v = 0; v < b.t.nodes; v++) {
        check_ball(&b.t, v, in_double);
        check_moments(&b.t, v, in_double);
    }
    built_free(&b);
}

/* ---- the tests ---- */

static void every_small_number(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 300; n++)
        check(&usual_models[n % 4], n, n % 2);
    check(&usual_models[0], 3001, true);
}

static void hard_inputs(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 17, 65, 300, 2003};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (size_t k = 0; k < sizeof hard_models / sizeof *hard_models; k++)
            check(&hard_models[k], sizes[n], true);
}

/* 1000 bodies at one place of 4000: halves and halves again, and the others as if these were not there. */
static void bodies_at_one_place_are_halved(void **state)
{
    (void)state;
    struct built b;
    build(&b, &hard_models[1], 1000, false);
    assert_int_equal(b.t.levels, 7); /* 1000 / 2^6 is 15.6 */
    assert_int_equal(b.t.nodes, 127);
    assert_false(b.t.divided_on);
    built_free(&b);
    build(&b, &hard_models[2], 1000, true);
    assert_true(b.t.divided_on);
    built_free(&b);
}

static void sorts_stably(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 50021};
    uint64_t seed = 5;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t n = sizes[s];
        uint64_t *keys = malloc(8 * n + 8), *spare = malloc(8 * n + 8), *before = malloc(8 * n + 8);
        uint32_t *order = malloc(4 * n + 4), *spare_order = malloc(4 * n + 4);
        for (uint64_t i = 0; i < n; i++) {
            before[i] = keys[i] = (uint64_t)(uniform01(&seed) * (s % 2 ? 0x1p63 : 100));
            order[i] = (uint32_t)i;
        }
        assert_int_equal(nb_tree_sort(n, keys, order, spare, spare_order), 0);
        for (uint64_t i = 0; i < n; i++) {
            assert_true(keys[i] == before[order[i]]);
            assert_true(i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && order[i - 1] < order[i]));
        }
        free(keys), free(spare), free(before), free(order), free(spare_order);
    }
}

static void equal_for_any_threads(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 7};
    const int usual = omp_get_max_threads();
    const struct model *models[] = {&usual_models[3], &hard_models[2], &hard_models[3]};
    for (size_t m = 0; m < 3; m++) {
        struct built one, many;
        omp_set_num_threads(1);
        build(&one, models[m], 60000, false);
        for (size_t k = 0; k < 3; k++) {
            omp_set_num_threads(threads[k]);
            build(&many, models[m], 60000, false);
            assert_int_equal(one.t.nodes, many.t.nodes);
            assert_memory_equal(one.t.order, many.t.order, 60000 * sizeof *one.t.order);
            assert_memory_equal(one.t.node, many.t.node, one.t.nodes * sizeof *one.t.node);
            assert_memory_equal(one.t.multipole, many.t.multipole, one.t.nodes * NB_TREE_MULTIPOLE * sizeof(float));
            built_free(&many);
        }
        built_free(&one);
        omp_set_num_threads(usual);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_stably),          cmocka_unit_test(every_small_number),
        cmocka_unit_test(hard_inputs),           cmocka_unit_test(bodies_at_one_place_are_halved),
        cmocka_unit_test(equal_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
