/* The field of the k-d tree on every device, compared with a simple tree that the test builds, and with direct
 * summation. */
#include "kdtree_models.h"

#include <omp.h>

/* ---- the same once more, in the plainest way ---- */

struct plain_body {
    double x[3], m;
    uint64_t number;
};

static int plain_axis;

static int along_axis(const void *a, const void *b)
{
    const double x = ((const struct plain_body *)a)->x[plain_axis], y = ((const struct plain_body *)b)->x[plain_axis];
    return (x > y) - (x < y);
}

struct plain_node { /* its bodies are [begin, end) */
    uint64_t begin, end;
    double x[3], m, radius;
    struct plain_node *child[2];
};

/* Of n leaves those below the left child of a complete tree. */
static uint64_t left_leaves(uint64_t n)
{
    uint64_t full = 1; /* the largest power of two below n */
    while (2 * full < n)
        full *= 2;
    const uint64_t half = (full + 1) / 2, divided = n - full; /* of the leaves that a level less would have */
    return full == 1 ? 1 : half + (divided < half ? divided : half);
}

static struct plain_node *plain_tree(struct plain_body *p, uint64_t begin, uint64_t end)
{
    struct plain_node *node = calloc(1, sizeof *node);
    double most = -1;
    int longest = 0;
    node->begin = begin;
    node->end = end;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint64_t i = begin; i < end; i++)
            lo = fmin(lo, p[i].x[k]), hi = fmax(hi, p[i].x[k]);
        if (hi - lo > most)
            most = hi - lo, longest = k;
    }
    for (uint64_t i = begin; i < end; i++) {
        node->m += p[i].m;
        for (int k = 0; k < 3; k++)
            node->x[k] += p[i].m * p[i].x[k];
    }
    for (int k = 0; k < 3; k++)
        node->x[k] /= node->m;
    for (uint64_t i = begin; i < end; i++) {
        const double d[3] = {p[i].x[0] - node->x[0], p[i].x[1] - node->x[1], p[i].x[2] - node->x[2]};
        node->radius = fmax(node->radius, norm(d));
    }
    if (end - begin > 1) {
        const uint64_t middle = begin + left_leaves(end - begin);
        plain_axis = longest;
        qsort(p + begin, end - begin, sizeof *p, along_axis);
        node->child[0] = plain_tree(p, begin, middle);
        node->child[1] = plain_tree(p, middle, end);
    }
    return node;
}

static void plain_free(struct plain_node *node)
{
    if (node) {
        plain_free(node->child[0]);
        plain_free(node->child[1]);
    }
    free(node);
}

/* Adds the node's field at body i to a[3] and phi. */
static void plain_walk(const struct plain_body *p, const struct plain_node *node, uint64_t i, double lambda, double eps,
                       double *a)
{
    const double d[3] = {node->x[0] - p[i].x[0], node->x[1] - p[i].x[1], node->x[2] - p[i].x[2]};
    const bool own = node->begin <= i && i < node->end;
    if (node->child[0] && (own || norm(d) <= lambda * node->radius)) {
        plain_walk(p, node->child[0], i, lambda, eps, a);
        plain_walk(p, node->child[1], i, lambda, eps, a);
    } else if (!own) {
        const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps * eps);
        for (int k = 0; k < 3; k++)
            a[k] += node->m * d[k] / (r * r * r);
        a[3] -= node->m / r;
    }
}

/* field[4 i]: a[3] and phi of body i. */
static double *plain_field(const struct nb_bodies *b, double lambda, double eps)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data;
    struct plain_body *p = malloc(b->n * sizeof *p);
    double *field = calloc(b->n, 32);
    for (uint64_t i = 0; i < b->n; i++)
        p[i] = (struct plain_body){{x[3 * i], x[3 * i + 1], x[3 * i + 2]}, m[i], i};
    struct plain_node *root = plain_tree(p, 0, b->n);
    for (uint64_t i = 0; i < b->n; i++)
        plain_walk(p, root, i, lambda, eps, field + 4 * p[i].number);
    plain_free(root);
    free(p);
    return field;
}

/* ---- the row ---- */

/* As plain_field, of the row that `text` asks for. */
static double *row_field(struct nb_device *device, enum nb_precision precision, const char *text,
                         const struct nb_bodies *b, double eps)
{
    struct nb_state *s = nb_state_create(device, precision, b);
    void *d_phi = nb_state_vector(s);
    struct nb_force_set set = open_force(device, precision, NB_WANT_ACC, text, NAN);
    double *field = malloc(32 * b->n), *acc = malloc(24 * b->n), *phi = malloc(8 * b->n);
    struct nb_column a = {.type = NB_F64, .width = 3, .data = acc}, p = {.type = NB_F64, .width = 1, .data = phi};
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_all, s, 1, eps, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &p), 0);
    for (uint64_t i = 0; i < b->n; i++) {
        memcpy(&field[4 * i], &acc[3 * i], 24);
        field[4 * i + 3] = phi[i];
    }
    nb_device_free(device, d_phi);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    free(acc);
    free(phi);
    return field;
}

static void assert_fields_near(const double *have, const double *want, uint64_t n, double digits)
{
    for (uint64_t i = 0; i < n; i++) {
        const double *h = have + 4 * i, *w = want + 4 * i, d[3] = {h[0] - w[0], h[1] - w[1], h[2] - w[2]};
        if (!(norm(d) <= digits * norm(w)) || !(fabs(h[3] - w[3]) <= digits * fabs(w[3])))
            fail_msg("body %d of %d: off by %.2e, potential by %.2e", (int)i, (int)n, norm(d) / norm(w),
                     fabs(h[3] / w[3] - 1));
    }
}

/* Distinct coordinates, so that there is one tree alone; in single a distance may fall on the other side of the
 * criterion. */
static void the_field_is_that_of_the_tree(void **state)
{
    struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 2, 3, 5, 33, 1000, 1025, 4097};
    static const double lambdas[] = {0.1, 0.5, 1, 4};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; l++) {
            struct nb_bodies b;
            char text[64];
            make_sphere(&b, sizes[k]);
            snprintf(text, sizeof text, "kdtree:lambda=%g", lambdas[l]);
            double *want = plain_field(&b, lambdas[l], 0.01), *have = row_field(device, NB_DOUBLE, text, &b, 0.01);
            assert_fields_near(have, want, b.n, 1e-11);
            free(want);
            free(have);
            nb_bodies_free(&b);
        }
}

static void all_walks_give_equal_bits(void **state)
{
    struct nb_device *device = *state;
    static const char *const traverse[] = {"stack", "stackless", "recursive"}, *const visit[] = {"leaf", "input"},
                             *const layout[] = {"heap", "nodes"};
    const int traversals = nb_device_is_host(device) ? 3 : 2, layouts = nb_device_is_host(device) ? 2 : 1;
    for (int model = 0; model < MODELS; model++)
        for (int which = 0; which < 4; which++) {
            struct nb_bodies b;
            char text[128];
            const enum nb_precision precision = which / 2 ? NB_DOUBLE : NB_SINGLE;
            const double lambda = which % 2 ? 0.5 : 3;
            double *first = NULL;
            make_model(&b, model, 1025);
            for (int way = 0; way < traversals * 2 * layouts; way++) {
                snprintf(text, sizeof text, "kdtree:lambda=%g,traverse=%s,visit=%s,layout=%s", lambda,
                         traverse[way / 2 % traversals], visit[way % 2], layout[way / 2 / traversals]);
                double *field = row_field(device, precision, text, &b, 0.02);
                if (first)
                    assert_memory_equal(field, first, 32 * b.n);
                else
                    first = field;
                if (field != first)
                    free(field);
            }
            free(first);
            nb_bodies_free(&b);
        }
}

/* Threads of a block are chosen by time, and have no part in the result. */
static void blocks_do_not_matter(void **state)
{
    struct nb_device *device = *state;
    static const char *const texts[] = {"kdtree:block=64", "kdtree:block=512", "kdtree:block=autotune",
                                        "kdtree:block=1024,traverse=stack", "kdtree:block=32,visit=input"};
    struct nb_bodies b;
    make_model(&b, CLUSTERS, 2600);
    for (int p = 0; p < 2; p++) {
        const enum nb_precision precision = p ? NB_DOUBLE : NB_SINGLE;
        double *first = row_field(device, precision, "kdtree", &b, 0.02);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            double *field = row_field(device, precision, texts[k], &b, 0.02);
            assert_memory_equal(field, first, 32 * b.n);
            free(field);
        }
        free(first);
    }
    nb_bodies_free(&b);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the accelerations, relative. */
static double median_error(const double *have, const double *want, uint64_t n)
{
    double *e = malloc(n * sizeof *e);
    for (uint64_t i = 0; i < n; i++) {
        const double *h = have + 4 * i, *w = want + 4 * i, d[3] = {h[0] - w[0], h[1] - w[1], h[2] - w[2]};
        e[i] = norm(d) / norm(w);
    }
    qsort(e, n, sizeof *e, ascending);
    const double median = e[n / 2];
    free(e);
    return median;
}

static double *direct_field(const struct nb_bodies *b, double eps)
{
    double *field = malloc(32 * b->n);
#pragma omp parallel for
    for (uint64_t i = 0; i < b->n; i++)
        reference(b, i, eps, &field[4 * i], &field[4 * i + 3]);
    return field;
}

/* And at a million is that of rounding. */
static void the_error_falls_with_lambda(void **state)
{
    struct nb_device *device = *state;
    static const double lambdas[] = {0.1, 0.5, 1, 2, 4, 8, 16, 64},
                        bounds[] = {0.3, 0.1, 0.06, 0.015, 3e-3, 6e-4, 1e-4, 2e-6};
    for (int p = 0; p < 2; p++) {
        const enum nb_precision precision = p ? NB_DOUBLE : NB_SINGLE;
        struct nb_bodies b;
        double before = INFINITY;
        make_sphere(&b, 2000);
        double *want = direct_field(&b, 0.01);
        for (size_t k = 0; k < sizeof lambdas / sizeof *lambdas; k++) {
            char text[64];
            snprintf(text, sizeof text, "kdtree:lambda=%g", lambdas[k]);
            double *have = row_field(device, precision, text, &b, 0.01);
            const double error = median_error(have, want, b.n);
            print_message("# kdtree %s %s: lambda %g: median error %.2e\n", device->name, nb_precision_name(precision),
                          lambdas[k], error);
            assert_true(error < before && error < bounds[k]);
            before = error;
            free(have);
        }
        double *have = row_field(device, precision, "kdtree:lambda=1e6", &b, 0.01);
        assert_fields_near(have, want, b.n, p ? 1e-12 : 1e-4);
        assert_true(median_error(have, want, b.n) < (p ? 1e-14 : 2e-6));
        free(have);
        free(want);
        nb_bodies_free(&b);
    }
}

/* Bodies without mass, some at one place, an outlier: opened to the last body, it is the direct sum. */
static void odd_bodies_are_served(void **state)
{
    struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 2, 3, 33, 1000, 4097};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct nb_bodies b;
        make_model(&b, CLUSTERS, sizes[k]);
        double *want = direct_field(&b, 0.05);
        double *have = row_field(device, NB_DOUBLE, "kdtree:lambda=1e6", &b, 0.05);
        assert_fields_near(have, want, b.n, 1e-11);
        free(have);
        have = row_field(device, NB_DOUBLE, "kdtree", &b, 0.05);
        assert_true(b.n < 33 || median_error(have, want, b.n) < 1e-2);
        free(have);
        free(want);
        memset(b.columns[0].data, 0, 8 * b.n); /* and with no mass at all nothing acts */
        have = row_field(device, NB_DOUBLE, "kdtree", &b, 0.05);
        for (uint64_t i = 0; i < 4 * b.n; i++)
            assert_true(have[i] == 0);
        free(have);
        nb_bodies_free(&b);
    }
}

static void threads_do_not_matter(void **state)
{
    struct nb_device *device = *state;
    struct nb_bodies b;
    const int usual = omp_get_max_threads();
    make_model(&b, CLUSTERS, 10000);
    double *first = row_field(device, NB_DOUBLE, "kdtree:lambda=1.5", &b, 0.02);
    for (int threads = 1; threads <= 5; threads += 2) {
        omp_set_num_threads(threads);
        double *field = row_field(device, NB_DOUBLE, "kdtree:lambda=1.5", &b, 0.02);
        assert_memory_equal(field, first, 32 * b.n);
        free(field);
    }
    omp_set_num_threads(usual);
    free(first);
    nb_bodies_free(&b);
}

/* What a kind of device does not have is refused in a sentence, and words that are none. */
static void refusals(void **state)
{
    struct nb_device *device = *state;
    static const char *const texts[] = {"kdtree:traverse=recursive", "kdtree:layout=nodes"};
    struct nb_force_spec spec;
    struct nb_force_set set;
    nb_force_set_init(&set, device);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(nb_force_parse(texts[k], &spec), 0);
        const int status = nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, 10, NULL);
        assert_int_equal(status, strcmp(device->name, "cpu") == 0 ? 0 : -1);
        if (status)
            assert_non_null(strstr(nb_error(), "on the CPU only"));
    }
    nb_force_set_close(&set);
    assert_int_equal(nb_force_parse("kdtree:traverse=upwards", &spec), -1);
    assert_non_null(strstr(nb_error(), "recursive, stack, stackless"));
    assert_int_equal(nb_force_parse("kdtree:lambda=0.05", &spec), -1);
    assert_null(nb_force_choose("kdtree", device, NB_DOUBLE, NB_WANT_JERK, 10));
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"the field is that of the tree", the_field_is_that_of_the_tree, NULL, NULL, NULL},
        {"all walks give equal bits", all_walks_give_equal_bits, NULL, NULL, NULL},
        {"blocks do not matter", blocks_do_not_matter, NULL, NULL, NULL},
        {"the error falls with lambda", the_error_falls_with_lambda, NULL, NULL, NULL},
        {"odd bodies are served", odd_bodies_are_served, NULL, NULL, NULL},
        {"threads do not matter", threads_do_not_matter, NULL, NULL, NULL},
        {"refusals", refusals, NULL, NULL, NULL},
    };
    return run_on_devices_with("kdtree", 0, "kdtree_field", NULL, of_device, sizeof of_device / sizeof *of_device);
}
