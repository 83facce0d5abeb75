/* snap_input.h - buffered input for readers of binary formats. Large reads bypass the buffer. Positions are counted in
 * bytes from the position that the input had when it was opened. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nb_input {
    int fd;
    bool owned;    /* nb_input_close closes fd */
    bool seekable; /* the input is a regular file */
    off_t base;    /* position in the file when the input was opened */
    /* number of bytes from `base` to the end of the file when the file was opened; UINT64_MAX if unknown */
    uint64_t size;
    uint64_t at; /* position of the next byte to take, in bytes from `base` */
    char *data;  /* the buffer; its bytes [begin, end) were read from the input but not taken yet */
    size_t begin, end, capacity;
};

/* Opens a file, or stdin for "-". Returns 0 on success. Returns -1 after nb_fail if the file cannot be opened, is a
 * directory, or there is no memory. The error message begins with the name of the input. */
int nb_input_open(struct nb_input *in, const char *path);
/* Frees the buffer and closes the descriptor if owned. */
void nb_input_close(struct nb_input *in);
/* Reads until the buffer contains at least `wanted` bytes, or to the end of the input. Returns the number of bytes in
 * the buffer, or -1 after nb_fail on a read error or if there is no memory. nb_input_bytes returns a pointer to the
 * first byte in the buffer, valid until the next call for this input. */
ssize_t nb_input_peek(struct nb_input *in, size_t wanted);
char *nb_input_bytes(const struct nb_input *in);
/* Advances the position by `count` bytes, which must be in the buffer. */
void nb_input_take(struct nb_input *in, size_t count);
/* Reads `size` bytes, or fewer at the end of the input. Returns their number, or -1 after nb_fail on a read error. */
ssize_t nb_input_read(struct nb_input *in, void *to, size_t size);
/* Reads `size` bytes at a position of a seekable input without changing `in`, so that several threads may call it.
 * Returns 0, NB_INPUT_SHORT if the file ends before the last of these bytes, or an errno value on a read error. */
int nb_input_read_at(const struct nb_input *in, uint64_t at, void *to, size_t size);
#define NB_INPUT_SHORT (-1)
/* Moves to a position of a seekable input. Returns 0, or -1 after nb_fail. */
int nb_input_seek(struct nb_input *in, uint64_t at);
