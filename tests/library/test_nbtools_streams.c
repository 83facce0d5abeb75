/* libnbtools: frames and streams, and a message for every mistake with them. */
#include "test_nbtools_bodies.h"

#include <locale.h>

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
    refused(nbt_stream_write(in, f), "open for reading");
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
    refused(!nbt_column_get(f, "none", NULL, NULL), "unknown column 'none'");
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
    refused(nbt_units_set(f, "imperial"), "unknown units 'imperial'");
    nbt_frame_free(f);
    nbt_frame_free(NULL);
}

static void wrong_streams(void **state)
{
    (void)state;
    struct nbt_frame *f = nbt_frame_new(1);
    refused(!nbt_stream_open("absent.nbs", 0), "absent.nbs");
    refused(!nbt_stream_open("absent.nbs", -2), "frame -2 does not exist");
    refused(!nbt_stream_create("absent/made.nbs"), "absent/made.nbs");
    struct nbt_stream *out = nbt_stream_create("one.nbs");
    refused(nbt_stream_read(out, f) == -1, "open for writing");
    good(nbt_stream_write(out, f));
    good(nbt_stream_close(out));
    refused(!nbt_stream_open("one.nbs", 5), "one.nbs");
    good(nbt_stream_close(NULL));
    if (access("/dev/full", W_OK) == 0) {
        struct nbt_frame *large = nbt_frame_new(100000);
        out = nbt_stream_create("/dev/full");
        assert_non_null(out);
        refused(nbt_stream_write(out, large) == -1, "/dev/full");
        refused(nbt_stream_write(out, f) == -1, "an earlier frame");
        refused(nbt_stream_close(out) == -1, "/dev/full");
        nbt_frame_free(large);
    }
    nbt_frame_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams), cmocka_unit_test(truncated_stream), cmocka_unit_test(other_languages),
        cmocka_unit_test(frames),  cmocka_unit_test(wrong_frames),     cmocka_unit_test(wrong_streams),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools: streams", tests, NULL, NULL));
}
