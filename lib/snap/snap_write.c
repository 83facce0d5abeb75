/* snap_write.c - writes streams. Text and small columns are collected in a buffer, large pieces are written directly.
 * The buffer is flushed after each frame. A small frame is therefore one write call, and readers of a pipe receive it
 * at once. */
#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/portable.h"
#include "snap/snap.h"
#include "snap/snap_hash.h"
#include "snap/snap_header.h"
#include "snap/snap_index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
#define PIPE_BYTES   (1 << 20)

struct nb_snap_writer {
    int fd;
    char *name;
    bool failed;
    struct nb_text buffer;
    uint64_t size;         /* bytes of the stream so far, including the buffer */
    struct nb_index index; /* index of the complete frames */

    /* the current frame */
    bool in_frame;
    struct nb_snap_mark mark;
    uint64_t header; /* checksum of the frame's header */
    struct nb_bodies layout;
    struct nb_shape shape;
    int column;           /* index of the column to which the next byte belongs */
    size_t column_at;     /* bytes of the current column so far, including padding */
    uint64_t *hashes;     /* checksums of the blocks of all columns; there are shape.blocks of them */
    size_t hash_count;    /* number of checksums computed */
    size_t hash_capacity; /* number of checksums for which memory is allocated */
    struct nb_hash *hash; /* checksum of the current block */
    int threads;          /* number of threads that hash blocks */
    bool to_pipe;         /* the output is a pipe */
    bool gives;           /* the values being written may be given to the pipe */
};

struct nb_snap_writer *nb_snap_create(int fd, const char *name)
{
    struct nb_snap_writer *w = calloc(1, sizeof *w);
    if (w) {
        w->fd = fd;
        w->name = strdup(name);
        w->threads = omp_get_max_threads() < NB_HASH_THREADS ? omp_get_max_threads() : NB_HASH_THREADS;
        w->hash = nb_hash_create();
        nb_bodies_init(&w->layout);
    }
    if (!w || !w->name || !w->hash) {
        nb_fail("%s: no memory", name);
        nb_snap_destroy(w);
        return NULL;
    }
    nb_pipe_widen(fd, PIPE_BYTES);
    struct stat status;
    w->to_pipe = fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
    return w;
}

void nb_snap_destroy(struct nb_snap_writer *w)
{
    if (!w)
        return;
    nb_text_free(&w->buffer);
    nb_bodies_free(&w->layout);
    nb_hash_destroy(w->hash);
    free(w->hashes);
    nb_index_free(&w->index);
    free(w->name);
    free(w);
}

uint64_t nb_snap_written(const struct nb_snap_writer *w)
{
    return w->index.count;
}

const struct nb_snap_mark *nb_snap_marks(const struct nb_snap_writer *w)
{
    return w->index.marks;
}

uint64_t nb_snap_size(const struct nb_snap_writer *w)
{
    return w->size;
}

struct nb_snap_writer *nb_snap_resume(int fd, const char *name, uint64_t size, const struct nb_snap_mark *marks,
                                      size_t count)
{
    if (!nb_index_fits(marks, count, size))
        return nb_null(nb_fail("%s: the list of its frames is invalid (damaged checkpoint?)", name));
    struct nb_snap_writer *w = nb_snap_create(fd, name);
    if (!w)
        return NULL;
    w->size = size;
    for (size_t k = 0; k < count; k++)
        if (nb_index_add(&w->index, marks[k])) {
            nb_fail("%s: %s", name, nb_error());
            nb_snap_destroy(w);
            return NULL;
        }
    return w;
}

/* ---- bytes ---- */

static int output_failed(struct nb_snap_writer *w)
{
    int why = errno;
    w->failed = true;
    nb_fail("%s: cannot be written: %s", w->name, strerror(why));
    errno = why;
    return -1;
}

static int write_all(struct nb_snap_writer *w, const void *first, size_t first_size, const void *second,
                     size_t second_size)
{
    struct iovec parts[2] = {{(void *)first, first_size}, {(void *)second, second_size}};
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t done = writev(w->fd, parts, 2);
        if (done < 0 && !nb_io_again(w->fd, POLLOUT))
            return output_failed(w);
        for (int k = 0; k < 2 && done > 0; k++) {
            size_t part = (size_t)done < parts[k].iov_len ? (size_t)done : parts[k].iov_len;
            parts[k].iov_base = (char *)parts[k].iov_base + part;
            parts[k].iov_len -= part;
            done -= (ssize_t)part;
        }
    }
    return 0;
}

/* Returns whether nb_pages_drop works for this page, which is not changed. It may not for memory that processes share,
 * for pages of another size, or in an emulator. */
static bool can_drop(char *page, size_t size)
{
    char *held = malloc(size);
    if (!held)
        return false;
    memcpy(held, page, size);
    memset(page, 1, size);
    const bool can = nb_pages_drop(page, size) && page[0] == 0;
    memcpy(page, held, size);
    free(held);
    return can;
}

/* Writes `size` bytes to the pipe. Whole pages are not copied, and dropped afterwards: what is then written to `data`
 * does not reach the reader, even if the reader has not read the pages yet or has moved them to another pipe. */
static int give(struct nb_snap_writer *w, char *data, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), head = (page - (uintptr_t)data % page) % page;
    char *const first = data + head;
    const size_t pages = (size - head) / page * page;
    if (!can_drop(first, page))
        return write_all(w, data, size, NULL, 0);
    if (write_all(w, data, head, NULL, 0))
        return -1;
    size_t at = 0;
    while (at < pages) {
        const ssize_t given = nb_pipe_give(w->fd, first + at, pages - at);
        if (given < 0 && !nb_io_again(w->fd, POLLOUT))
            break;
        at += given > 0 ? (size_t)given : 0;
    }
    /* After a failure, the rest is copied. If the output itself has failed, this fails, too. */
    if (write_all(w, first + at, size - head - at, NULL, 0))
        return -1;
    return nb_pages_drop(first, pages) ? 0 : output_failed(w);
}

static int flush(struct nb_snap_writer *w)
{
    size_t size = w->buffer.size;
    w->buffer.size = 0;
    return write_all(w, w->buffer.data, size, NULL, 0);
}

/* Appends bytes of a column to the buffer. If they do not fit, writes first the buffer and then these bytes to the
 * output. */
static int emit(struct nb_snap_writer *w, const void *data, size_t size)
{
    w->size += size;
    if (w->buffer.size + size <= BUFFER_BYTES)
        return nb_text_add(&w->buffer, data, size);
    if (w->gives && w->to_pipe && size > BUFFER_BYTES)
        return flush(w) || give(w, (char *)data, size) ? -1 : 0;
    size_t before = w->buffer.size;
    w->buffer.size = 0;
    return write_all(w, w->buffer.data, before, data, size);
}

/* ---- a frame ---- */

static int reserve_hashes(struct nb_snap_writer *w, size_t wanted)
{
    if (wanted <= w->hash_capacity)
        return 0;
    uint64_t *longer = realloc(w->hashes, 2 * wanted * sizeof *longer);
    if (!longer)
        return nb_fail("no memory for %zu checksums", wanted);
    w->hashes = longer;
    w->hash_capacity = 2 * wanted;
    return 0;
}

int nb_snap_begin(struct nb_snap_writer *w, const struct nb_bodies *b)
{
    if (w->failed)
        return nb_fail("%s: an earlier write failed", w->name);
    assert(!w->in_frame);
    size_t before = w->buffer.size;
    if (nb_shape_of(&w->shape, b) || nb_memory_check(b->n, 16 * (double)w->shape.blocks) ||
        nb_header_format(&w->buffer, b, &w->header) || nb_bodies_copy_layout(&w->layout, b) ||
        reserve_hashes(w, w->shape.blocks) || nb_index_reserve(&w->index, w->index.count + 1)) {
        w->failed = true;
        return nb_fail("%s: frame %zu: %s", w->name, w->index.count, nb_error());
    }
    w->mark.offset = w->size;
    w->size += w->buffer.size - before;
    w->column = 0;
    w->column_at = w->hash_count = 0;
    w->in_frame = true;
    return 0;
}

/* Hashes and writes `size` bytes of the current block. After the last byte of the column, also hashes and writes the
 * padding. `used` and `padded` are the sizes of the column without and with padding. */
static int put_piece(struct nb_snap_writer *w, const void *data, size_t size, size_t used, size_t padded)
{
    static const char zeros[NB_ALIGN];
    size_t end = w->column_at + size, fill = end == used ? padded - used : 0;
    bool begins = w->column_at % NB_SNAP_BLOCK == 0, ends = end == used || end % NB_SNAP_BLOCK == 0;
    uint64_t *hash = &w->hashes[w->hash_count];
    if (begins && ends)
        *hash = nb_hash_padded(data, size, fill);
    else {
        if (begins)
            nb_hash_reset(w->hash);
        nb_hash_update(w->hash, data, size);
        nb_hash_update(w->hash, zeros, fill);
        if (ends)
            *hash = nb_hash_digest(w->hash);
    }
    w->hash_count += ends;
    w->column_at = end + fill;
    return emit(w, data, size) || emit(w, zeros, fill) ? -1 : 0;
}

/* Writes `count` whole blocks in groups, with one thread. At the same time, other threads hash the next group. */
static int put_blocks(struct nb_snap_writer *w, const char *data, size_t count)
{
    const size_t size = NB_HASH_BLOCKS, groups = (count + size - 1) / size;
    uint64_t *const hashes = w->hashes + w->hash_count;
    size_t failed = SIZE_MAX; /* group that cannot be written */
    int why = 0;              /* errno of this failure */
#pragma omp parallel num_threads(w->threads)
    for (size_t g = 0; g <= groups; g++) { /* hashes group g, writes group g - 1 */
        const size_t end = g < groups - 1 ? (g + 1) * size : count;
#pragma omp master
        if (g >= 1 && emit(w, data + (g - 1) * size * NB_SNAP_BLOCK,
                           ((g < groups ? g * size : count) - (g - 1) * size) * NB_SNAP_BLOCK)) {
            why = errno;
#pragma omp atomic write
            failed = g;
        }
#pragma omp for schedule(dynamic)
        for (size_t k = g * size; k < end; k++)
            hashes[k] = nb_hash_bytes(data + k * NB_SNAP_BLOCK, NB_SNAP_BLOCK);
        size_t at;
#pragma omp atomic read
        at = failed;
        if (at == g)
            break;
    }
    w->hash_count += count;
    w->column_at += count * NB_SNAP_BLOCK;
    if (failed == SIZE_MAX)
        return 0;
    errno = why;
    return -1;
}

int nb_snap_put(struct nb_snap_writer *w, const void *data, size_t size_bytes)
{
    if (w->failed)
        return nb_fail("%s: an earlier write failed", w->name);
    assert(w->in_frame);
    for (const char *at = data, *end = at + size_bytes; at < end;) {
        assert(w->column < w->layout.column_count);
        const struct nb_column *c = &w->layout.columns[w->column];
        size_t used = nb_column_bytes(c, w->layout.n), padded = nb_column_bytes_padded(c, w->layout.n);
        size_t piece = used - w->column_at, block = NB_SNAP_BLOCK - w->column_at % NB_SNAP_BLOCK;
        piece = piece < (size_t)(end - at) ? piece : (size_t)(end - at);
        if (block == NB_SNAP_BLOCK && piece >= 2 * block && w->threads > 1) {
            const size_t count = piece / block;
            piece = count * block;
            if (put_blocks(w, at, count))
                return -1;
        } else {
            piece = piece < block ? piece : block;
            if (put_piece(w, at, piece, used, padded))
                return -1;
        }
        at += piece;
        if (w->column_at == padded) {
            w->column++;
            w->column_at = 0;
        }
    }
    return 0;
}

int nb_snap_give(struct nb_snap_writer *w, void *data, size_t size_bytes)
{
    w->gives = true;
    const int status = nb_snap_put(w, data, size_bytes);
    w->gives = false;
    return status;
}

int nb_snap_end(struct nb_snap_writer *w)
{
    if (w->failed)
        return nb_fail("%s: an earlier write failed", w->name);
    assert(w->in_frame && w->hash_count == w->shape.blocks);
    w->in_frame = false;
    size_t before = w->buffer.size;
    if (nb_footer_format(&w->buffer, &w->layout, w->header, w->hashes, &w->mark.checksum)) {
        w->failed = true;
        return nb_fail("%s: %s", w->name, nb_error());
    }
    w->size += w->buffer.size - before;
    return flush(w) ? -1 : nb_index_add(&w->index, w->mark);
}

int nb_snap_finish(struct nb_snap_writer *w)
{
    if (w->failed)
        return nb_fail("%s: an earlier write failed", w->name);
    assert(!w->in_frame);
    char line[NB_CLOSE_SIZE];
    if (nb_trailer_format(&w->buffer, &w->index) == 0) {
        size_t trailer = w->buffer.size;
        nb_close_format(line, w->size + trailer + sizeof line, trailer);
        if (nb_text_add(&w->buffer, line, sizeof line) == 0)
            return flush(w);
    }
    w->failed = true;
    return nb_fail("%s: %s", w->name, nb_error());
}

static int write_frame(struct nb_snap_writer *w, const struct nb_bodies *b, bool give)
{
    if (nb_snap_begin(w, b))
        return -1;
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        const size_t bytes = nb_column_bytes(c, b->n);
        assert(!give || !c->mapped);
        if (give ? nb_snap_give(w, c->data, bytes) : nb_snap_put(w, c->data, bytes))
            return -1;
    }
    return nb_snap_end(w);
}

int nb_snap_write(struct nb_snap_writer *w, const struct nb_bodies *b)
{
    return write_frame(w, b, false);
}

int nb_snap_hand_over(struct nb_snap_writer *w, struct nb_bodies *b)
{
    return write_frame(w, b, true);
}
