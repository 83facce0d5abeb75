/* snap.h - the snapshot stream: reading and writing nbs(5), files and pipes alike.
 *
 * A stream is a sequence of frames and a trailer; several streams one after the other are an input too, their frames
 * numbered on. All sizes are multiples of 64 bytes, all numbers little-endian.
 *
 * A *text block* is lines of printable ASCII, the first a magic line, the last `checksum HEX` with the XXH3 (64 bits,
 * 16 hex digits) of all its bytes before that line, followed by zero bytes up to a multiple of 64. In order:
 *
 *   header   text block: "nbs 1 frame"; `key value` lines (n time step G softening dt units length_cgs mass_cgs
 *            time_cgs), a `column NAME TYPE WIDTH UNIT` line per column, `history ...` lines, lines of other keys;
 *            numbers with the digits that give the same double back
 *   columns  in the order of their lines, each padded with zero bytes to a multiple of 64
 *   footer   text block: "nbs 1 footer", `header HEX` with the checksum on the header's last line, then per column its
 *            name and the XXH3 of each of its blocks of 4 MiB (the last one shorter, padding included)
 *            ... more frames, each header, columns, footer ...
 *   trailer  text block: "nbs 1 trailer", `frames N`, and of each frame `frame OFFSET HEX`: where it begins, from the
 *            stream's start, and the checksum on its footer's last line, which so covers header, columns and footer
 *   close    one line of 64 bytes: "nbs 1 close SIZE TRAILER HEX\n", SIZE of the whole stream (17 digits), of the
 *            trailer's text block (16 digits), and the XXH3 of the 47 bytes before HEX
 */
#pragma once

#include "base/bodies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NB_SNAP_BLOCK ((size_t)4 << 20) /* bytes under one checksum */
#define NB_FRAME_LAST (-1)

struct nb_snap_reader;
struct nb_snap_writer;

struct nb_snap_mark {  /* a frame in the index of its stream */
    uint64_t offset;   /* bytes from the stream's start */
    uint64_t checksum; /* of its footer, which covers the whole frame */
};

/* Opens a file, or stdin for "-". With salvage, damaged frames and a missing end are passed over: see nb_snap_damage.
 * NULL: cannot be opened, is a directory. The reader is the caller's to close. */
struct nb_snap_reader *nb_snap_open(const char *path, bool salvage);
void nb_snap_close(struct nb_snap_reader *r);

/* Reads the next whole frame, every checksum verified, into `b` (initialised; its allocations are reused where the
 * layout allows). 1: a frame; 0: the end, with a trailer, b is as it was; -1: damaged, cut, not a stream, no frame at
 * all; b can be freed and no more. The message of a cut or damaged stream names the last whole frame. */
int nb_snap_read(struct nb_snap_reader *r, struct nb_bodies *b);
/* Of a reading that failed: it was for what the input holds (cut, damaged, no stream), not because it could not be read
 * or there was no memory. */
bool nb_snap_is_damaged(const struct nb_snap_reader *r);
/* As nb_snap_read without the data: fills in header values and the column table, all data NULL, and passes over the
 * columns (seeking where the input can; then their checksums are not verified). */
int nb_snap_skip(struct nb_snap_reader *r, struct nb_bodies *b);
/* The same without keeping anything: every checksum verified in memory of some MiB. */
int nb_snap_verify(struct nb_snap_reader *r);
/* Bodies of the frame that nb_snap_verify returned last. */
uint64_t nb_snap_bodies(const struct nb_snap_reader *r);
/* As nb_snap_skip, and counts how often each value stands in the column of that name, if that is one of u8 and width 1;
 * else all are 0. */
int nb_snap_tally(struct nb_snap_reader *r, struct nb_bodies *b, const char *column, uint64_t count[256]);
/* How many frames the input has, by the indices at the ends of its streams; -1 where those do not say: it cannot seek,
 * is read with salvage, has none, or its trailer does not serve. 0, or -1: it cannot be read. */
int nb_snap_count(struct nb_snap_reader *r, int64_t *count);
/* Gives the headers of all frames, in their order, of an input that nb_snap_count can count; the reader stays where it
 * is. take returns -1 after nb_fail to end it. 0 or -1. */
int nb_snap_headers(struct nb_snap_reader *r, int (*take)(void *context, int64_t frame, const struct nb_meta *meta),
                    void *context);
/* Goes to frame k of a seekable input, counted over the whole input, so that nb_snap_read returns it next. k may be
 * NB_FRAME_LAST. Uses the trailers' indices. 1: done; 0: the input cannot seek or its trailer does not serve, read
 * on from where it is; -1: no such frame (the message says how many there are), or it cannot be read. */
int nb_snap_seek(struct nb_snap_reader *r, int64_t k);
/* Reads frame k (or NB_FRAME_LAST) of an input not read from yet into b. With `verify_all` everything before and
 * after is read and verified too; without, a seekable input is read at that frame alone. 1 or -1. */
int nb_snap_read_frame(struct nb_snap_reader *r, int64_t k, bool verify_all, struct nb_bodies *b);

/* Number of the frame returned last, from 0 over the whole input; -1 before the first. A damaged place that salvage
 * passes over counts as one frame, so that the whole ones keep their numbers. */
int64_t nb_snap_frame(const struct nb_snap_reader *r);
/* Name for messages: the path, or "stdin". */
const char *nb_snap_name(const struct nb_snap_reader *r);
/* With salvage: what was passed over since the last call, one line, or NULL. The reader's, until it is used again. */
const char *nb_snap_damage(struct nb_snap_reader *r);

/* ---- the header's lines, for formats of text that carry them ---- */

/* Every line of the frame's header but the first and the last, each with its newline; to be freed. NULL: no memory, or
 * a value that a header cannot hold. */
char *nb_snap_header_lines(const struct nb_bodies *b);
/* Takes one such line, without its newline and cut in place, into b, which began empty. `seen` begins as 0: no key but
 * those of lists may come twice. -1: what is wrong with it. */
int nb_snap_header_line(char *line, struct nb_bodies *b, unsigned *seen);

/* ---- writing ---- */

/* Starts a stream on an open descriptor (not closed by the writer); `name` is for messages. NULL: no memory. */
struct nb_snap_writer *nb_snap_create(int fd, const char *name);
/* Frees the writer. Without nb_snap_finish before, the stream has no trailer and readers call it cut. */
void nb_snap_destroy(struct nb_snap_writer *w);
/* Writes one frame. All return -1 when the output fails (errno's text in the message; EPIPE is kept in errno). */
int nb_snap_write(struct nb_snap_writer *w, const struct nb_bodies *b);
/* The same in parts: the header from b's meta, n and column table; then the bytes of the columns in order, in pieces
 * of any size (a whole column's n * width values; the writer adds the padding); then the footer. */
int nb_snap_begin(struct nb_snap_writer *w, const struct nb_bodies *b);
int nb_snap_put(struct nb_snap_writer *w, const void *data, size_t size_bytes);
int nb_snap_end(struct nb_snap_writer *w);
/* Writes the trailer: the stream is whole. */
int nb_snap_finish(struct nb_snap_writer *w);
/* Whole frames written so far, and their index, the writer's until the next call. */
uint64_t nb_snap_written(const struct nb_snap_writer *w);
const struct nb_snap_mark *nb_snap_marks(const struct nb_snap_writer *w);
/* Bytes of the stream so far: behind a frame, all of them have been given to the descriptor. */
uint64_t nb_snap_size(const struct nb_snap_writer *w);
/* Goes on with a stream that another writer began: of its first `size` bytes `count` whole frames, by nb_snap_size and
 * nb_snap_marks (copied). The descriptor stands behind them. What is written from here on is, byte for byte, what that
 * writer would have written. NULL: no memory, or such an index cannot be. */
struct nb_snap_writer *nb_snap_resume(int fd, const char *name, uint64_t size, const struct nb_snap_mark *marks,
                                      size_t count);
