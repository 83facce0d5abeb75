/* snap_read.c - reads the frames of an input, which consists of one stream or several streams in sequence. */
#include "base/error.h"
#include "snap/snap_foreign.h"
#include "snap/snap_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- failures ---- */

/* Writes the number and the time of the last complete frame to `text`: "; the last whole frame is 6 (time 0.3)". Writes
 * "; no whole frame" if the first frame of the input failed, and "" if the last complete frame is unknown. */
static void describe_last(const struct nb_snap_reader *r, char *text, size_t size)
{
    if (r->last_whole >= 0)
        snprintf(text, size, "; the last whole frame is %" PRId64 " (time %.10g)", r->last_whole, r->last_time);
    else
        snprintf(text, size, "%s", r->next == 0 ? "; no whole frame" : "");
}

/* Adds the name of the input to the message of nb_error(). If the stream is truncated or damaged, also adds which frame
 * is the last complete frame. Returns -1. */
static int fail_with_context(struct nb_snap_reader *r)
{
    char last[96] = "";
    r->failed = true;
    if (r->trouble == NB_TROUBLE_CUT || r->trouble == NB_TROUBLE_DAMAGED)
        describe_last(r, last, sizeof last);
    return nb_fail("%s: %s%s", r->name, nb_error(), last);
}

static int fail_in_frame(struct nb_snap_reader *r, enum nb_trouble trouble)
{
    return nb_reader_trouble(r, trouble, nb_fail("frame %" PRId64 ": %s", r->next, nb_error()));
}

/* ---- a frame ---- */

static int take_header(struct nb_snap_reader *r)
{
    ssize_t size = nb_reader_peek_block(r, NB_HEADER_MAX, "header", &r->head_checksum);
    if (size < 0)
        return r->trouble == NB_TROUBLE_CUT ? nb_reader_cut(r) : fail_in_frame(r, r->trouble);
    char *text = nb_input_bytes(&r->in);
    errno = 0; /* so that ENOMEM below means a lack of memory; any other error is a damaged header */
    if (nb_header_parse(text, (size_t)size, &r->head) || nb_shape_of(&r->shape, &r->head))
        return fail_in_frame(r, errno == ENOMEM ? NB_TROUBLE_READ : NB_TROUBLE_DAMAGED);
    nb_input_take(&r->in, (size_t)size);
    r->data_begin = r->in.at;
    /* Detects a truncated regular file before memory for the data is allocated. */
    if (r->in.size != UINT64_MAX && r->shape.data_bytes + r->shape.footer_bytes > r->in.size - r->in.at)
        return nb_reader_cut(r);
    return 0;
}

/* Moves the header of the current frame from r->head to b. Reuses the memory of a column of b if a column of the new
 * frame has the same name and the same size in bytes. */
static void adopt_header(struct nb_snap_reader *r, struct nb_bodies *b)
{
    struct nb_bodies old = *b;
    *b = r->head;
    nb_bodies_init(&r->head);
    for (int k = 0; k < b->column_count; k++) {
        struct nb_column *to = &b->columns[k], *from = nb_bodies_find(&old, to->name);
        if (from && !from->mapped && nb_column_bytes_padded(from, old.n) == nb_column_bytes_padded(to, b->n)) {
            to->data = from->data;
            from->data = NULL;
        }
    }
    nb_bodies_free(&old);
}

static int take_data(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b)
{
    if (r->salvage && r->in.seekable && nb_reader_expect_footer(r))
        return -1;
    if (way == NB_VERIFY)
        return nb_reader_take_data(r, &r->head, true);
    adopt_header(r, b);
    if (way == NB_LOAD)
        return nb_reader_take_data(r, b, false);
    nb_bodies_free_data(b);
    if (r->tallied)
        memset(r->tally, 0, 256 * sizeof *r->tally);
    if (!r->in.seekable)
        return nb_reader_take_data(r, b, true);
    if (r->tallied && nb_reader_tally(r, b))
        return -1;
    if (nb_input_seek(&r->in, r->in.at + r->shape.data_bytes))
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    return nb_reader_take_footer(r, b, NULL);
}

static int take_frame(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b)
{
    r->mark.offset = r->in.at - r->stream_begin;
    if (take_header(r))
        return -1;
    double time = r->head.meta.time;
    if (take_data(r, way, b))
        return r->trouble == NB_TROUBLE_CUT ? -1 : fail_in_frame(r, r->trouble);
    if (r->wanted && r->wanted_checksum != r->mark.checksum)
        return nb_reader_exchanged(r, r->next);
    r->wanted = false;
    if (nb_index_add(&r->index, r->mark))
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    r->frame = r->last_whole = r->next++;
    r->last_time = time;
    return 1;
}

/* ---- next block ---- */

enum place { AT_END, AT_FRAME, AT_TRAILER };

static int end_of_input(struct nb_snap_reader *r)
{
    if (r->in.at == 0)
        return nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("empty, no snapshot"));
    if (r->in.at == r->stream_begin && r->last_whole >= 0)
        return AT_END;
    if (r->in.at == r->stream_begin)
        return nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("the stream contains no frame"));
    nb_fail("the stream is not finished: it ends after frame %" PRId64
            " (time %.10g) without the trailer (interrupted run? --salvage accepts it)",
            r->last_whole, r->last_time);
    return nb_reader_trouble(r, NB_TROUBLE_UNFINISHED, -1);
}

/* Fails because the next block is neither a frame nor a trailer. The message depends on the block's first bytes. */
static int unknown_block(struct nb_snap_reader *r, const char *bytes, size_t have)
{
    unsigned long version = 0;
    char text[24] = "";
    memcpy(text, bytes, have < sizeof text ? have : sizeof text - 1);
    if (sscanf(text, "nbs %lu frame", &version) == 1 && strchr(text, '\n') && version != 1)
        return nb_reader_trouble(r, NB_TROUBLE_FORMAT,
                                 nb_fail("version %lu of the stream's format; this program reads version 1", version));
    if (have < sizeof NB_MAGIC_TRAILER - 1 &&
        (memcmp(bytes, NB_MAGIC_FRAME, have < 12 ? have : 12) == 0 || memcmp(bytes, NB_MAGIC_TRAILER, have) == 0)) {
        if (r->in.at == r->stream_begin)
            return nb_reader_cut(r);
        return nb_reader_trouble(r, NB_TROUBLE_CUT, nb_fail("the stream is truncated after a frame"));
    }
    if (r->in.at == 0)
        return nb_reader_trouble(r, NB_TROUBLE_FORMAT, nb_foreign_fail(r->name, bytes, have));
    return nb_reader_trouble(r, NB_TROUBLE_DAMAGED, nb_fail("expected a frame or a trailer"));
}

static int look(struct nb_snap_reader *r)
{
    r->data_begin = 0;
    r->at_next = r->in_trailer = false;
    ssize_t have = nb_reader_peek(r, NB_ALIGN);
    if (have < 0)
        return -1;
    const char *bytes = nb_input_bytes(&r->in);
    if (have == 0)
        return end_of_input(r);
    if (have >= 12 && memcmp(bytes, NB_MAGIC_FRAME, 12) == 0)
        return AT_FRAME;
    if (have >= 14 && memcmp(bytes, NB_MAGIC_TRAILER, 14) == 0)
        return AT_TRAILER;
    return unknown_block(r, bytes, (size_t)have);
}

static int step(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b)
{
    if (r->ended)
        return r->last_whole >= 0 ? 0 : nb_reader_trouble(r, NB_TROUBLE_READ, nb_fail("no whole frame"));
    int place = look(r);
    while (place == AT_TRAILER)
        place = nb_reader_take_trailer(r) ? -1 : look(r);
    return place == AT_FRAME ? take_frame(r, way, b) : place;
}

int nb_reader_advance(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b)
{
    if (r->failed)
        return nb_fail("%s: cannot continue reading after an error", r->name);
    int status;
    while ((status = step(r, way, b)) < 0)
        if (r->trouble == NB_TROUBLE_READ || !r->salvage || nb_reader_resume(r))
            return fail_with_context(r);
    return status;
}

int nb_snap_read(struct nb_snap_reader *r, struct nb_bodies *b)
{
    return nb_reader_advance(r, NB_LOAD, b);
}

bool nb_snap_is_damaged(const struct nb_snap_reader *r)
{
    return r->failed && r->trouble != NB_TROUBLE_READ;
}

int nb_snap_skip(struct nb_snap_reader *r, struct nb_bodies *b)
{
    return nb_reader_advance(r, NB_PASS, b);
}

int nb_snap_tally(struct nb_snap_reader *r, struct nb_bodies *b, const char *column, uint64_t count[256])
{
    r->tallied = column;
    r->tally = count;
    int status = nb_reader_advance(r, NB_PASS, b);
    r->tallied = NULL;
    return status;
}

int nb_snap_verify(struct nb_snap_reader *r)
{
    return nb_reader_advance(r, NB_VERIFY, NULL);
}

uint64_t nb_snap_bodies(const struct nb_snap_reader *r)
{
    return r->head.n;
}
