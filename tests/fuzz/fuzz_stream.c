/* Fuzz target: arbitrary bytes read as a stream. All ways of reading must agree:
 *
 *   A file and a pipe give the same frames. Reading, verifying and skipping agree.
 *   Seeking a frame gives the same frame as reading in order.
 *   Salvage loses no frame that reading finds, and its frame numbers increase.
 *   The frames can be written, also by two writers in turn, and read back.
 *   Messages are one printable line. */
#include "fuzz_stream.h"

#include "base/error.h"
#include "snap/snap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum input { ON_FILE, ON_PIPE };
enum way { READ, SKIP, VERIFY };

#define FRAMES_MAX 256

struct result {
    int status, frames;
    uint64_t hash[FRAMES_MAX]; /* of what was kept of a frame */
    int64_t number[FRAMES_MAX];
};

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_stream: does not hold: %s (%s)\n", what, nb_error());
    abort();
}

/* ---- reading ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    return XXH3_64bits_withSeed(data, size, hash);
}

static uint64_t mix_lines(uint64_t hash, char *const *lines, int count)
{
    for (int k = 0; k < count; k++)
        hash = mix(hash, lines[k], strlen(lines[k]) + 1);
    return hash;
}

/* Of the header's values and, where they were read, of the data. */
static uint64_t hash_of(const struct nb_bodies *b)
{
    const struct nb_meta *m = &b->meta;
    const double numbers[] = {m->time,           m->G,    m->softening, m->dt, m->units.length_cgs, m->units.mass_cgs,
                              m->units.time_cgs, m->every};
    const uint64_t counts[] = {b->n, m->step, (uint64_t)b->column_count};
    uint64_t hash = mix(mix(1, numbers, sizeof numbers), counts, sizeof counts);
    hash = mix(hash, m->units.name, strlen(m->units.name));
    hash = mix_lines(hash, m->history, m->history_count);
    hash = mix_lines(hash, m->forces, m->force_count);
    hash = mix_lines(hash, m->extra, m->extra_count);
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        const int layout[] = {(int)c->type, c->width};
        hash = mix(mix(hash, layout, sizeof layout), c->name, strlen(c->name) + 1);
        hash = mix(hash, c->unit, strlen(c->unit) + 1);
        if (c->data)
            hash = mix(hash, c->data, nb_column_bytes_padded(c, b->n));
    }
    return hash;
}

/* A descriptor from which the bytes can be read, and a path to it. */
static int open_bytes(enum input input, const void *data, size_t size, char path[64])
{
    int ends[2] = {-1, -1};
    if (input == ON_FILE) {
        ends[0] = ends[1] = memfd_create("stream", 0);
    } else {
        require(pipe(ends) == 0, "a pipe can be had");
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
    }
    require(size == 0 || write(ends[1], data, size) == (ssize_t)size, "the bytes fit a pipe");
    if (input == ON_PIPE)
        close(ends[1]);
    sprintf(path, "/proc/self/fd/%d", ends[0]);
    return ends[0];
}

static void check_message(void)
{
    const char *message = nb_error();
    require(*message, "a failure has a message");
    for (; *message; message++)
        require(*message >= ' ' && *message <= '~', "a message is printable");
}

static void read_all(enum input input, bool salvage, enum way way, const void *data, size_t size, struct result *out)
{
    char path[64];
    struct nb_bodies b;
    int fd = open_bytes(input, data, size, path);
    struct nb_snap_reader *r = nb_snap_open(path, salvage);
    require(r != NULL, "an input can be opened");
    nb_bodies_init(&b);
    memset(out, 0, sizeof *out);
    for (;; out->frames++) {
        int status = way == READ ? nb_snap_read(r, &b) : way == SKIP ? nb_snap_skip(r, &b) : nb_snap_verify(r);
        nb_snap_damage(r);
        out->status = status;
        if (status <= 0 || out->frames == FRAMES_MAX)
            break;
        out->number[out->frames] = nb_snap_frame(r);
        out->hash[out->frames] = way == VERIFY ? nb_snap_bodies(r) : hash_of(&b);
        if (way == READ)
            nb_bodies_check(&b);
    }
    if (out->status < 0)
        check_message();
    nb_bodies_free(&b);
    nb_snap_close(r);
    close(fd);
}

/* ---- what must hold ---- */

static void compare_inputs(const struct result *file, const struct result *pipe_)
{
    require(file->status == pipe_->status && file->frames == pipe_->frames, "file and pipe end alike");
    for (int k = 0; k < file->frames; k++)
        require(file->hash[k] == pipe_->hash[k] && file->number[k] == pipe_->number[k], "file and pipe agree");
}

static void check_salvage(const struct result *whole, const struct result *salvaged)
{
    require(salvaged->frames >= whole->frames, "salvage finds the leading frames");
    for (int k = 0; k < whole->frames; k++)
        require(salvaged->hash[k] == whole->hash[k], "salvage gives the leading frames");
    for (int k = 1; k < salvaged->frames; k++)
        require(salvaged->number[k] > salvaged->number[k - 1], "salvage's numbers rise");
    if (whole->status == 0)
        require(salvaged->status == 0 && salvaged->frames == whole->frames, "salvage of a whole stream");
}

static void check_seek(const void *data, size_t size, const struct result *in_order)
{
    for (int k = -1; k <= in_order->frames && k < 6; k++) {
        char path[64];
        struct nb_bodies b;
        int fd = open_bytes(ON_FILE, data, size, path), wanted = k < 0 ? in_order->frames - 1 : k;
        struct nb_snap_reader *r = nb_snap_open(path, false);
        nb_bodies_init(&b);
        int status = nb_snap_read_frame(r, k < 0 ? NB_FRAME_LAST : k, false, &b);
        if (status < 0)
            check_message();
        if (in_order->status == 0 && wanted == in_order->frames)
            require(status == -1, "no frame behind the last");
        else if (in_order->status == 0)
            require(status == 1 && hash_of(&b) == in_order->hash[wanted] && nb_snap_frame(r) == wanted,
                    "a frame sought is the one in order");
        nb_bodies_free(&b);
        nb_snap_close(r);
        close(fd);
    }
}

/* Another writer, which knows of the first one's no more than its size and index. */
static struct nb_snap_writer *change_writer(struct nb_snap_writer *w, int fd)
{
    uint64_t size = nb_snap_size(w), count = nb_snap_written(w);
    struct nb_snap_writer *other = nb_snap_resume(fd, "out", size, nb_snap_marks(w), count);
    require(other != NULL, "a stream is resumed");
    nb_snap_destroy(w);
    return other;
}

/* Writes all frames; false: one was refused. */
static bool rewrite(const void *data, size_t size, int out)
{
    char path[64];
    struct nb_bodies b;
    int fd = open_bytes(ON_FILE, data, size, path);
    struct nb_snap_reader *r = nb_snap_open(path, false);
    struct nb_snap_writer *w = nb_snap_create(out, "out");
    bool good = true;
    nb_bodies_init(&b);
    while (good && nb_snap_read(r, &b) == 1) {
        good = nb_snap_write(w, &b) == 0;
        if (good && nb_snap_frame(r) % 2 == 1)
            w = change_writer(w, out);
    }
    if (good)
        require(nb_snap_finish(w) == 0, "a stream is finished");
    nb_snap_destroy(w);
    nb_bodies_free(&b);
    nb_snap_close(r);
    close(fd);
    return good;
}

static void check_rewrite(const void *data, size_t size, const struct result *in_order)
{
    static struct result again;
    int out = memfd_create("out", 0);
    if (!rewrite(data, size, out))
        check_message();
    else {
        size_t bytes = (size_t)lseek(out, 0, SEEK_END);
        char *all = malloc(bytes);
        require(pread(out, all, bytes, 0) == (ssize_t)bytes, "the output is there");
        read_all(ON_FILE, false, READ, all, bytes, &again);
        compare_inputs(in_order, &again);
        free(all);
    }
    close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct result file, pipe_, verified, skipped, salvaged;
    if (size > FUZZ_STREAM_MAX)
        return 0;
    read_all(ON_FILE, false, READ, data, size, &file);
    read_all(ON_PIPE, false, READ, data, size, &pipe_);
    compare_inputs(&file, &pipe_);
    read_all(ON_FILE, false, VERIFY, data, size, &verified);
    require(verified.status == file.status && verified.frames == file.frames, "reading and verifying agree");
    read_all(ON_FILE, false, SKIP, data, size, &skipped);
    require(skipped.frames >= file.frames && (file.status != 0 || skipped.status == 0), "skipping sees no less");
    read_all(ON_FILE, true, READ, data, size, &salvaged);
    check_salvage(&file, &salvaged);
    read_all(ON_PIPE, true, READ, data, size, &salvaged);
    check_salvage(&file, &salvaged);
    check_seek(data, size, &file);
    if (file.status == 0 && file.frames < FRAMES_MAX)
        check_rewrite(data, size, &file);
    return 0;
}
