/* snap_index.h - private to snap: the index of the frames of a stream, which is stored in the trailer at the end of the
 * stream. Functions that return int return 0, or -1 after nb_fail if there is no memory. */
#pragma once

#include "snap/snap.h"
#include "snap/snap_text.h"

#define NB_FRAME_LEAST (2 * NB_ALIGN) /* minimum size of a frame, bytes: header and footer */

struct nb_index { /* index of the complete frames of a stream; initialise with zeros */
    struct nb_snap_mark *marks;
    size_t count, capacity;
};

struct nb_stream { /* one of the consecutive streams of an input */
    uint64_t begin, size;
    struct nb_index index;
    struct nb_stream *next;
};

void nb_index_free(struct nb_index *index);
/* Frees a list of streams. NULL is allowed. */
void nb_streams_free(struct nb_stream *s);
/* Reserves memory for an index of `count` frames in total. */
int nb_index_reserve(struct nb_index *index, size_t count);
int nb_index_add(struct nb_index *index, struct nb_snap_mark mark);
/* Returns whether `marks`, the entries of an index, are possible for a stream whose last frame ends at byte frames_end:
 * the offset of the first frame is 0, all offsets are multiples of NB_ALIGN, and each frame has at least NB_FRAME_LEAST
 * bytes. */
bool nb_index_fits(const struct nb_snap_mark *marks, size_t count, uint64_t frames_end);

/* Appends the trailer as a text block to t. */
int nb_trailer_format(struct nb_text *t, const struct nb_index *index);
/* These functions parse a trailer whose checksum is correct. nb_trailer_begin reads the line with the number of frames.
 * nb_trailer_next reads the next line, which must describe a frame. Both modify the text and move *text to the
 * following line. nb_trailer_ends returns whether the checksum line comes next. nb_trailer_begin and nb_trailer_next
 * return false on a format error. */
bool nb_trailer_begin(char **text, uint64_t *count);
bool nb_trailer_next(char **text, struct nb_snap_mark *mark);
bool nb_trailer_ends(const char *text);

/* Writes the close line: the last NB_CLOSE_SIZE bytes of a stream, which contain the size of the stream and the size of
 * its trailer. Writes no NUL. */
void nb_close_format(char *line, uint64_t stream_size, uint64_t trailer_size);
/* Parses a close line into the sizes that nb_close_format wrote. Returns false if any byte is wrong. */
bool nb_close_parse(const char *line, uint64_t *stream_size, uint64_t *trailer_size);
