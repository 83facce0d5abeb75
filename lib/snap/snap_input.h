/* snap_input.h - for readers of binary formats: a descriptor read through a buffer, large pieces past it.
 *
 * Positions are bytes from where the input stood when it was opened. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nb_input {
    int fd;
    bool owned;    /* close fd at the end */
    bool seekable; /* a regular file */
    off_t base;    /* where the input stood in it */
    uint64_t size; /* bytes from base on when it was opened; UINT64_MAX where that is not known */
    uint64_t at;   /* position of the next byte to be taken */
    char *data;    /* the buffer: bytes [begin, end) are read and not taken */
    size_t begin, end, capacity;
};

/* Opens a file, or stdin for "-". -1: cannot be opened, is a directory, no memory; the message begins with the name. */
int nb_input_open(struct nb_input *in, const char *path);
void nb_input_close(struct nb_input *in);
/* Makes at least `wanted` bytes lie in the buffer where the input has them, and returns how many do; -1: reading
 * failed or no memory. The bytes stand at nb_input_bytes until the next call. */
ssize_t nb_input_peek(struct nb_input *in, size_t wanted);
char *nb_input_bytes(const struct nb_input *in);
/* Takes bytes that lie in the buffer. */
void nb_input_take(struct nb_input *in, size_t count);
/* Reads `size` bytes; fewer are returned only at the end of the input. -1: reading failed. */
ssize_t nb_input_read(struct nb_input *in, void *to, size_t size);
/* Reads `size` bytes at a position of a seekable input and changes nothing in `in`: threads may do so side by side. 0;
 * NB_INPUT_SHORT where they are not all there; else errno. */
int nb_input_read_at(const struct nb_input *in, uint64_t at, void *to, size_t size);
#define NB_INPUT_SHORT (-1)
/* Goes to a position of a seekable input. -1: failed. */
int nb_input_seek(struct nb_input *in, uint64_t at);
