/* Headers and first bytes that must be rejected with a message, even if their checksums are correct, and unusual
 * headers that are valid. */
#include "base/error.h"
#include "snap/snap.h"
#include "stream_builder.h"

/* Opens and reads bytes on a file or a pipe; returns nb_snap_read's status. */
static int read_once(const void *data, size_t size, bool on_pipe, struct nb_bodies *b)
{
    char path[64];
    int fd = on_pipe ? pipe_of(data, size, path) : file_of(data, size, path);
    struct nb_snap_reader *r = nb_snap_open(path, false);
    int status = nb_snap_read(r, b);
    nb_snap_close(r);
    close(fd);
    return status;
}

static const struct {
    const char *header, *message;
} refused[] = {
    {HEADER("1e3", "0") COLUMNS, "'n 1e3'"},
    {HEADER("-1", "0") COLUMNS, "'n -1'"},
    {HEADER("18446744073709551616", "0") COLUMNS, "'n 18446744073709551616'"},
    {HEADER("18446744073709551615", "0") COLUMNS, "too many: the columns would need more than 2^62 bytes"},
    {HEADER("1", "nan") COLUMNS, "'time nan'"},
    {HEADER("1", "inf") COLUMNS, "'time inf'"},
    {HEADER("1", "1e999") COLUMNS, "'time 1e999'"},
    {HEADER("1", "0x10") COLUMNS, "'time 0x10'"},
    {HEADER("1", "") COLUMNS, "'time '"},
    {HEADER("1", "0 1") COLUMNS, "'time 0 1'"},
    {HEADER("1", "0") "time 1\n" COLUMNS, "'time' twice"},
    {HEADER("1", "0") "column mass f64 1 M\n" COLUMNS, "'mass' appears twice"},
    {"nbs 1 frame\ntime 0\nG 1\n" COLUMNS, "lacks 'n'"},
    {"nbs 1 frame\nn 1\nG 1\n" COLUMNS, "lacks 'time'"},
    {"nbs 1 frame\nn 1\ntime 0\n" COLUMNS, "lacks 'G'"},
    {"nbs 1 frame\nn 1\ntime 0\nG 1\nsoftening -1\n" COLUMNS, "'softening -1'"},
    {"nbs 1 frame\nn 1\ntime 0\nG 1\ndt -0.001\n" COLUMNS, "'dt -0.001'"},
    {"nbs 1 frame\nn 1\ntime 0\nG 1\nevery -1\n" COLUMNS, "'every -1'"},
    {"nbs 1 frame\nn 1\ntime 0\nG 1\norigin inf\n" COLUMNS, "'origin inf'"},
    {"nbs 1 frame\nn 1\ntime 0\nG 1\nunits two words\n" COLUMNS, "'units two words'"},
    {"nbs 1 frame\nn 1\ntime 0\nG 1\nunits abcdefghijklmnopqrstuvwxyzabcdef\n" COLUMNS, "'units abcd"},
    {HEADER("1", "0"), "column 'mass' is missing ("},
    {HEADER("1", "0") "column mass f64 1 M\ncolumn pos f64 3 L\n", "column 'vel' is missing ("},
    {HEADER("1", "0") "column mass f64 3 M\ncolumn pos f64 3 L\ncolumn vel f64 3 V\n", "'mass' cannot be"},
    {HEADER("1", "0") "column mass u64 1 M\ncolumn pos f64 3 L\ncolumn vel f64 3 V\n", "'mass' cannot be"},
    {HEADER("1", "0") "column mass f64 1 M\ncolumn pos f64 1 L\ncolumn vel f64 3 V\n", "'pos' cannot be"},
    {HEADER("1", "0") COLUMNS "column id f64 1 -\n", "'id' cannot be f64 of width 1, only u64 of width 1"},
    {HEADER("1", "0") COLUMNS "column phi f64 3 -\n", "'phi' cannot be f64 of width 3, only f32 or f64 of width 1"},
    {HEADER("1", "0") COLUMNS "column phi_external u32 1 -\n", "'phi_external' cannot be u32"},
    {HEADER("1", "0") COLUMNS "column softening f64 3 L\n", "'softening' cannot be"},
    {HEADER("1", "0") COLUMNS "column jerk f32 1 -\n", "'jerk' cannot be"},
    {HEADER("1", "0") COLUMNS "column pos_lo f32 3 L\n", "'pos_lo' cannot be f32 of width 3, only f64 of width 3"},
    {HEADER("1", "0") COLUMNS "column new f16 1 -\n", "unknown type 'f16'"},
    {HEADER("1", "0") COLUMNS "column new f64 2 -\n", "width 2"},
    {HEADER("1", "0") COLUMNS "column new f64 1\n", "the form 'column NAME TYPE WIDTH UNIT'"},
    {HEADER("1", "0") COLUMNS "column new f64 1 - -\n", "the form 'column NAME TYPE WIDTH UNIT'"},
    {HEADER("1", "0") COLUMNS "column New f64 1 -\n", "lower-case"},
    {HEADER("1", "0") COLUMNS "column new  f64 1 -\n", "the form 'column NAME TYPE WIDTH UNIT'"},
    {HEADER("1", "0") COLUMNS "\n", "a line without a key"},
    {HEADER("1", "0") COLUMNS "flavour \x01\n", "not printable"},
    {HEADER("1", "0") COLUMNS "flavour \xc3\xa9\n", "not printable"},
    {HEADER("1", "0") COLUMNS "flavour \r\n", "not printable"},
    {"nbs 2 frame\nn 1\n", "version 2 of the stream's format; this program reads version 1"},
    {"nbs 10 frame\nn 1\n", "version 10 of the stream's format"},
};

static void test_refused_headers(void **state)
{
    (void)state;
    struct nb_bodies b;
    nb_bodies_init(&b);
    for (size_t k = 0; k < 2 * (sizeof refused / sizeof *refused); k++) {
        struct bytes s = {0};
        static const char data[4096];
        add_block(&s, refused[k / 2].header);
        add(&s, data, sizeof data);
        assert_int_equal(read_once(s.data, s.size, k % 2, &b), -1);
        if (!strstr(nb_error(), refused[k / 2].message))
            fail_msg("%s\ngives '%s', not '%s'", refused[k / 2].header, nb_error(), refused[k / 2].message);
        free(s.data);
    }
    nb_bodies_free(&b);
}

/* A header without what may be left out, and with bodies none. */
static void test_least_header(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct bytes s = {0};
    nb_bodies_init(&b);
    add_header(
        &s,
        "nbs 1 frame\nvelocity unknown\ncolumn vel f32 3 -\ncolumn pos f64 3 L\ncolumn mass f32 1 M\nG 2.5e-1\nn 0\ntime -0.5\n");
    add_footer(&s, "vel\npos\nmass\n");
    add_end(&s);
    for (int on_pipe = 0; on_pipe < 2; on_pipe++) {
        assert_int_equal(read_once(s.data, s.size, on_pipe, &b), 1);
        assert_true(b.n == 0 && b.meta.G == 0.25 && b.meta.time == -0.5 && b.meta.softening == 0);
        assert_string_equal(b.meta.units.name, "code");
        assert_string_equal(b.meta.extra[0], "velocity unknown");
        assert_string_equal(b.columns[0].name, "vel");
    }
    free(s.data);
    nb_bodies_free(&b);
}

/* Zeros behind a column that are none, under a checksum that is right. */
static void test_padding(void **state)
{
    (void)state;
    static const double values[3];
    struct nb_bodies b;
    struct bytes s = {0};
    char footer[512] = "";
    nb_bodies_init(&b);
    add_header(&s, HEADER("1", "0") COLUMNS);
    add_column(&s, footer, "mass", values, 8);
    char long_column[64] = "";
    long_column[40] = 1; /* of 24 bytes */
    add_column(&s, footer, "pos", long_column, 64);
    add_column(&s, footer, "vel", values, 24);
    add_footer(&s, footer);
    add_end(&s);
    for (int on_pipe = 0; on_pipe < 2; on_pipe++) {
        assert_int_equal(read_once(s.data, s.size, on_pipe, &b), -1);
        assert_non_null(strstr(nb_error(), "frame 0: column 'pos' has padding that is not zero"));
    }
    free(s.data);
    nb_bodies_free(&b);
}

/* The same in several columns that threads read side by side: the first one is named, always. */
static void test_padding_of_large_columns(void **state)
{
    (void)state;
    enum { N = 100001, PADDED = (N * 24 + 63) / 64 * 64 };
    struct nb_bodies b;
    struct bytes s = {0};
    char footer[512] = "", *ones = malloc(PADDED);
    nb_bodies_init(&b);
    memset(ones, 0, PADDED - 1);
    ones[PADDED - 1] = ones[(N * 8 + 63) / 64 * 64 - 1] = 1;
    add_header(&s, HEADER("100001", "0") COLUMNS);
    add_column(&s, footer, "mass", ones, (N * 8 + 63) / 64 * 64);
    add_column(&s, footer, "pos", ones, PADDED);
    add_column(&s, footer, "vel", ones, PADDED);
    add_footer(&s, footer);
    add_end(&s);
    for (int round = 0; round < 20; round++) {
        assert_int_equal(read_once(s.data, s.size, false, &b), -1);
        assert_non_null(strstr(nb_error(), "frame 0: column 'mass' has padding that is not zero"));
    }
    free(ones);
    free(s.data);
    nb_bodies_free(&b);
}

/* 10^18 bodies are promised and hardly a byte comes. */
static void test_promised_bodies(void **state)
{
    (void)state;
    static const char *const counts[] = {"1000000000000000000", "1000000000000", "10000000000"};
    struct nb_bodies b;
    nb_bodies_init(&b);
    for (int k = 0; k < 3; k++) {
        struct bytes s = {0};
        char header[512];
        sprintf(header, "nbs 1 frame\nn %s\ntime 0\nG 1\n" COLUMNS, counts[k]);
        add_block(&s, header);
        add(&s, "0123456789", 10);
        assert_int_equal(read_once(s.data, s.size, false, &b), -1);
        assert_non_null(strstr(nb_error(), k == 0 ? "too many: the columns would need more than 2^62 bytes"
                                                  : "truncated in frame 0; no whole frame"));
        assert_int_equal(read_once(s.data, s.size, true, &b), -1);
        char path[64];
        int fd = pipe_of(s.data, s.size, path);
        struct nb_snap_reader *r = nb_snap_open(path, true);
        assert_int_equal(nb_snap_verify(r), -1);
        nb_snap_close(r);
        close(fd);
        free(s.data);
    }
    nb_bodies_free(&b);
}

static void test_a_header_without_end(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct bytes s = {0};
    char line[1001];
    nb_bodies_init(&b);
    memset(line, 'x', 1000);
    line[999] = '\n';
    add(&s, "nbs 1 frame\n", 12);
    for (int k = 0; k < 2000; k++)
        add(&s, line, 1000);
    assert_int_equal(read_once(s.data, s.size, false, &b), -1);
    assert_non_null(strstr(nb_error(), "frame 0: the header is larger than 1 MiB"));
    free(s.data);
    nb_bodies_free(&b);
}

static void test_no_stream(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } cases[] = {
        {"", 0, ": empty, no snapshot"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16, ": not a snapshot stream"},
        {"\x1f\x8b\x08\0\0\0\0\0", 8, ": not a snapshot stream"},
        {"n", 1, "is truncated in frame 0; no whole frame"},
        {"nbs 1 fra", 9, "is truncated in frame 0; no whole frame"},
        {"x\0", 2, ": not a snapshot stream"},
        {"nbs 1 close ", 12, ": not a snapshot stream"},
    };
    struct nb_bodies b;
    nb_bodies_init(&b);
    for (size_t k = 0; k < 2 * (sizeof cases / sizeof *cases); k++) {
        assert_int_equal(read_once(cases[k / 2].bytes, cases[k / 2].size, k % 2, &b), -1);
        const char *found = strstr(nb_error(), cases[k / 2].message);
        assert_true(found && strlen(found) == strlen(cases[k / 2].message));
    }
    assert_int_equal(read_once("id m x y z\n1 2 3 4 5\n", 21, false, &b), -1);
    assert_non_null(strstr(nb_error(), ": not a snapshot stream but text (nbconv --from text /"));
    struct bytes s = {0};
    add_end(&s); /* a stream of no frames is none to start from */
    assert_int_equal(read_once(s.data, s.size, false, &b), -1);
    assert_non_null(strstr(nb_error(), "contains no frame"));
    free(s.data);
    assert_null(nb_snap_open("/nonexistent/x.nbs", false));
    assert_string_equal(nb_error(), "/nonexistent/x.nbs: cannot be opened: No such file or directory");
    assert_null(nb_snap_open("/tmp", false));
    assert_string_equal(nb_error(), "/tmp: is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_headers), cmocka_unit_test(test_least_header),
        cmocka_unit_test(test_padding),         cmocka_unit_test(test_padding_of_large_columns),
        cmocka_unit_test(test_promised_bodies), cmocka_unit_test(test_a_header_without_end),
        cmocka_unit_test(test_no_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
