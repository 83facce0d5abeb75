/* snap_index.h - private to the stream: where its frames begin and what binds them, and the end of the stream, which
 * says both: a trailer and the close line. Functions that return int: 0, or -1 after nb_fail, for want of memory. */
#pragma once

#include "snap/snap.h"
#include "snap/snap_text.h"

#define NB_FRAME_LEAST (2 * NB_ALIGN) /* bytes that any frame has: header and footer */

struct nb_index { /* of the whole frames of a stream; all zero is an empty one */
    struct nb_snap_mark *marks;
    size_t count, capacity;
};

struct nb_stream { /* one of those that stand one behind the other in the input */
    uint64_t begin, size;
    struct nb_index index;
    struct nb_stream *next;
};

void nb_index_free(struct nb_index *index);
/* Frees a list of streams; NULL is allowed. */
void nb_streams_free(struct nb_stream *s);
/* Makes room for `count` marks in all. */
int nb_index_reserve(struct nb_index *index, size_t count);
int nb_index_add(struct nb_index *index, struct nb_snap_mark mark);
/* Whether these can be the frames of a stream that has no other bytes before frames_end: offsets rise from 0 in steps
 * that a frame needs. */
bool nb_index_fits(const struct nb_snap_mark *marks, size_t count, uint64_t frames_end);

/* The trailer as a text block behind what t holds. */
int nb_trailer_format(struct nb_text *t, const struct nb_index *index);
/* Reads a verified trailer's text, changing it: how many frames it counts, then one after the other, then whether that
 * was all. False: not as it should be. */
bool nb_trailer_begin(char **text, uint64_t *count);
bool nb_trailer_next(char **text, struct nb_snap_mark *mark);
bool nb_trailer_ends(const char *text);

/* Writes the close line, NB_CLOSE_SIZE bytes without a NUL. */
void nb_close_format(char *line, uint64_t stream_size, uint64_t trailer_size);
/* Parses one; false where a byte of it is wrong. */
bool nb_close_parse(const char *line, uint64_t *stream_size, uint64_t *trailer_size);
