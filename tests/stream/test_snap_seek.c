/* Seeking a frame: through the index of one stream and of several concatenated streams, on inputs that cannot seek,
 * and the position of the index. */
#include "base/error.h"
#include "snap/snap.h"
#include "stream_builder.h"

#include <fcntl.h>

/* Three streams of 3, 1 and 2 frames, one behind the other; times count on within each. */
static struct bytes build_three(void)
{
    static const int frames[] = {3, 1, 2};
    struct bytes all = {0};
    for (int k = 0; k < 3; k++) {
        struct bytes s = build_stream(frames[k]);
        add(&all, s.data, s.size);
        free(s.data);
    }
    return all;
}

static const double times[] = {0, 0.5, 1, 0, 0, 0.5};

static void test_seek_over_streams(void **state)
{
    (void)state;
    struct bytes s = build_three();
    struct nb_bodies b;
    char path[64];
    int fd = file_of(s.data, s.size, path);
    nb_bodies_init(&b);
    for (int k = -1; k < 6; k++) {
        int frame = k < 0 ? 5 : k;
        struct nb_snap_reader *r = nb_snap_open(path, false);
        assert_int_equal(nb_snap_seek(r, k < 0 ? NB_FRAME_LAST : k), 1);
        for (int j = frame; j < 6; j++) { /* and what follows, with its trailers */
            assert_int_equal(nb_snap_read(r, &b), 1);
            assert_int_equal(nb_snap_frame(r), j);
            assert_true(b.meta.time == times[j]);
            assert_true(nb_column_get(nb_bodies_find(&b, "vel"), 1, 2) == 5000 + times[j]);
        }
        assert_int_equal(nb_snap_read(r, &b), 0);
        nb_snap_close(r);
    }
    struct nb_snap_reader *r = nb_snap_open(path, false);
    assert_int_equal(nb_snap_seek(r, 6), -1);
    assert_non_null(strstr(nb_error(), "no frame 6: there are 6 (0 to 5)"));
    assert_int_equal(nb_snap_read(r, &b), 1); /* which harms nothing */
    int64_t count = 0;
    assert_int_equal(nb_snap_count(r, &count), 0); /* nor does counting, wherever the reader is */
    assert_int_equal(count, 6);
    assert_int_equal(nb_snap_read(r, &b), 1);
    assert_int_equal(nb_snap_frame(r), 1);
    assert_true(b.meta.time == times[1]);
    nb_snap_close(r);
    r = nb_snap_open(path, true);
    assert_int_equal(nb_snap_count(r, &count), 0);
    assert_int_equal(count, -1);
    nb_snap_close(r);
    nb_bodies_free(&b);
    close(fd);
    free(s.data);
}

static void test_read_frame_anyhow(void **state)
{
    (void)state;
    struct bytes s = build_three();
    struct nb_bodies b;
    char path[64];
    nb_bodies_init(&b);
    for (int way = 0; way < 8; way++) /* file or pipe, everything verified or not, with salvage or without */
        for (int k = -1; k < 7; k++) {
            int fd = way & 1 ? pipe_of(s.data, s.size, path) : file_of(s.data, s.size, path);
            struct nb_snap_reader *r = nb_snap_open(path, way & 4);
            int status = nb_snap_read_frame(r, k < 0 ? NB_FRAME_LAST : k, way & 2, &b);
            if (k == 6) {
                assert_int_equal(status, -1);
                assert_non_null(strstr(nb_error(), "no frame 6: there are 6 (0 to 5)"));
            } else {
                assert_int_equal(status, 1);
                assert_int_equal(nb_snap_frame(r), k < 0 ? 5 : k);
                assert_true(b.meta.time == times[k < 0 ? 5 : k]);
                assert_true(nb_column_get(nb_bodies_find(&b, "mass"), 1, 0) == 2);
            }
            nb_snap_close(r);
            close(fd);
        }
    nb_bodies_free(&b);
    free(s.data);
}

/* One bad byte in frame 1: frame 0 can be had alone, and not when all is verified; salvage gives all but frame 1. */
static void test_read_frame_of_a_damaged_stream(void **state)
{
    (void)state;
    struct bytes s = build_stream(3);
    struct nb_bodies b;
    char path[64];
    s.data[s.offsets[1] + 400] ^= 4;
    int fd = file_of(s.data, s.size, path);
    nb_bodies_init(&b);
    for (int way = 0; way < 4; way++)
        for (int k = 0; k < 4; k++) {
            bool verify = way & 1, salvage = way & 2;
            struct nb_snap_reader *r = nb_snap_open(path, salvage);
            int status = nb_snap_read_frame(r, k == 3 ? NB_FRAME_LAST : k, verify, &b);
            assert_int_equal(status, k == 1 || (verify && !salvage) ? -1 : 1);
            if (k == 1)
                assert_non_null(strstr(nb_error(), salvage ? "frame 1 is damaged" : "frame 1: "));
            if (status == 1) {
                assert_true(b.meta.time == (k == 0 ? 0 : 1));
                assert_true(nb_column_get(nb_bodies_find(&b, "pos"), 1, 2) == 500 + b.meta.time);
            }
            assert_true((nb_snap_damage(r) != NULL) == salvage);
            assert_null(nb_snap_damage(r));
            nb_snap_close(r);
        }
    nb_bodies_free(&b);
    close(fd);
    free(s.data);
}

/* Indices that lie, with checksums that are right: no seek; reading on finds the lie. */
#define HEX "0123456789abcdef"
static const struct {
    const char *trailer;
    size_t size; /* 0: the true one */
    int serves;  /* what nb_snap_seek can say of it */
} lies[] = {
    {"nbs 1 trailer\nframes 2\nframe 0 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 2\nframe 0 " HEX "\nframe 0 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 2\nframe 0 " HEX "\nframe 64000000 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 2\nframe 0 " HEX "\nframe 18446744073709551552 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 2\nframe 0 " HEX "\nframe 513 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 18446744073709551615\nframe 0 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0 " HEX "\nframe 640 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 2\nframe 640 " HEX "\nframe 0 " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0 " HEX "0\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0 0123456789ABCDEF\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0  " HEX "\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0 " HEX "\nframes 1\n", 0, 0},
    {"nbs 1 trailer\nframes 1\noffset 0\n", 0, 0},
    {"nbs 1 trailer\nframes 2\n", 0, 0},
    {"nbs 1 trailer\n", 0, 0},
    {"nbs 1 trailer\nframes 0\n", 0, 0},
    {"nbs 1 trailer\nframes 1\nframe 0 " HEX "\n", 0, 1},
    {"nbs 1 trailer\nframes 2\nframe 0 " HEX "\nframe 128 " HEX "\n", 0, 1},
    {NULL, 64, 0},
    {NULL, 1, 0},
    {NULL, 99999999999999999, 0},
};

static void test_index_that_lies(void **state)
{
    (void)state;
    struct nb_bodies b;
    char path[64], line[128];
    nb_bodies_init(&b);
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        struct bytes s = {0};
        add_frame(&s, 2, 0);
        add_frame(&s, 2, 0.5);
        sprintf(line, "nbs 1 trailer\nframes 2\nframe 0 %016" PRIx64 "\nframe %zu %016" PRIx64 "\n", s.checksums[0],
                s.offsets[1], s.checksums[1]);
        size_t begin = s.size;
        add_block(&s, lies[k].trailer ? lies[k].trailer : line);
        add_close(&s, lies[k].size ? lies[k].size : s.size + 64, s.size - begin);
        int fd = file_of(s.data, s.size, path);
        struct nb_snap_reader *r = nb_snap_open(path, false);
        int64_t count = 0;
        assert_int_equal(nb_snap_count(r, &count), 0);
        assert_true(lies[k].serves ? count > 0 : count == -1);
        assert_int_equal(nb_snap_seek(r, NB_FRAME_LAST), lies[k].serves);
        nb_snap_close(r);
        r = nb_snap_open(path, false);
        assert_int_equal(nb_snap_read(r, &b), 1);
        assert_int_equal(nb_snap_read(r, &b), 1);
        assert_int_equal(nb_snap_read(r, &b), -1);
        const char *reason = lies[k].trailer ? "trailer" : "the last line of the stream is damaged; the last whole";
        assert_non_null(strstr(nb_error(), reason));
        nb_snap_close(r);
        close(fd);
        free(s.data);
    }
    nb_bodies_free(&b);
}

/* There and back over headers of many KiB. */
static void test_seek_with_long_histories(void **state)
{
    (void)state;
    struct nb_bodies b;
    char path[64];
    int fd = file_of("", 0, path);
    struct nb_snap_writer *w = nb_snap_create(fd, "test");
    nb_bodies_init(&b);
    b.n = 1;
    assert_int_equal(nb_bodies_add(&b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(&b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(&b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(&b), 0);
    for (int k = 0; k < 3; k++) {
        for (int line = 0; line < 2000 * (k + 1); line++)
            assert_int_equal(nb_meta_add_history(&b.meta, "1 - tool 0.1 - tool --with=something"), 0);
        memset(b.columns[0].data, k, 8);
        memset(b.columns[1].data, k, 24);
        memset(b.columns[2].data, k, 24);
        b.meta.time = k;
        assert_int_equal(nb_snap_write(w, &b), 0);
    }
    assert_int_equal(nb_snap_finish(w), 0);
    nb_snap_destroy(w);
    struct nb_snap_reader *r = nb_snap_open(path, false);
    static const int order[] = {2, 0, 1, 0, 2, 1};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(nb_snap_seek(r, order[k]), 1);
        assert_int_equal(nb_snap_read(r, &b), 1);
        assert_true(b.meta.time == order[k]);
        assert_int_equal(b.meta.history_count, 1000 * (order[k] + 1) * (order[k] + 2));
    }
    nb_snap_close(r);
    nb_bodies_free(&b);
    close(fd);
}

/* Headers alone: quick on a file, verified on a pipe. */
static void test_skip(void **state)
{
    (void)state;
    struct bytes s = build_three();
    struct nb_bodies b;
    char path[64];
    nb_bodies_init(&b);
    for (int on_pipe = 0; on_pipe < 2; on_pipe++) {
        int fd = on_pipe ? pipe_of(s.data, s.size, path) : file_of(s.data, s.size, path), count = 0;
        struct nb_snap_reader *r = nb_snap_open(path, false);
        for (; nb_snap_skip(r, &b) == 1; count++) {
            assert_int_equal(b.n, 2);
            assert_int_equal(b.column_count, 3);
            assert_null(b.columns[1].data);
            assert_true(b.meta.time == times[count]);
        }
        assert_int_equal(count, 6);
        assert_int_equal(nb_snap_skip(r, &b), 0);
        nb_snap_close(r);
        close(fd);
    }
    nb_bodies_free(&b);
    free(s.data);
}

/* A file that shrinks while it is read is a cut stream, and nothing worse. */
static void test_file_that_shrinks(void **state)
{
    (void)state;
    struct nb_bodies b;
    char path[64];
    static double values[300000];
    struct bytes s = {0};
    char footer[512] = "";
    add_header(&s, HEADER("100000", "0") COLUMNS);
    add_column(&s, footer, "mass", values, 800000);
    add_column(&s, footer, "pos", values, 2400000);
    add_column(&s, footer, "vel", values, 2400000);
    add_footer(&s, footer);
    int fd = file_of(s.data, s.size, path);
    struct nb_snap_reader *r = nb_snap_open(path, false);
    assert_int_equal(ftruncate(fd, 3000000), 0);
    nb_bodies_init(&b);
    assert_int_equal(nb_snap_read(r, &b), -1);
    assert_non_null(strstr(nb_error(), "the stream is truncated in frame 0; no whole frame"));
    nb_snap_close(r);
    nb_bodies_free(&b);
    close(fd);
    free(s.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seek_over_streams),
        cmocka_unit_test(test_read_frame_anyhow),
        cmocka_unit_test(test_read_frame_of_a_damaged_stream),
        cmocka_unit_test(test_index_that_lies),
        cmocka_unit_test(test_seek_with_long_histories),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_file_that_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
