/* input.h - files that are read: bytes in order, and text line by line or word by word. And the bytes that are written.
 *
 * Functions that return int return -1 after nb_fail, with a message that names the file, and 0 unless said otherwise.
 */
#pragma once

#include "nbconv/nbconv.h"
#include "snap/snap_input.h"

/* ---- bytes ---- */

struct bytes { /* a file, or stdin, on its way in */
    struct nb_input in;
    const char *name; /* for messages */
};

/* Opens a file, or stdin for NULL and "-". */
int bytes_open(struct bytes *s, const char *path);
void bytes_close(struct bytes *s);
/* Bytes that are left, UINT64_MAX if that is not known (a pipe). */
uint64_t bytes_left(const struct bytes *s);
/* Makes `wanted` bytes lie at *at if there are so many, else all; how many, or -1. They are not taken. */
ssize_t bytes_peek(struct bytes *s, size_t wanted, const unsigned char **at);
/* Takes `count` values of `size` bytes each, their bytes turned around if `swapped`; `what` they are of, for the
 * message that the file is cut. */
int bytes_take(struct bytes *s, void *to, size_t size, size_t count, bool swapped, const char *what);
int bytes_skip(struct bytes *s, uint64_t size, const char *what);
/* Fails unless so many are left, as far as that is known, before memory is asked for them. */
int bytes_expect(const struct bytes *s, uint64_t size, const char *what);

/* Turns the bytes of `count` values of `size` bytes each (1, 2, 4 or 8) around. */
void bytes_swap(void *data, size_t size, size_t count);
#define BYTES_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

struct bytes_out { /* what is written, gathered */
    struct tool_output *output;
    bool swapped;
    size_t used;
    char data[1 << 16];
};

/* Begins with nothing gathered, in the byte order of --endian, or else in `usual` ('n', 'l' or 'b'). */
void bytes_begin(struct bytes_out *out, const struct conv_export *e, char usual);
/* Writes `count` values of `size` bytes each (1, 2, 4, 8) in the file's byte order. */
void bytes_put(struct bytes_out *out, const void *values, size_t size, size_t count);
void bytes_print(struct bytes_out *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* 1 KiB */
/* Writes what is gathered: due at the end. */
void bytes_flush(struct bytes_out *out);

/* ---- text ---- */

#define LINE_BYTES 65536 /* longest line, with its end */

struct lines {
    struct bytes file;
    uint64_t number;       /* of the line read last, from 1 */
    uint64_t unfinished;   /* of the last line, if it has no newline and may be truncated; else 0 */
    bool failed;           /* it could not be read */
    char text[LINE_BYTES]; /* that line; words are cut in it */
    char *at;              /* behind the word taken last */
};

int lines_open(struct lines *in, const char *path);
/* Closes the file. Warns if its last line has no newline, unless `status` is a failure. Returns status. */
int lines_close(struct lines *in, int status);
/* Fails with the place. */
int lines_fail(const struct lines *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails with "NAME: ends WHERE"; if the file could not be read, with that. */
int lines_ended(const struct lines *in, const char *where);
/* Reads the next line. 1; 0 at the end; -1: unreadable, or bytes that are no text. */
int lines_next(struct lines *in);
/* The next word of the line, or NULL. Words are separated by blanks and tabs. */
char *lines_word(struct lines *in);
/* The next word, over as many lines as it takes; NULL at the end of the file or if it cannot be read. */
char *lines_next_word(struct lines *in);
/* A word as a finite number; as a whole number from 0 to `limit`. */
int lines_number(const struct lines *in, const char *word, double *value);
int lines_unsigned(const struct lines *in, const char *word, uint64_t limit, uint64_t *value);
