/* snap_trailer.c - reads the trailer and the close line of a stream, and compares the frames that the trailer lists
 * with the frames that were read. */
#include "base/error.h"
#include "snap/snap_reader.h"

#include <inttypes.h>

/* Returns a number of bytes that is larger than any valid trailer of a stream with `count` frames. */
static size_t trailer_limit(size_t count)
{
    const size_t line = sizeof "frame 18446744073709551615 0123456789abcdef\n";
    return (2 * count + 1024) * line;
}

static int cut_in_trailer(struct nb_snap_reader *r)
{
    return nb_reader_trouble(r, NB_TROUBLE_CUT, nb_fail("the stream is truncated in its trailer"));
}

int nb_reader_exchanged(struct nb_snap_reader *r, int64_t frame)
{
    nb_fail("frame %" PRId64 " is not the frame that the trailer of the stream lists", frame);
    return nb_reader_trouble(r, NB_TROUBLE_EXCHANGED, -1);
}

/* Reads the trailer and the close line into the buffer. Returns the size of the trailer. Sets *stream_size to the
 * stream size that the close line contains. Returns -1 on failure. */
static ssize_t peek_end(struct nb_snap_reader *r, uint64_t *stream_size)
{
    uint64_t size;
    ssize_t trailer = nb_reader_peek_block(r, r->lost ? SIZE_MAX / 4 : trailer_limit(r->index.count), "trailer", NULL);
    if (trailer < 0)
        return r->trouble == NB_TROUBLE_CUT ? cut_in_trailer(r) : -1;
    ssize_t have = nb_reader_peek(r, (size_t)trailer + NB_CLOSE_SIZE);
    if (have < 0)
        return -1;
    if (have < trailer + NB_CLOSE_SIZE)
        return cut_in_trailer(r);
    uint64_t end = r->in.at + (uint64_t)trailer + NB_CLOSE_SIZE;
    if (!nb_close_parse(nb_input_bytes(&r->in) + trailer, stream_size, &size) || size != (uint64_t)trailer ||
        *stream_size > end || (!r->lost && *stream_size != end - r->stream_begin))
        return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, nb_fail("the last line of the stream is damaged"));
    return trailer;
}

static int does_not_fit(struct nb_snap_reader *r)
{
    return nb_reader_trouble(r, NB_TROUBLE_EXCHANGED, nb_fail("the trailer does not match the frames before it"));
}

/* Compares the frames that the trailer lists with the frames that were read. */
static int compare_all(struct nb_snap_reader *r, char *text)
{
    uint64_t count;
    struct nb_snap_mark mark;
    if (!nb_trailer_begin(&text, &count) || count != r->index.count)
        return does_not_fit(r);
    for (size_t k = 0; k < count; k++) {
        if (!nb_trailer_next(&text, &mark) || mark.offset != r->index.marks[k].offset)
            return does_not_fit(r);
        if (mark.checksum != r->index.marks[k].checksum)
            return nb_reader_exchanged(r, r->next - (int64_t)(count - k));
    }
    return nb_trailer_ends(text) ? 0 : does_not_fit(r);
}

/* Used in place of compare_all if salvage has skipped frames. Compares only frames that were read and that are in the
 * trailer. Identifies frames by their offsets. `begin`: position of the stream in the input. */
static int compare_some(struct nb_snap_reader *r, char *text, uint64_t begin)
{
    uint64_t count, at = 0;
    struct nb_snap_mark mark;
    if (!nb_trailer_begin(&text, &count))
        return does_not_fit(r);
    for (size_t k = 0; k < count; k++) {
        if (!nb_trailer_next(&text, &mark))
            return does_not_fit(r);
        /* offsets in r->index count from r->stream_begin; if salvage has joined several streams, this is the
         * beginning of the first of them */
        uint64_t place = begin + mark.offset - r->stream_begin;
        while (at < r->index.count && (int64_t)(r->index.marks[at].offset - place) < 0)
            at++;
        if (at < r->index.count && r->index.marks[at].offset == place && r->index.marks[at].checksum != mark.checksum)
            return nb_reader_trouble(r, NB_TROUBLE_EXCHANGED,
                                     nb_fail("the frame at byte %" PRIu64
                                             " is not the frame that the trailer of the stream lists",
                                             begin + mark.offset));
    }
    return nb_trailer_ends(text) ? 0 : does_not_fit(r);
}

int nb_reader_take_trailer(struct nb_snap_reader *r)
{
    uint64_t stream_size;
    r->in_trailer = true;
    ssize_t trailer = peek_end(r, &stream_size);
    if (trailer < 0)
        return -1;
    char *text = nb_input_bytes(&r->in);
    uint64_t end = r->in.at + (uint64_t)trailer + NB_CLOSE_SIZE;
    int status = r->lost ? compare_some(r, text, end - stream_size) : compare_all(r, text);
    nb_input_take(&r->in, (size_t)trailer + NB_CLOSE_SIZE);
    r->at_next = true;
    r->stream_begin = r->in.at;
    r->index.count = 0;
    r->lost = false;
    return status;
}
