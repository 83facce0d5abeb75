/* Wrong use of libnbtools: every call fails with a message, changes nothing and reads nothing out of bounds. */
#include "test_nbtools.h"

#include <inttypes.h>

static const double mass[2] = {0.75, 0.25}, pos[6] = {-0.25, 0, 0, 0.75, 0, 0}, vel[6] = {0, -0.25, 0, 0, 0.75, 0};

static struct nbt_system *make_pair(void)
{
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    assert_non_null(s);
    return s;
}

/* ---- files of an external field ---- */

/* The orbit of the centre is known from 0 to 1. */
static void beyond_the_table(void **state)
{
    (void)state;
    const double at[3] = {9, 9, 9};
    double e[3], phi, now;
    FILE *file = fopen("centre.txt", "w");
    fputs("0 0 0 0\n0.5 1 0 0\n1 2 0 0\n", file);
    assert_int_equal(fclose(file), 0);
    struct nbt_system *s = make_pair();
    good(nbt_option_set(s, "force", "external:point,mass=1,center=centre.txt"));
    refused(nbt_advance(s, 1.5), "centre.txt");
    refused(nbt_advance(s, -0.5), "centre.txt");
    good(nbt_value_get(nbt_system_frame(s), "time", &now));
    assert_true(now == 0);
    good(nbt_advance(s, 1));
    good(nbt_energies(s, e));
    good(nbt_field(s, 1, at, NULL, &phi));
    good(nbt_value_set(nbt_system_frame(s), "time", 1.25));
    good(nbt_changed(s));
    refused(nbt_energies(s, e), "centre.txt");
    refused(nbt_field(s, 1, at, NULL, &phi), "centre.txt");
    nbt_system_close(s);
}

/* Two files whose names are as long as they may be, nearly; one of commas, which take three letters each. */
static void long_names(void **state)
{
    (void)state;
    char centre[231] = "", table[231] = "", commas[3 * sizeof table] = "", option[1200];
    memset(centre, 'c', sizeof centre - 1);
    memset(table, ',', sizeof table - 1);
    for (size_t k = 0; k < sizeof table - 1; k++)
        memcpy(commas + 3 * k, "%2C", 3);
    FILE *file = fopen(centre, "w");
    fputs("0 0 0 0\n0.5 1 0 0\n1 2 0 0\n", file);
    assert_int_equal(fclose(file), 0);
    file = fopen(table, "w");
    fputs("# t mass\n0 1\n0.5 1\n1 2\n", file);
    assert_int_equal(fclose(file), 0);
    struct nbt_system *s = make_pair();
    snprintf(option, sizeof option, "external:plummer,scale=1,center=%s,table=%s", centre, commas);
    good(nbt_option_set(s, "force", option));
    good(nbt_option_set(s, "force", "external:plummer,mass=1,scale=1"));
    good(nbt_advance(s, 0.5));
    const char *force = nbt_option_get(s, "force");
    assert_non_null(force);
    assert_true(strstr(force, centre) && strstr(force, commas) && strstr(force, " external:plummer,mass=1,scale=1"));
    nbt_system_close(s);
}

/* ---- frames that were changed without nbt_changed ---- */

static void untold_bodies(void **state)
{
    (void)state;
    const char *untold = "without nbt_changed";
    const double dv[6] = {0};
    double e[3], phi;
    const uint64_t id = 0;
    struct nbt_frame *large = nbt_frame_new(100000);
    struct nbt_stream *file = nbt_stream_create("large.nbs");
    good(nbt_stream_write(file, large));
    good(nbt_stream_close(file));
    nbt_frame_free(large);
    struct nbt_system *s = make_pair();
    good(nbt_energies(s, e));
    file = nbt_stream_open("large.nbs", 0);
    assert_int_equal(nbt_stream_read(file, nbt_system_frame(s)), 1);
    good(nbt_stream_close(file));
    refused(nbt_energies(s, e), untold);
    refused(nbt_field(s, 1, pos, NULL, &phi), untold);
    refused(nbt_advance(s, 1), untold);
    refused(nbt_kick(s, dv), untold);
    refused(nbt_remove(s, 1, &id), untold);
    refused(nbt_add(s, 1, mass, pos, vel, NULL), untold);
    refused(nbt_option_set(s, "softening", "0.1"), untold);
    good(nbt_changed(s));
    good(nbt_option_set(s, "softening", "0.1"));
    good(nbt_remove(s, 1, &id));
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), 99999);
    nbt_system_close(s);
}

/* What a failed read leaves has no columns. */
static void lost_columns(void **state)
{
    (void)state;
    double e[3];
    struct nbt_frame *two = nbt_frame_new(2);
    struct nbt_stream *file = nbt_stream_create("two.nbs");
    good(nbt_stream_write(file, two));
    good(nbt_stream_close(file));
    nbt_frame_free(two);
    assert_int_equal(truncate("two.nbs", 500), 0);
    struct nbt_system *s = make_pair();
    good(nbt_energies(s, e));
    file = nbt_stream_open("two.nbs", 0);
    assert_int_equal(nbt_stream_read(file, nbt_system_frame(s)), -1);
    good(nbt_stream_close(file));
    refused(nbt_energies(s, e), "without nbt_changed");
    nbt_system_close(s);
}

static void untold_time(void **state)
{
    (void)state;
    const char *untold = "without nbt_changed";
    const double dv[6] = {0};
    double e[3];
    const uint64_t id = 0;
    for (int stage = 0; stage < 2; stage++) {
        struct nbt_system *s = make_pair();
        if (stage == 1)
            good(nbt_energies(s, e));
        good(nbt_value_set(nbt_system_frame(s), "time", 7));
        refused(nbt_kick(s, dv), untold);
        refused(nbt_remove(s, 1, &id), untold);
        refused(nbt_add(s, 1, mass, pos, vel, NULL), untold);
        refused(nbt_option_set(s, "softening", "0.1"), untold);
        refused(nbt_energies(s, e), untold);
        refused(nbt_advance(s, 8), untold);
        good(nbt_changed(s));
        good(nbt_kick(s, dv));
        good(nbt_advance(s, 8));
        nbt_system_close(s);
    }
}

/* ---- values ---- */

static void missing_arrays(void **state)
{
    (void)state;
    refused(!nbt_system_new(2, NULL, pos, vel), "needs masses, positions and velocities");
    refused(!nbt_system_new(2, mass, NULL, vel), "needs masses, positions and velocities");
    refused(!nbt_system_new(2, mass, pos, NULL), "needs masses, positions and velocities");
    struct nbt_system *s = nbt_system_new(0, NULL, NULL, NULL);
    assert_non_null(s);
    good(nbt_add(s, 0, NULL, NULL, NULL, NULL));
    refused(nbt_add(s, 2, mass, NULL, vel, NULL), "need masses");
    good(nbt_add(s, 2, mass, pos, vel, NULL));
    good(nbt_advance(s, 0.1));
    nbt_system_close(s);
}

static void wrong_values(void **state)
{
    (void)state;
    const double kick[6] = {1, 1, 1, 1, NAN, 1}, huge[3] = {INFINITY, 0, 0}, place[3] = {5, 5, 5}, rest[3] = {0};
    const double bad_mass[2] = {-1, NAN};
    struct nbt_system *s = make_pair();
    refused(nbt_kick(s, kick), "body 1: its velocity");
    refused(nbt_add(s, 1, bad_mass, place, rest, NULL), "body 2: mass -1 is negative");
    refused(nbt_add(s, 1, bad_mass + 1, place, rest, NULL), "body 2: mass is not a finite number");
    refused(nbt_add(s, 1, mass, huge, rest, NULL), "body 2: pos is not a finite number");
    refused(nbt_add(s, 1, mass, place, huge, NULL), "body 2: vel is not a finite number");
    /* Nothing has changed. */
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), 2);
    assert_memory_equal(nbt_column_get(nbt_system_frame(s), "vel", NULL, NULL), vel, sizeof vel);
    good(nbt_advance(s, 0.1));
    nbt_system_close(s);
}

/* ---- counts and ids ---- */

static void counts_that_wrap(void **state)
{
    (void)state;
    const uint64_t counts[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 3 + 1, UINT64_MAX / 8, (uint64_t)1 << 61};
    const uint64_t id = 0;
    double phi[2], acc[6];
    struct nbt_system *s = make_pair();
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        refused(nbt_add(s, counts[k], mass, pos, vel, NULL), "no memory for");
        refused(nbt_add(s, counts[k], mass, pos, vel, &id), "no memory for");
        refused(nbt_remove(s, counts[k], &id), "ids to remove, but only 2 bodies");
        refused(nbt_field(s, counts[k], pos, acc, phi), "no memory for");
    }
    refused(nbt_remove(s, 3, &id), "3 ids to remove, but only 2 bodies");
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), 2);
    nbt_system_close(s);
}

static void set_ids(struct nbt_system *s, uint64_t first, uint64_t second)
{
    uint64_t *id = nbt_column_get(nbt_system_frame(s), "id", NULL, NULL);
    assert_non_null(id);
    id[0] = first;
    id[1] = second;
    good(nbt_changed(s));
}

static void highest_ids(void **state)
{
    (void)state;
    struct nbt_system *s = make_pair();
    set_ids(s, 0, UINT64_MAX);
    refused(nbt_add(s, 1, mass, pos, vel, NULL), "no ids are left above");
    set_ids(s, UINT64_MAX - 1, 0);
    refused(nbt_add(s, 2, mass, pos, vel, NULL), "no ids are left above");
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), 2);
    good(nbt_add(s, 1, mass, pos, vel, NULL));
    const uint64_t *id = nbt_column_get(nbt_system_frame(s), "id", NULL, NULL);
    assert_true(id[0] == UINT64_MAX - 1 && id[1] == 0 && id[2] == UINT64_MAX);
    nbt_system_close(s);
}

static void repeated_ids(void **state)
{
    (void)state;
    const uint64_t gone[2] = {5, 99}, twice[2] = {6, 6};
    struct nbt_system *s = make_pair();
    set_ids(s, 5, 5);
    refused(nbt_remove(s, 2, gone), "id 5 belongs to two bodies");
    refused(nbt_remove(s, 1, gone), "id 5 belongs to two bodies");
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), 2);
    set_ids(s, 5, 6);
    refused(nbt_remove(s, 2, twice), "id 6 is to be removed twice");
    refused(nbt_remove(s, 2, gone), "1 of the 2 ids");
    good(nbt_remove(s, 1, gone));
    assert_int_equal(nbt_frame_bodies(nbt_system_frame(s)), 1);
    nbt_system_close(s);
}

/* ---- streams ---- */

static void check_bodies(const char *path, uint64_t n)
{
    struct nbt_frame *f = nbt_frame_new(0);
    struct nbt_stream *file = nbt_stream_open(path, 0);
    assert_non_null(file);
    assert_int_equal(nbt_stream_read(file, f), 1);
    assert_int_equal(nbt_frame_bodies(f), n);
    assert_int_equal(nbt_stream_read(file, f), 0);
    good(nbt_stream_close(file));
    nbt_frame_free(f);
}

static void two_writers(void **state)
{
    (void)state;
    struct nbt_frame *two = nbt_frame_new(2), *three = nbt_frame_new(3);
    struct nbt_stream *file = nbt_stream_create("same.nbs");
    assert_non_null(file);
    refused(!nbt_stream_create("same.nbs"), "same.nbs.part: another stream");
    good(nbt_stream_write(file, two));
    refused(!nbt_stream_create("same.nbs"), "same.nbs.part: another stream");
    good(nbt_stream_close(file));
    check_bodies("same.nbs", 2);
    /* One after the other they replace it, and a part that another left is no obstacle. */
    FILE *left = fopen("same.nbs.part", "w");
    for (int k = 0; k < 10000; k++)
        fputs("left over", left);
    fclose(left);
    assert_non_null(file = nbt_stream_create("same.nbs"));
    good(nbt_stream_write(file, three));
    good(nbt_stream_close(file));
    check_bodies("same.nbs", 3);
    /* What others put in the place of the part does not get the name. */
    assert_non_null(file = nbt_stream_create("same.nbs"));
    good(nbt_stream_write(file, two));
    assert_int_equal(rename("same.nbs.part", "elsewhere"), 0);
    left = fopen("same.nbs.part", "w");
    fclose(left);
    refused(nbt_stream_close(file) == -1, "another program replaced");
    check_bodies("same.nbs", 3);
    refused(!nbt_stream_create(""), "empty");
    nbt_frame_free(two);
    nbt_frame_free(three);
}

/* What could not be had as a frame is not written, and the sentence says why it could not. */
static void no_frame(void **state)
{
    (void)state;
    struct nbt_frame *two = nbt_frame_new(2);
    struct nbt_stream *file = nbt_stream_create("none.nbs");
    refused(nbt_column_set(two, "mass", NBT_U8, 1, NULL), "cannot be u8");
    refused(nbt_stream_write(file, NULL) == -1, "cannot be u8");
    good(nbt_stream_write(file, two));
    good(nbt_stream_close(file));
    file = nbt_stream_open("none.nbs", 0);
    refused(nbt_stream_read(file, NULL) == -1, "cannot be u8");
    good(nbt_stream_close(file));
    check_bodies("none.nbs", 2);
    nbt_frame_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_table), cmocka_unit_test(long_names),       cmocka_unit_test(untold_bodies),
        cmocka_unit_test(lost_columns),     cmocka_unit_test(untold_time),      cmocka_unit_test(missing_arrays),
        cmocka_unit_test(wrong_values),     cmocka_unit_test(counts_that_wrap), cmocka_unit_test(highest_ids),
        cmocka_unit_test(repeated_ids),     cmocka_unit_test(two_writers),      cmocka_unit_test(no_frame),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools misused", tests, NULL, NULL));
}
