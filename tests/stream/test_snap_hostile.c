/* Malicious files that could cost salvage a time quadratic in their size: headers that each claim the rest of the
 * file, with and without footers, and magic lines within lines. The test counts the bytes that are read. */
#include "base/error.h"
#include "snap/snap.h"
#include "stream_builder.h"

#include <fcntl.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIZE ((size_t)1 << 20) /* there the work takes a hundred times as long */
#endif
#endif
#ifndef SIZE
#define SIZE ((size_t)8 << 20)
#endif

/* Bytes that this process has read so far, or -1 where nobody counts. */
static long long bytes_read(void)
{
    long long count = -1;
    FILE *file = fopen("/proc/self/io", "r");
    if (file && fscanf(file, "rchar: %lld", &count) != 1)
        count = -1;
    if (file)
        fclose(file);
    return count;
}

static int salvage(const char *path)
{
    struct nb_bodies b;
    int frames = 0;
    struct nb_snap_reader *r = nb_snap_open(path, true);
    nb_bodies_init(&b);
    while (nb_snap_read(r, &b) == 1)
        frames++;
    nb_bodies_free(&b);
    nb_snap_close(r);
    return frames;
}

/* The file has that many whole frames, and is read no more than a few times over. Time is not looked at, but what took
 * more than a minute before the work was bounded does not end in two either. */
static void check(struct bytes *b, int frames)
{
    char path[64];
    alarm(120);
    int fd = file_of(b->data, b->size, path);
    long long before = bytes_read();
    assert_int_equal(salvage(path), frames);
    assert_true(bytes_read() - before < 4 * (long long)b->size);
    close(fd);
    fd = big_pipe_of(b->data, b->size, path);
    assert_true(salvage(path) <= frames); /* what a damaged frame claimed is lost on a pipe */
    close(fd);
    alarm(0);
    free(b->data);
}

static const char zeros[64];

static void put_header(struct bytes *b, uint64_t n)
{
    char header[256];
    sprintf(header, "nbs 1 frame\nn %" PRIu64 "\ntime 0\nG 1\n" COLUMNS, n);
    b->header = add_block(b, header);
}

/* As many bodies as end in `size` bytes. */
static uint64_t fill(size_t size)
{
    return (size - 192) / 56;
}

static void test_headers_that_claim_the_rest(void **state)
{
    (void)state;
    struct bytes b = {0};
    while (b.size + 512 < SIZE)
        put_header(&b, fill(SIZE - b.size - 512));
    while (b.size < SIZE)
        add(&b, zeros, 64);
    add_frame(&b, 2, 0);
    add_end(&b);
    check(&b, 1);
}

/* Every header has a footer where its columns would end, whole and its own: the first has the last, and so on inwards.
 * The data are wrong. A header takes 320 bytes, a footer 128, and each frame has 448 bytes of data, 8 bodies, more than
 * the next one inwards. */
static void test_nested_frames(void **state)
{
    (void)state;
    static const char lines[] = "mass 0123456789abcdef\npos 0123456789abcdef\nvel 0123456789abcdef\n";
    const size_t count = SIZE / 448;
    struct bytes b = {0}, *headers = calloc(count, sizeof *headers);
    for (size_t k = 0; k < count; k++) {
        char header[512];
        sprintf(header, "nbs 1 frame\nn %zu\ntime 0\nG 1\n" COLUMNS "note %0170d\n", 8 * (count - k), 0);
        headers[k].header = add_block(&b, header);
        assert_int_equal(b.size, 320 * (k + 1));
    }
    for (int k = 0; k < 7; k++)
        add(&b, zeros, 64);
    for (size_t k = count; k-- > 0;) {
        b.header = headers[k].header;
        b.frames = 1;
        add_footer(&b, lines);
        assert_int_equal(b.size, 320 * (k + 1) + 448 * (count - k) + 128);
    }
    free(headers);
    check(&b, 0);
}

/* Any of many magic strings may begin a text block that ends in the same place, or in none. */
static void test_magic_within_lines(void **state)
{
    (void)state;
    static const char *const ends[] = {"\nchecksum 0123456789abcdef\n", "\0\0", "\nnbs 1 frame\n", "\n"};
    for (int k = 0; k < 4; k++)
        for (int trailer = 0; trailer < 2; trailer++) {
            struct bytes b = {0};
            while (b.size < SIZE) {
                for (int line = 0; line < 40000; line++)
                    add(&b, trailer && line == 1 ? "xnbs 1 trailer\n" : "xnbs 1 frame\n",
                        trailer && line == 1 ? 15 : 13);
                add(&b, ends[k], k == 1 ? 2 : strlen(ends[k]));
            }
            add(&b, zeros, 1);
            pad(&b);
            add_frame(&b, 2, 0);
            add_end(&b);
            check(&b, 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_that_claim_the_rest),
        cmocka_unit_test(test_nested_frames),
        cmocka_unit_test(test_magic_within_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
