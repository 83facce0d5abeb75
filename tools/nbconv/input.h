/* input.h - reads files as bytes, or as lines or words of text; writes bytes. Functions that return int return -1 after
 * nb_fail, with a message that names the file. On success they return 0, if no other value is mentioned. */
#pragma once

#include "nbconv/nbconv.h"
#include "snap/snap_input.h"

/* ---- bytes ---- */

struct bytes { /* a file or stdin that is read */
    struct nb_input in;
    const char *name; /* name of the input for messages */
};

/* Opens a file. If `path` is NULL or "-", reads stdin. */
int bytes_open(struct bytes *s, const char *path);
void bytes_close(struct bytes *s);
/* Returns the number of bytes left in the file, or UINT64_MAX if it is unknown (a pipe). */
uint64_t bytes_left(const struct bytes *s);
/* Sets *at to the next `wanted` bytes of the file, without consuming them. Returns the number of bytes at *at, which is
 * less than `wanted` near the end of the file, or -1 if the file cannot be read. */
ssize_t bytes_peek(struct bytes *s, size_t wanted, const unsigned char **at);
/* Reads `count` values of `size` bytes each into `to`. Reverses the bytes of each value if `swapped` is set. `what`
 * names the values in the error message that is given if the file ends too early. */
int bytes_take(struct bytes *s, void *to, size_t size, size_t count, bool swapped, const char *what);
int bytes_skip(struct bytes *s, uint64_t size, const char *what);
/* Fails if the file has fewer than `size` bytes left. Does nothing if the number of bytes left is unknown. Call this
 * before allocating memory for `size` bytes. */
int bytes_expect(const struct bytes *s, uint64_t size, const char *what);

/* Reverses the order of the bytes in each of `count` values of `size` bytes (1, 2, 4 or 8). */
void bytes_swap(void *data, size_t size, size_t count);
#define BYTES_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

struct bytes_out { /* buffered output */
    struct tool_output *output;
    bool swapped;
    size_t used;
    char data[1 << 16];
};

/* Prepares *out for writing to the output of the export e. --endian sets the byte order. `usual` is the default of
 * --endian: 'n' (the order of this machine), 'l' (little-endian) or 'b' (big-endian). */
void bytes_begin(struct bytes_out *out, const struct conv_export *e, char usual);
/* Writes `count` values of `size` bytes each (1, 2, 4, 8) in the file's byte order. */
void bytes_put(struct bytes_out *out, const void *values, size_t size, size_t count);
/* Writes formatted text of at most 1 KiB. */
void bytes_print(struct bytes_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the bytes that are still in the buffer. Must be called at the end. */
void bytes_flush(struct bytes_out *out);

/* ---- text ---- */

#define LINE_BYTES 65536 /* maximum bytes of a line, including its end */

struct lines {
    struct bytes file;
    uint64_t number;       /* number of the last line read, from 1 */
    uint64_t unfinished;   /* number of the file's last line if it has no newline (it may be truncated), otherwise 0 */
    bool failed;           /* a read error occurred */
    char text[LINE_BYTES]; /* the last line read; lines_word replaces the character after each word by '\0' */
    char *at;              /* where lines_word continues: after the last word that it returned */
};

/* Opens a file to read lines. Returns -1 after nb_fail. */
int lines_open(struct lines *in, const char *path);
/* Closes the file and returns its argument `status`. If `status` is 0 and the last line of the file has no newline,
 * prints a warning. */
int lines_close(struct lines *in, int status);
/* Calls nb_fail with "NAME: line NUMBER: " and the formatted text. Returns -1. */
int lines_fail(const struct lines *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Called if the file ends too early. Calls nb_fail with "NAME: ends " and `where`, unless lines_next has already
 * failed. Returns -1. */
int lines_ended(const struct lines *in, const char *where);
/* Reads the next line. Returns 1, or 0 at the end of the file. Returns -1 if the file cannot be read or is not text. */
int lines_next(struct lines *in);
/* Returns the next word of the line, or NULL if the line has no more words. Words are separated by white space. */
char *lines_word(struct lines *in);
/* Returns the next word, which may be on a later line. Returns NULL at the end of the file or on a read error. */
char *lines_next_word(struct lines *in);
/* lines_number converts a word to a finite number, lines_unsigned to a whole number from 0 to `limit`. Both return -1
 * after nb_fail. */
int lines_number(const struct lines *in, const char *word, double *value);
int lines_unsigned(const struct lines *in, const char *word, uint64_t limit, uint64_t *value);
