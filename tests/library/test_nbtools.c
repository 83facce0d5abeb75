/* libnbtools by its header only, linked as others do: orbits and energies against closed forms and direct sums,
 * threads, bodies that come and go, streams, and a sentence for every mistake. */
#include "test_nbtools.h"

#include <locale.h>
#include <pthread.h>

#define N 200 /* bodies of the cluster */

static const double *column(struct nbt_system *s, const char *name)
{
    struct nbt_frame *f = nbt_system_frame(s);
    enum nbt_type type;
    int width;
    assert_non_null(f);
    const double *values = nbt_column_get(f, name, &type, &width);
    assert_non_null(values);
    assert_true(type == NBT_F64 && width == (strcmp(name, "mass") == 0 ? 1 : 3));
    return values;
}

/* ---- two bodies ---- */

#define E 0.5

/* Masses 0.75 and 0.25 on an orbit of semi-major axis 1, at pericentre. */
static struct nbt_system *make_pair(void)
{
    const double u = sqrt((1 + E) / (1 - E)), mass[2] = {0.75, 0.25};
    const double pos[6] = {-0.25 * (1 - E), 0, 0, 0.75 * (1 - E), 0, 0}, vel[6] = {0, -0.25 * u, 0, 0, 0.75 * u, 0};
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    assert_non_null(s);
    return s;
}

static void find_place(double t, double place[2])
{
    double anomaly = t;
    for (int k = 0; k < 100; k++)
        anomaly -= (anomaly - E * sin(anomaly) - t) / (1 - E * cos(anomaly));
    place[0] = cos(anomaly) - E;
    place[1] = sqrt(1 - E * E) * sin(anomaly);
}

static void check_pair(struct nbt_system *s, double t, double bound)
{
    double place[2], time;
    const double *x = column(s, "pos");
    find_place(t, place);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(x[3 + k] - x[k] - place[k]) < bound);
    good(nbt_value_get(nbt_system_frame(s), "time", &time));
    assert_true(time == t);
}

static void kepler_orbit(void **state)
{
    (void)state;
    struct nbt_system *s = make_pair();
    assert_string_equal(nbt_option_get(s, "integrator"), "ias15");
    assert_string_equal(nbt_option_get(s, "device"), "cpu");
    assert_string_equal(nbt_option_get(s, "precision"), "double");
    for (int k = 1; k <= 20; k++) {
        good(nbt_advance(s, 1.7 * k));
        check_pair(s, 1.7 * k, 1e-10);
    }
    double steps;
    good(nbt_value_get(nbt_system_frame(s), "step", &steps));
    assert_true(steps > 20);
    for (int k = 19; k >= 0; k--) /* and back */
        good(nbt_advance(s, 1.7 * k));
    check_pair(s, 0, 1e-10);
    nbt_system_close(s);
}

/* Leapfrog is of second order, by dt; hermite4-block, leapfrog-block and quad precision are told by their errors. */
static double error_with(const char *const *options, double t)
{
    struct nbt_system *s = make_pair();
    double place[2];
    for (; *options; options += 2)
        good(nbt_option_set(s, options[0], options[1]));
    good(nbt_advance(s, t));
    const double *x = column(s, "pos");
    find_place(t, place);
    const double error = hypot(x[3] - x[0] - place[0], x[4] - x[1] - place[1]);
    nbt_system_close(s);
    return error;
}

static void options_count(void **state)
{
    (void)state;
    const double coarse = error_with((const char *const[]){"integrator", "leapfrog", "dt", "0.01", NULL}, 3);
    const double fine = error_with((const char *const[]){"integrator", "leapfrog", "dt", "0.005", NULL}, 3);
    assert_true(coarse > 1e-5 && coarse / fine > 3.8 && coarse / fine < 4.2);
    assert_true(error_with((const char *const[]){"integrator", "hermite4-block", NULL}, 3) < 1e-4);
    assert_true(error_with((const char *const[]){"tolerance", "1e-4", NULL}, 3) < 1e-6);
    assert_true(error_with((const char *const[]){"precision", "quad", NULL}, 3) < 1e-14);
    assert_true(
        error_with((const char *const[]){"integrator", "whfast", "dt", "0.01", "precision", "double", NULL}, 3) < 1e-4);
}

/* ---- a cluster ---- */

static uint64_t draws;

static double draw(void) /* (0, 1) */
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return ((double)(draws >> 11) + 0.5) * 0x1p-53;
}

static void put_direction(double length, double *x)
{
    const double z = 2 * draw() - 1, angle = 2 * M_PI * draw();
    x[0] = length * sqrt(1 - z * z) * cos(angle);
    x[1] = length * sqrt(1 - z * z) * sin(angle);
    x[2] = length * z;
}

/* Aarseth, Henon & Wielen 1974: Plummer's sphere with scale length 1, masses that differ. */
static void draw_cluster(double *mass, double *pos, double *vel)
{
    for (int i = 0; i < N; i++) {
        const double r = 1 / sqrt(pow(0.99 * draw(), -2.0 / 3) - 1);
        double q, y;
        do {
            q = draw();
            y = 0.1 * draw();
        } while (y > q * q * pow(1 - q * q, 3.5));
        put_direction(r, pos + 3 * i);
        put_direction(q * sqrt(2) * pow(1 + r * r, -0.25), vel + 3 * i);
        mass[i] = (0.5 + draw()) / N;
    }
}

static struct nbt_system *make_cluster(uint64_t seed)
{
    double mass[N], pos[3 * N], vel[3 * N];
    draws = seed;
    draw_cluster(mass, pos, vel);
    struct nbt_system *s = nbt_system_new(N, mass, pos, vel);
    assert_non_null(s);
    good(nbt_option_set(s, "softening", "0.05"));
    return s;
}

/* Energies and field by sums over pairs, at points, or at bodies if `self`. */
static double potential_at(const double *mass, const double *pos, const double *x, int self, double *a)
{
    double phi = 0;
    a[0] = a[1] = a[2] = 0;
    for (int j = 0; j < N; j++) {
        const double d[3] = {pos[3 * j] - x[0], pos[3 * j + 1] - x[1], pos[3 * j + 2] - x[2]};
        const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.05 * 0.05);
        if (j == self)
            continue;
        phi -= mass[j] / r;
        for (int k = 0; k < 3; k++)
            a[k] += mass[j] * d[k] / (r * r * r);
    }
    return phi;
}

static void sum_energies(struct nbt_system *s, double e[2], double momentum[3])
{
    const double *m = column(s, "mass"), *x = column(s, "pos"), *v = column(s, "vel");
    double a[3];
    e[0] = e[1] = momentum[0] = momentum[1] = momentum[2] = 0;
    for (int i = 0; i < N; i++) {
        e[1] += m[i] * potential_at(m, x, x + 3 * i, i, a) / 2;
        for (int k = 0; k < 3; k++) {
            e[0] += m[i] * v[3 * i + k] * v[3 * i + k] / 2;
            momentum[k] += m[i] * v[3 * i + k];
        }
    }
}

static void energy_and_momentum_are_kept(void **state)
{
    (void)state;
    struct nbt_system *s = make_cluster(1);
    double first[2], now[2], p0[3], p[3], e[3];
    sum_energies(s, first, p0);
    good(nbt_energies(s, e));
    assert_true(fabs(e[0] - first[0]) < 1e-14 && fabs(e[1] - first[1]) < 1e-14 && e[2] == 0);
    good(nbt_advance(s, 1));
    sum_energies(s, now, p);
    assert_true(fabs(now[0] + now[1] - first[0] - first[1]) < 1e-12);
    assert_true(fabs(now[0] - first[0]) > 1e-4);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[k] - p0[k]) < 1e-14);
    nbt_system_close(s);
}

static void field_at_points(void **state)
{
    (void)state;
    struct nbt_system *s = make_cluster(2), *other = make_cluster(2);
    double points[30], acc[30], phi[10], a[3];
    good(nbt_advance(s, 0.3));
    for (int k = 0; k < 30; k++)
        points[k] = 4 * draw() - 2;
    good(nbt_field(s, 10, points, acc, phi));
    for (int i = 0; i < 10; i++) {
        assert_true(fabs(potential_at(column(s, "mass"), column(s, "pos"), points + 3 * i, -1, a) - phi[i]) < 1e-13);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(acc[3 * i + k] - a[k]) < 1e-12);
    }
    good(nbt_field(s, 1, points, NULL, a));
    assert_true(a[0] == phi[0]);
    good(nbt_field(s, 0, points, acc, phi));
    /* Who looks changes nothing. */
    good(nbt_advance(s, 0.6));
    good(nbt_advance(other, 0.3));
    good(nbt_advance(other, 0.6));
    assert_memory_equal(column(s, "pos"), column(other, "pos"), sizeof(double) * 3 * N);
    nbt_system_close(s);
    nbt_system_close(other);
}

static void external_field(void **state)
{
    (void)state;
    const double mass = 0, pos[3] = {1, 0, 0}, vel[3] = {0, 1, 0};
    struct nbt_system *s = nbt_system_new(1, &mass, pos, vel);
    double phi, acc[3];
    const double at[3] = {0, 2, 0};
    good(nbt_option_set(s, "force", "external:point,mass=1"));
    good(nbt_field(s, 1, at, acc, &phi));
    assert_true(fabs(phi + 0.5) < 1e-15 && fabs(acc[1] + 0.25) < 1e-15);
    assert_non_null(strstr(nbt_option_get(s, "force"), "external:point"));
    good(nbt_advance(s, M_PI / 2));
    assert_true(fabs(column(s, "pos")[0]) < 1e-10 && fabs(column(s, "pos")[1] - 1) < 1e-10);
    nbt_system_close(s);
}

/* ---- changes ---- */

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

/* ---- threads ---- */

static pthread_barrier_t both;

static bool advance(struct nbt_system *s)
{
    bool fine = true;
    for (int k = 1; k <= 10; k++)
        fine = fine && nbt_advance(s, 0.02 * k) == 0;
    return fine;
}

/* Each thread has its own sentence, though the other one's is later. NULL: all is well. cmocka has one thread only. */
static void *advance_beside(void *s)
{
    char option[32];
    snprintf(option, sizeof option, "none%p", s);
    bool fine = true;
    for (int k = 0; k < 2; k++) {
        fine = fine && nbt_option_set(s, option, "1") == -1;
        pthread_barrier_wait(&both);
        fine = fine && strstr(nbt_error(), option);
        pthread_barrier_wait(&both);
    }
    return advance(s) && fine ? NULL : s;
}

/* draw() is not thread-safe: all systems are drawn first. */
static void two_threads(void **state)
{
    (void)state;
    struct nbt_system *together[2] = {make_cluster(11), make_cluster(12)},
                      *alone[2] = {make_cluster(11), make_cluster(12)};
    pthread_t thread[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, advance_beside, together[k]), 0);
    for (int k = 0; k < 2; k++) {
        void *failed;
        pthread_join(thread[k], &failed);
        assert_null(failed);
    }
    pthread_barrier_destroy(&both);
    for (int k = 0; k < 2; k++) {
        assert_true(advance(alone[k]));
        assert_memory_equal(column(alone[k], "pos"), column(together[k], "pos"), sizeof(double) * 3 * N);
    }
    assert_memory_not_equal(column(alone[0], "pos"), column(alone[1], "pos"), sizeof(double) * 3 * N);
    for (int k = 0; k < 2; k++) {
        nbt_system_close(together[k]);
        nbt_system_close(alone[k]);
    }
}

/* ---- streams ---- */

static void streams(void **state)
{
    (void)state;
    struct nbt_system *s = make_cluster(4);
    struct nbt_stream *out = nbt_stream_create("made.nbs");
    double time;
    assert_non_null(out);
    for (int k = 0; k <= 2; k++) {
        good(nbt_advance(s, 0.1 * k));
        good(nbt_stream_write(out, nbt_system_frame(s)));
    }
    assert_int_equal(access("made.nbs", F_OK), -1);
    good(nbt_stream_close(out));
    assert_int_equal(access("made.nbs.part", F_OK), -1);

    struct nbt_frame *f = nbt_frame_new(0);
    struct nbt_stream *in = nbt_stream_open("made.nbs", NBT_LAST);
    assert_non_null(in);
    assert_int_equal(nbt_stream_read(in, f), 1);
    good(nbt_value_get(f, "time", &time));
    assert_true(time == 0.2 && nbt_frame_bodies(f) == N);
    assert_memory_equal(nbt_column_get(f, "pos", NULL, NULL), column(s, "pos"), sizeof(double) * 3 * N);
    assert_int_equal(nbt_stream_read(in, f), 0);
    good(nbt_stream_close(in));
    assert_non_null(in = nbt_stream_open("made.nbs", 1));
    assert_int_equal(nbt_stream_read(in, f), 1);
    good(nbt_value_get(f, "time", &time));
    assert_true(time == 0.1);
    refused(nbt_stream_write(in, f), "opened for reading");
    good(nbt_stream_close(in));

    /* A frame of other bodies in the place of a system's own. */
    struct nbt_system *other = make_pair();
    good(nbt_advance(other, 0.1));
    in = nbt_stream_open("made.nbs", 1);
    assert_int_equal(nbt_stream_read(in, nbt_system_frame(other)), 1);
    good(nbt_stream_close(in));
    good(nbt_changed(other));
    good(nbt_option_set(other, "softening", "0.05"));
    good(nbt_advance(other, 0.2));
    for (int k = 0; k < 3 * N; k++)
        assert_true(fabs(column(other, "pos")[k] - column(s, "pos")[k]) < 1e-12);
    nbt_system_close(other);

    /* A system of that frame goes on as the first did from there. */
    struct nbt_system *again = nbt_system_of(f);
    assert_non_null(again);
    good(nbt_advance(again, 0.2));
    for (int k = 0; k < 3 * N; k++)
        assert_true(fabs(column(again, "pos")[k] - column(s, "pos")[k]) < 1e-12);
    nbt_system_close(again);
    nbt_system_close(s);
    nbt_frame_free(f);
}

static void truncated_stream(void **state)
{
    (void)state;
    struct nbt_frame *f = nbt_frame_new(1000);
    struct nbt_stream *out = nbt_stream_create("cut.nbs");
    good(nbt_stream_write(out, f));
    good(nbt_stream_close(out));
    assert_int_equal(truncate("cut.nbs", 20000), 0);
    struct nbt_stream *in = nbt_stream_open("cut.nbs", 0);
    assert_non_null(in);
    refused(nbt_stream_read(in, f) == -1, "cut.nbs");
    assert_int_equal(nbt_frame_bodies(f), 0);
    good(nbt_stream_close(in));
    nbt_frame_free(f);
}

/* Elsewhere a comma stands in numbers. */
static void other_languages(void **state)
{
    (void)state;
    if (system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1") || setenv("LOCPATH", ".", 1) ||
        !setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: localedef makes no locale with a comma here\n");
        skip();
    }
    struct nbt_system *s = make_pair();
    struct nbt_frame *f = nbt_frame_new(0);
    struct nbt_stream *out = nbt_stream_create("comma.nbs");
    double time;
    good(nbt_option_set(s, "tolerance", "1.5e-9"));
    good(nbt_advance(s, 0.25));
    good(nbt_stream_write(out, nbt_system_frame(s)));
    good(nbt_stream_close(out));
    struct nbt_stream *in = nbt_stream_open("comma.nbs", 0);
    setlocale(LC_ALL, "C");
    assert_int_equal(nbt_stream_read(in, f), 1);
    good(nbt_value_get(f, "time", &time));
    assert_true(time == 0.25);
    nbt_stream_close(in);
    nbt_system_close(s);
    nbt_frame_free(f);
}

/* ---- frames ---- */

static void frames(void **state)
{
    (void)state;
    struct nbt_frame *f = nbt_frame_new(3);
    const float mass[3] = {1, 2, 3};
    const uint8_t kind[3] = {4, 4, 6};
    enum nbt_type type;
    int width;
    double value;
    assert_string_equal(nbt_column_name(f, 0), "mass");
    assert_null(nbt_column_name(f, 3));
    assert_null(nbt_column_name(f, -1));
    good(nbt_column_set(f, "mass", NBT_F32, 1, mass));
    good(nbt_column_set(f, "component", NBT_U8, 1, kind));
    good(nbt_column_set(f, "colour", NBT_F64, 3, NULL));
    assert_true(((const float *)nbt_column_get(f, "mass", &type, &width))[2] == 3 && type == NBT_F32 && width == 1);
    assert_true(((const double *)nbt_column_get(f, "colour", &type, &width))[8] == 0 && width == 3);
    assert_string_equal(nbt_column_name(f, 4), "colour");
    good(nbt_units_set(f, "solar"));
    good(nbt_value_get(f, "G", &value));
    assert_true(fabs(value - 39.476926) < 1e-5);
    good(nbt_value_get(f, "length_cgs", &value));
    assert_true(fabs(value / 1.495978707e13 - 1) < 1e-12);
    good(nbt_value_set(f, "step", 12));
    good(nbt_value_get(f, "step", &value));
    assert_true(value == 12);
    /* f32 in, double in the system. */
    const double pos[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    good(nbt_column_set(f, "pos", NBT_F64, 3, pos));
    struct nbt_system *s = nbt_system_of(f);
    good(nbt_advance(s, 1e-3));
    assert_true(column(s, "mass")[2] == 3);
    assert_memory_equal(nbt_column_get(nbt_system_frame(s), "component", NULL, NULL), kind, 3);
    nbt_system_close(s);
    nbt_frame_free(f);
}

/* ---- mistakes ---- */

static void wrong_frames(void **state)
{
    (void)state;
    struct nbt_frame *f = nbt_frame_new(2);
    double value;
    refused(!nbt_frame_new(UINT64_MAX / 2), "no memory");
    refused(!nbt_column_get(f, "none", NULL, NULL), "no column 'none'");
    refused(nbt_column_set(f, "pos", NBT_U8, 3, NULL), "cannot be u8");
    refused(nbt_column_set(f, "pos", NBT_F64, 1, NULL), "width 1");
    refused(nbt_column_set(f, "odd", NBT_F64, 2, NULL), "width 2");
    refused(nbt_column_set(f, "Odd name", NBT_F64, 1, NULL), "Odd name");
    refused(nbt_column_set(f, "odd", (enum nbt_type)9, 1, NULL), "type number 9");
    assert_null(nbt_column_name(f, 3));
    refused(nbt_value_get(f, "none", &value), "no number 'none'");
    refused(nbt_value_set(f, "none", 1), "no number 'none'");
    refused(nbt_value_set(f, "G", -1), "G: -1");
    refused(nbt_value_set(f, "time", NAN), "time: nan");
    refused(nbt_value_set(f, "step", 0.5), "step: 0.5");
    refused(nbt_value_set(f, "mass_cgs", 1), "nbt_units_set");
    refused(nbt_units_set(f, "imperial"), "'imperial'");
    nbt_frame_free(f);
    nbt_frame_free(NULL);
}

static void wrong_streams(void **state)
{
    (void)state;
    struct nbt_frame *f = nbt_frame_new(1);
    refused(!nbt_stream_open("absent.nbs", 0), "absent.nbs");
    refused(!nbt_stream_open("absent.nbs", -2), "no frame -2");
    refused(!nbt_stream_create("absent/made.nbs"), "absent/made.nbs");
    struct nbt_stream *out = nbt_stream_create("one.nbs");
    refused(nbt_stream_read(out, f) == -1, "opened for writing");
    good(nbt_stream_write(out, f));
    good(nbt_stream_close(out));
    refused(!nbt_stream_open("one.nbs", 5), "one.nbs");
    good(nbt_stream_close(NULL));
    if (access("/dev/full", W_OK) == 0) {
        struct nbt_frame *large = nbt_frame_new(100000);
        out = nbt_stream_create("/dev/full");
        assert_non_null(out);
        refused(nbt_stream_write(out, large) == -1, "/dev/full");
        refused(nbt_stream_write(out, f) == -1, "a frame before");
        refused(nbt_stream_close(out) == -1, "/dev/full");
        nbt_frame_free(large);
    }
    nbt_frame_free(f);
}

static void wrong_options(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {{"device", "abacus", "abacus"},
                                           {"force", "magic", "magic"},
                                           {"theta", "9", "theta"},
                                           {"rebuild", "x", "rebuild"},
                                           {"pn", "3", "not 1, 2 or 2.5"},
                                           {"softening", "-1", "below 0"},
                                           {"precision", "half", "half"},
                                           {"integrator", "euler9", "euler9"},
                                           {"dt", "0", "not above 0"},
                                           {"dt", "1x", "not a number"},
                                           {"tolerance", "-1e-3", "not above 0"},
                                           {"min-dt", "nan", "not a number"},
                                           {"max-dt", "", "not a number"},
                                           {"eta", "0", "not above 0"},
                                           {"max-rungs", "41", "from 0 to 40"},
                                           {"neighbours", "1.5", "whole number"},
                                           {"until", "1", "no option 'until'"}};
    struct nbt_system *s = make_pair();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refused(nbt_option_set(s, wrong[k][0], wrong[k][1]), wrong[k][2]);
    refused(!nbt_option_get(s, "theta"), "'theta'");
    good(nbt_advance(s, 0.1)); /* none of them counts */
    nbt_system_close(s);
    nbt_system_close(NULL);
}

/* Options that are good one by one: refused by the call that computes, which serves when one of them is taken back. */
static void wrong_together(void **state)
{
    (void)state;
    static const char *const wrong[][5] = {
        {"integrator", "leapfrog", "tolerance", "1e-3", "does not estimate its error"},
        {"tolerance", "1e-30", "integrator", "ias15", "below the digits"},
        {"force", "direct", "force", "tree", "twice"},
        {"force", "direct", "theta", "0.5", "--theta needs"},
        {"integrator", "ias15", "eta", "0.1", "--eta"},
        {"min-dt", "1", "max-dt", "0.1", "more than"},
        {"dt", "0.1", "min-dt", "0.01", "--min-dt"},
        {"integrator", "whfast", "softening", "0.1", "whfast"},
        {"pn", "1", "softening", "0", "units"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct nbt_system *s = make_pair();
        double e[3];
        good(nbt_option_set(s, wrong[k][0], wrong[k][1]));
        good(nbt_option_set(s, wrong[k][2], wrong[k][3]));
        refused(nbt_advance(s, 1), wrong[k][4]);
        refused(nbt_energies(s, e), wrong[k][4]);
        good(nbt_option_set(s, wrong[k][0], NULL));
        good(nbt_option_set(s, wrong[k][2], NULL));
        good(nbt_advance(s, 1));
        nbt_system_close(s);
    }
}

static void wrong_systems(void **state)
{
    (void)state;
    const double mass[2] = {1, 1}, bad_mass[2] = {1, -1}, pos[6] = {0}, vel[6] = {0}, apart[6] = {0, 0, 0, 1, 0, 0};
    const double no_point[3] = {0, NAN, 0};
    double phi, e[3];
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    refused(nbt_advance(s, 1), "at one place");
    refused(nbt_advance(s, INFINITY), "cannot be advanced to");
    nbt_system_close(s);
    s = nbt_system_new(2, bad_mass, apart, vel);
    refused(nbt_advance(s, 1), "mass");
    refused(nbt_energies(s, e), "mass");
    nbt_system_close(s);
    s = nbt_system_new(0, mass, pos, vel);
    refused(nbt_advance(s, 1), "bodies");
    good(nbt_add(s, 2, mass, apart, vel, NULL));
    good(nbt_advance(s, 0.1));
    refused(nbt_field(s, 1, no_point, NULL, &phi), "point 0");
    /* Changes that were not told of, or told of too late. */
    good(nbt_advance(s, 0.2));
    refused(nbt_changed(s), "nbt_system_frame");
    struct nbt_frame *f = nbt_system_frame(s);
    good(nbt_column_set(f, "pos", NBT_F32, 3, NULL));
    good(nbt_advance(s, 0.3));
    refused(!nbt_system_frame(s), "without nbt_changed");
    nbt_system_close(s);
    /* No step is short enough: the system says so from then on. */
    s = nbt_system_new(2, mass, apart, vel);
    good(nbt_option_set(s, "min-dt", "0.01"));
    good(nbt_option_set(s, "tolerance", "1e-12"));
    refused(nbt_advance(s, 3), "");
    refused(nbt_advance(s, 4), "");
    refused(!nbt_system_frame(s), "");
    assert_true(strlen(nbt_error()) > 10);
    nbt_system_close(s);
}

static void version(void **state)
{
    (void)state;
    int major, minor, patch;
    assert_int_equal(sscanf(nbt_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler_orbit),
        cmocka_unit_test(options_count),
        cmocka_unit_test(energy_and_momentum_are_kept),
        cmocka_unit_test(field_at_points),
        cmocka_unit_test(external_field),
        cmocka_unit_test(kicks),
        cmocka_unit_test(chooses_by_first_steps),
        cmocka_unit_test(header_has_the_step),
        cmocka_unit_test(any_step_serves),
        cmocka_unit_test(begins_anew),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(streams),
        cmocka_unit_test(truncated_stream),
        cmocka_unit_test(other_languages),
        cmocka_unit_test(frames),
        cmocka_unit_test(wrong_frames),
        cmocka_unit_test(wrong_streams),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(wrong_together),
        cmocka_unit_test(wrong_systems),
        cmocka_unit_test(version),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools", tests, NULL, NULL));
}
