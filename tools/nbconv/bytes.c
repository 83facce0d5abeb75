/* bytes.c - reads and writes binary files in either byte order. */
#include "nbconv/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

int bytes_open(struct bytes *s, const char *path)
{
    const bool is_stdin = !path || strcmp(path, "-") == 0;
    s->name = is_stdin ? "stdin" : path;
    s->in = (struct nb_input){.fd = -1};
    if (is_stdin && isatty(STDIN_FILENO))
        return conv_misused(nb_fail("stdin is a terminal: name a file"));
    return nb_input_open(&s->in, is_stdin ? "-" : path);
}

void bytes_close(struct bytes *s)
{
    nb_input_close(&s->in);
}

uint64_t bytes_left(const struct bytes *s)
{
    if (s->in.size == UINT64_MAX)
        return UINT64_MAX;
    return s->in.size > s->in.at ? s->in.size - s->in.at : 0;
}

ssize_t bytes_peek(struct bytes *s, size_t wanted, const unsigned char **at)
{
    const ssize_t have = nb_input_peek(&s->in, wanted);
    if (have < 0)
        return nb_fail("%s: %s", s->name, nb_error());
    *at = (const unsigned char *)nb_input_bytes(&s->in);
    return have < (ssize_t)wanted ? have : (ssize_t)wanted;
}

int bytes_expect(const struct bytes *s, uint64_t size, const char *what)
{
    if (bytes_left(s) >= size)
        return 0;
    return nb_fail("%s: truncated or damaged in %s at byte %" PRIu64 ": expected %" PRIu64
                   " more bytes, found %" PRIu64,
                   s->name, what, s->in.at, size, bytes_left(s));
}

static int take(struct bytes *s, void *to, size_t size, const char *what)
{
    const ssize_t got = nb_input_read(&s->in, to, size);
    if (got < 0)
        return nb_fail("%s: %s", s->name, nb_error());
    return (size_t)got < size ? nb_fail("%s: truncated in %s, at byte %" PRIu64, s->name, what, s->in.at) : 0;
}

int bytes_skip(struct bytes *s, uint64_t size, const char *what)
{
    char nothing[16384];
    for (; size > sizeof nothing; size -= sizeof nothing)
        if (take(s, nothing, sizeof nothing, what))
            return -1;
    return take(s, nothing, (size_t)size, what);
}

/* ---- byte order ---- */

/* Reverses the order of the bytes in each value of an array. The array begins at the address `at` and has `count`
 * values of BITS bits. Uses memcpy, because values may be unaligned and of any type. */
#define SWAP(BITS)                               \
    for (size_t k = 0; k < count; k++) {         \
        uint##BITS##_t v;                        \
        memcpy(&v, at + k * sizeof v, sizeof v); \
        v = __builtin_bswap##BITS(v);            \
        memcpy(at + k * sizeof v, &v, sizeof v); \
    }

void bytes_swap(void *data, size_t size, size_t count)
{
    char *at = data;
    if (size == 2)
        SWAP(16)
    else if (size == 4)
        SWAP(32)
    else if (size == 8)
        SWAP(64)
}

int bytes_take(struct bytes *s, void *to, size_t size, size_t count, bool swapped, const char *what)
{
    if (take(s, to, size * count, what))
        return -1;
    if (swapped)
        bytes_swap(to, size, count);
    return 0;
}

/* ---- writing ---- */

void bytes_begin(struct bytes_out *out, const struct conv_export *e, char usual)
{
    const char order = e->options->endian ? e->options->endian : usual;
    out->output = e->output;
    out->swapped = order != 'n' && (order == 'l') != BYTES_LITTLE;
    out->used = 0;
}

void bytes_flush(struct bytes_out *out)
{
    conv_write(out->output, out->data, out->used);
    out->used = 0;
}

void bytes_put(struct bytes_out *out, const void *values, size_t size, size_t count)
{
    for (size_t done = 0; done < count;) {
        const size_t room = (sizeof out->data - out->used) / size;
        const size_t part = count - done < room ? count - done : room;
        memcpy(out->data + out->used, (const char *)values + done * size, part * size);
        if (out->swapped)
            bytes_swap(out->data + out->used, size, part);
        out->used += part * size;
        done += part;
        if (sizeof out->data - out->used < sizeof(uint64_t))
            bytes_flush(out);
    }
}

void bytes_print(struct bytes_out *out, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bytes_put(out, text, 1, strlen(text));
}
