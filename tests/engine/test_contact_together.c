/* Disks on several GPUs (lib/force/contact/cuda/contact_together.cu): the same bytes as on one GPU, after steps in
 * which lists grow old and are rebuilt, disks wander from one part to another, and other ways of evaluation come
 * between. */
#include "device/timing.h"
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

static struct run *open_on(struct nb_device *d, enum nb_precision precision, const char *spec, struct touching *t)
{
    struct run *r = calloc(1, sizeof *r);
    r->force = open_touching(d, precision, spec, t);
    r->p =
        (struct nb_stepper){.scheme = nb_scheme_find("leapfrog"), .forces = &r->force.set, .state = r->force.s, .G = 1};
    assert_int_equal(nb_timing_begin(d), 0);
    if (nb_step_begin(&r->p))
        fail_msg("%s", nb_error());
    return r;
}

static bool has_exchanged(struct nb_device *d)
{
    size_t count;
    const struct nb_stage *table = nb_timing_table(d, &count);
    for (size_t k = 0; k < count; k++)
        if (strcmp(table[k].name, "exchange positions") == 0)
            return true;
    return false;
}

/* Positions and velocities after each of `rounds` rounds of steps. Every third round is followed by an evaluation with
 * pressures, which each device does for itself; its results are compared too. */
static double *travel(struct nb_device *d, enum nb_precision precision, const char *spec, double radius, int rounds,
                      bool together)
{
    const size_t each = 3 * DISKS;
    double *all = calloc((size_t)rounds * 3 * each, sizeof *all);
    struct touching *t = make_disks(radius);
    struct run *r = open_on(d, precision, spec, t);
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
    assert_int_equal(has_exchanged(d), together);
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

/* Damping and own radii: every device has all that it needs of all disks. */
static void others_do_without(void **state)
{
    (void)state;
    struct nb_device *group = open_parts(3);
    struct touching *t = stream("");
    struct run *r = open_on(group, NB_SINGLE, "contact-grid", t);
    advance(r, 2e-3, 3);
    assert_false(has_exchanged(group));
    nb_timing_end(group);
    end_run(r);
    free_touching(t);
    nb_device_close(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(disks_are_those_of_one), cmocka_unit_test(others_do_without)};
    return run_gpu_tests("together", tests, sizeof tests / sizeof *tests);
}
