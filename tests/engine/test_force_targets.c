/* Every force on every device in every precision: the field of some bodies at other bodies, at lists of bodies and at
 * points, and fields that are added. */
#include "device/choose.h"
#include "device/group.h"
#include "force_rows.h"

/* Of a force that computes forces on all bodies only. */
static void some_targets_are_refused(const struct row *row)
{
    struct nb_device *device = device_of(row->force->device);
    struct nb_force_set set = open_force(device, row->precision, NB_WANT_ACC, row->force->method, NAN);
    struct nb_bodies b;
    make_sphere(&b, 10);
    struct nb_state *s = nb_state_create(device, row->precision, &b);
    struct nb_sources sources = {.n = 10, .stride = s->stride, .m = s->m, .x = s->x, .G = 1};
    const struct nb_targets others[] = {{.n = 9, .stride = s->stride, .x = s->x},
                                        {.n = 10, .stride = s->stride, .x = s->x, .self = -1},
                                        {.n = 10, .stride = s->stride, .x = s->x, .index = s->m}};
    const struct nb_field out = {.stride = s->stride, .a = s->a};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, row->precision, &sources, &others[k], &out), -1);
        assert_non_null(strstr(nb_error(), "computes forces on all bodies only"));
    }
    nb_force_set_close(&set);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

/* Targets that are a range of the sources, and targets that are none of them. With a theta next to nothing a tree sums
 * all pairs. */
static void ranges_and_free_points(void **state)
{
    const struct row *row = *state;
    if (row->force->flags & NB_ALL_BODIES)
        return some_targets_are_refused(row);
    struct nb_device *device = device_of(row->force->device);
    struct nb_force_set set =
        open_force(device, row->precision, NB_WANT_ACC, row->force->method, exact(row) ? (double)NAN : 1e-4);
    const uint64_t i0 = 100, count = 333;
    struct nb_bodies b;
    make_sphere(&b, bodies_for(row, 1000, 1000, 500));
    struct nb_state *s = nb_state_create(device, row->precision, &b);
    size_t offset = i0 * nb_precision_size(row->precision);
    struct nb_sources sources = {.n = s->n, .stride = s->stride, .m = s->m, .x = s->x, .G = 1, .softening = 0.01};
    struct nb_targets targets = {.n = count, .stride = s->stride, .x = (char *)s->x + offset, .self = (int64_t)i0};
    struct nb_field out = {.stride = s->stride, .a = s->a};
    struct nb_column part = {.type = NB_F64, .width = 3}, free_points = part;
    part.data = calloc(b.n, 24);
    free_points.data = calloc(b.n, 24);
    assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, row->precision, &sources, &targets, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &part), 0);
    targets.self = -1; /* the same points as nobody's: their own bodies act at distance 0, which adds nothing */
    assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, row->precision, &sources, &targets, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &free_points), 0);
    for (uint64_t k = 0; k < count; k++) {
        double a[3], phi;
        reference(&b, i0 + k, 0.01, a, &phi);
        for (int c = 0; c < 3; c++) {
            double tolerance = (row->precision >= NB_DOUBLE ? 1e-13 : 2e-5) * norm(a);
            assert_true(fabs(((double *)part.data)[3 * k + c] - a[c]) <= tolerance);
            assert_true(fabs(((double *)free_points.data)[3 * k + c] - a[c]) <= tolerance);
        }
    }
    free(part.data);
    free(free_points.data);
    nb_force_set_close(&set);
    nb_state_destroy(s);
    nb_bodies_free(&b);
}

/* What is done with a state and then looked at: a set of one force and a vector or two of room. */
struct bench {
    struct nb_bodies b;
    struct nb_device *device;
    struct nb_force_set set;
    struct nb_state *s;
    struct nb_sources sources;
    void *d_phi;
    double *a, *phi;
};

static void begin(struct bench *w, const struct row *row, uint64_t n, double theta)
{
    make_sphere(&w->b, n);
    w->device = device_of(row->force->device);
    w->set = open_force(w->device, row->precision, NB_WANT_ACC, row->force->method, exact(row) ? (double)NAN : theta);
    w->s = nb_state_create(w->device, row->precision, &w->b);
    w->sources = (struct nb_sources){
        .n = w->s->n, .stride = w->s->stride, .m = w->s->m, .x = w->s->x, .G = 1, .softening = 0.01};
    w->d_phi = nb_state_vector(w->s);
    w->a = calloc(n, 24);
    w->phi = calloc(n, 8);
}

static void run(struct bench *w, const struct row *row, const struct nb_targets *targets, bool add)
{
    const struct nb_field out = {.stride = w->s->stride, .a = w->s->a, .phi = w->d_phi, .add = add};
    struct nb_column a = {.type = NB_F64, .width = 3, .data = w->a}, phi = {.type = NB_F64, .width = 1, .data = w->phi};
    assert_int_equal(nb_force_set_evaluate(&w->set, nb_forces_all, row->precision, &w->sources, targets, &out), 0);
    assert_int_equal(nb_state_fetch(w->s, w->s->a, &a), 0);
    assert_int_equal(nb_state_fetch(w->s, w->d_phi, &phi), 0);
}

static void end(struct bench *w)
{
    nb_device_free(w->device, w->d_phi);
    nb_force_set_close(&w->set);
    nb_state_destroy(w->s);
    nb_bodies_free(&w->b);
    free(w->a);
    free(w->phi);
}

/* Is what target k has got the field at body i, times `factor`? */
static void assert_field(const struct bench *w, const struct row *row, uint64_t k, uint64_t i, double factor)
{
    const double digits = row->precision >= NB_DOUBLE ? 1e-13 : 2e-5;
    double a[3], phi;
    reference(&w->b, i, 0.01, a, &phi);
    for (int c = 0; c < 3; c++)
        if (!(fabs(w->a[3 * k + (uint64_t)c] - factor * a[c]) <= factor * digits * norm(a)))
            fail_msg("target %d, body %d: %g, not %g", (int)k, (int)i, w->a[3 * k + (uint64_t)c], factor * a[c]);
    assert_true(fabs(w->phi[k] - factor * phi) <= factor * digits * fabs(phi));
}

/* Targets that are a list of bodies: neighbours, single ones, the first and the last; also one alone, and all. */
static void a_list_of_targets(void **state)
{
    const struct row *row = *state;
    if (row->force->flags & NB_ALL_BODIES)
        return some_targets_are_refused(row);
    const uint64_t few = is_textbook(row->force) ? 0 : 6001;
    const uint64_t counts[] = {bodies_for(row, 1000, 1000, 250), bodies_for(row, 6001, few, 0)};
    for (int which = 0; which < 6; which++) {
        struct bench w;
        const uint64_t n = counts[which % 2], stride = which < 2 ? 1 : which < 4 ? 37 : n;
        if (n == 0)
            continue;
        begin(&w, row, n, 1e-4);
        uint32_t *index = malloc(n * sizeof *index), count = 0;
        for (uint64_t i = 0; i < n; i++)
            if (i % stride == 0 || (stride < n && (i == n - 1 || i % 501 < 5)))
                index[count++] = (uint32_t)i;
        void *d_index = nb_device_alloc(w.device, count * sizeof *index);
        assert_int_equal(nb_device_to(w.device, d_index, index, count * sizeof *index), 0);
        const struct nb_targets targets = {.n = count, .stride = w.s->stride, .x = w.s->x, .index = d_index};
        run(&w, row, &targets, false);
        for (uint64_t k = 0; k < count; k += 1 + count / 200)
            assert_field(&w, row, k, index[k], 1);
        assert_field(&w, row, count - 1, index[count - 1], 1);
        nb_device_free(w.device, d_index);
        free(index);
        end(&w);
    }
}

enum { ALL, RANGE, LIST, POINTS, TARGETS };

/* Fields are added to what is there: all bodies, a range, a list, free points; acceleration and potential, or one. */
static void fields_add(void **state)
{
    const struct row *row = *state;
    const uint64_t n = bodies_for(row, 2501, 701, 150), first = 100;
    for (int which = 0; which < 3 * TARGETS; which++) {
        struct bench w;
        const int kind = which % TARGETS, wanted = which / TARGETS; /* both, a, phi */
        const uint64_t count = kind == ALL ? n : kind == RANGE ? n - first : n / 3;
        if (kind != ALL && row->force->flags & NB_ALL_BODIES)
            continue;
        begin(&w, row, n, 1e-4);
        uint32_t *index = malloc(n * sizeof *index);
        for (uint64_t k = 0; k < n; k++)
            index[k] = (uint32_t)(kind == LIST ? 3 * k : kind == RANGE ? first + k : k);
        void *d_index = nb_device_alloc(w.device, n * sizeof *index);
        assert_int_equal(nb_device_to(w.device, d_index, index, n * sizeof *index), 0);
        const size_t offset = kind == RANGE ? first * nb_precision_size(row->precision) : 0;
        const struct nb_targets targets = {.n = count,
                                           .stride = w.s->stride,
                                           .x = (char *)w.s->x + offset,
                                           .self = kind == RANGE    ? (int64_t)first
                                                   : kind == POINTS ? -1
                                                                    : 0,
                                           .index = kind == LIST ? d_index : NULL};
        for (int k = 0; k < 3; k++) {
            const struct nb_field out = {.stride = w.s->stride,
                                         .a = wanted == 2 ? NULL : w.s->a,
                                         .phi = wanted == 1 ? NULL : w.d_phi,
                                         .add = k > 0};
            assert_int_equal(nb_force_set_evaluate(&w.set, nb_forces_all, row->precision, &w.sources, &targets, &out),
                             0);
        }
        struct nb_column a = {.type = NB_F64, .width = 3, .data = w.a};
        struct nb_column phi = {.type = NB_F64, .width = 1, .data = w.phi};
        assert_int_equal(nb_state_fetch(w.s, w.s->a, &a), 0);
        assert_int_equal(nb_state_fetch(w.s, w.d_phi, &phi), 0);
        for (uint64_t k = 0; k < count; k += 1 + count / 50) {
            double want[3], potential;
            reference(&w.b, index[k], 0.01, want, &potential);
            if (kind == POINTS) /* a free point feels its own body too */
                potential -= ((double *)w.b.columns[0].data)[index[k]] / 0.01;
            const double digits = row->precision >= NB_DOUBLE ? 1e-13 : 2e-5;
            for (uint64_t c = 0; c < 3; c++)
                assert_true(fabs(w.a[3 * k + c] - (wanted == 2 ? 0 : 3 * want[c])) <= 3 * digits * norm(want));
            assert_true(fabs(w.phi[k] - (wanted == 1 ? 0 : 3 * potential)) <= 3 * digits * fabs(potential));
        }
        nb_device_free(w.device, d_index);
        free(index);
        end(&w);
    }
}

/* What is added twice as a tree makes it is twice as much, without a force on the whole. */
static void sums_keep_the_momentum(void **state)
{
    const struct row *row = *state;
    struct bench w;
    begin(&w, row, bodies_for(row, 5000, 1500, 300), 0.75);
    const struct nb_targets all = {.n = w.s->n, .stride = w.s->stride, .x = w.s->x};
    for (int k = 0; k < 2; k++)
        run(&w, row, &all, k > 0);
    check_momentum(row, &w.b, w.a);
    end(&w);
}

/* A position that is no number, or infinite: no hang and no full memory, but results that say so. */
static void what_is_not_finite_is_seen(void **state)
{
    const struct row *row = *state;
    for (int which = 0; which < 2; which++) {
        struct bench w;
        if (row->precision == NB_QUAD)
            return;
        begin(&w, row, bodies_for(row, 5000, 1500, 0), 0.75);
        nb_state_destroy(w.s);
        ((double *)w.b.columns[1].data)[3 * 1234 + 1] = which ? (double)NAN : (double)INFINITY;
        w.s = nb_state_create(w.device, row->precision, &w.b);
        w.sources.m = w.s->m, w.sources.x = w.s->x;
        run(&w, row, &(struct nb_targets){.n = w.s->n, .stride = w.s->stride, .x = w.s->x}, false);
        assert_false(isfinite(w.a[3 * 1234 + 1]));
        for (uint64_t i = 0; i < w.b.n && !exact(row); i++) /* in a tree all hangs together */
            assert_true(isnan(w.a[3 * i]) && isnan(w.a[3 * i + 2]) && isnan(w.phi[i]));
        end(&w);
    }
}

/* Two instances of a device, on one card or on two, used in turn, give the bits of one: nothing is shared. */
static void two_instances_are_as_one(void **state)
{
    const struct row *row = *state;
    struct nb_device *device[2];
    struct bench alone, w[2];
    const uint64_t n = bodies_for(row, 3000, 1000, 200);
    begin(&alone, row, n, 0.75);
    const struct nb_targets all = {.n = alone.s->n, .stride = alone.s->stride, .x = alone.s->x};
    run(&alone, row, &all, false);
    for (int k = 0; k < 2; k++) {
        begin(&w[k], row, n, 0.75);
        nb_force_set_close(&w[k].set);
        nb_device_free(w[k].device, w[k].d_phi);
        nb_state_destroy(w[k].s);
        const bool group =
            nb_device_is_group(alone.device); /* else the second on another such card, where there is one */
        device[k] =
            group ? nb_device_choose(device_in_place_of(row->force->device)) : nb_device_open(alone.device->kind, k);
        if (device[k] && !group && strcmp(device[k]->model, alone.device->model) != 0) { /* with bits of its own */
            nb_device_close(device[k]);
            device[k] = NULL;
        }
        w[k].device = device[k] = device[k] ? device[k] : nb_device_open(alone.device->kind, 0);
        assert_non_null(device[k]);
        w[k].set =
            open_force(device[k], row->precision, NB_WANT_ACC, row->force->method, exact(row) ? (double)NAN : 0.75);
        w[k].s = nb_state_create(device[k], row->precision, &w[k].b);
        w[k].d_phi = nb_state_vector(w[k].s);
        w[k].sources.m = w[k].s->m, w[k].sources.x = w[k].s->x;
    }
    for (int turn = 0; turn < 4; turn++) {
        struct bench *now = &w[turn % 2];
        const struct nb_targets targets = {.n = now->s->n, .stride = now->s->stride, .x = now->s->x};
        run(now, row, &targets, false);
        assert_memory_equal(now->a, alone.a, 24 * n);
        assert_memory_equal(now->phi, alone.phi, 8 * n);
    }
    for (int k = 0; k < 2; k++) {
        end(&w[k]);
        nb_device_close(device[k]);
    }
    end(&alone);
}

int main(void)
{
    static const struct row_case cases[] = {
        {"ranges and free points", ranges_and_free_points},
        {"a list of targets", a_list_of_targets},
        {"fields add", fields_add},
        {"sums keep the momentum", sums_keep_the_momentum},
        {"what is not finite is seen", what_is_not_finite_is_seen},
        {"two instances are as one", two_instances_are_as_one},
    };
    return run_on_rows("force_targets", cases, sizeof cases / sizeof *cases);
}
