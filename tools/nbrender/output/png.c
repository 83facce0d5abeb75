/* PNG files (PNG Specification, third edition): 8 or 16 bits, with or without alpha, sRGB, the provenance as text. Rows
 * are filtered with Up: on these pictures Paeth's makes files a tenth smaller and takes longer. */
#include "base/io.h"
#include "base/portable.h"
#include "nbrender/output/deflate.h"
#include "nbrender/output/output.h"
#include "simd/samples.h"

#include <stdlib.h>
#include <zlib.h>

#define UP 2 /* the filter's number */

/* ---- rows ---- */

struct rows { /* of a picture, as they are filtered */
    const struct output_options *options;
    const struct picture *picture;
    int channels;
    size_t bytes;               /* of a row */
    uint16_t *level[4];         /* of this row, where there is alpha */
    unsigned char *row, *above; /* this one and the one before */
};

/* The alpha of a pixel is its largest channel, and its colour is divided by that: over black it looks as without. */
static void fill_alpha(const struct rows *r, int y)
{
    const size_t width = (size_t)r->picture->width;
    for (size_t x = 0; x < width; x++) {
        uint32_t level[3], most = 0;
        for (int k = 0; k < 3; k++) {
            level[k] = r->picture->plane[k][(size_t)y * width + x];
            most = level[k] > most ? level[k] : most;
        }
        for (int k = 0; k < 3; k++)
            r->level[k][x] = most ? (uint16_t)((level[k] * PICTURE_FULL + most / 2) / most) : 0;
        r->level[3][x] = (uint16_t)most;
    }
}

/* Made for a number of channels that is known where it is called. */
static inline __attribute__((always_inline)) void put_words(const struct rows *r, const uint16_t *const level[4],
                                                            int channels)
{
    for (int x = 0; x < r->picture->width; x++)
        for (int k = 0; k < channels; k++) {
            r->row[2 * (x * channels + k)] = (unsigned char)(level[k][x] >> 8);
            r->row[2 * (x * channels + k) + 1] = (unsigned char)level[k][x];
        }
}

static void fill_row(const struct rows *r, int y)
{
    const bool alpha = r->channels == 4;
    const uint16_t *level[4];
    if (alpha)
        fill_alpha(r, y);
    for (int k = 0; k < r->channels; k++)
        level[k] = alpha ? r->level[k] : r->picture->plane[k] + (size_t)y * (size_t)r->picture->width;
    if (r->options->depth == 16) {
        put_words(r, level, r->channels);
        return;
    }
    const uint16_t *step[4];
    for (int k = 0; k < r->channels; k++) /* alpha is not dithered: what is opaque stays so */
        step[k] = dither_steps(!r->options->no_dither && k < 3, k, y);
    nb_samples()->bytes(level, r->channels, r->picture->width, step, r->row);
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
    number = nb_big_endian_32(number);
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

static bool open_work(struct work *w, const struct output_options *o, const struct picture *p)
{
    struct rows *r = &w->rows;
    *r = (struct rows){.options = o, .picture = p, .channels = o->alpha ? 4 : 3};
    r->bytes = (size_t)p->width * (size_t)r->channels * (o->depth == 16 ? 2 : 1);
    r->row = malloc(r->bytes);
    r->above = calloc(r->bytes, 1);
    w->deflate = deflate_begin();
    w->part = malloc(DEFLATE_PART + r->bytes + 1);
    w->room = malloc(DEFLATE_MOST + 12);
    bool good = r->row && r->above && w->deflate && w->part && w->room;
    for (int k = 0; k < r->channels; k++) {
        r->level[k] = malloc((size_t)p->width * sizeof **r->level);
        good &= r->level[k] != NULL;
    }
    return good;
}

static void close_work(struct work *w)
{
    free(w->rows.row);
    free(w->rows.above);
    deflate_end(w->deflate);
    free(w->part);
    free(w->room);
    for (int k = 0; k < 4; k++)
        free(w->rows.level[k]);
}

int png_write(void *state, struct job *job)
{
    const struct file f = {tool_output_fd(job->file), tool_output_name(job->file)};
    struct work w;
    int status = !open_work(&w, ((struct series *)state)->options, &job->picture) ? nb_fail("%s: no memory", f.name)
                 : write_head(&f, &w.rows) || write_rows(&f, &w) || write_small(&f, "IEND", "", 0) ? -1
                                                                                                   : 0;
    close_work(&w);
    return status;
}
