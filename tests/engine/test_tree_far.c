/* The far part of gravity by the tree, on every device that supports it and in every precision, compared with sums
 * over all pairs in double that the test computes; and the list of close pairs, which must be exactly that of all
 * pairs. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "force/force.h"
#include "simd/simd.h"
#include "tree_models.h"

#include <omp.h>

/* ---- bodies, and what is right ---- */

static void make(struct nb_bodies *b, const struct model *model, uint64_t n)
{
    double *v;
    uint64_t seed = 7;
    make_bodies(b, n, 0);
    v = b->columns[2].data;
    model_make(model, n, b->columns[0].data, b->columns[1].data);
    for (uint64_t k = 0; k < 3 * n; k++)
        v[k] = (float)(2 * uniform01(&seed) - 1);
}

/* Two thirds of the bodies in a clump of a thousandth of the size, away from the centre; masses over two decades. */
static void clump(uint64_t n, double *m, double *x)
{
    uint64_t seed = 1;
    plummer(n, m, x);
    for (uint64_t i = 0; i < n; i++) {
        m[i] *= pow(10, 2 * uniform01(&seed) - 1);
        for (uint64_t c = 0; c < 3 && i % 3; c++)
            x[3 * i + c] = 1e-3 * x[3 * i + c] + (c == 0 ? 1.5 : 0);
    }
}

/* 25 bodies each around one place, so near that their forces on each other are beyond all others. */
static void groups(uint64_t n, double *m, double *x)
{
    plummer(n, m, x);
    for (uint64_t k = 0; k < 3 * n; k++)
        x[k] = 1e-4 * x[k] + x[k % 3 + 3 * (k / 75 * 25)];
}

static const struct model grouped = {"dense groups", 0, 1.2e-2, groups};
static const struct model clumped = {"a dense clump", 0, 1.2e-2, clump};

static double distance2(const double *x, uint64_t i, uint64_t j)
{
    const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static double share_of(double inner, double outer, double r2)
{
    const double y = (r2 - inner * inner) / (outer * outer - inner * inner);
    return y <= 0 ? 0 : y >= 1 ? 1 : 35 * pow(y, 4) - 84 * pow(y, 5) + 70 * pow(y, 6) - 20 * pow(y, 7);
}

static void true_far_part(const struct nb_bodies *b, double inner, double outer, double *a)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    memset(a, 0, 24 * b->n);
    for (uint64_t i = 0; i < b->n; i++)
        for (uint64_t j = 0; j < b->n; j++) {
            const double r2 = distance2(x, i, j);
            if (r2 <= inner * inner)
                continue;
            const double w = (r2 < outer * outer ? share_of(inner, outer, r2) : 1) * m[j] / (r2 * sqrt(r2));
            for (uint64_t c = 0; c < 3; c++)
                a[3 * i + c] += w * (x[3 * j + c] - x[3 * i + c]);
        }
}

/* Nearer than `near`, or than `reach` and nearer than `outer` at the least of the distances on the way, which is at an
 * end or where the way is across the offset. */
static bool is_close(const struct nb_bodies *b, const struct nb_close_pairs *p, double outer, uint64_t i, uint64_t j)
{
    const double *x = b->columns[1].data, *v = b->columns[2].data, r = sqrt(distance2(x, i, j));
    double at[3], across = 0, speed2 = 0, least = INFINITY;
    for (uint64_t c = 0; c < 3; c++) {
        const double dv = v[3 * j + c] - v[3 * i + c];
        across -= dv * (x[3 * j + c] - x[3 * i + c]);
        speed2 += dv * dv;
    }
    const double times[] = {0, p->time, across / speed2};
    for (int k = 0; k < 3; k++) {
        if (!(times[k] * p->time >= 0 && fabs(times[k]) <= fabs(p->time)))
            continue;
        for (uint64_t c = 0; c < 3; c++)
            at[c] = x[3 * j + c] - x[3 * i + c] + times[k] * (v[3 * j + c] - v[3 * i + c]);
        least = fmin(least, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    return r < p->near || (r < p->reach && least < outer);
}

static struct nb_close_pairs true_pairs(const struct nb_bodies *b, const struct nb_close_pairs *like, double outer)
{
    struct nb_close_pairs p = {.near = like->near, .reach = like->reach, .time = like->time};
    for (uint64_t i = 0; i < b->n; i++)
        for (uint64_t j = i + 1; j < b->n; j++) {
            if (!is_close(b, &p, outer, i, j))
                continue;
            if (p.count == p.room)
                p.pair = realloc(p.pair, (p.room = 2 * p.room + 1000) * sizeof *p.pair);
            p.pair[p.count][0] = (uint32_t)i;
            p.pair[p.count++][1] = (uint32_t)j;
        }
    return p;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distance within which a body has so many neighbours, as a mean of every 40th body. */
static double distance_of(const struct nb_bodies *b, double neighbours)
{
    const double *x = b->columns[1].data;
    double *r2 = malloc((b->n / 40 + 1) * b->n * sizeof *r2), r;
    uint64_t count = 0, bodies = 0;
    for (uint64_t i = 0; i < b->n; i += 40, bodies++)
        for (uint64_t j = 0; j < b->n; j++)
            if (j != i)
                r2[count++] = distance2(x, i, j);
    qsort(r2, count, sizeof *r2, ascending);
    r = sqrt(r2[(uint64_t)(neighbours * (double)bodies)]);
    free(r2);
    return r;
}

/* ---- an evaluation ---- */

static int ask(const struct nb_force_set *set, enum nb_precision precision, const struct nb_bodies *b,
               struct nb_changeover far, double *a, struct nb_close_pairs *close)
{
    struct nb_state *s = nb_state_create(set->device, precision, b);
    struct nb_sources from = nb_sources_of(s, 1, 0);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x};
    const struct nb_field out = {.stride = s->stride, .a = s->a, .close = close};
    struct nb_column column = {.type = NB_F64, .width = 3, .data = a};
    from.far = far;
    if (close)
        close->v = s->v;
    const int status = nb_force_set_evaluate(set, nb_forces_all, precision, &from, &to, &out);
    if (status == 0)
        assert_int_equal(nb_state_fetch(s, s->a, &column), 0);
    nb_state_destroy(s);
    return status;
}

static double *far_part(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b, double inner,
                        double outer, struct nb_close_pairs *close)
{
    struct nb_force_set set = open_force(device, precision, NB_WANT_ACC, "tree", NAN);
    double *a = malloc(24 * b->n);
    assert_int_equal(ask(&set, precision, b, (struct nb_changeover){inner, outer}, a, close), 0);
    nb_force_set_close(&set);
    return a;
}

static void check_pairs(const struct nb_close_pairs *have, const struct nb_close_pairs *want)
{
    assert_true(have->count == want->count && have->room >= have->count);
    assert_memory_equal(have->pair, want->pair, want->count * sizeof *want->pair);
}

/* Relative errors of all bodies: the median and the one that 99 in 100 keep. */
static void check_errors(const struct nb_bodies *b, const double *have, const double *want, double median, double p99)
{
    double *e = malloc(8 * b->n);
    for (uint64_t i = 0; i < b->n; i++) {
        const double a2 = distance2(want, i, i), *w = want + 3 * i, *h = have + 3 * i;
        const double d[3] = {h[0] - w[0], h[1] - w[1], h[2] - w[2]};
        e[i] = sqrt((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (a2 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        assert_true(isfinite(e[i]));
    }
    qsort(e, b->n, sizeof *e, ascending);
    print_message("# median %.2e, 99 %% %.2e\n", e[b->n / 2], e[(b->n - 1) * 99 / 100]);
    assert_true(e[b->n / 2] <= median && e[(b->n - 1) * 99 / 100] <= p99);
    free(e);
}

static void check(struct nb_device *device, const struct nb_bodies *b, double inner, double outer, double reach,
                  double median, double p99)
{
    double *want = malloc(24 * b->n);
    true_far_part(b, inner, outer, want);
    for (int p = 0; p <= NB_DOUBLE; p++) {
        struct nb_close_pairs close = {
            .near = (outer + reach) / 2, .reach = reach, .time = p == NB_MIXED ? -reach : reach / 2};
        struct nb_close_pairs pairs = true_pairs(b, &close, outer);
        double *alone = far_part(device, (enum nb_precision)p, b, inner, outer, NULL);
        double *a = far_part(device, (enum nb_precision)p, b, inner, outer, &close);
        check_errors(b, alone, want, median, p99);
        check_errors(b, a, want, median, p99);
        check_pairs(&close, &pairs);
        free(alone), free(a), free(close.pair), free(pairs.pair);
    }
    free(want);
}

/* ---- the cases ---- */

/* Two bodies are one leaf: K to rounding. */
static void a_pair_has_its_share(void **state)
{
    static const double far[][2] = {{0.1, 0.4}, {1e-5, 1}, {0.3, 0.31}, {1e-12, 1e-11}};
    for (int p = 0; p <= NB_DOUBLE; p++)
        for (size_t f = 0; f < sizeof far / sizeof *far; f++)
            for (int k = 0; k <= 40; k++) {
                const double inner = far[f][0], outer = far[f][1], r = (float)(outer * k / 32);
                struct nb_bodies b;
                make_bodies(&b, 2, 0.5);
                ((double *)b.columns[1].data)[4] = r;
                double *a = far_part(*state, (enum nb_precision)p, &b, inner, outer, NULL);
                const double whole = 0.5 / (r * r), want = k == 0 ? 0 : whole * share_of(inner, outer, r * r);
                const double rounding = (p == NB_DOUBLE ? 1e-14 : 5e-6) * whole * outer / (outer - inner);
                assert_true(a[0] == 0 && a[2] == 0 && a[3] == 0 && a[5] == 0);
                assert_true(r <= inner ? a[1] == 0 && a[4] == 0
                                       : fabs(a[1] - want) <= rounding && fabs(a[4] + want) <= rounding);
                free(a);
                nb_bodies_free(&b);
            }
}

static void few_and_many_neighbours(void **state)
{
    static const double neighbours[] = {0.1, 5, 50};
    const struct model *models[] = {&usual_models[0], &clumped};
    for (int k = 0; k < 2; k++) {
        struct nb_bodies b;
        make(&b, models[k], 2003);
        for (int q = 0; q < 3; q++) {
            const double outer = distance_of(&b, neighbours[q]);
            print_message("# %s, %g neighbours: outer %g\n", models[k]->name, neighbours[q], outer);
            check(*state, &b, q == 1 ? outer / 1.5 : outer / 10, outer, q == 2 ? outer : 1.3 * outer,
                  k == 0 ? 8e-4 : 1.6e-3, k == 0 ? 5e-3 : 1.2e-2);
        }
        nb_bodies_free(&b);
    }
}

/* Errors are small beside the far part. All bodies of a group have nearly the same: 80 groups are few. */
static void near_parts_hide_no_errors(void **state)
{
    struct nb_bodies b;
    make(&b, &grouped, 2000);
    check(*state, &b, 0.003, 0.03, 0.03, 3e-3, 2.5e-2);
    nb_bodies_free(&b);
}

static void bodies_at_one_place(void **state)
{
    struct nb_bodies b;
    make(&b, &hard_models[0], 1000);
    check(*state, &b, 0.01, 0.1, 0.1, 1.6e-3, 3e-2);
    nb_bodies_free(&b);
}

/* A reach beyond all of them. */
static void all_are_close(void **state)
{
    struct nb_bodies b;
    make(&b, &usual_models[0], 301);
    for (int p = 0; p <= NB_DOUBLE; p++) {
        struct nb_close_pairs close = {.near = 1e6, .reach = 1e6};
        double *a = far_part(*state, (enum nb_precision)p, &b, 1e4, 1e5, &close);
        assert_true(close.count == 301 * 300 / 2);
        for (uint64_t k = 0; k < 3 * b.n; k++)
            assert_true(a[k] == 0);
        free(a), free(close.pair);
    }
    nb_bodies_free(&b);
}

static void equal_bytes(void **state)
{
    const int usual = omp_get_max_threads();
    struct nb_bodies b;
    make(&b, &clumped, 20011);
    const double outer = distance_of(&b, 3);
    for (int p = 0; p <= NB_DOUBLE; p++) {
        struct nb_close_pairs close[2] = {{.near = outer, .reach = outer}, {.near = outer, .reach = outer}};
        double *a[2];
        for (int k = 0; k < 2; k++) {
            omp_set_num_threads(k + 1);
            a[k] = far_part(*state, (enum nb_precision)p, &b, outer / 4, outer, &close[k]);
        }
        omp_set_num_threads(usual);
        assert_memory_equal(a[0], a[1], 24 * b.n);
        check_pairs(&close[0], &close[1]);
        for (int k = 0; k < 2; k++)
            free(a[k]), free(close[k].pair);
    }
    nb_bodies_free(&b);
}

static void every_instruction_set(void **state)
{
    struct nb_bodies b;
    make(&b, &usual_models[0], 1001);
    const double outer = distance_of(&b, 5);
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        if (!nb_simd_here((enum nb_simd)set))
            continue;
        assert_int_equal(nb_simd_choose(nb_simd_name((enum nb_simd)set)), 0);
        check(*state, &b, outer / 3, outer, 1.5 * outer, 8e-4, 5e-3);
    }
    assert_int_equal(nb_simd_choose(NULL), 0);
    nb_bodies_free(&b);
}

/* Nodes of an order that is kept grow as bodies move; the list of pairs is used again. */
static void an_order_serves_again(void **state)
{
    struct nb_bodies b;
    make(&b, &usual_models[0], 2003);
    const double outer = distance_of(&b, 5);
    double *x = b.columns[1].data, *a = malloc(24 * b.n);
    for (int p = 0; p <= NB_DOUBLE; p++) {
        struct nb_force_set set = open_force(*state, (enum nb_precision)p, NB_WANT_ACC, "tree:rebuild=3", NAN);
        struct nb_close_pairs close = {.near = outer, .reach = 1.4 * outer, .time = outer};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(ask(&set, (enum nb_precision)p, &b, (struct nb_changeover){outer / 2, outer}, a, &close),
                             0);
            struct nb_close_pairs want = true_pairs(&b, &close, outer);
            check_pairs(&close, &want);
            free(want.pair);
            for (uint64_t i = 0; i < 3 * b.n; i++)
                x[i] = (float)(x[i] + 0.05 * sin((double)(i % 1009)));
        }
        free(close.pair);
        nb_force_set_close(&set);
    }
    free(a);
    nb_bodies_free(&b);
}

static void refusals(void **state)
{
    static const struct nb_changeover good = {0.1, 0.2}, wrong[] = {{0, 0.2}, {0.2, 0.2}, {0.2, 0}, {0, 0}, {0.1, NAN}};
    struct nb_force_set tree = open_force(*state, NB_DOUBLE, NB_WANT_ACC, "tree", NAN);
    struct nb_force_set direct = open_force(*state, NB_DOUBLE, NB_WANT_ACC, "direct", NAN);
    struct nb_close_pairs close = {.near = 0.19, .reach = 0.3};
    struct nb_bodies b;
    double a[30];
    make(&b, &usual_models[0], 10);
    assert_int_equal(ask(&tree, NB_DOUBLE, &b, good, a, NULL), 0);
    assert_int_equal(ask(&direct, NB_DOUBLE, &b, good, a, NULL), -1);
    assert_non_null(strstr(nb_error(), "far part"));
    assert_int_equal(ask(&tree, NB_DOUBLE, &b, good, a, &close), -1);
    assert_non_null(strstr(nb_error(), "reach"));
    close = (struct nb_close_pairs){.near = 0.3, .reach = 0.2};
    assert_int_equal(ask(&tree, NB_DOUBLE, &b, good, a, &close), -1);
    close = (struct nb_close_pairs){.near = 1, .reach = 1};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(ask(&tree, NB_DOUBLE, &b, wrong[k], a, &close), -1);
    struct nb_state *s = nb_state_create(*state, NB_DOUBLE, &b);
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x};
    struct nb_sources from = nb_sources_of(s, 1, 0);
    from.far = good;
    const struct nb_field phi = {.stride = s->stride, .phi = s->v}, acc = {.stride = s->stride, .a = s->a};
    assert_int_equal(nb_force_set_evaluate(&tree, nb_forces_all, NB_DOUBLE, &from, &to, &phi), -1);
    from.softening = 0.01;
    assert_int_equal(nb_force_set_evaluate(&tree, nb_forces_all, NB_DOUBLE, &from, &to, &acc), -1);
    nb_state_destroy(s);
    nb_bodies_free(&b);
    nb_force_set_close(&tree);
    nb_force_set_close(&direct);
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        cmocka_unit_test(a_pair_has_its_share),
        cmocka_unit_test(few_and_many_neighbours),
        cmocka_unit_test(near_parts_hide_no_errors),
        cmocka_unit_test(bodies_at_one_place),
        cmocka_unit_test(all_are_close),
        cmocka_unit_test(equal_bytes),
        cmocka_unit_test(every_instruction_set),
        cmocka_unit_test(an_order_serves_again),
        cmocka_unit_test(refusals),
    };
    return run_on_devices_alone("tree", NB_FAR_PART, "tree far", of_device, sizeof of_device / sizeof *of_device);
}
