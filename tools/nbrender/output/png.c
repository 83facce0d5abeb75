/* PNG files (PNG Specification, third edition): 8 or 16 bits, with or without alpha, sRGB, the provenance as text. Rows
 * are filtered with Up: on these pictures Paeth's makes files a tenth smaller and takes longer. */
#include "error.h"
#include "io.h"
#include "nbrender/output/deflate.h"
#include "nbrender/output/dither.h"
#include "nbrender/output/output.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define UP 2 /* the filter's number */

/* ---- rows ---- */

struct rows { /* of a picture, as they are filtered */
    const struct output_options *options;
    const struct picture *picture;
    int channels;
    size_t bytes;               /* of a row */
    unsigned char *row, *above; /* this one and the one before */
};

/* The alpha of a pixel is its largest channel, and its colour is divided by that: over black it looks as without. */
static void fill_alpha(int n, uint16_t level[4][DITHER_SIDE])
{
    for (int x = 0; x < n; x++) {
        uint16_t most = level[0][x] > level[1][x] ? level[0][x] : level[1][x];
        level[3][x] = most = most > level[2][x] ? most : level[2][x];
        for (int k = 0; k < 3 && most > 0; k++)
            level[k][x] = (uint16_t)((level[k][x] * (uint32_t)PICTURE_FULL + most / 2) / most);
    }
}

static void quantise(const uint16_t *restrict level, const float *restrict threshold, unsigned char *restrict byte)
{
    for (int x = 0; x < DITHER_SIDE; x++)
        byte[x] = (unsigned char)(int)(level[x] * (255.0f / PICTURE_FULL) + threshold[x]);
}

/* Made for a number of channels that is known where it is called. */
static inline __attribute__((always_inline)) void interleave(unsigned char byte[4][DITHER_SIDE], int n, int channels,
                                                             unsigned char *to)
{
    for (int x = 0; x < n; x++)
        for (int k = 0; k < channels; k++)
            to[x * channels + k] = byte[k][x];
}

static void put_bytes(const struct rows *r, int n, int y, uint16_t level[4][DITHER_SIDE], unsigned char *to)
{
    unsigned char byte[4][DITHER_SIDE];
    for (int k = 0; k < r->channels; k++) /* alpha is not dithered: what is opaque stays so */
        quantise(level[k], dither_row(r->options->dither && k < 3, k, y), byte[k]);
    if (r->channels == 3)
        interleave(byte, n, 3, to);
    else
        interleave(byte, n, 4, to);
}

static void put_words(const struct rows *r, int n, uint16_t level[4][DITHER_SIDE], unsigned char *to)
{
    for (int x = 0; x < n; x++)
        for (int k = 0; k < r->channels; k++, to += 2) {
            to[0] = (unsigned char)(level[k][x] >> 8);
            to[1] = (unsigned char)level[k][x];
        }
}

static void fill_row(const struct rows *r, int y)
{
    const struct picture *p = r->picture;
    const size_t sample = r->options->depth == 16 ? 2 : 1;
    for (int x = 0; x < p->width; x += DITHER_SIDE) {
        uint16_t level[4][DITHER_SIDE] = {0};
        const int n = p->width - x < DITHER_SIDE ? p->width - x : DITHER_SIDE;
        for (int k = 0; k < 3; k++)
            memcpy(level[k], p->plane[k] + (size_t)y * (size_t)p->width + (size_t)x, (size_t)n * sizeof **level);
        if (r->channels == 4)
            fill_alpha(n, level);
        unsigned char *to = r->row + (size_t)x * (size_t)r->channels * sample;
        if (sample == 2)
            put_words(r, n, level, to);
        else
            put_bytes(r, n, y, level, to);
    }
}

/* Row y as it is filtered: the filter's number, then the differences to the row above. */
static void filter_row(struct rows *r, int y, unsigned char *to)
{
    fill_row(r, y);
    *to++ = UP;
    for (size_t k = 0; k < r->bytes; k++)
        to[k] = (unsigned char)(r->row[k] - r->above[k]);
    unsigned char *above = r->above;
    r->above = r->row;
    r->row = above;
}

/* ---- chunks ---- */

struct file {
    int fd;
    const char *name;
};

static void put_number(unsigned char *to, uint32_t number)
{
    number = htobe32(number);
    memcpy(to, &number, sizeof number);
}

/* The chunk's data begin 8 bytes into `room`, which has 4 more behind them. */
static int write_chunk(const struct file *f, const char *kind, unsigned char *room, size_t size)
{
    put_number(room, (uint32_t)size);
    memcpy(room + 4, kind, 4);
    put_number(room + 8 + size, (uint32_t)crc32(0, room + 4, (uInt)size + 4));
    return nb_io_write(f->fd, f->name, room, size + 12);
}

static int write_small(const struct file *f, const char *kind, const void *data, size_t size)
{
    unsigned char room[64];
    memcpy(room + 8, data, size);
    return write_chunk(f, kind, room, size);
}

static int write_text(const struct file *f, const char *key, const char *text)
{
    const size_t before = strlen(key) + 1, size = before + strlen(text);
    unsigned char *room = malloc(size + 12);
    if (!room)
        return nb_fail("no memory");
    memcpy(room + 8, key, before);
    memcpy(room + 8 + before, text, size - before);
    int status = write_chunk(f, "tEXt", room, size);
    free(room);
    return status;
}

static int write_head(const struct file *f, const struct rows *r)
{
    static const uint32_t primaries[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    unsigned char head[13] = {[8] = r->options->depth == 16 ? 16 : 8, r->channels == 4 ? 6 : 2}, gamma[4], chroma[32];
    const char *history = r->picture->info.history;
    put_number(head, (uint32_t)r->picture->width);
    put_number(head + 4, (uint32_t)r->picture->height);
    put_number(gamma, 45455); /* for readers that know no sRGB, as the specification has it */
    for (int k = 0; k < 8; k++)
        put_number(chroma + 4 * k, primaries[k]);
    return nb_io_write(f->fd, f->name, "\x89PNG\r\n\x1a\n", 8) || write_small(f, "IHDR", head, sizeof head) ||
                   write_small(f, "gAMA", gamma, 4) || write_small(f, "cHRM", chroma, 32) ||
                   write_small(f, "sRGB", "", 1) || write_text(f, "Software", "nbrender " TOOL_VERSION) ||
                   (history && write_text(f, "History", history))
               ? -1
               : 0;
}

/* ---- the file ---- */

struct work {
    struct rows rows;
    struct deflate *deflate;
    unsigned char *part, *room; /* bytes that are to be packed; those that are, in a chunk */
};

static int write_rows(const struct file *f, struct work *w)
{
    const size_t row_bytes = w->rows.bytes + 1;
    const int height = w->rows.picture->height;
    size_t filled = 0;
    for (int y = 0; y < height; y++) {
        filter_row(&w->rows, y, w->part + filled);
        filled += row_bytes;
        for (bool last = y + 1 == height; filled >= DEFLATE_PART || (last && filled > 0);) {
            size_t size = filled < DEFLATE_PART ? filled : DEFLATE_PART;
            size_t packed = deflate_part(w->deflate, w->part, size, last && size == filled, w->room + 8);
            if (write_chunk(f, "IDAT", w->room, packed))
                return -1;
            memmove(w->part, w->part + size, filled -= size);
        }
    }
    return 0;
}

static int write_file(const struct file *f, struct work *w)
{
    if (!w->rows.row || !w->rows.above || !w->deflate || !w->part || !w->room)
        return nb_fail("%s: no memory for the picture", f->name);
    return write_head(f, &w->rows) || write_rows(f, w) || write_small(f, "IEND", "", 0) ? -1 : 0;
}

int png_write(void *state, struct job *job)
{
    const struct output_options *o = ((struct series *)state)->options;
    const struct file f = {tool_output_fd(job->file), tool_output_name(job->file)};
    struct work w = {.rows = {.options = o, .picture = &job->picture, .channels = o->alpha ? 4 : 3}};
    w.rows.bytes = (size_t)job->picture.width * (size_t)w.rows.channels * (o->depth == 16 ? 2 : 1);
    w.rows.row = malloc(w.rows.bytes);
    w.rows.above = calloc(w.rows.bytes, 1);
    w.deflate = deflate_begin();
    w.part = malloc(DEFLATE_PART + w.rows.bytes + 1);
    w.room = malloc(DEFLATE_MOST + 12);
    int status = write_file(&f, &w);
    free(w.rows.row);
    free(w.rows.above);
    deflate_end(w.deflate);
    free(w.part);
    free(w.room);
    return status;
}
