/* Disks on several GPUs (lib/force/contact/cuda/contact_together.cu): the same bytes as on one GPU, after steps in
 * which lists grow old and are rebuilt, disks wander from one part to another, and other ways of evaluation come
 * between. */
#include "gpu_parts.h"
#include "touching_run.h"

#define DISKS 6000

/* Steps of disks without damping. The lists last some steps. */
static struct touching *make_disks(double radius)
{
    char law[64];
    snprintf(law, sizeof law, "contact 200 0 %g", radius);
    struct touching *t = make_touching(
        DISKS, LINES(law, "box -2 6 -2.5 2.5", "periodic xy", "wall body 0 0 1 0.2 0.1 0.4 0 0", "wall a 3 0 4 1"));
    scatter(t, 41, -2, 6, -2.5, 2.5);
    for (uint64_t i = 0; i < DISKS; i++) {
        double n[2];
        t->m[i] = 0.01;
        if (true_distance(&t->scene.walls[0], t->x[3 * i], t->x[3 * i + 1], n) < 0)
            t->x[3 * i] += 2;
    }
    return t;
}

static struct run *begin_on(struct nb_device *d, enum nb_precision precision, const char *spec, struct touching *t)
{
    struct run *r = open_run_on(d, precision, spec, t);
    assert_int_equal(nb_timing_begin(d), 0);
    if (nb_step_begin(&r->p))
        fail_msg("%s", nb_error());
    return r;
}

/* Positions and velocities after each of `rounds` rounds of steps. Every third round is followed by an evaluation with
 * pressures, which each device does for itself; its results are compared too. */
static double *travel(struct nb_device *d, enum nb_precision precision, const char *spec, double radius, int rounds,
                      bool together)
{
    const size_t each = 3 * DISKS;
    double *all = calloc((size_t)rounds * 3 * each, sizeof *all);
    struct touching *t = make_disks(radius);
    struct run *r = begin_on(d, precision, spec, t);
    for (int k = 0; k < rounds; k++) {
        double *to = all + 3 * each * (size_t)k;
        advance(r, 2e-3, 7);
        fetch(r, to, to + each);
        if (k % 3 == 2) {
            assert_int_equal(touching_field(&r->force), 0);
            fetch_touching(&r->force, t);
            memcpy(to + 2 * each, t->pressure, DISKS * sizeof *to);
            memcpy(to + 2 * each + DISKS, t->phi, DISKS * sizeof *to);
        }
    }
    assert_int_equal(has_stage(d, "exchange positions"), together);
    nb_timing_end(d);
    end_run(r);
    free_touching(t);
    return all;
}

static void check(enum nb_precision precision, const char *spec, double radius)
{
    enum { ROUNDS = 12 };
    struct nb_device *one = nb_device_choose("cuda");
    double *want = travel(one, precision, spec, radius, ROUNDS, false);
    double moved = 0;
    for (int i = 0; i < 3 * DISKS; i++)
        moved = fmax(moved, fabs(want[(ROUNDS - 1) * 9 * DISKS + i] - want[i]));
    assert_true(moved > radius); /* further than a list lasts */
    for (int parts = 2; parts <= 5; parts += parts - 1) {
        struct nb_device *group = open_parts(parts);
        double *got = travel(group, precision, spec, radius, ROUNDS, true);
        for (int k = 0; k < ROUNDS; k++)
            if (memcmp(got + 9 * DISKS * k, want + 9 * DISKS * k, 9 * DISKS * sizeof *got))
                fail_msg("%s, %s, radius %g: %d parts differ from one after round %d", spec,
                         nb_precision_name(precision), radius, parts, k);
        free(got);
        nb_device_close(group);
    }
    free(want);
    nb_device_close(one);
}

static void disks_are_those_of_one(void **state)
{
    (void)state;
    for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++) {
        check((enum nb_precision)precision, "contact-grid", 0.015);
        check((enum nb_precision)precision, "contact-grid:skin=0", 0.015);
    }
    check(NB_SINGLE, "contact-grid:skin=9", 0.015); /* more partners than a list holds */
}

/* Steps of a flow without damping; after `cut` steps (0: never) it goes on from what the forces carry. */
static struct outcome *flow_on(struct nb_device *d, enum nb_precision precision, int cut, bool together)
{
    enum { FLOW_STEPS = 140 }; /* in one of them the disks in the chamber get new places */
    static unsigned char saved[1 << 20];
    struct touching *t = stream_with("contact 200 0 0.015", "");
    struct run *r = begin_on(d, precision, "contact-grid", t);
    advance(r, 2e-3, cut > 0 ? cut : FLOW_STEPS);
    assert_int_equal(has_stage(d, "exchange positions"), together);
    nb_timing_end(d);
    if (cut > 0) {
        struct nb_pack k = nb_pack_make(NB_PACK_SAVE, saved, sizeof saved);
        assert_int_equal(nb_step_pack(&r->p, &k), 0);
        end_run(r);
        r = open_run_on(d, precision, "contact-grid", t);
        k = nb_pack_make(NB_PACK_LOAD, saved, k.at);
        assert_int_equal(nb_step_pack(&r->p, &k), 0);
        advance(r, 2e-3, FLOW_STEPS - cut);
    }
    return end_outcome(r, t);
}

static void flows_are_those_of_one(void **state)
{
    (void)state;
    struct nb_device *one = nb_device_choose("cuda");
    for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++) {
        struct outcome *want = flow_on(one, (enum nb_precision)precision, 0, false);
        assert_true(want->felt[0] != 0);
        for (int parts = 2; parts <= 5; parts += parts - 1) {
            struct nb_device *group = open_parts(parts);
            assert_same("flow", want, flow_on(group, (enum nb_precision)precision, 0, true));
            assert_same("resumed flow", want, flow_on(group, (enum nb_precision)precision, 61, true));
            nb_device_close(group);
        }
        free(want);
    }
    nb_device_close(one);
}

/* Damping and own radii: every device has all that it needs of all disks. */
static void others_do_without(void **state)
{
    (void)state;
    struct nb_device *group = open_parts(3);
    struct touching *t = stream("");
    struct run *r = begin_on(group, NB_SINGLE, "contact-grid", t);
    advance(r, 2e-3, 3);
    assert_false(has_stage(group, "exchange positions"));
    nb_timing_end(group);
    end_run(r);
    free_touching(t);
    nb_device_close(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(disks_are_those_of_one),
                                       cmocka_unit_test(flows_are_those_of_one), cmocka_unit_test(others_do_without)};
    return run_gpu_tests("together", tests, sizeof tests / sizeof *tests);
}
