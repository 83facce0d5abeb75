/* snap_seek.c - moves to a frame of an input. In a seekable input, the index at the end of each stream gives the
 * frame's position. Other inputs are read from the beginning to the end. */
#include "base/error.h"
#include "snap/snap_reader.h"

#include <inttypes.h>
#include <stdlib.h>

/* In this file, functions that read trailers return 1 on success, 0 if a trailer is not usable, or -1 after nb_fail if
 * reading fails or there is no memory. */

static int read_at(struct nb_snap_reader *r, uint64_t at, void *to, size_t size)
{
    const ssize_t got = nb_input_seek(&r->in, at) ? -1 : nb_input_read(&r->in, to, size);
    return got < 0 ? -1 : got == (ssize_t)size;
}

static int parse_trailer(struct nb_index *index, char *text, uint64_t frames_end)
{
    uint64_t count;
    if (!nb_trailer_begin(&text, &count) || count > frames_end / NB_FRAME_LEAST)
        return 0;
    for (uint64_t k = 0; k < count; k++) {
        struct nb_snap_mark mark;
        if (!nb_trailer_next(&text, &mark))
            return 0;
        if (nb_index_add(index, mark))
            return -1;
    }
    return nb_trailer_ends(text) && nb_index_fits(index->marks, index->count, frames_end);
}

/* Reads the trailer of stream s and stores it in s->index. The trailer has `size` bytes and begins at position
 * frames_end of the stream. */
static int read_trailer(struct nb_snap_reader *r, struct nb_stream *s, uint64_t frames_end, size_t size)
{
    char *text = malloc(size);
    int status = text ? read_at(r, s->begin + frames_end, text, size)
                      : nb_fail("no memory for the trailer of the stream (%zu bytes)", size);
    if (status > 0)
        status =
            nb_text_find_end(text, 0, size, NULL) == (ssize_t)size && nb_text_verify(text, size, "trailer", NULL) == 0
                ? parse_trailer(&s->index, text, frames_end)
                : 0;
    free(text);
    return status;
}

/* Reads the close line and the trailer of the stream that ends at position `end` into s. */
static int read_stream(struct nb_snap_reader *r, struct nb_stream *s, uint64_t end)
{
    char line[NB_CLOSE_SIZE];
    uint64_t trailer_size;
    const int status = end < NB_CLOSE_SIZE ? 0 : read_at(r, end - NB_CLOSE_SIZE, line, sizeof line);
    if (status <= 0)
        return status;
    if (!nb_close_parse(line, &s->size, &trailer_size) || s->size > end || s->size < NB_CLOSE_SIZE + NB_ALIGN ||
        trailer_size < NB_ALIGN || trailer_size > s->size - NB_CLOSE_SIZE)
        return 0;
    s->begin = end - s->size;
    return read_trailer(r, s, s->size - NB_CLOSE_SIZE - trailer_size, trailer_size);
}

/* Sets *first to a list of all streams of the input, in order. Searches backwards from the end of the input, so each
 * stream is put at the beginning of the list. The list is empty if a trailer is not usable. Returns 0 or -1. */
static int read_streams(struct nb_snap_reader *r, struct nb_stream **first)
{
    uint64_t end = r->in.size;
    int status = 1;
    *first = NULL;
    while (end > 0 && status > 0) {
        struct nb_stream *s = calloc(1, sizeof *s);
        if (!s) {
            status = nb_fail("no memory for the index");
            break;
        }
        s->next = *first;
        *first = s;
        status = read_stream(r, s, end);
        end = s->begin;
    }
    if (status > 0)
        return 0;
    nb_streams_free(*first);
    *first = NULL;
    return status;
}

/* Positions the reader before frame j of stream s, as if all frames before it had been read. */
static int place(struct nb_snap_reader *r, const struct nb_stream *s, size_t j)
{
    r->stream_begin = s->begin;
    r->last_whole = -1;
    r->index.count = 0;
    r->wanted = true;
    r->wanted_checksum = s->index.marks[j].checksum;
    if (nb_index_reserve(&r->index, j) || nb_input_seek(&r->in, s->begin + s->index.marks[j].offset))
        return nb_fail("%s: %s", r->name, nb_error());
    for (size_t k = 0; k < j; k++)
        nb_index_add(&r->index, s->index.marks[k]);
    return 1;
}

static int no_such_frame(const struct nb_snap_reader *r, int64_t k, uint64_t count)
{
    return nb_fail("%s: no frame %" PRId64 ": there %s %" PRIu64 " (0 to %" PRIu64 ")", r->name, k,
                   count == 1 ? "is" : "are", count, count - 1);
}

static int seek_in(struct nb_snap_reader *r, const struct nb_stream *streams, int64_t k)
{
    uint64_t count = 0;
    for (const struct nb_stream *s = streams; s; s = s->next)
        count += s->index.count;
    if (count == 0)
        return 0;
    if (k != NB_FRAME_LAST && (k < 0 || (uint64_t)k >= count))
        return no_such_frame(r, k, count);
    uint64_t j = k == NB_FRAME_LAST ? count - 1 : (uint64_t)k;
    r->next = (int64_t)j;
    for (; j >= streams->index.count; streams = streams->next)
        j -= streams->index.count;
    return place(r, streams, j);
}

/* Finds the streams of a seekable input and lists them in r->streams. Later calls do nothing. r->streams is NULL if a
 * trailer is not usable. Returns 0, or -1 after nb_fail if the input cannot be read or there is no memory. */
static int find_streams(struct nb_snap_reader *r)
{
    uint64_t before = r->in.at;
    if (r->streams_known || !r->in.seekable || r->salvage)
        return 0;
    r->streams_known = read_streams(r, &r->streams) == 0;
    return r->streams_known && nb_input_seek(&r->in, before) == 0 ? 0 : nb_fail("%s: %s", r->name, nb_error());
}

int nb_snap_count(struct nb_snap_reader *r, int64_t *count)
{
    uint64_t frames = 0;
    if (find_streams(r))
        return -1;
    for (const struct nb_stream *s = r->streams; s; s = s->next)
        frames += s->index.count;
    *count = frames > 0 ? (int64_t)frames : -1;
    return 0;
}

static int read_header(struct nb_snap_reader *r, uint64_t at)
{
    const ssize_t size =
        nb_input_seek(&r->in, at) ? -1 : nb_reader_peek_block(r, NB_HEADER_MAX, "header", &r->head_checksum);
    if (size < 0 && r->trouble == NB_TROUBLE_CUT)
        return nb_fail("the header is truncated");
    if (size < 0)
        return -1;
    const int status = nb_header_parse(nb_input_bytes(&r->in), (size_t)size, &r->head);
    nb_input_take(&r->in, (size_t)size); /* the text was modified by parsing and must not be parsed again */
    return status;
}

int nb_snap_headers(struct nb_snap_reader *r, int (*take)(void *context, int64_t frame, const struct nb_meta *meta),
                    void *context)
{
    const uint64_t before = r->in.at;
    int64_t frame = 0;
    int status = find_streams(r);
    for (const struct nb_stream *s = r->streams; s && status == 0; s = s->next)
        for (uint64_t k = 0; k < s->index.count && status == 0; k++, frame++) {
            if (read_header(r, s->begin + s->index.marks[k].offset))
                status = nb_fail("frame %" PRId64 ": %s", frame, nb_error());
            else
                status = take(context, frame, &r->head.meta);
        }
    if (status)
        nb_fail("%s: %s", r->name, nb_error());
    return nb_input_seek(&r->in, before) ? nb_fail("%s: %s", r->name, nb_error()) : status;
}

int nb_snap_seek(struct nb_snap_reader *r, int64_t k)
{
    uint64_t before = r->in.at;
    if (r->failed || find_streams(r))
        return r->failed ? 0 : -1;
    int status = r->streams ? seek_in(r, r->streams, k) : 0;
    if (status < 0 && nb_input_seek(&r->in, before))
        return nb_fail("%s: %s", r->name, nb_error());
    return status;
}

/* Reads all frames, and stores frame k in b. With salvage, each frame is first read into `spare`, because a damaged
 * frame must not overwrite b. */
static int read_through(struct nb_snap_reader *r, int64_t k, struct nb_bodies *b)
{
    struct nb_bodies spare, *into = r->salvage ? &spare : b;
    nb_bodies_init(&spare);
    int64_t found = -1;
    int status;
    for (;;) {
        bool load = r->salvage || k == NB_FRAME_LAST || r->next == k;
        status = nb_reader_advance(r, load ? NB_LOAD : NB_VERIFY, into);
        if (status <= 0)
            break;
        if (k != NB_FRAME_LAST && r->frame != k)
            continue;
        found = r->frame;
        if (r->salvage)
            nb_bodies_swap(b, &spare);
    }
    nb_bodies_free(&spare);
    if (status == 0 && found < 0)
        return k < r->next && k >= 0 ? nb_fail("%s: frame %" PRId64 " is damaged", r->name, k)
                                     : no_such_frame(r, k, (uint64_t)r->next);
    r->frame = found;
    return status < 0 ? -1 : 1;
}

int nb_snap_read_frame(struct nb_snap_reader *r, int64_t k, bool verify_all, struct nb_bodies *b)
{
    int placed = verify_all ? 0 : nb_snap_seek(r, k);
    if (placed < 0)
        return -1;
    return placed ? nb_snap_read(r, b) : read_through(r, k, b);
}
