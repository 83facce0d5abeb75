/* libnbtools: systems that change between two calls: kicks, a new choice of the step, added and removed bodies. */
#include "test_nbtools_bodies.h"

static void kicks(void **state)
{
    (void)state;
    const double mass = 1, pos[3] = {0}, vel[3] = {1, 0, 0}, dv[3] = {0, 2, 0};
    struct nbt_system *s = nbt_system_new(1, &mass, pos, vel);
    good(nbt_advance(s, 1));
    good(nbt_kick(s, dv));
    good(nbt_advance(s, 2));
    const double *x = column(s, "pos");
    assert_true(fabs(x[0] - 2) < 1e-15 && fabs(x[1] - 2) < 1e-15 && x[2] == 0);
    /* A value in the frame, changed by the caller. */
    double *v = nbt_column_get(nbt_system_frame(s), "vel", NULL, NULL);
    v[0] = v[1] = 0;
    good(nbt_value_set(nbt_system_frame(s), "time", 10));
    good(nbt_changed(s));
    good(nbt_advance(s, 20));
    assert_true(fabs(column(s, "pos")[0] - 2) < 1e-15);
    good(nbt_kick(s, dv));
    good(nbt_changed(s));
    good(nbt_advance(s, 21));
    assert_true(fabs(column(s, "pos")[1] - 4) < 1e-14);
    nbt_system_close(s);
}

/* What is looked at before does not decide on the first steps: nothing acts on the body, and one step is enough. */
static void chooses_by_first_steps(void **state)
{
    (void)state;
    const double mass = 1, pos[3] = {0}, vel[3] = {1, 0, 0};
    struct nbt_system *s = nbt_system_new(1, &mass, pos, vel);
    double e[3], steps;
    good(nbt_option_set(s, "integrator", "leapfrog"));
    good(nbt_energies(s, e));
    assert_true(e[0] == 0.5 && e[1] == 0);
    good(nbt_advance(s, 5));
    good(nbt_value_get(nbt_system_frame(s), "step", &steps));
    assert_true(steps == 1);
    nbt_system_close(s);
}

static double value(struct nbt_system *s, const char *name)
{
    double x;
    good(nbt_value_get(nbt_system_frame(s), name, &x));
    return x;
}

/* Does the header of the first frame of a file that the system is written to have this line? */
static bool has_line(struct nbt_system *s, const char *line)
{
    char text[4096] = "";
    struct nbt_stream *out = nbt_stream_create("header.nbs");
    good(nbt_stream_write(out, nbt_system_frame(s)));
    good(nbt_stream_close(out));
    FILE *file = fopen("header.nbs", "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size > 100);
    return strstr(text, line);
}

/* The header has the step that was taken, and the one that was asked for, as nbsim's; which the next call takes. */
static void header_has_the_step(void **state)
{
    (void)state;
    struct nbt_system *s = make_pair();
    const double nothing[6] = {0}, far[3] = {50, 0, 0}, rest[3] = {0}, mass = 0;
    good(nbt_option_set(s, "integrator", "leapfrog"));
    good(nbt_option_set(s, "dt", "0.03"));
    good(nbt_advance(s, 1)); /* 34 steps */
    assert_true(value(s, "dt") == 1.0 / 34 && value(s, "step") == 34);
    assert_true(has_line(s, "\ndt_asked 0.03\n"));
    good(nbt_advance(s, 1.3));
    assert_true(fabs(value(s, "dt") - 0.03) < 1e-15 && value(s, "step") == 44);
    assert_false(has_line(s, "dt_asked"));
    /* A short call does not shorten those after it, also if all is chosen again. */
    good(nbt_option_set(s, "dt", NULL));
    good(nbt_advance(s, 1.301));
    assert_true(fabs(value(s, "dt") - 0.001) < 1e-15 && has_line(s, "\ndt_asked 0.03"));
    good(nbt_kick(s, nothing));
    good(nbt_add(s, 1, &mass, far, rest, NULL));
    good(nbt_advance(s, 1.901));
    assert_true(fabs(value(s, "dt") - 0.03) < 1e-12 && value(s, "step") == 65);
    nbt_system_close(s);
}

/* Nothing acts on the body: each call takes one step, however far the first went, or one that was refused would have.
 * A body beside it asks for steps again. */
static void any_step_serves(void **state)
{
    (void)state;
    const double mass = 1, pos[3] = {0}, vel[3] = {1, 0, 0}, beside[3] = {101, 0, 0}, past[3] = {1, 1, 0};
    struct nbt_system *s = nbt_system_new(1, &mass, pos, vel);
    good(nbt_option_set(s, "integrator", "leapfrog"));
    good(nbt_advance(s, 0));
    good(nbt_advance(s, 1e-4));
    good(nbt_advance(s, 100));
    assert_true(value(s, "step") == 2 && value(s, "dt") == 0);
    assert_true(fabs(column(s, "pos")[0] - 100) < 1e-12);
    good(nbt_add(s, 1, &mass, beside, past, NULL));
    good(nbt_advance(s, 101));
    assert_true(value(s, "dt") > 0 && value(s, "dt") < 0.2);
    nbt_system_close(s);
}

/* Two halves of a period with a stop between are one orbit: begun anew, and with another integrator. */
static void begins_anew(void **state)
{
    (void)state;
    struct nbt_system *s = make_pair();
    const double nothing[6] = {0};
    good(nbt_advance(s, 2));
    good(nbt_kick(s, nothing));
    good(nbt_advance(s, 4));
    good(nbt_option_set(s, "integrator", "hermite4-block"));
    good(nbt_option_set(s, "tolerance", "1e-10"));
    good(nbt_advance(s, 5));
    good(nbt_option_set(s, "integrator", NULL));
    good(nbt_option_set(s, "tolerance", NULL));
    good(nbt_advance(s, 7));
    check_pair(s, 7, 1e-7);
    nbt_system_close(s);
}

/* On a circle the bound of the step hardly changes, so equal spans take about equal numbers of steps. */
static void counts_bounded_steps(void **state)
{
    (void)state;
    const double mass[2] = {0.5, 0.5}, pos[6] = {-0.5, 0, 0, 0.5, 0, 0}, vel[6] = {0, -0.5, 0, 0, 0.5, 0};
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    good(nbt_option_set(s, "integrator", "leapfrog-block"));
    good(nbt_option_set(s, "softening", "1e-3"));
    good(nbt_advance(s, 1));
    const double steps = value(s, "step");
    good(nbt_advance(s, 2));
    good(nbt_advance(s, 3));
    assert_true(steps > 100 && fabs(value(s, "step") - 3 * steps) < 0.1 * steps);
    nbt_system_close(s);
}

static double sum(struct nbt_system *s, uint64_t n)
{
    double all = 0;
    for (uint64_t i = 0; i < n; i++)
        all += column(s, "mass")[i];
    return all;
}

static void bodies_come_and_go(void **state)
{
    (void)state;
    struct nbt_system *s = make_cluster(3);
    const double mass[2] = {0.5, 0.25}, pos[6] = {9, 0, 0, 0, 9, 0}, vel[6] = {0};
    const uint64_t own[2] = {7000, 8000}, gone[3] = {7000, 3, N};
    const double before = sum(s, N), third = column(s, "mass")[3];
    good(nbt_advance(s, 0.1));
    good(nbt_add(s, 1, mass, pos, vel, NULL)); /* id N */
    good(nbt_add(s, 2, mass, pos, vel, own));
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), N + 3);
    assert_true(fabs(sum(s, N + 3) - before - 1.25) < 1e-14);
    good(nbt_advance(s, 0.2));
    const uint64_t *id = nbt_column_get(nbt_system_frame(s), "id", NULL, NULL);
    for (uint64_t i = 0; i < N; i++)
        assert_int_equal(id[i], i);
    assert_true(id[N] == N && id[N + 1] == 7000 && id[N + 2] == 8000);
    good(nbt_remove(s, 3, gone));
    good(nbt_advance(s, 0.3));
    id = nbt_column_get(nbt_system_frame(s), "id", NULL, NULL);
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), N);
    assert_true(id[2] == 2 && id[3] == 4 && id[N - 1] == 8000);
    assert_true(fabs(sum(s, N) - before - 0.25 + third) < 1e-14);
    good(nbt_add(s, 1, mass, pos, vel, NULL));
    id = nbt_column_get(nbt_system_frame(s), "id", NULL, NULL);
    assert_int_equal(id[N], 8001);
    refused(nbt_remove(s, 1, gone), "0 of the 1 ids");
    refused(nbt_add(s, 1, mass, pos, vel, own + 1), "id 8000 would be there twice");
    nbt_system_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kicks),
        cmocka_unit_test(chooses_by_first_steps),
        cmocka_unit_test(header_has_the_step),
        cmocka_unit_test(any_step_serves),
        cmocka_unit_test(begins_anew),
        cmocka_unit_test(counts_bounded_steps),
        cmocka_unit_test(bodies_come_and_go),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools: changes", tests, NULL, NULL));
}
