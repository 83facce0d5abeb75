/* The hierarchy of boxes of contact-bvh on the CPU, after each of 300 builds: boxes are the unions of their
 * children's boxes, every leaf is reached once, the pairs are those of the grid. With each switch the forces agree
 * within rounding errors. */
#include "reference/contact_bvh/cpu/contact_bvh.h"

#include "touching.h"

#include <omp.h>

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct nb_contact_input input_of(const struct nb_state *s)
{
    return (struct nb_contact_input){s->precision == NB_SINGLE, s->n, s->stride, s->m, s->x, s->v, s->radius};
}

/* The box of a child, from below; counts how often leaves are reached and how deep the deepest is. */
static struct nb_contact_box walk(const struct nb_contact_bvh *b, const struct nb_contact_input *in, uint32_t child,
                                  int depth, int *deepest, unsigned char *reached)
{
    struct nb_contact_box box;
    if (child & NB_BVH_LEAF) {
        const uint32_t place = child & ~NB_BVH_LEAF;
        assert_true(place < b->n && reached[place] == 0);
        reached[place] = 1;
        *deepest = depth > *deepest ? depth : *deepest;
        for (int k = 0; k < 2; k++)
            box.low[k] = box.high[k] = nb_contact_at(in, k, b->order[place]);
        return box;
    }
    const struct nb_contact_box left = walk(b, in, b->child[child][0], depth + 1, deepest, reached),
                                right = walk(b, in, b->child[child][1], depth + 1, deepest, reached);
    for (int k = 0; k < 2; k++) {
        box.low[k] = fmin(left.low[k], right.low[k]), box.high[k] = fmax(left.high[k], right.high[k]);
        assert_true(b->box[child].low[k] == box.low[k] && b->box[child].high[k] == box.high[k]);
    }
    return box;
}

static void check_build(const struct nb_contact_bvh *b, const struct nb_contact_input *in)
{
    unsigned char *reached = calloc(b->n, 1);
    int deepest = 0;
    walk(b, in, 0, 0, &deepest, reached);
    for (uint64_t p = 0; p < b->n; p++)
        assert_true(reached[p] && (p == 0 || b->keys[p - 1] <= b->keys[p]));
    assert_true(deepest <= NB_BVH_DEPTH);
    free(reached);
}

/* `once`: the other way around too. */
static void assert_same_rows(uint64_t n, const struct nb_contact_rows *a, const struct nb_contact_rows *b)
{
    assert_memory_equal(a->begin, b->begin, (n + 1) * sizeof *a->begin);
    if (a->begin[n])
        assert_memory_equal(a->partner, b->partner, a->begin[n] * sizeof *a->partner);
}

/* Places of many kinds, by the number of the build. */
static void place(struct touching *t, uint64_t build)
{
    static const double sizes[] = {1, 0.2, 0.004, 0, 1};
    const double size = sizes[build % 5];
    scatter(t, build, -size, size, -size, size);
    for (uint64_t i = 0; build % 5 == 4 && i < t->b.n; i++) { /* clumps, across the box's sides too */
        t->x[3 * i] = (double)(i % 3) - 1 + t->x[3 * i] * 0.02;
        t->x[3 * i + 1] = (double)(i % 5) / 2 - 1 + t->x[3 * i + 1] * 0.02;
    }
}

/* Every size from 2 to 301 once, five times every mixture of place, sides, precision and order. */
static void many_builds(void **state)
{
    (void)state;
    struct nb_contact contact = {0};
    struct nb_contact_bvh b = {.reorder = true};
    struct nb_contact_grid g = {0};
    struct nb_contact_rows by_boxes = {0}, by_grid = {0}, half = {0};
    for (uint64_t build = 0; build < 300; build++) {
        struct touching *t = make_touching(2 + build * 7 % 300, LINES("contact 100 0 0.02", "box -1 1 -1 1",
                                                                      build % 2 ? "periodic xy" : "periodic x"));
        place(t, build);
        struct nb_state *s = nb_state_create(cpu_alone(), build % 3 ? NB_DOUBLE : NB_SINGLE, &t->b);
        const struct nb_contact_input in = input_of(s);
        contact.scene = t->scene;
        b.reorder = build % 4 > 0;
        assert_int_equal(nb_contact_bvh_build(&b, &contact, &in), 0);
        check_build(&b, &in);
        assert_int_equal(nb_contact_bvh_search(&b, &in, 0.0400001, false, &by_boxes), 0);
        assert_int_equal(nb_contact_grid_search(&g, &contact, &in, 0.0400001, &by_grid), 0);
        assert_same_rows(in.n, &by_boxes, &by_grid);
        assert_int_equal(nb_contact_bvh_search(&b, &in, 0.0400001, true, &half), 0);
        assert_int_equal(2 * half.begin[in.n], by_grid.begin[in.n]);
        nb_state_destroy(s);
        free_touching(t);
    }
    nb_contact_bvh_free(&b);
    nb_contact_grid_free(&g);
    nb_contact_rows_free(&by_boxes);
    nb_contact_rows_free(&by_grid);
    nb_contact_rows_free(&half);
}

/* Pairs of 4096 disks, of both ways: those that all pairs have, for a spread, clumps, one cell, one place, across the
 * sides, and equal keys. */
static void pairs_are_all_pairs(void **state)
{
    enum { N = 2048 };
    (void)state;
    struct nb_contact contact = {0};
    for (uint64_t kind = 0; kind < 5; kind++) {
        struct touching *t = make_touching(N, LINES("contact 100 0 0.005", "box -1 1 -1 1", "periodic xy"));
        place(t, kind);
        struct nb_state *s = nb_state_create(cpu_alone(), NB_DOUBLE, &t->b);
        const struct nb_contact_input in = input_of(s);
        struct nb_contact_bvh b = {.reorder = true};
        struct nb_contact_grid g = {0};
        struct nb_contact_rows rows[2] = {{0}};
        contact.scene = t->scene;
        assert_int_equal(nb_contact_bvh_build(&b, &contact, &in), 0);
        assert_int_equal(nb_contact_bvh_search(&b, &in, 0.0100000001, false, &rows[0]), 0);
        assert_int_equal(nb_contact_grid_search(&g, &contact, &in, 0.0100000001, &rows[1]), 0);
        assert_same_rows(N, &rows[0], &rows[1]);
        assert_int_equal(rows[0].begin[N], 2 * true_field(t, NULL));
        for (uint64_t i = 0; i < N; i++)
            for (uint64_t p = rows[0].begin[i]; p < rows[0].begin[i + 1]; p++)
                assert_true(rows[0].partner[p] != i &&
                            (p == rows[0].begin[i] || rows[0].partner[p - 1] < rows[0].partner[p]));
        nb_contact_bvh_free(&b);
        nb_contact_grid_free(&g);
        nb_contact_rows_free(&rows[0]);
        nb_contact_rows_free(&rows[1]);
        nb_state_destroy(s);
        free_touching(t);
    }
}

/* Each pair once: the same but for the order of the sums; places looked up or copied: the same bits. */
static void switches(void **state)
{
    (void)state;
    for (int p = NB_SINGLE; p <= NB_DOUBLE; p++) {
        const enum nb_precision precision = (enum nb_precision)p;
        struct touching *t = make_touching(5000, LINES("contact 100 0.5 0.02", "box -1 1 -1 1", "periodic xy"));
        scatter(t, 2, -1, 1, -1, 1);
        double *a = malloc(24 * 5000);
        evaluate_touching(cpu_alone(), precision, "contact-bvh", t);
        memcpy(a, t->a, 24 * 5000);
        evaluate_touching(cpu_alone(), precision, "contact-grid", t);
        assert_memory_equal(a, t->a, 24 * 5000);
        evaluate_touching(cpu_alone(), precision, "contact-bvh:reorder=off", t);
        assert_memory_equal(a, t->a, 24 * 5000);
        evaluate_touching(cpu_alone(), precision, "contact-bvh:reflexive=on", t);
        assert_truth("each pair once", t, p == NB_DOUBLE ? 1e-12 : 3e-5);
        free(a);
        free_touching(t);
    }
}

static void switches_of_a_gpu_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"contact-bvh:stack=shared", "contact-bvh:aggregate=on"};
    struct touching *t = make_touching(2, LINES("contact 100 0 0.03"));
    for (int k = 0; k < 2; k++) {
        struct nb_force_set set;
        struct nb_force_spec spec;
        nb_force_set_init(&set, cpu_alone());
        assert_int_equal(nb_force_parse(specs[k], &spec), 0);
        assert_int_equal(nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, 2, &t->meta), -1);
        assert_non_null(strstr(nb_error(), "GPU"));
    }
    assert_int_equal(nb_force_parse("contact-bvh:reflexive=maybe", &(struct nb_force_spec){0}), -1);
    free_touching(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_builds),
        cmocka_unit_test(pairs_are_all_pairs),
        cmocka_unit_test(switches),
        cmocka_unit_test(switches_of_a_gpu_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
