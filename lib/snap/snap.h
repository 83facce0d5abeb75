/* snap.h - reads and writes snapshot streams, nbs(5), in files and pipes.
 *
 * A stream is a sequence of frames and a trailer. An input may consist of several streams; its frames are numbered
 * consecutively. All sizes are multiples of 64 bytes. All numbers are little-endian.
 *
 * A *text block* consists of lines of printable ASCII. The first is a magic line. The last is `checksum HEX` with the
 * XXH3 (64 bits, 16 hex digits) of all bytes before that line. Zero bytes pad the block to a multiple of 64 bytes. A
 * stream contains in this order:
 *
 *   header   text block: "nbs 1 frame"; `key value` lines such as `time 0.5` (nbs(5) lists the keys), a
 *            `column NAME TYPE WIDTH UNIT` line per column, `force ...` and `history ...` lines, lines with other keys.
 *            Numbers have enough digits to read back the same double
 *   columns  in the order of their lines, each padded with zero bytes to a multiple of 64
 *   footer   text block: "nbs 1 footer", `header HEX` (HEX is a copy of the checksum in the header's last line), then a
 *            line for each column: its name and the XXH3 of each of its blocks. Blocks have 4 MiB; the last block of a
 *            column may be shorter, and includes the padding
 *            ... more frames, each header, columns, footer ...
 *   trailer  text block: "nbs 1 trailer", `frames N`, then a line `frame OFFSET HEX` for each frame. OFFSET is counted
 *            from the beginning of the stream. HEX is the checksum in the last line of the frame's footer. It is a
 *            checksum of the entire frame, because the footer contains the checksums of header and columns
 *   close    one line of 64 bytes, "nbs 1 close SIZE TRAILER HEX\n". SIZE is the size of the stream (17 digits),
 *            TRAILER is the size of the trailer's text block (16 digits), HEX is the XXH3 of the 47 bytes before it */
#pragma once

#include "base/bodies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NB_SNAP_BLOCK ((size_t)4 << 20) /* size of a block in bytes; each block of a column has its own checksum */
#define NB_FRAME_LAST (-1)

struct nb_snap_reader;
struct nb_snap_writer;

struct nb_snap_mark {  /* entry of the index of a stream, for one frame */
    uint64_t offset;   /* bytes from the beginning of the stream */
    uint64_t checksum; /* checksum of the entire frame, from the last line of its footer */
};

/* Opens a file, or stdin for "-". With salvage, the reader skips damaged frames and ignores a missing trailer.
 * nb_snap_damage reports what was skipped. Returns a reader that the caller must close. Returns NULL after nb_fail if
 * the file cannot be opened or is a directory. */
struct nb_snap_reader *nb_snap_open(const char *path, bool salvage);
void nb_snap_close(struct nb_snap_reader *r);

/* Makes nb_snap_read map the columns of large frames (mmap) instead of copying them. A frame is mapped if all its
 * columns together have at least `least_bytes` bytes, the input is a file, and the columns are aligned in the file.
 * Mapped frames need no memory beyond the page cache. Their columns must not be written. If the file becomes shorter
 * while a frame is in use, the process gets SIGBUS. */
void nb_snap_map(struct nb_snap_reader *r, size_t least_bytes);
/* Reads the next frame into b and verifies every checksum. b must be initialised. The memory of b's columns is reused
 * for columns of the same name and size. Returns:
 * - 1 if b contains the frame
 * - 0 if the input ends after a trailer; b is unchanged
 * - -1 after nb_fail, if the stream is damaged or truncated, the input is not a stream or has no frame, the input
 *   cannot be read, or there is no memory. b may then only be freed. If the stream is damaged or truncated, the
 *   message names the last complete frame. */
int nb_snap_read(struct nb_snap_reader *r, struct nb_bodies *b);
/* Returns whether the last failure was caused by the contents of the input (truncated, damaged, or not a stream), not
 * by a read error or lack of memory. */
bool nb_snap_is_damaged(const struct nb_snap_reader *r);
/* Reads the header of the next frame into b. Skips the columns: their data in b are NULL. In a pipe, columns cannot be
 * skipped, so they are read and verified. Returns the same values as nb_snap_read. */
int nb_snap_skip(struct nb_snap_reader *r, struct nb_bodies *b);
/* Verifies every checksum of the next frame, in a few MiB of memory. Returns the same values as nb_snap_read. */
int nb_snap_verify(struct nb_snap_reader *r);
/* Returns the number of bodies of the frame that nb_snap_verify processed last. */
uint64_t nb_snap_bodies(const struct nb_snap_reader *r);
/* Works as nb_snap_skip. Also sets count[v] to the number of bodies with value v in the column named `column`. If this
 * column is not of type u8 and width 1, all counts are 0. */
int nb_snap_tally(struct nb_snap_reader *r, struct nb_bodies *b, const char *column, uint64_t count[256]);
/* Sets *count to the number of frames of the input, from the trailers of its streams. Sets *count to -1 if the input is
 * not seekable or is read with salvage, or if a trailer is missing or damaged. Returns 0, or -1 after nb_fail if the
 * input cannot be read. */
int nb_snap_count(struct nb_snap_reader *r, int64_t *count);
/* Calls `take` for each frame of the input, in order, with the number and the header of the frame. Does nothing if
 * nb_snap_count cannot count the frames of this input. The position of the reader is unchanged. `take` returns 0 to
 * continue, or -1 after nb_fail to stop. Returns 0 or -1. */
int nb_snap_headers(struct nb_snap_reader *r, int (*take)(void *context, int64_t frame, const struct nb_meta *meta),
                    void *context);
/* Moves to frame k of a seekable input, so that nb_snap_read returns it next. Frames are counted from 0 over all
 * streams of the input. k may be NB_FRAME_LAST. Uses the index in the trailers. Returns:
 * - 1 on success
 * - 0 if the input is not seekable or is read with salvage, or a trailer is not usable; the position is unchanged
 * - -1 after nb_fail, if there is no frame k (the message gives the number of frames) or the input cannot be read */
int nb_snap_seek(struct nb_snap_reader *r, int64_t k);
/* Reads frame k (or NB_FRAME_LAST) into b. Nothing may have been read from the input before. If `verify_all` is true,
 * or if nb_snap_seek cannot move to frame k and returns 0, also reads and verifies all other frames. Returns 1, or -1
 * after nb_fail. */
int nb_snap_read_frame(struct nb_snap_reader *r, int64_t k, bool verify_all, struct nb_bodies *b);

/* Returns the number of the frame that was read or skipped last, or -1 before the first frame. Frames are counted from
 * 0 over all streams. A damaged range that salvage skips counts as one frame, so that intact frames keep their numbers.
 */
int64_t nb_snap_frame(const struct nb_snap_reader *r);
/* Returns the name of the input for messages: the path, or "stdin". */
const char *nb_snap_name(const struct nb_snap_reader *r);
/* Returns a message of one line about the bytes that salvage skipped since the last call. Returns NULL if nothing was
 * skipped. The line is valid until r is used again. */
const char *nb_snap_damage(struct nb_snap_reader *r);

/* ---- header lines, for text formats that include them ---- */

/* Returns all lines of the frame's header except the magic line and the checksum, each with its newline. The caller
 * frees the result. Returns NULL after nb_fail: no memory, or a value that a header cannot contain. */
char *nb_snap_header_lines(const struct nb_bodies *b);
/* Parses one line of nb_snap_header_lines, without its newline, and stores its value in b. Modifies `line`. Before
 * the first line, b must be empty and *seen must be 0. The function notes in *seen which keys have occurred. A
 * key may occur only once, except the keys of lists (column, history, ...). Returns 0, or -1 after nb_fail. */
int nb_snap_header_line(char *line, struct nb_bodies *b, unsigned *seen);

/* ---- writing ---- */

/* Begins a stream on an open descriptor, which the writer does not close. `name` is used in messages. Returns NULL if
 * there is no memory. */
struct nb_snap_writer *nb_snap_create(int fd, const char *name);
/* Frees the writer. If nb_snap_finish was not called, the stream has no trailer, and readers report it as truncated. */
void nb_snap_destroy(struct nb_snap_writer *w);
/* Writes one frame. All writing functions return 0, or -1 after nb_fail if the output fails. errno is then the error of
 * the output, so that callers can test for EPIPE. */
int nb_snap_write(struct nb_snap_writer *w, const struct nb_bodies *b);
/* Writes one frame by nb_snap_give. The values of its columns are undefined afterwards. */
int nb_snap_hand_over(struct nb_snap_writer *w, struct nb_bodies *b);
/* These three functions write a frame in parts. nb_snap_begin writes the header from b's meta, n and column table.
 * nb_snap_put is called any number of times, with pieces of any size. Together, the pieces must be the n * width values
 * of each column, in the order of the columns. The writer adds the padding. nb_snap_end writes the footer. */
int nb_snap_begin(struct nb_snap_writer *w, const struct nb_bodies *b);
int nb_snap_put(struct nb_snap_writer *w, const void *data, size_t size_bytes);
int nb_snap_end(struct nb_snap_writer *w);
/* Like nb_snap_put, but leaves undefined values at `data`, which must be memory from malloc that no device uses. Faster
 * for large pieces if the output is a pipe: the pipe gets the pages of the memory, not a copy. */
int nb_snap_give(struct nb_snap_writer *w, void *data, size_t size_bytes);
/* Writes the trailer, which completes the stream. */
int nb_snap_finish(struct nb_snap_writer *w);
/* nb_snap_written returns the number of complete frames so far. nb_snap_marks returns their index entries; this array
 * is valid until w is used again. */
uint64_t nb_snap_written(const struct nb_snap_writer *w);
const struct nb_snap_mark *nb_snap_marks(const struct nb_snap_writer *w);
/* Returns the size of the stream so far, in bytes. After a complete frame, the writer has passed all these bytes to
 * write(). */
uint64_t nb_snap_size(const struct nb_snap_writer *w);
/* Continues a stream after a complete frame of another writer. `size`, `marks` (copied) and `count` are the results of
 * nb_snap_size, nb_snap_marks and nb_snap_written of the other writer after this frame. The descriptor must be
 * positioned at the end of the frame. Further output is bitwise identical to the output of the other writer. Returns
 * NULL after nb_fail if there is no memory, or if `marks` cannot belong to a stream of `size` bytes. */
struct nb_snap_writer *nb_snap_resume(int fd, const char *name, uint64_t size, const struct nb_snap_mark *marks,
                                      size_t count);
