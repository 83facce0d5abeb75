/* snap_reader.c - opens and closes readers, and reads text blocks. Declared in snap_reader.h and snap.h. */
#include "snap/snap_reader.h"

#include "base/error.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

int nb_reader_trouble(struct nb_snap_reader *r, enum nb_trouble trouble, int failed)
{
    r->trouble = trouble;
    return failed;
}

int nb_reader_cut(struct nb_snap_reader *r)
{
    return nb_reader_trouble(r, NB_TROUBLE_CUT, nb_fail("the stream is truncated in frame %" PRId64, r->next));
}

int nb_reader_unread(struct nb_snap_reader *r, int failure)
{
    if (failure == NB_INPUT_SHORT)
        return nb_reader_cut(r);
    return nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("cannot be read: %s", strerror(failure)));
}

ssize_t nb_reader_peek(struct nb_snap_reader *r, size_t wanted)
{
    const ssize_t have = nb_input_peek(&r->in, wanted);
    return have < 0 ? nb_reader_trouble(r, NB_TROUBLE_READ, -1) : have;
}

/* ---- opening ---- */

struct nb_snap_reader *nb_snap_open(const char *path, bool salvage)
{
    struct nb_snap_reader *r = calloc(1, sizeof *r);
    char *name = strdup(strcmp(path, "-") == 0 ? "stdin" : path);
    if (!r || !name) {
        free(r);
        free(name);
        return nb_null(nb_fail("%s: no memory", path));
    }
    r->name = name;
    r->salvage = salvage;
    r->frame = r->last_whole = -1;
    r->in.fd = -1;
    r->threads = omp_get_max_threads();
    r->map_least = SIZE_MAX;
    nb_bodies_init(&r->head);
    if (nb_input_open(&r->in, path)) {
        nb_snap_close(r);
        return NULL;
    }
    return r;
}

void nb_snap_close(struct nb_snap_reader *r)
{
    if (!r)
        return;
    nb_input_close(&r->in);
    nb_bodies_free(&r->head);
    nb_index_free(&r->index);
    nb_streams_free(r->streams);
    nb_text_free(&r->damage);
    free(r->hashes);
    free(r->scratch);
    free(r->name);
    free(r);
}

void nb_snap_map(struct nb_snap_reader *r, size_t least_bytes)
{
    r->map_least = least_bytes;
}

int64_t nb_snap_frame(const struct nb_snap_reader *r)
{
    return r->frame;
}

const char *nb_snap_name(const struct nb_snap_reader *r)
{
    return r->name;
}

/* ---- text blocks ---- */

static int too_large(struct nb_snap_reader *r, size_t limit, const char *what)
{
    if (limit == NB_HEADER_MAX)
        nb_fail("the %s is larger than %zu MiB", what, limit >> 20);
    else
        nb_fail("the %s is larger than %zu bytes", what, limit);
    return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1);
}

/* Returns the size of the next text block. Returns -1 if reading fails, if the block has no checksum line, or if it has
 * more than `limit` bytes. `what` names the block in messages. Skips the bytes in which an earlier call has found no
 * checksum line. This saves time during salvage if an input has many magic lines but no checksum lines. */
static ssize_t measure_block(struct nb_snap_reader *r, size_t limit, const char *what)
{
    bool again = r->in.at >= r->searched_begin && r->in.at < r->searched_end;
    size_t looked = again ? (size_t)(r->searched_end - r->in.at) : 0;
    for (size_t window = looked + 16 * NB_ALIGN; looked <= limit; window *= 2) {
        ssize_t have = nb_reader_peek(r, looked + NB_ALIGN);
        if (have < 0)
            return -1;
        size_t seen = (size_t)have < window ? (size_t)have : window;
        size_t hopeless = 0;
        ssize_t size = nb_text_find_end(nb_input_bytes(&r->in), looked, seen, &hopeless);
        if (size < 0)
            r->hopeless = r->in.at + hopeless;
        if (size < 0)
            return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, nb_fail("the %s has no checksum line", what));
        if (size > 0)
            return (size_t)size > limit ? too_large(r, limit, what) : size;
        r->searched_begin = again ? r->searched_begin : r->in.at;
        r->searched_end = r->in.at + seen;
        if ((size_t)have < looked + NB_ALIGN)
            return nb_reader_trouble(r, NB_TROUBLE_CUT, -1);
        looked = seen;
    }
    return too_large(r, limit, what);
}

/* Records that the next text block, of `size` bytes, is damaged. Salvage then tries to read a block from the next
 * magic line on. Several such blocks can end at the same checksum line. After TRIES damaged blocks with the same
 * checksum line, salvage skips to this line. */
static void note_wrong_block(struct nb_snap_reader *r, size_t size)
{
    enum { TRIES = 8 };
    const char *text = nb_input_bytes(&r->in), *line = memmem(text, size, "\nchecksum ", 10);
    if (!line)
        return;
    uint64_t end = r->in.at + (uint64_t)(line - text);
    r->wrong_count = end == r->wrong_end ? r->wrong_count + 1 : 1;
    r->wrong_end = end;
    if (r->wrong_count >= TRIES)
        r->hopeless = end;
}

ssize_t nb_reader_peek_block(struct nb_snap_reader *r, size_t limit, const char *what, uint64_t *checksum)
{
    ssize_t size = measure_block(r, limit, what);
    if (size < 0)
        return -1;
    ssize_t have = nb_reader_peek(r, (size_t)size);
    if (have < 0)
        return -1;
    if (have < size)
        return nb_reader_trouble(r, NB_TROUBLE_CUT, -1);
    if (nb_text_verify(nb_input_bytes(&r->in), (size_t)size, what, checksum) == 0)
        return size;
    note_wrong_block(r, (size_t)size);
    return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, -1);
}
