/* stream_builder.h - for tests: builds streams byte by byte as nbs(5) says, without the library's code, and makes
 * inputs from bytes. */
#pragma once

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

#define BLOCK ((size_t)4 << 20)

struct bytes {
    char *data;
    size_t size, capacity;
    uint64_t header;        /* checksum of the last header added */
    size_t offsets[32];     /* of frames added */
    uint64_t checksums[32]; /* of their footers */
    int frames;
};

static inline void add(struct bytes *b, const void *data, size_t size)
{
    if (b->size + size + 1 > b->capacity) {
        b->capacity = 2 * (b->size + size + 1);
        b->data = realloc(b->data, b->capacity);
    }
    assert_non_null(b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void pad(struct bytes *b)
{
    static const char zeros[64];
    add(b, zeros, (64 - b->size % 64) % 64);
}

/* A text block of these lines, and its checksum. */
static inline uint64_t add_block(struct bytes *b, const char *lines)
{
    char line[32];
    uint64_t checksum = XXH3_64bits(lines, strlen(lines));
    sprintf(line, "checksum %016" PRIx64 "\n", checksum);
    add(b, lines, strlen(lines));
    add(b, line, strlen(line));
    pad(b);
    return checksum;
}

/* The header of a frame, which begins here. */
static inline void add_header(struct bytes *b, const char *lines)
{
    assert_true(b->frames < 32);
    b->offsets[b->frames++] = b->size;
    b->header = add_block(b, lines);
}

/* The footer of the frame under way, with these lines of its columns. */
static inline void add_footer(struct bytes *b, const char *lines)
{
    char *text = malloc(strlen(lines) + 64);
    assert_non_null(text);
    sprintf(text, "nbs 1 footer\nheader %016" PRIx64 "\n%s", b->header, lines);
    b->checksums[b->frames - 1] = add_block(b, text);
    free(text);
}

/* A column, and its line for the footer. */
static inline void add_column(struct bytes *b, char *footer, const char *name, const void *data, size_t size)
{
    size_t begin = b->size;
    add(b, data, size);
    pad(b);
    footer += strlen(footer);
    footer += sprintf(footer, "%s", name);
    for (size_t at = begin; at < b->size; at += BLOCK) {
        size_t length = b->size - at < BLOCK ? b->size - at : BLOCK;
        footer += sprintf(footer, " %016" PRIx64, (uint64_t)XXH3_64bits(b->data + at, length));
    }
    strcpy(footer, "\n");
}

#define HEADER(N, TIME)                                                                                           \
    "nbs 1 frame\nn " N "\ntime " TIME "\nstep 0\nG 1\nsoftening 0\ndt 0\nunits code\nlength_cgs 0\nmass_cgs 0\n" \
    "time_cgs 0\n"
#define COLUMNS "column mass f64 1 M\ncolumn pos f64 3 L\ncolumn vel f64 3 L/T\n"

/* A frame of `n` bodies: mass 1 to n, positions and velocities 100 k, 1000 k plus the time. */
static inline void add_frame(struct bytes *b, int n, double time)
{
    char header[512], number[32], footer[256] = "";
    double values[3][96];
    assert_true(n <= 32);
    for (int k = 0; k < 3 * n; k++) {
        values[0][k] = k + 1;
        values[1][k] = 100 * k + time;
        values[2][k] = 1000 * k + time;
    }
    sprintf(number, "%g", time);
    sprintf(header,
            "nbs 1 frame\nn %d\ntime %s\nstep 0\nG 1\nsoftening 0\ndt 0\nunits code\nlength_cgs 0\nmass_cgs 0\n"
            "time_cgs 0\n" COLUMNS,
            n, number);
    add_header(b, header);
    add_column(b, footer, "mass", values[0], (size_t)n * 8);
    add_column(b, footer, "pos", values[1], (size_t)n * 24);
    add_column(b, footer, "vel", values[2], (size_t)n * 24);
    add_footer(b, footer);
}

/* The close line of a stream of that size behind a trailer of that size. */
static inline void add_close(struct bytes *b, size_t stream_size, size_t trailer_size)
{
    char line[96];
    sprintf(line, "nbs 1 close %017zu %016zu ", stream_size, trailer_size);
    sprintf(line + 47, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits(line, 47));
    add(b, line, 64);
}

/* Trailer and close line of a stream that begins at byte 0 of b. */
static inline void add_end(struct bytes *b)
{
    char text[2048];
    char *at = text + sprintf(text, "nbs 1 trailer\nframes %d\n", b->frames);
    for (int k = 0; k < b->frames; k++)
        at += sprintf(at, "frame %zu %016" PRIx64 "\n", b->offsets[k], b->checksums[k]);
    size_t begin = b->size;
    add_block(b, text);
    add_close(b, b->size + 64, b->size - begin);
}

/* `frames` frames of 2 bodies at times 0, 0.5, 1 ... and the end. */
static inline struct bytes build_stream(int frames)
{
    struct bytes b = {0};
    for (int k = 0; k < frames; k++)
        add_frame(&b, 2, 0.5 * k);
    add_end(&b);
    return b;
}

/* A file in memory with these bytes; its path is written to `path`. Close the descriptor afterwards. */
static inline int file_of(const void *data, size_t size, char path[64])
{
    int fd = memfd_create("stream", 0);
    assert_true(fd >= 0);
    for (size_t at = 0; at < size;) {
        ssize_t done = write(fd, (const char *)data + at, size - at);
        assert_true(done > 0);
        at += (size_t)done;
    }
    sprintf(path, "/proc/self/fd/%d", fd);
    return fd;
}

/* The reading end of a pipe that holds these bytes (fewer than 64 KiB) and no writer. */
static inline int pipe_of(const void *data, size_t size, char path[64])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_true(size < 65536);
    assert_int_equal(write(ends[1], data, size), (ssize_t)size);
    close(ends[1]);
    sprintf(path, "/dev/fd/%d", ends[0]);
    return ends[0];
}

/* The reading end of a pipe into which a child writes these bytes. */
static inline int big_pipe_of(const void *data, size_t size, char path[64])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (fork() == 0) {
        close(ends[0]);
        for (size_t at = 0; at < size;) {
            ssize_t done = write(ends[1], (const char *)data + at, size - at);
            if (done <= 0)
                break;
            at += (size_t)done;
        }
        _exit(0);
    }
    close(ends[1]);
    sprintf(path, "/dev/fd/%d", ends[0]);
    return ends[0];
}
