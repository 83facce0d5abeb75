/* bytes.h - binary files that are read and written: bytes in order, in either byte order, and what does not fit.
 *
 * Whatever cannot be read ends the tool with a line that names the file. */
#ifndef NBCONV_BYTES_H
#define NBCONV_BYTES_H

#include "nbconv.h"
#include "snap/snap_input.h"

struct bytes { /* a file, or stdin, on its way in */
    struct nb_input in;
    const char *name; /* for messages */
};

void bytes_open(struct bytes *s, const char *path);
void bytes_close(struct bytes *s);
/* Bytes that are left, UINT64_MAX where that is not known (a pipe). */
uint64_t bytes_left(const struct bytes *s);
/* Makes `wanted` bytes lie at *at where there are so many, else all; how many. They are not taken. */
size_t bytes_peek(struct bytes *s, size_t wanted, const unsigned char **at);
/* Takes bytes; `what` they are of, for the message that the file is cut. to NULL: passes over them. */
void bytes_take(struct bytes *s, void *to, uint64_t size, const char *what);
/* Dies unless so many are left, as far as that is known, before memory is asked for them. */
void bytes_expect(const struct bytes *s, uint64_t size, const char *what);

/* Turns the bytes of `count` values of `size` bytes each (2, 4 or 8) around. */
void bytes_swap(void *data, size_t size, size_t count);
#define BYTES_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* --endian native|little|big, in conv_options.endian. */
extern const struct tool_table endian_options;
/* Whether what is written is to be turned around; `usual` ('n', 'l' or 'b') where --endian was not given. */
bool bytes_written_swapped(const struct conv_options *o, char usual);

struct bytes_out { /* what is written, gathered */
    struct tool_output *output;
    bool swapped;
    size_t used;
    char data[1 << 16];
};

/* Writes `count` values of `size` bytes each (1, 2, 4, 8) in the file's byte order. */
void bytes_put(struct bytes_out *out, const void *values, size_t size, size_t count);
/* Writes what is gathered: due at the end. */
void bytes_flush(struct bytes_out *out);

/* Says, once in a run, which columns of the frame (and what of its header) the format has no place for: all that are
 * not in `kept`, a list that ends with NULL. */
void bytes_say_lost(const struct nb_bodies *b, const char *const *kept, const char *format);

#endif
