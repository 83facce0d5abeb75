/* Valid snapshot streams: the output of the writer compared with bytes that the test builds, reading of such bytes,
 * seeking, and headers that must be rejected. */
#include "base/error.h"
#include "base/portable.h"
#include "snap/snap.h"
#include "stream_builder.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>

/* ---- helpers ---- */

static void make_frame(struct nb_bodies *b, uint64_t n)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int c = 0; c < 3; c++)
        for (uint64_t k = 0; k < n * (uint64_t)b->columns[c].width; k++)
            ((double *)b->columns[c].data)[k] = (double)k + c;
}

/* What a writer wrote into the file. */
static struct bytes contents(int fd)
{
    struct bytes b = {.size = (size_t)lseek(fd, 0, SEEK_END)};
    b.data = malloc(b.size + 1);
    assert_int_equal(pread(fd, b.data, b.size, 0), (ssize_t)b.size);
    return b;
}

static struct bytes written(const struct nb_bodies *b)
{
    char path[64];
    int fd = file_of("", 0, path);
    struct nb_snap_writer *w = nb_snap_create(fd, "test");
    assert_int_equal(nb_snap_write(w, b), 0);
    assert_int_equal(nb_snap_written(w), 1);
    assert_int_equal(nb_snap_finish(w), 0);
    nb_snap_destroy(w);
    struct bytes all = contents(fd);
    close(fd);
    return all;
}

/* ---- writing ---- */

/* A frame with every type, every key, history, an unknown line and padding of every column. */
static void build_rich(struct bytes *e)
{
    static const float x[] = {1.5f, -2, 3}, v[] = {0, 1e-30f, 7};
    static const double m[] = {0.1};
    static const uint64_t id[] = {1ull << 63};
    static const uint8_t component[] = {5};
    static const uint32_t color[] = {4, 5, 6};
    char footer[512] = "";
    add_header(e, "nbs 1 frame\nn 1\ntime 0.30000000000000004\nstep 12\nG 43009.17\nsoftening 0.01\ndt 0.001\n"
                  "units galactic\nlength_cgs 3.0856775814913673e+21\nmass_cgs 2\ntime_cgs 1e+300\n"
                  "column mass f64 1 M\ncolumn pos f32 3 L\ncolumn vel f32 3 L/T\ncolumn id u64 1 -\n"
                  "column component u8 1 -\ncolumn color u32 3 -\nhistory 1 - tool 0.1 - tool --a=b\n"
                  "history 2 1 other 0.2 7 other\nflavour strange and  charmed\n");
    add_column(e, footer, "mass", m, sizeof m);
    add_column(e, footer, "pos", x, sizeof x);
    add_column(e, footer, "vel", v, sizeof v);
    add_column(e, footer, "id", id, sizeof id);
    add_column(e, footer, "component", component, sizeof component);
    add_column(e, footer, "color", color, sizeof color);
    add_footer(e, footer);
    add_end(e);
}

static void test_reads_and_writes_every_key_and_type(void **state)
{
    (void)state;
    struct bytes e = {0};
    char path[64];
    struct nb_bodies b;
    build_rich(&e);
    int fd = file_of(e.data, e.size, path);
    struct nb_snap_reader *r = nb_snap_open(path, false);
    nb_bodies_init(&b);
    assert_int_equal(nb_snap_read(r, &b), 1);
    assert_int_equal(b.n, 1);
    assert_true(b.meta.time == 0.1 + 0.2 && b.meta.step == 12 && b.meta.G == 43009.17 && b.meta.dt == 0.001);
    assert_true(b.meta.softening == 0.01 && b.meta.units.length_cgs == 3.0856775814913673e21);
    assert_true(b.meta.units.mass_cgs == 2 && b.meta.units.time_cgs == 1e300);
    assert_string_equal(b.meta.units.name, "galactic");
    assert_int_equal(b.meta.history_count, 2);
    assert_string_equal(b.meta.history[1], "2 1 other 0.2 7 other");
    assert_int_equal(b.meta.extra_count, 1);
    assert_string_equal(b.meta.extra[0], "flavour strange and  charmed");
    assert_int_equal(b.column_count, 6);
    assert_true(nb_column_get(nb_bodies_find(&b, "mass"), 0, 0) == 0.1);
    assert_true(nb_column_get(nb_bodies_find(&b, "pos"), 0, 1) == -2);
    assert_int_equal(*(uint64_t *)nb_bodies_find(&b, "id")->data, 1ull << 63);
    assert_int_equal(((uint32_t *)nb_bodies_find(&b, "color")->data)[2], 6);
    assert_string_equal(nb_bodies_find(&b, "vel")->unit, "L/T");
    for (int k = 0; k < b.column_count; k++)
        assert_int_equal((uintptr_t)b.columns[k].data % 64, 0);
    struct bytes again = written(&b); /* what was read is written back: the same bytes */
    assert_int_equal(again.size, e.size);
    assert_memory_equal(again.data, e.data, e.size);
    assert_int_equal(nb_snap_read(r, &b), 0);
    nb_snap_close(r);
    nb_bodies_free(&b);
    close(fd);
    free(e.data);
    free(again.data);
}

/* Writes a frame to a pipe, with byte `damaged` of it changed, and reads it with that many threads. */
static int read_from_pipe(const struct bytes *e, size_t damaged, int threads, struct nb_bodies *b)
{
    char path[64];
    omp_set_num_threads(threads);
    e->data[damaged] ^= 1;
    int fd = big_pipe_of(e->data, e->size, path);
    e->data[damaged] ^= 1;
    struct nb_snap_reader *r = nb_snap_open(path, false);
    int status = nb_snap_read(r, b);
    nb_snap_close(r);
    close(fd);
    return status;
}

/* Reads a frame of 21 blocks from a pipe, as it is and with one byte changed. `pos`, `vel`: where these columns begin.
 */
static void check_pipes(const struct bytes *e, const struct nb_bodies *from, size_t pos, size_t vel)
{
    const size_t places[] = {pos + 2 * BLOCK + 5, vel - 1, vel + 7 * BLOCK, e->size - 1};
    static const char *const said[] = {"column 'pos' is damaged: the checksum of block 2 is wrong",
                                       "column 'pos' is damaged: the checksum of block 8 is wrong",
                                       "column 'vel' is damaged: the checksum of block 7 is wrong", NULL};
    const int most = omp_get_max_threads();
    for (int threads = 1; threads <= 3; threads++)
        for (int k = 0; k < 4; k++) {
            struct nb_bodies b;
            nb_bodies_init(&b);
            assert_int_equal(read_from_pipe(e, places[k], threads, &b), said[k] ? -1 : 1);
            if (said[k])
                assert_non_null(strstr(nb_error(), said[k]));
            else
                for (int c = 0; c < 3; c++)
                    assert_memory_equal(b.columns[c].data, from->columns[c].data, nb_column_bytes(&b.columns[c], b.n));
            nb_bodies_free(&b);
        }
    omp_set_num_threads(most);
}

/* What a writer wrote that got each column in odd pieces, or in a byte and the rest, which has several whole blocks. */
static struct bytes written_in_pieces(const struct nb_bodies *b, bool odd)
{
    char path[64];
    int fd = file_of("", 0, path);
    struct nb_snap_writer *w = nb_snap_create(fd, "test");
    assert_int_equal(nb_snap_begin(w, b), 0);
    for (int k = 0; k < 3; k++)
        for (size_t at = 0, size = nb_column_bytes(&b->columns[k], b->n), piece = 1; at < size; at += piece) {
            const size_t next = odd ? piece * 3 % 1000003 : at == 0 ? 1 : size;
            piece = next < size - at ? next : size - at;
            assert_int_equal(nb_snap_put(w, (char *)b->columns[k].data + at, piece), 0);
        }
    assert_int_equal(nb_snap_end(w), 0);
    assert_int_equal(nb_snap_finish(w), 0);
    nb_snap_destroy(w);
    struct bytes all = contents(fd);
    close(fd);
    return all;
}

/* Columns of 10 MiB and more: blocks, the last one shorter, from memory, in odd pieces and on any number of threads. */
static void test_blocks(void **state)
{
    (void)state;
    const uint64_t n = 1400001;
    struct nb_bodies b;
    struct bytes e = {0};
    char footer[1024] = "", path[64];
    make_frame(&b, n);
    add_header(&e, HEADER("1400001", "0") COLUMNS);
    const size_t mass = e.size, pos = mass + nb_column_bytes_padded(&b.columns[0], n);
    for (int k = 0; k < 3; k++)
        add_column(&e, footer, b.columns[k].name, b.columns[k].data, nb_column_bytes(&b.columns[k], n));
    add_footer(&e, footer);
    add_end(&e);
    const int most = omp_get_max_threads();
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        struct bytes whole = written(&b);
        assert_int_equal(whole.size, e.size);
        assert_memory_equal(whole.data, e.data, e.size);
        free(whole.data);
    }
    omp_set_num_threads(most);

    for (int odd = 0; odd < 2; odd++) {
        struct bytes pieces = written_in_pieces(&b, odd);
        assert_int_equal(pieces.size, e.size);
        assert_memory_equal(pieces.data, e.data, e.size);
        free(pieces.data);
    }

    check_pipes(&e, &b, pos, pos + nb_column_bytes_padded(&b.columns[1], n));

    /* A changed value, a changed padding byte of the last block: each is named. */
    int fd = file_of(e.data, e.size, path);
    assert_int_equal(pwrite(fd, "!", 1, (off_t)(pos + 2 * BLOCK + 5)), 1);
    for (int verify = 0; verify < 2; verify++) {
        struct nb_snap_reader *r = nb_snap_open(path, false);
        assert_int_equal(verify ? nb_snap_verify(r) : nb_snap_read(r, &b), -1);
        assert_non_null(
            strstr(nb_error(), "frame 0: column 'pos' is damaged: the checksum of block 2 is wrong; no whole frame"));
        nb_snap_close(r);
    }
    close(fd);
    nb_bodies_free(&b);
    free(e.data);
}

/* ---- memory given to a pipe ---- */

#define GIVEN 33000 /* bodies: each column is larger than the writer's buffer, and fits into a pipe of 1 MiB */

/* Reads what a pipe contains. */
static void drain(int fd, struct bytes *to)
{
    char piece[65536];
    for (ssize_t got; (got = read(fd, piece, sizeof piece)) > 0;)
        add(to, piece, (size_t)got);
    assert_int_equal(errno, EAGAIN);
}

/* Each column is given to the pipe and then overwritten, before anything is read. `before`: this many bytes of each
 * column are put first, so that pages begin elsewhere. */
static void check_given(const struct nb_bodies *b, size_t before)
{
    int ends[2];
    struct bytes got = {0}, all = written(b);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct nb_snap_writer *w = nb_snap_create(ends[1], "test");
    assert_int_equal(nb_snap_begin(w, b), 0);
    for (int k = 0; k < b->column_count; k++) {
        const size_t size = nb_column_bytes(&b->columns[k], b->n);
        char *copy = aligned_alloc(page, (size / page + 1) * page);
        const bool gives = nb_pages_drop(copy + size / page * page, page);
        memcpy(copy, b->columns[k].data, size);
        assert_int_equal(nb_snap_put(w, copy, before), 0);
        assert_int_equal(nb_snap_give(w, copy + before, size - before), 0);
        if (gives)
            for (size_t at = page; at < 2 * page; at++)
                assert_int_equal(copy[at], 0); /* not copied */
        memset(copy, 7, size);
        drain(ends[0], &got);
        free(copy);
    }
    assert_int_equal(nb_snap_end(w), 0);
    assert_int_equal(nb_snap_finish(w), 0);
    nb_snap_destroy(w);
    drain(ends[0], &got);
    assert_int_equal(got.size, all.size);
    assert_memory_equal(got.data, all.data, all.size);
    close(ends[0]);
    close(ends[1]);
    free(got.data);
    free(all.data);
}

static void test_given_memory_can_be_changed(void **state)
{
    (void)state;
    struct nb_bodies b;
    make_frame(&b, GIVEN);
    check_given(&b, 0);
    check_given(&b, 24);
    nb_bodies_free(&b);
}

static void check_same(const struct nb_bodies *a, const struct nb_bodies *b)
{
    assert_true(a->n == b->n && a->column_count == b->column_count);
    for (int k = 0; k < a->column_count; k++)
        assert_memory_equal(a->columns[k].data, b->columns[k].data, nb_column_bytes_padded(&a->columns[k], a->n));
}

/* Frames of several blocks, and smaller ones, after each other into the same bodies: those from a limit on are mapped,
 * the others read, and their values are the same. A mapped frame outlives its reader. */
static void test_mapped(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {3, 400001, 400001, 5};
    struct nb_bodies frames[4], b;
    char path[64], shifted[64];
    int fd = file_of("", 0, path);
    struct nb_snap_writer *w = nb_snap_create(fd, "test");
    for (int k = 0; k < 4; k++) {
        make_frame(&frames[k], sizes[k]);
        nb_column_set(&frames[k].columns[1], sizes[k] - 1, 2, k);
        assert_int_equal(nb_snap_write(w, &frames[k]), 0);
    }
    assert_int_equal(nb_snap_finish(w), 0);
    nb_snap_destroy(w);
    struct bytes whole = contents(fd);
    int other = file_of("x", 1, shifted);
    assert_int_equal(write(other, whole.data, whole.size), (ssize_t)whole.size);
    nb_bodies_init(&b);
    for (int aligned = 0; aligned < 2; aligned++) { /* columns of the shifted file are not aligned, so they are read */
        const int from = dup(STDIN_FILENO);
        assert_int_equal(lseek(aligned ? fd : other, !aligned, SEEK_SET), !aligned);
        assert_int_equal(dup2(aligned ? fd : other, STDIN_FILENO), STDIN_FILENO);
        struct nb_snap_reader *r = nb_snap_open("-", false);
        nb_snap_map(r, 4 * BLOCK);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(nb_snap_read(r, &b), 1);
            for (int c = 0; c < 3; c++)
                assert_true((b.columns[c].mapped > 0) == (aligned && sizes[k] > 5));
            check_same(&b, &frames[k]);
        }
        assert_int_equal(nb_snap_seek(r, 1), 1);
        assert_int_equal(nb_snap_read(r, &b), 1);
        nb_snap_close(r);
        nb_bodies_drop(&b, "mass");
        assert_memory_equal(b.columns[0].data, frames[1].columns[1].data, nb_column_bytes(&b.columns[0], b.n));
        dup2(from, STDIN_FILENO);
        close(from);
    }
    for (int k = 0; k < 4; k++)
        nb_bodies_free(&frames[k]);
    nb_bodies_free(&b);
    free(whole.data);
    close(fd);
    close(other);
}

/* A pipe shows each small frame as soon as it is whole, in one piece. */
static void test_frames_are_flushed(void **state)
{
    (void)state;
    struct nb_bodies b;
    int ends[2];
    char bytes[4096];
    make_frame(&b, 3);
    assert_int_equal(pipe(ends), 0);
    struct nb_snap_writer *w = nb_snap_create(ends[1], "test");
    for (int k = 0; k < 3; k++) {
        assert_int_equal(nb_snap_write(w, &b), 0);
        ssize_t got = read(ends[0], bytes, sizeof bytes);
        assert_true(got > 512 && memcmp(bytes, "nbs 1 frame\n", 12) == 0);
        assert_non_null(memmem(bytes, (size_t)got, "nbs 1 footer\n", 13));
    }
    nb_snap_destroy(w);
    nb_bodies_free(&b);
    close(ends[0]);
    close(ends[1]);
}

static void test_output_that_fails(void **state)
{
    (void)state;
    struct nb_bodies b;
    int ends[2], full = open("/dev/full", O_WRONLY);
    signal(SIGPIPE, SIG_IGN);
    for (uint64_t n = 3; n < 1000000; n += 500000) {
        make_frame(&b, n);
        struct nb_snap_writer *w = nb_snap_create(full, "stdout");
        assert_int_equal(nb_snap_write(w, &b), -1);
        assert_int_equal(errno, ENOSPC);
        assert_string_equal(nb_error(), "stdout: cannot be written: No space left on device");
        assert_int_equal(nb_snap_write(w, &b), -1);
        assert_int_equal(nb_snap_written(w), 0);
        nb_snap_destroy(w);
        assert_int_equal(pipe(ends), 0);
        close(ends[0]);
        w = nb_snap_create(ends[1], "stdout");
        assert_int_equal(nb_snap_write(w, &b), -1);
        assert_int_equal(errno, EPIPE);
        nb_snap_destroy(w);
        w = nb_snap_create(ends[1], "stdout");
        assert_int_equal(nb_snap_hand_over(w, &b), -1);
        assert_int_equal(errno, EPIPE);
        assert_string_equal(nb_error(), "stdout: cannot be written: Broken pipe");
        nb_snap_destroy(w);
        close(ends[1]);
        nb_bodies_free(&b);
    }
    close(full);
}

/* What a reader would refuse is not written. */
static void test_writer_refuses(void **state)
{
    (void)state;
    char path[64];
    for (int k = 0; k < 7; k++) {
        struct nb_bodies b;
        make_frame(&b, 2);
        switch (k) {
        case 0: b.meta.time = 0.0 / 0.0; break;
        case 1: b.meta.softening = -1; break;
        case 2: assert_int_equal(nb_meta_add_history(&b.meta, "two\nlines"), 0); break;
        case 3: assert_int_equal(nb_meta_add_extra(&b.meta, "time 7"), 0); break;
        case 4: nb_bodies_drop(&b, "vel"); break;
        case 5: strcpy(b.columns[0].unit, "a b"); break;
        case 6: strcpy(b.meta.units.name, ""); break;
        }
        int fd = file_of("", 0, path);
        struct nb_snap_writer *w = nb_snap_create(fd, "test");
        assert_int_equal(nb_snap_write(w, &b), -1);
        assert_int_equal(nb_snap_finish(w), -1);
        assert_int_equal(lseek(fd, 0, SEEK_END), 0);
        nb_snap_destroy(w);
        nb_bodies_free(&b);
        close(fd);
    }
}

/* Frames [from, to) of a stream; their sizes differ. */
static void write_frames(struct nb_snap_writer *w, int from, int to)
{
    for (int k = from; k < to; k++) {
        struct nb_bodies b;
        make_frame(&b, (uint64_t)(k == 2 ? 200000 : 5 * k));
        b.meta.time = k;
        assert_int_equal(nb_snap_write(w, &b), 0);
        nb_bodies_free(&b);
    }
}

/* A writer that was lost anywhere is replaced by another, and the stream's bytes do not tell. */
static void test_resume(void **state)
{
    (void)state;
    enum { FRAMES = 6 };
    char path[64];
    int fd = file_of("", 0, path);
    struct nb_snap_writer *w = nb_snap_create(fd, "test");
    write_frames(w, 0, FRAMES);
    assert_int_equal(nb_snap_finish(w), 0);
    nb_snap_destroy(w);
    struct bytes whole = contents(fd);
    close(fd);
    for (int at = 0; at <= FRAMES; at++) {
        struct nb_snap_mark marks[FRAMES];
        fd = file_of("", 0, path);
        w = nb_snap_create(fd, "test");
        write_frames(w, 0, at);
        uint64_t size = nb_snap_size(w), count = nb_snap_written(w);
        assert_int_equal(count, at);
        assert_int_equal(lseek(fd, 0, SEEK_END), (off_t)size); /* all of it has been written */
        if (at > 0)
            memcpy(marks, nb_snap_marks(w), count * sizeof *marks);
        if (at + 2 < FRAMES)
            write_frames(w, at, at + 2); /* more than was noted, and no end */
        nb_snap_destroy(w);
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        assert_int_equal(lseek(fd, 0, SEEK_END), (off_t)size);
        w = nb_snap_resume(fd, "test", size, marks, count);
        assert_int_equal(nb_snap_written(w), at);
        assert_int_equal(nb_snap_size(w), size);
        write_frames(w, at, FRAMES);
        assert_int_equal(nb_snap_finish(w), 0);
        nb_snap_destroy(w);
        struct bytes again = contents(fd);
        assert_int_equal(again.size, whole.size);
        assert_memory_equal(again.data, whole.data, whole.size);
        free(again.data);
        close(fd);
    }
    free(whole.data);
}

static void test_resume_refuses_what_no_stream_has(void **state)
{
    (void)state;
    static const struct nb_snap_mark good[] = {{0, 1}, {640, 2}}, late[] = {{64, 1}, {640, 2}},
                                     odd[] = {{0, 1}, {641, 2}}, same[] = {{0, 1}, {0, 2}};
    static const struct {
        const struct nb_snap_mark *marks;
        size_t count;
        uint64_t size;
    } cases[] = {{good, 2, 640}, {good, 2, 700},  {good, 2, 64},  {good, 0, 640},
                 {good, 1, 0},   {late, 2, 1280}, {odd, 2, 1280}, {same, 2, 1280}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_null(nb_snap_resume(1, "a.nbs", cases[k].size, cases[k].marks, cases[k].count));
        assert_string_equal(nb_error(), "a.nbs: the list of its frames is invalid (damaged checkpoint?)");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_and_writes_every_key_and_type),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_given_memory_can_be_changed),
        cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_frames_are_flushed),
        cmocka_unit_test(test_output_that_fails),
        cmocka_unit_test(test_writer_refuses),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_refuses_what_no_stream_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
