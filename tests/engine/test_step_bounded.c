/* Steps with a limit from the force, and boundary conditions between steps, with a dummy force: springs to the
 * origin, whose limit follows the fastest body. */
#include "base/pack.h"
#include "kepler.h"

#include <errno.h>

#define BODIES 3

struct springs {        /* of the test, and what it is told */
    double reach;       /* that the fastest may move in a step, L */
    uint64_t asked;     /* times that the bound was asked for, */
    double bound;       /* and what was said */
    uint64_t crossings; /* calls of the boundary, */
    double x;           /* and the first body's place in the last one */
    double wall;        /* positions beyond it come in on the other side */
};

static int pull(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                const struct nb_targets *t, const struct nb_field *out)
{
    (void)device, (void)work, (void)precision, (void)s;
    for (uint64_t k = 0; k < 3 * t->stride; k++)
        ((double *)out->a)[k] = -((const double *)t->x)[k];
    return 0;
}

static int longest_step(struct nb_device *device, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                        double *h)
{
    struct springs *w = work;
    double fastest = 0;
    (void)device, (void)least;
    for (uint64_t k = 0; k < 3 * s->stride; k++)
        fastest = fmax(fastest, fabs(((const double *)s->v)[k]));
    w->asked++;
    *h = w->bound = w->reach / fastest;
    return 0;
}

static int cross(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    struct springs *w = work;
    double *x = s->x;
    (void)device, (void)first, (void)asked;
    for (uint64_t i = 0; i < s->n; i++)
        x[i] = x[i] > w->wall ? x[i] - 2 * w->wall : x[i];
    w->crossings++;
    w->x = x[0];
    return 0;
}

static const struct nb_force_steps steps = {.longest = longest_step, .boundary = cross};

static const struct nb_force entry = {.method = "springs",
                                      .device = "cpu",
                                      .flags = NB_EXACT | NB_BOUNDS_STEP,
                                      .tolerance = {[NB_DOUBLE] = 1e-15},
                                      .field = pull,
                                      .steps = &steps};

struct run {
    struct springs springs;
    struct nb_force_set forces;
    struct nb_stepper p;
    struct nb_bounded c;
};

/* Begun, with bodies that move by some speed along x from the origin, whose fastest is of speed 1. */
static void open_run(struct run *r, const char *scheme, double reach, unsigned flags)
{
    struct nb_bodies b;
    nb_bodies_init(&b);
    b.n = BODIES;
    for (const char *const *name = (const char *const[]){"mass", "pos", "vel", NULL}; *name; name++)
        assert_int_equal(nb_bodies_add_known(&b, *name, NB_F64), 0);
    assert_int_equal(nb_bodies_alloc(&b), 0);
    for (int i = 0; i < BODIES; i++) {
        ((double *)b.columns[0].data)[i] = 1;
        for (int k = 0; k < 3; k++) {
            ((double *)b.columns[1].data)[3 * i + k] = 0;
            ((double *)b.columns[2].data)[3 * i + k] = k == 0 ? 1 - 0.3 * i : 0;
        }
    }
    *r = (struct run){.springs = {.reach = reach, .wall = INFINITY}, .c.longest = INFINITY};
    struct nb_device *device = cpu_alone();
    nb_force_set_init(&r->forces, device);
    r->forces.force[r->forces.count++] =
        (struct nb_opened_force){.entry = &entry, .flags = entry.flags | flags, .work = &r->springs};
    r->p = (struct nb_stepper){.scheme = nb_scheme_find(scheme), .G = 1, .forces = &r->forces};
    assert_non_null(r->p.scheme);
    r->p.state = nb_state_create(device, NB_DOUBLE, &b);
    assert_non_null(r->p.state);
    assert_int_equal(nb_step_begin(&r->p), 0);
    nb_bodies_free(&b);
}

static void close_run(struct run *r)
{
    nb_step_end(&r->p);
    nb_state_destroy(r->p.state);
}

static void advance(struct run *r, double span)
{
    nb_quad left = span;
    if (nb_steps_bounded(&r->p, &r->c, &left, UINT64_MAX))
        fail_msg("%s", nb_error());
    assert_true(left == 0);
}

/* Every step is within the bound of the last time that it was asked for, which is at the beginning and every
 * NB_BOUNDED_CHECK steps, and not much below it; the last ends in time: sin and cos of it are found. */
static void steps_obey_the_bound(void **state)
{
    struct run r;
    const double span = 3;
    nb_quad left = span, gone = 0;
    uint64_t changes = 0;
    (void)state;
    open_run(&r, "yoshida8", 0.001, 0);
    r.c.longest = 0.01; /* near the turning point */
    while (left != 0) {
        const nb_quad before = left, h = r.c.h;
        assert_int_equal(nb_steps_bounded(&r.p, &r.c, &left, 1), 0);
        changes += h != 0 && h != r.c.h;
        gone += r.c.h;
        assert_true(nb_quad_abs(before - left - r.c.h) < NB_Q(1e-25));
        const double bound = fmin(r.springs.bound, r.c.longest);
        assert_true((double)r.c.h <= bound * (1 + 1e-8));
        assert_true((double)r.c.h > 0.7 * bound || (double)left < 100 * bound);
        assert_int_equal(r.springs.asked, 1 + (r.c.taken - 1) / NB_BOUNDED_CHECK);
    }
    assert_true(nb_quad_abs(gone - span) < NB_Q(1e-25));
    assert_true(changes > 3 && changes < r.springs.asked); /* the speed falls to 0, and rises */
    assert_true(fabs(((double *)r.p.state->x)[0] - sin(span)) < 1e-11);
    assert_true(fabs(((double *)r.p.state->v)[0] - cos(span)) < 1e-11);
    close_run(&r);
}

/* A bound that stays gives steps of one size, whatever the outputs; an output that is not a whole number of them away
 * gets shorter ones. Where forces say nothing, `longest` does. */
static void one_size_stays(void **state)
{
    struct run r;
    (void)state;
    open_run(&r, "leapfrog", INFINITY, 0);
    r.c.longest = 0.01;
    for (int k = 0; k < 3; k++) {
        advance(&r, 1);
        assert_true(r.c.h == NB_Q(1.0) / 100);
    }
    advance(&r, 0.018);
    assert_true(nb_quad_abs(r.c.h - NB_Q(0.009)) < 1e-17);
    assert_int_equal(r.c.taken, 302);
    advance(&r, -0.018);
    assert_true(nb_quad_abs(r.c.h + NB_Q(0.009)) < 1e-17);
    r.c.longest = INFINITY;
    advance(&r, 0.5);
    assert_true(r.c.h == NB_Q(0.5));
    close_run(&r);
}

static void compare(const struct run *a, const struct run *b)
{
    const size_t bytes = 3 * a->p.state->stride * sizeof(double);
    assert_memory_equal(a->p.state->x, b->p.state->x, bytes);
    assert_memory_equal(a->p.state->v, b->p.state->v, bytes);
    assert_int_equal(a->c.taken, b->c.taken);
    assert_true(a->c.h == b->c.h);
}

static int pack(struct run *r, nb_quad *left, struct nb_pack *k)
{
    return nb_bounded_pack(&r->c, k) || nb_pack_bytes(k, left, sizeof *left) ? -1 : 0;
}

/* Steps one by one, in threes, saved and loaded in between, and begun anew in an output from its numbers and the size
 * of its last step as a header has it: equal bits. */
static void equal_bits_however_divided(void **state)
{
    struct run one, other;
    (void)state;
    open_run(&one, "leapfrog", 0.002, NB_MOVES);
    for (int k = 0; k < 4; k++)
        advance(&one, 0.7);
    open_run(&other, "leapfrog", 0.002, NB_MOVES);
    for (int k = 0; k < 4; k++) {
        unsigned char data[256];
        for (nb_quad left = 0.7; left != 0;) {
            assert_int_equal(nb_steps_bounded(&other.p, &other.c, &left, k < 2 ? 1 : 3), 0);
            struct nb_pack p = nb_pack_make(NB_PACK_SAVE, data, sizeof data);
            assert_int_equal(pack(&other, &left, &p), 0);
            memset(&other.c, 0x55, sizeof other.c);
            p = nb_pack_make(NB_PACK_LOAD, data, p.at);
            assert_int_equal(pack(&other, &left, &p), 0);
        }
        if (k == 1)
            other.c = (struct nb_bounded){.longest = INFINITY, .h = (nb_quad)(double)other.c.h, .taken = other.c.taken};
    }
    compare(&one, &other);
    close_run(&one);
    close_run(&other);
}

/* What was saved by something else. */
static void nonsense_is_refused(void **state)
{
    struct nb_bounded c = {.longest = INFINITY, .h = (nb_quad)NAN, .rest = 3};
    unsigned char data[256];
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct nb_pack p = nb_pack_make(NB_PACK_SAVE, data, sizeof data);
        assert_int_equal(nb_bounded_pack(&c, &p), 0);
        p = nb_pack_make(NB_PACK_LOAD, data, p.at);
        assert_int_equal(nb_bounded_pack(&c, &p), -1);
        c = (struct nb_bounded){.longest = INFINITY, .rest = 3};
    }
}

/* A speed that grows beyond all bounds ends a run, where it would not end by itself. */
static void too_short_is_an_error(void **state)
{
    struct run r;
    (void)state;
    for (int k = 0; k < 2; k++) {
        nb_quad left = 1;
        open_run(&r, "leapfrog", k == 0 ? 0 : 1e-16, 0);
        errno = 0;
        assert_int_equal(nb_steps_bounded(&r.p, &r.c, &left, 10), -1);
        assert_int_equal(errno, EDOM);
        assert_true(left == 1 && r.c.taken == 0);
        close_run(&r);
    }
}

/* In every scheme that serves, once a step, on the positions that the step ends with; the others say why not. */
static void boundaries_are_between_steps(void **state)
{
    int served = 0;
    (void)state;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        struct run r;
        const bool splitting = (*s)->family == nb_scheme_find("leapfrog")->family;
        const char *why = nb_scheme_refuse(*s, NB_EXACT | NB_MOVES);
        if (splitting ? why != NULL : why == NULL || !strstr(why, "moves bodies between steps"))
            fail_msg("%s: %s", (*s)->name, why ? why : "not refused");
        if (!splitting)
            continue;
        open_run(&r, (*s)->name, 0.1, NB_MOVES);
        r.springs.wall = 0.25;
        for (uint64_t k = 1; k <= 20; k++) {
            assert_int_equal(nb_steps(&r.p, NB_Q(0.02), 1), 0);
            assert_int_equal(r.springs.crossings, k);
            assert_true(r.springs.x == ((double *)r.p.state->x)[0]);
            assert_true(r.springs.x <= 0.25 && (k < 16 || r.springs.x < 0));
        }
        close_run(&r);
        served++;
    }
    assert_true(served >= 7);
    assert_non_null(nb_scheme_refuse(nb_scheme_find("whfast"), NB_EXACT | NB_CONTACT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_obey_the_bound),       cmocka_unit_test(one_size_stays),
        cmocka_unit_test(equal_bits_however_divided), cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(too_short_is_an_error),      cmocka_unit_test(boundaries_are_between_steps),
    };
    return cmocka_run_group_tests_name("bounded steps", tests, NULL, NULL);
}
