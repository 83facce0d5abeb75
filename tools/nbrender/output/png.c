/* Writes PNG files (PNG Specification, third edition) in sRGB, with 8 or 16 bits per channel, with or without alpha.
 * The provenance is stored as text. All rows use PNG's filter Up. The filter Paeth would make the files 10 % smaller,
 * but it takes longer. */
#include "nbrender/output/png.h"

#include "base/io.h"
#include "base/portable.h"
#include "nbrender/output/deflate.h"

#include <stdlib.h>
#include <zlib.h>

#define UP 2 /* number of PNG's filter type Up */
/* maximum number of bytes of a chunk before its pixels: 4 for the length, 4 for the type, and 4 for the sequence
 * number, which only chunks of an animation have */
#define BEFORE 12

/* ---- chunks ---- */

void png_put_number(unsigned char *to, uint32_t number)
{
    number = nb_big_endian_32(number);
    memcpy(to, &number, sizeof number);
}

/* Writes a chunk. The caller stores the chunk's data, `size` bytes, at room + 8. This function fills in the 8 bytes
 * before the data (length and type) and the 4 bytes after the data (CRC). */
static int write_chunk(const struct png_file *f, const char *kind, unsigned char *room, size_t size)
{
    png_put_number(room, (uint32_t)size);
    memcpy(room + 4, kind, 4);
    png_put_number(room + 8 + size, (uint32_t)crc32(0, room + 4, (uInt)size + 4));
    return nb_io_write(f->fd, f->name, room, size + 12);
}

int png_write_small(const struct png_file *f, const char *kind, const void *data, size_t size)
{
    unsigned char room[64];
    memcpy(room + 8, data, size);
    return write_chunk(f, kind, room, size);
}

static int write_text(const struct png_file *f, const char *key, const char *text)
{
    const size_t before = strlen(key) + 1, size = before + strlen(text);
    unsigned char *room = malloc(size + 12);
    if (!room)
        return nb_fail("%s: no memory for the picture", f->name);
    memcpy(room + 8, key, before);
    memcpy(room + 8 + before, text, size - before);
    int status = write_chunk(f, "tEXt", room, size);
    free(room);
    return status;
}

int png_write_signature(const struct png_file *f, const struct picture *p, const struct output_options *o)
{
    unsigned char head[13] = {[8] = o->depth == 16 ? 16 : 8, o->alpha ? 6 : 2};
    png_put_number(head, (uint32_t)p->width);
    png_put_number(head + 4, (uint32_t)p->height);
    return nb_io_write(f->fd, f->name, "\x89PNG\r\n\x1a\n", 8) || png_write_small(f, "IHDR", head, sizeof head) ? -1
                                                                                                                : 0;
}

int png_write_notes(const struct png_file *f, const struct picture *p)
{
    static const uint32_t primaries[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    unsigned char gamma[4], chroma[32];
    const char *history = p->info.history;
    /* gamma and chroma are for programs that ignore the chunk sRGB; the values are those of the PNG specification */
    png_put_number(gamma, 45455);
    for (int k = 0; k < 8; k++)
        png_put_number(chroma + 4 * k, primaries[k]);
    return png_write_small(f, "gAMA", gamma, 4) || png_write_small(f, "cHRM", chroma, 32) ||
                   png_write_small(f, "sRGB", "", 1) || write_text(f, "Software", "nbrender " TOOL_VERSION) ||
                   (history && write_text(f, "History", history))
               ? -1
               : 0;
}

/* ---- pixels ---- */

struct png_work {
    struct rows rows;
    unsigned char *row, *above; /* the current row and the previous row, unfiltered */
    /* `part` contains filtered bytes that are not compressed yet; `room` is memory for one chunk of compressed bytes */
    unsigned char *part, *room;
};

struct png_work *png_work_create(const struct output_options *o, int width)
{
    struct png_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    bool good = rows_open(&w->rows, o, width);
    w->row = malloc(w->rows.bytes);
    w->above = malloc(w->rows.bytes);
    w->part = malloc(DEFLATE_PART + w->rows.bytes + 1);
    w->room = malloc(BEFORE + DEFLATE_MOST + 4);
    if (good && w->row && w->above && w->part && w->room)
        return w;
    png_work_destroy(w);
    return NULL;
}

void png_work_destroy(struct png_work *w)
{
    if (!w)
        return;
    rows_close(&w->rows);
    free(w->row);
    free(w->above);
    free(w->part);
    free(w->room);
    free(w);
}

/* Filters row y: writes to `to` the number of the filter and the differences from the previous row. */
static void filter_row(struct png_work *w, int y, unsigned char *to)
{
    rows_fill(&w->rows, y, w->row);
    *to++ = UP;
    for (size_t k = 0; k < w->rows.bytes; k++)
        to[k] = (unsigned char)(w->row[k] - w->above[k]);
    unsigned char *above = w->above;
    w->above = w->row;
    w->row = above;
}

/* Compresses the first `size` bytes of w->part and writes them as an IDAT chunk. If `sequence` is not NULL, writes an
 * fdAT chunk with the number *sequence, and increments *sequence. last: no bytes of the picture follow. */
static int write_part(const struct png_file *f, struct png_work *w, struct deflate *d, size_t size, bool last,
                      uint32_t *sequence)
{
    size_t packed = deflate_part(d, w->part, size, last, w->room + BEFORE);
    if (!sequence)
        return write_chunk(f, "IDAT", w->room + BEFORE - 8, packed);
    png_put_number(w->room + 8, (*sequence)++);
    return write_chunk(f, "fdAT", w->room, packed + 4);
}

static int write_rows(const struct png_file *f, struct png_work *w, struct deflate *d, uint32_t *sequence)
{
    const int height = w->rows.picture->height;
    size_t filled = 0;
    for (int y = 0; y < height; y++) {
        filter_row(w, y, w->part + filled);
        filled += w->rows.bytes + 1;
        for (bool last = y + 1 == height; filled >= DEFLATE_PART || (last && filled > 0);) {
            size_t size = filled < DEFLATE_PART ? filled : DEFLATE_PART;
            if (write_part(f, w, d, size, last && size == filled, sequence))
                return -1;
            memmove(w->part, w->part + size, filled -= size);
        }
    }
    return 0;
}

int png_write_pixels(const struct png_file *f, struct png_work *w, const struct picture *p, uint32_t *sequence)
{
    struct deflate *d = deflate_begin();
    if (!d)
        return nb_fail("no memory to compress the picture %s", f->name);
    w->rows.picture = p;
    memset(w->above, 0, w->rows.bytes);
    const int status = write_rows(f, w, d, sequence);
    deflate_end(d);
    return status;
}

/* ---- the file ---- */

int png_write(void *state, struct job *job)
{
    const struct output_options *o = ((struct series *)state)->options;
    const struct picture *p = &job->picture;
    const struct png_file f = {tool_output_fd(job->file), tool_output_name(job->file)};
    struct png_work *w = png_work_create(o, p->width);
    const int status = !w ? nb_fail("no memory to compress the picture %s", f.name)
                       : png_write_signature(&f, p, o) || png_write_notes(&f, p) || png_write_pixels(&f, w, p, NULL) ||
                               png_write_small(&f, "IEND", "", 0)
                           ? -1
                           : 0;
    png_work_destroy(w);
    return status;
}
