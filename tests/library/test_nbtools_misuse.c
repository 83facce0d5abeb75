/* libnbtools used wrongly: every call refuses with a sentence, changes nothing and reads nothing out of bounds. */
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
    refused(nbt_stream_close(file) == -1, "was replaced");
    check_bodies("same.nbs", 3);
    refused(!nbt_stream_create(""), "empty");
    nbt_frame_free(two);
    nbt_frame_free(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_table),
        cmocka_unit_test(untold_bodies),
        cmocka_unit_test(lost_columns),
        cmocka_unit_test(untold_time),
        cmocka_unit_test(two_writers),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools misused", tests, NULL, NULL));
}
