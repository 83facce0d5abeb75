/* Damaged snapshot streams: every bit of a small stream changed, and truncation at every length, in a file that is read
 * or mapped and in a pipe, with and without salvage. */
#include "base/error.h"
#include "snap/snap.h"
#include "stream_builder.h"

#include <fcntl.h>

#define FRAMES 3

#define KINDS 3 /* a file, a pipe, a file that is mapped */

static bool maps; /* the input is mapped */

static int input_of(int kind, const void *data, size_t size, char path[64])
{
    maps = kind == 2;
    return (kind == 1 ? pipe_of : file_of)(data, size, path);
}

static bool times_are_numbers; /* frame k of what was read last was the one of time k / 2 */

/* Reads to the end; how many frames came, and in *status what the last read returned. */
static int read_all(const char *path, bool salvage, int *status)
{
    struct nb_bodies b;
    int count = 0;
    times_are_numbers = true;
    struct nb_snap_reader *r = nb_snap_open(path, salvage);
    assert_non_null(r);
    nb_bodies_init(&b);
    if (maps)
        nb_snap_map(r, 1);
    while ((*status = nb_snap_read(r, &b)) == 1) {
        const struct nb_column *pos = nb_bodies_find(&b, "pos");
        assert_int_equal(b.n, 2);
        assert_true(nb_column_get(pos, 1, 1) == 400 + b.meta.time); /* a frame that comes is right */
        times_are_numbers &= b.meta.time == 0.5 * (double)nb_snap_frame(r);
        count++;
    }
    nb_bodies_free(&b);
    nb_snap_close(r);
    return count;
}

/* The number of frames that are whole within the first `size` bytes. */
static int whole_frames(const struct bytes *s, size_t size)
{
    size_t frame = s->offsets[1] - s->offsets[0];
    return size / frame < FRAMES ? (int)(size / frame) : FRAMES;
}

static void test_every_cut_is_noticed(void **state)
{
    (void)state;
    struct bytes s = build_stream(FRAMES);
    char path[64], last[64];
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t size = 0; size < s.size; size++) {
            int status, fd = input_of(kind, s.data, size, path), whole = whole_frames(&s, size);
            assert_int_equal(read_all(path, false, &status), whole);
            assert_int_equal(status, -1);
            assert_true(times_are_numbers);
            if (size == 0)
                assert_non_null(strstr(nb_error(), "empty, no snapshot"));
            else if (whole == 0)
                assert_non_null(strstr(nb_error(), "the stream is truncated in frame 0; no whole frame"));
            else if (size == s.offsets[1] * (size_t)whole)
                assert_non_null(strstr(nb_error(), "without the trailer (interrupted run? --salvage accepts it)"));
            else
                assert_non_null(strstr(nb_error(), "is truncated "));
            if (whole > 0) {
                sprintf(last, "frame %s%d (time %g)", size == s.offsets[1] * (size_t)whole ? "" : "is ", whole - 1,
                        0.5 * (whole - 1));
                assert_non_null(strstr(nb_error(), last));
            }
            close(fd);
        }
    free(s.data);
}

static void test_every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    struct bytes s = build_stream(FRAMES);
    char path[64];
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t bit = 0; bit < 8 * s.size; bit++) {
            int status;
            s.data[bit / 8] ^= (char)(1 << bit % 8);
            int fd = input_of(kind, s.data, s.size, path);
            assert_true(read_all(path, false, &status) <= whole_frames(&s, bit / 8));
            assert_int_equal(status, -1);
            assert_true(nb_error()[0] == '/');
            close(fd);
            s.data[bit / 8] ^= (char)(1 << bit % 8);
        }
    free(s.data);
}

static void test_salvage_of_every_flipped_byte(void **state)
{
    (void)state;
    struct bytes s = build_stream(FRAMES);
    char path[64];
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t at = 0; at < s.size; at++) {
            int status, in_frame = at < s.offsets[1] * FRAMES;
            s.data[at] ^= (char)(1 << at % 8);
            int fd = input_of(kind, s.data, s.size, path);
            int count = read_all(path, true, &status);
            assert_int_equal(count, FRAMES - in_frame);
            assert_true(times_are_numbers);
            assert_int_equal(status, 0);
            close(fd);
            s.data[at] ^= (char)(1 << at % 8);
        }
    free(s.data);
}

static void test_salvage_of_every_cut(void **state)
{
    (void)state;
    struct bytes s = build_stream(FRAMES);
    char path[64];
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t size = 0; size < s.size; size += 3) {
            int status, fd = input_of(kind, s.data, size, path), whole = whole_frames(&s, size);
            assert_int_equal(read_all(path, true, &status), whole);
            assert_int_equal(status, whole > 0 ? 0 : -1);
            close(fd);
        }
    free(s.data);
}

/* Pieces of a stream from anywhere, one behind the other, some bytes changed: whatever comes out is right, and the end
 * is reached. */
static void test_salvage_of_splices(void **state)
{
    (void)state;
    struct bytes s = build_stream(FRAMES);
    char path[64];
    srand(1);
    for (int round = 0; round < 2000; round++) {
        struct bytes splice = {0};
        for (int piece = rand() % 5; piece >= 0; piece--) {
            size_t from = (size_t)rand() % s.size, size = (size_t)rand() % (s.size - from);
            add(&splice, s.data + (rand() % 2 ? from / 64 * 64 : from), size);
        }
        for (int change = rand() % 3; change > 0 && splice.size > 0; change--)
            splice.data[(size_t)rand() % splice.size] ^= (char)(1 << rand() % 8);
        for (int kind = 0; kind < 2 * KINDS; kind++) {
            int status, fd = input_of(kind % KINDS, splice.data, splice.size, path);
            assert_true(read_all(path, kind / KINDS, &status) < 5 * FRAMES);
            assert_true(status <= 0);
            close(fd);
        }
        free(splice.data);
    }
    free(s.data);
}

/* Magic lines and nothing else: salvage gives up in a time that grows with the size, not with its square. */
static void test_salvage_of_magic_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {"nbs 1 frame\n", "nbs 1 trailer\n", "xnbs 1 frame\n", "nbs 1 frame\nn 1\n"};
    static char text[4000000];
    char path[64];
    alarm(60);
    for (int k = 0; k < 4; k++) {
        int status;
        for (size_t at = 0, size = strlen(lines[k]); at + size <= sizeof text; at += size)
            memcpy(text + at, lines[k], size);
        int fd = input_of(0, text, sizeof text, path);
        assert_int_equal(read_all(path, true, &status), 0);
        assert_int_equal(status, -1);
        close(fd);
    }
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut_is_noticed),
        cmocka_unit_test(test_every_flipped_bit_is_noticed),
        cmocka_unit_test(test_salvage_of_every_flipped_byte),
        cmocka_unit_test(test_salvage_of_every_cut),
        cmocka_unit_test(test_salvage_of_splices),
        cmocka_unit_test(test_salvage_of_magic_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
