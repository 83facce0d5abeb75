/* Simulations of disks in contact with the library's leapfrog, with every method on every device: restitution
 * compared with its formula, the energy of a closed box; bitwise identical results for any number of threads, any age
 * of a list, and from a saved state. */
#include "touching_run.h"

/* ---- restitution ---- */

/* Masses 1 and 3 meet head-on along a slanted line: the speed left over, and what the momentum has changed by. */
static double meet(const struct row *row, double damping, double *momentum)
{
    char law[64];
    snprintf(law, sizeof law, "contact 1000 %g 0.1", damping);
    struct touching *t = make_touching(2, LINES(law));
    const double mu = 0.75, b = damping / (2 * mu), time = M_PI / sqrt(1000 / mu - b * b);
    double x[6], v[6];
    t->m[1] = 3;
    t->x[0] = 0.12, t->x[1] = 0.16; /* 0.2 from the other */
    t->v[0] = -0.6, t->v[1] = -0.8;
    struct run *r = begin_run(row, NB_DOUBLE, "", t);
    advance(r, time / 100, 120);
    fetch(r, x, v);
    *momentum = fmax(fabs(v[0] + 3 * v[3] + 0.6), fabs(v[1] + 3 * v[4] + 0.8));
    assert_true(hypot(x[0] - x[3], x[1] - x[4]) > 0.2);
    end_run(r);
    free_touching(t);
    return (v[0] - v[3]) * 0.6 + (v[1] - v[4]) * 0.8;
}

static void restitution_is_the_formula(void **state)
{
    static const double dampings[] = {0, 2, 8, 20};
    for (size_t k = 0; k < 4; k++) {
        const double mu = 0.75, b = dampings[k] / (2 * mu), want = exp(-b * M_PI / sqrt(1000 / mu - b * b));
        double momentum, e = meet(*state, dampings[k], &momentum);
        if (!(fabs(e / want - 1) < 0.01 && momentum < 1e-12))
            fail_msg("damping %g: restitution %g, not %g; momentum off by %g", dampings[k], e, want, momentum);
    }
}

/* The same with a wall, for which the reduced mass is the disk's. */
static void restitution_of_a_wall(void **state)
{
    static const double dampings[] = {0, 8};
    for (size_t k = 0; k < 2; k++) {
        char law[64];
        snprintf(law, sizeof law, "contact 1000 %g 0.1", dampings[k]);
        struct touching *t = make_touching(1, LINES(law, "wall floor -1 0 1 0"));
        const double b = dampings[k] / 4, time = M_PI / sqrt(500 - b * b), want = exp(-b * time);
        double x[3], v[3];
        t->m[0] = 2, t->x[1] = 0.1, t->v[0] = 0.3, t->v[1] = -1;
        struct run *r = begin_run(*state, NB_DOUBLE, "", t);
        advance(r, time / 100, 120);
        fetch(r, x, v);
        assert_true(fabs(v[1] / want - 1) < 0.01 && fabs(v[0] - 0.3) < 1e-12 && x[1] > 0.1);
        end_run(r);
        free_touching(t);
    }
}

/* What is left of the speed in a contact with damping for the restitution e, in steps of the bound's size, of which the
 * first after the disks touch ends at `phase` of a step; masses 1 and m, or 1 and a wall for m = 0. */
static double meet_in_long_steps(const struct row *row, double e, double m, double phase)
{
    const double mu = m > 0 ? m / (1 + m) : 1, d = log(1 / e) / M_PI, k = 1000, speed = 0.05;
    char law[100];
    snprintf(law, sizeof law, "contact %.17g %.17g 0.1", k, 2 * d * sqrt(k * mu / (1 + d * d)));
    struct touching *t = m > 0 ? make_touching(2, LINES(law)) : make_touching(1, LINES(law, "wall floor -1 0 1 0"));
    const struct nb_contact contact = {.scene = t->scene};
    const double h = nb_contact_longest_step(&contact, 0.1, 1, speed);
    double x[6] = {0}, v[6] = {0};
    if (m > 0)
        t->m[1] = m;
    t->v[0] = m > 0 ? speed : 0, t->v[1] = m > 0 ? 0 : -speed;
    t->x[m > 0 ? 3 : 1] = (m > 0 ? 0.2 : 0.1) + (3 - phase) * h * speed;
    struct run *r = begin_run(row, NB_DOUBLE, "", t);
    advance(r, h, 60);
    fetch(r, x, v);
    end_run(r);
    free_touching(t);
    assert_true(m > 0 ? x[3] - x[0] > 0.2 : x[1] > 0.1);
    return (m > 0 ? v[3] - v[0] : v[1]) / speed / e;
}

static void restitution_in_the_longest_steps(void **state)
{
    static const double restitutions[] = {0.2, 0.372, 0.5, 0.7, 0.9}, masses[] = {1, 3, 0};
    double worst = 0;
    for (int k = 0; k < 5; k++)
        for (int q = 0; q < 3; q++)
            for (int phase = 0; phase < 7; phase++) {
                const double off = meet_in_long_steps(*state, restitutions[k], masses[q], (phase + 0.5) / 7) - 1;
                worst = fmax(worst, fabs(off));
                if (!(fabs(off) < 0.005))
                    fail_msg("restitution %g, masses 1 and %g, phase %d/7: off by %.2f %%", restitutions[k], masses[q],
                             phase, 100 * off);
            }
    print_message("# restitution is off by %.2f %% at most\n", 100 * worst);
}

/* ---- energy ---- */

/* Disks on a lattice between the walls of a container with a solid in it, at speeds of up to 1. */
static struct touching *closed_box(uint64_t across)
{
    struct touching *t =
        make_touching(across * across, LINES("contact 2000 0 0.006", "wall box 0 0 0 1 1 1 1 0 0 0",
                                             "wall body 0.4 0.45 0.6 0.4 0.65 0.6 0.45 0.65 0.4 0.45"));
    uint64_t moved = 0;
    scatter(t, 21, 0, 1, 0, 1);
    for (uint64_t i = 0; i < t->b.n; i++) {
        double n[2];
        t->m[i] = 0.01;
        t->x[3 * i] = ((double)(i % across) + 0.5) / (double)across;
        t->x[3 * i + 1] = ((double)(i / across) + 0.5) / (double)across;
        if (true_distance(&t->scene.walls[1], t->x[3 * i], t->x[3 * i + 1], n) < 0.006) { /* between others */
            t->x[3 * i] = ((double)(moved % (across - 1)) + 1) / (double)across;
            t->x[3 * i + 1] = ((double)(moved / (across - 1)) + 1) / (double)across;
            moved++;
        }
    }
    return t;
}

static void a_closed_box_keeps_its_energy(void **state)
{
    struct touching *t = closed_box(30);
    double *x = malloc(24 * t->b.n), *v = malloc(24 * t->b.n), worst = 0, h;
    for (uint64_t i = 0; i < t->b.n; i++)
        t->v[3 * i + 2] = 0;
    struct run *r = begin_run(*state, NB_DOUBLE, "", t);
    const double first = energy_of(r, t, v, x);
    double turned = 0;
    /* All rows make the same bits, so that one goes all of 10^4 steps. */
    const int rounds = strcmp(((const struct row *)*state)->method, "contact-grid") == 0 ? 100 : 10;
    for (int k = 0; k < rounds; k++) {
        assert_int_equal(nb_force_set_longest_step(&r->force.set, r->p.state, &h), 0);
        advance(r, h, 100);
        worst = fmax(worst, fabs(energy_of(r, t, v, x) / first - 1));
    }
    for (uint64_t i = 0; i < t->b.n; i++)
        turned += hypot(v[3 * i] - t->v[3 * i], v[3 * i + 1] - t->v[3 * i + 1]) / (double)t->b.n;
    if (!(worst < 1e-3 && worst > 0 && turned > (rounds == 100 ? 0.5 : 0.01)))
        fail_msg("energy changed by %g, velocities by %g", worst, turned);
    free(x), free(v);
    end_run(r);
    free_touching(t);
}

static void coincident_disks_separate(void **state)
{
    struct touching *t = make_touching(4, LINES("contact 100 0 0.1"));
    double x[12], v[12], h;
    for (int i = 0; i < 4; i++)
        t->x[3 * i] = 0.5, t->x[3 * i + 1] = i < 2 ? 0.25 : 10;
    struct run *r = begin_run(*state, NB_DOUBLE, "", t);
    assert_int_equal(nb_force_set_longest_step(&r->force.set, r->p.state, &h), 0);
    advance(r, h, 200);
    fetch(r, x, v);
    for (int i = 0; i < 4; i += 2)
        assert_true(x[3 * i + 3] - x[3 * i] > 0.2 && x[3 * i + 1] == t->x[3 * i + 1]);
    end_run(r);
    free_touching(t);
}

/* ---- equal bytes ---- */

static void equal_bytes(void **state)
{
    const struct row *row = *state;
    const bool lists = strcmp(row->method, "contact-grid") == 0;
    for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision += NB_DOUBLE - NB_SINGLE) {
        const enum nb_precision p = (enum nb_precision)precision;
        struct outcome *one = stream_outcome(row, p, "seed=5", 1, 0);
        assert_true(one->felt[0] != 0 && one->felt[3] != 0);
        assert_same("five threads", one, stream_outcome(row, p, "seed=5", 5, 0));
        assert_same("gone on with", one, stream_outcome(row, p, "seed=5", 2, 4));
        for (int skin = 0; lists && p == NB_SINGLE && skin < 3; skin++) {
            static const char *const skins[] = {"seed=5,skin=0", "seed=5,skin=0.3", "seed=5,skin=7"};
            assert_same(skins[skin], one, stream_outcome(row, p, skins[skin], 2, 0));
        }
        if (p == NB_SINGLE) {
            struct outcome *other = stream_outcome(row, p, "seed=6", 2, 0);
            assert_true(memcmp(one->v, other->v, sizeof one->v) != 0);
            free(other);
        }
        free(one);
    }
}

/* What is carried belongs to the run: another type of device goes on with it, up to rounding where it is another one
 * indeed. Were it left out, disks of the outlet got other velocities, and walls forgot what they felt. */
static void goes_on_on_another_type_of_device(void **state)
{
    const struct row *row = *state;
    struct outcome *one = stream_outcome(row, NB_DOUBLE, "seed=5", 2, 0);
    assert_same("under another name", one, stream_resumed(row, NB_DOUBLE, "seed=5", 2, 4, row, "elsewhere"));
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        const struct row then = {(*f)->device, row->method};
        if (strcmp((*f)->method, row->method) != 0 || strcmp((*f)->device, row->device) == 0 ||
            !device_of((*f)->device))
            continue;
        struct outcome *other = stream_resumed(row, NB_DOUBLE, "seed=5", 2, 4, &then, then.device);
        for (int i = 0; i < 3 * N; i++)
            if (!(fabs(other->v[i] - one->v[i]) < 1e-9))
                fail_msg("on %s: velocity %d is %g, not %g", then.device, i, other->v[i], one->v[i]);
        for (int k = 0; k < 4; k++)
            if (!(fabs(other->felt[k] - one->felt[k]) < 1e-6 * (fabs(one->felt[0]) + fabs(one->felt[3]))))
                fail_msg("on %s: walls felt %g, not %g", then.device, other->felt[k], one->felt[k]);
        free(other);
    }
    free(one);
}

/* Steps that a device may replay are those that it makes one by one; both with lists that are built on the way. */
static void steps_together_are_steps(void **state)
{
    enum { COUNT = 150 };
    struct touching *t = stream("");
    struct outcome *one = calloc(1, sizeof *one), *all = calloc(1, sizeof *all);
    struct run *r = begin_run(*state, NB_SINGLE, "", t);
    for (int k = 0; k < COUNT; k++)
        assert_int_equal(nb_steps(&r->p, 1e-3, 1), 0);
    fetch(r, one->x, one->v);
    end_run(r);
    r = begin_run(*state, NB_SINGLE, "", t);
    assert_int_equal(nb_steps(&r->p, 1e-3, COUNT), 0);
    fetch(r, all->x, all->v);
    end_run(r);
    assert_true(memcmp(t->x, one->x, sizeof one->x) != 0);
    assert_same("together", one, all);
    free(one);
    free_touching(t);
}

/* ---- the list of tests ---- */

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(restitution_is_the_formula),        cmocka_unit_test(restitution_of_a_wall),
    cmocka_unit_test(restitution_in_the_longest_steps),  cmocka_unit_test(a_closed_box_keeps_its_energy),
    cmocka_unit_test(coincident_disks_separate),         cmocka_unit_test(equal_bytes),
    cmocka_unit_test(goes_on_on_another_type_of_device), cmocka_unit_test(steps_together_are_steps),
};
#define CASES (sizeof cases / sizeof *cases)

int main(void)
{
    static struct CMUnitTest tests[64];
    static struct row rows[8];
    size_t count = 0, row_count = 0;
    omp_set_num_threads(1); /* where threads are not the question */
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        if (!((*f)->flags & NB_CONTACT))
            continue;
        rows[row_count] = (struct row){(*f)->device, (*f)->method};
        for (size_t c = 0; c < CASES && device_of((*f)->device); c++) {
            char *name;
            assert_true(asprintf(&name, "%s on %s: %s", (*f)->method, (*f)->device, cases[c].name) > 0);
            tests[count] = cases[c];
            tests[count].name = name;
            tests[count++].initial_state = &rows[row_count];
        }
        if (!device_of((*f)->device))
            tests[count++] = (struct CMUnitTest){"a device # SKIP it is not here", run_nothing, NULL, NULL, NULL};
        row_count++;
    }
    return _cmocka_run_group_tests("contact_runs", tests, count, NULL, NULL);
}
