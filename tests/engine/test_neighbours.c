/* Lists of neighbours and the regular parts of accelerations (force/neighbours.h), on every device that has them:
 * compared with sums over all pairs, at the start and after a base step. */
#include "common/devices.h"
#include "device/device.h"
#include "star_cluster.h"
#include "step/step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct nb_neighbours neighbours_of(const struct nb_state *s, uint32_t wanted)
{
    struct nb_neighbours w = {.wanted = wanted, .most = 2 * wanted + 14, .regular_eta = 0.01};
    void **const vectors[] = {&w.own.d_a,      &w.own.d_j,      &w.own.d_px,     &w.own.d_pv,
                              &w.d_regular[0], &w.d_regular[1], &w.d_regular[2], &w.d_regular[3]};
    void **const rows[] = {&w.own.d_begun, &w.own.d_step, &w.d_regular_step, &w.d_reach2};
    for (int k = 0; k < 8; k++)
        assert_non_null(*vectors[k] = nb_state_vector(s));
    for (int k = 0; k < 4; k++)
        assert_non_null(*rows[k] = nb_state_row(s));
    assert_non_null(w.d_count = nb_device_alloc(s->device, s->n * sizeof *w.d_count));
    assert_non_null(w.d_list = nb_device_alloc(s->device, s->n * w.most * sizeof *w.d_list));
    w.own.n = s->n, w.own.stride = s->stride;
    w.own.d_x = s->x, w.own.d_v = s->v;
    w.own.base = 0.004, w.own.eta = 0.01;
    return w;
}

static void free_neighbours(const struct nb_state *s, struct nb_neighbours *w)
{
    void *const all[] = {w->own.d_a,        w->own.d_j,      w->own.d_px,     w->own.d_pv,    w->d_regular[0],
                         w->d_regular[1],   w->d_regular[2], w->d_regular[3], w->own.d_begun, w->own.d_step,
                         w->d_regular_step, w->d_reach2,     w->d_count,      w->d_list};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        nb_device_free(s->device, all[k]);
}

/* Acceleration and jerk of body i by body j, added to sum[0 .. 6). */
static void add_pair(const double *m, const double *x, const double *v, uint64_t stride, uint64_t i, uint64_t j,
                     double sum[6])
{
    double d[3], w[3], r2 = 0, dw = 0;
    for (uint64_t k = 0; k < 3; k++) {
        d[k] = x[j + k * stride] - x[i + k * stride];
        w[k] = v[j + k * stride] - v[i + k * stride];
        r2 += d[k] * d[k];
        dw += d[k] * w[k];
    }
    for (int k = 0; k < 3; k++) {
        sum[k] += m[j] * d[k] / pow(r2, 1.5);
        sum[3 + k] += m[j] * (w[k] - 3 * dw / r2 * d[k]) / pow(r2, 1.5);
    }
}

static void *host_copy(const struct nb_state *s, const void *d_from, size_t size_bytes)
{
    void *to = malloc(size_bytes);
    assert_non_null(to);
    assert_int_equal(nb_device_from(s->device, to, d_from, size_bytes), 0);
    return to;
}

struct copies { /* in host memory, of what w and the state have */
    double *m, *x, *v, *a, *j, *reach2;
    uint32_t *count, *list;
};

static struct copies copies_of(const struct nb_state *s, const struct nb_neighbours *w, const void *d_x,
                               const void *d_v)
{
    const size_t row = s->stride * sizeof(double), n = s->n;
    return (struct copies){.m = host_copy(s, s->m, row),
                           .x = host_copy(s, d_x, 3 * row),
                           .v = host_copy(s, d_v, 3 * row),
                           .a = host_copy(s, w->d_regular[0], 3 * row),
                           .j = host_copy(s, w->d_regular[1], 3 * row),
                           .reach2 = host_copy(s, w->d_reach2, row),
                           .count = host_copy(s, w->d_count, n * sizeof(uint32_t)),
                           .list = host_copy(s, w->d_list, n * w->most * sizeof(uint32_t))};
}

static void free_copies(struct copies *c)
{
    void *const all[] = {c->m, c->x, c->v, c->a, c->j, c->reach2, c->count, c->list};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

/* Is the list of body i as its reach says? Returns the largest relative error of its regular part. */
static double check_body(const struct nb_state *s, const struct nb_neighbours *w, const struct copies *c, uint64_t i,
                         double mean, bool reached)
{
    const uint32_t *list = c->list + i * w->most, count = c->count[i];
    double sum[6] = {0}, size = 0, worst = 0;
    uint32_t at = 0;
    for (uint64_t j = 0; j < s->n; j++) {
        double r2 = 0;
        for (uint64_t k = 0; k < 3; k++)
            r2 += pow(c->x[j + k * s->stride] - c->x[i + k * s->stride], 2);
        const bool listed = at < count && list[at] == j;
        at += listed;
        if (reached && i != j)
            assert_int_equal(listed, r2 < c->reach2[i] * pow(c->m[j] / mean, 2.0 / 3));
        if (!listed && i != j)
            add_pair(c->m, c->x, c->v, s->stride, i, j, sum);
    }
    assert_int_equal(at, count);
    for (uint64_t k = 0; k < 3; k++) {
        size = fmax(size, fabs(sum[k]));
        worst = fmax(worst, fabs(sum[k] - c->a[i + k * s->stride]) / size);
        worst = fmax(worst, fabs(sum[3 + k] - c->j[i + k * s->stride]));
    }
    return worst;
}

/* What w has of each body, or of each that is a multiple of `every`, is the regular part by its list, at positions d_x
 * and velocities d_v; lists are as reaches say if `reached`; and most have about as many as are wanted. */
static void check_parts(const struct nb_state *s, const struct nb_neighbours *w, const void *d_x, const void *d_v,
                        uint64_t every, bool reached)
{
    struct copies c = copies_of(s, w, d_x, d_v);
    double mean = 0, all = 0, worst = 0;
    uint64_t massive = 0, near = 0;
    for (uint64_t i = 0; i < s->n; i++)
        mean += c.m[i], massive += c.m[i] > 0;
    mean /= (double)massive;
    for (uint64_t i = 0; i < s->n; i++) {
        if (i % every == 0)
            worst = fmax(worst, check_body(s, w, &c, i, mean, reached));
        all += c.count[i];
        near += c.count[i] > w->wanted / 2 && c.count[i] < 2 * w->wanted;
    }
    print_message("# %.1f neighbours for %u wanted, sums off by %.1e\n", all / (double)s->n, w->wanted, worst);
    assert_true(worst < 1e-11);
    assert_true(all > 0.75 * w->wanted * (double)s->n && all < 1.34 * w->wanted * (double)s->n);
    assert_true(20 * near > 19 * s->n);
    free_copies(&c);
}

/* At the beginning, and after a base step of at most `most` times, whose end is at predicted places. */
static void check_base_step(struct nb_device *device, const struct nb_bodies *b, uint32_t wanted, uint64_t every,
                            uint64_t most)
{
    struct nb_force_set forces = open_force(device, NB_DOUBLE, NB_WANT_JERK, "direct", NAN);
    const struct nb_opened_force *f = nb_force_set_neighbours(&forces);
    assert_non_null(f);
    struct nb_state *s = nb_state_create(device, NB_DOUBLE, b);
    struct nb_neighbours w = neighbours_of(s, wanted);
    struct nb_sources from = nb_sources_of(s, 1, 0);
    struct nb_own_run go = {.whole = (uint64_t)1 << NB_OWN_PARTS, .most = most};
    const struct nb_targets to = {.n = s->n, .stride = s->stride, .x = s->x, .v = s->v};
    const struct nb_field out = {.stride = s->stride, .a = w.own.d_a, .jerk = w.own.d_j};
    double range[2], *scale = malloc(s->stride * sizeof *scale);
    from.v = s->v;
    assert_int_equal(nb_force_set_evaluate(&forces, nb_forces_all, NB_DOUBLE, &from, &to, &out), 0);
    assert_int_equal(f->entry->neighbours->start(device, f->work, &from, &w), 0);
    check_parts(s, &w, s->x, s->v, every, true);
    for (uint64_t i = 0; i < s->stride; i++)
        scale[i] = 0.01;
    assert_int_equal(nb_device_to(device, w.own.d_step, scale, s->n * sizeof *scale), 0);
    assert_int_equal(nb_device_to(device, w.d_regular_step, scale, s->n * sizeof *scale), 0);
    from.x = w.own.d_px, from.v = w.own.d_pv;
    assert_int_equal(f->entry->neighbours->step(device, f->work, &from, &w, &go, range), 0);
    assert_true(go.times == most || go.done == go.whole);
    check_parts(s, &w, w.own.d_px, w.own.d_pv, every, false);
    assert_true(w.pairs >= s->n * s->n);
    assert_true(range[0] > 0 && range[0] < range[1] && range[1] < (double)INFINITY);
    free(scale);
    free_neighbours(s, &w);
    nb_state_destroy(s);
    nb_force_set_close(&forces);
}

static void lists_and_sums(void **state)
{
    struct nb_bodies b;
    make_cluster(&b);
    check_base_step(*state, &b, 10, 1, UINT64_MAX);
    check_base_step(*state, &b, 40, 1, UINT64_MAX);
    nb_bodies_free(&b);
}

/* So many that a GPU takes the sources of few bodies in many parts, and many bodies in several batches. */
static void of_many_bodies(void **state)
{
    struct nb_bodies b;
    uint64_t seed = 7;
    make_bodies(&b, nb_device_is_host(*state) ? 2000 : 10000, 0);
    for (uint64_t i = 0; i < b.n; i++) {
        double x[3], v[3];
        for (int k = 0; k < 3; k++) {
            x[k] = uniform01(&seed);
            v[k] = uniform01(&seed) - 0.5;
        }
        place(&b, i, (0.2 + 1.6 * uniform01(&seed)) / (double)b.n, x, v);
    }
    check_base_step(*state, &b, 40, b.n / 100, 20);
    nb_bodies_free(&b);
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"lists and sums", lists_and_sums, NULL, NULL, NULL},
        {"of many bodies", of_many_bodies, NULL, NULL, NULL},
    };
    return run_on_devices_alone("direct", NB_NEAR_AND_FAR, "neighbours", of_device,
                                sizeof of_device / sizeof *of_device);
}
