/* Writes FITS files (FITS Standard 4.0, 2018). A file contains one image of 32-bit floats, channel after channel. The
 * bottom row comes first. Coordinates of the axes are linear functions of the pixel coordinates (Greisen & Calabretta
 * 2002, A&A 395, 1061). The centre of the first pixel has the pixel coordinates (1, 1). */
#include "base/memory.h"
#include "base/portable.h"
#include "nbrender/output/output.h"

#include <ctype.h>
#include <stdarg.h>

#define CARD  80
#define BLOCK 2880
#define TEXT  72 /* maximum number of characters in a HISTORY card */

struct header {
    char *cards;
    size_t count;
    bool failed;
};

static void add_card(struct header *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_card(struct header *h, const char *format, ...)
{
    char text[CARD + 1];
    char *cards = h->failed ? NULL : nb_memory_grow(h->cards, h->count, CARD);
    h->failed = !cards;
    if (h->failed)
        return;
    h->cards = cards;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *card = h->cards + CARD * h->count++;
    memset(card, ' ', CARD);
    memcpy(card, text, strlen(text));
}

static void add_number(struct header *h, const char *key, double value, const char *comment)
{
    add_card(h, "%-8s= %20.13G / %s", key, value, comment);
}

static void add_text(struct header *h, const char *key, const char *value, const char *comment)
{
    char quoted[70], *to = quoted; /* copy of `value` in which each quote is written twice */
    for (const char *c = value; *c && to < quoted + 64; c++) {
        *to++ = *c;
        if (*c == '\'')
            *to++ = '\'';
    }
    *to = '\0';
    add_card(h, "%-8s= '%-8s' / %s", key, quoted, comment);
}

/* Adds each line of the picture's provenance as a HISTORY card, or as several cards if it is long. */
static void add_history(struct header *h, const char *lines)
{
    for (const char *line = lines; line && *line;) {
        size_t length = strcspn(line, "\n");
        for (size_t at = 0; at < length; at += TEXT)
            add_card(h, "HISTORY %.*s", (int)(length - at < TEXT ? length - at : TEXT), line + at);
        line += length + (line[length] == '\n');
    }
}

static void add_axis(struct header *h, const struct picture *p, int axis, const char *unit)
{
    char key[16], name[sizeof p->info.axis[0].name];
    const struct picture_axis *a = &p->info.axis[axis];
    for (size_t k = 0; k < sizeof name; k++)
        name[k] = (char)toupper((unsigned char)a->name[k]);
    snprintf(key, sizeof key, "CTYPE%d", axis + 1);
    add_text(h, key, name, axis == 0 ? "to the right" : "up");
    snprintf(key, sizeof key, "CRPIX%d", axis + 1);
    add_number(h, key, 0.5 * (axis == 0 ? p->width : p->height) + 0.5, "the picture's middle");
    snprintf(key, sizeof key, "CRVAL%d", axis + 1);
    add_number(h, key, a->centre, "the coordinate there");
    snprintf(key, sizeof key, "CDELT%d", axis + 1);
    add_number(h, key, a->step, "of one pixel");
    snprintf(key, sizeof key, "CUNIT%d", axis + 1);
    if (a->is_angle)
        add_text(h, key, "deg", "an angle");
    else if (*unit)
        add_text(h, key, unit, "unit of length");
}

static void fill_header(struct header *h, const struct picture *p)
{
    const struct picture_info *info = &p->info;
    add_card(h, "%-8s= %20s / FITS Standard 4.0", "SIMPLE", "T");
    add_card(h, "%-8s= %20d / 32-bit floats", "BITPIX", -32);
    add_card(h, "%-8s= %20d", "NAXIS", p->channels > 1 ? 3 : 2);
    add_card(h, "%-8s= %20d", "NAXIS1", p->width);
    add_card(h, "%-8s= %20d", "NAXIS2", p->height);
    if (p->channels > 1) {
        add_card(h, "%-8s= %20d / red, green, blue", "NAXIS3", p->channels);
        add_text(h, "CTYPE3", "RGB", "colour channels");
    }
    char unit[FITS_UNIT_MAX];
    add_text(h, "BTYPE", info->quantity, "what the values are");
    fits_unit(&info->units, info->unit, unit);
    if (*unit)
        add_text(h, "BUNIT", unit, "their unit");
    fits_unit(&info->units, "L", unit);
    for (int axis = 0; axis < 2; axis++)
        add_axis(h, p, axis, unit);
    add_number(h, "TIME", info->time, "of the snapshot, in the stream's unit");
    add_card(h, "%-8s= %20lld / of the stream, from 0", "FRAME", (long long)info->frame);
    add_text(h, "UNITS", info->units.name, "the stream's system of units");
    if (info->units.length_cgs > 0) {
        add_number(h, "LENGTH", info->units.length_cgs, "[cm] unit of length");
        add_number(h, "MASS", info->units.mass_cgs, "[g] unit of mass");
        add_number(h, "UTIME", info->units.time_cgs, "[s] unit of time");
    }
    add_history(h, info->history);
    add_card(h, "END");
}

/* Writes padding after data of `size` bytes, so that their last block is complete. */
static int write_rest(const struct job *job, size_t size, char padding)
{
    char rest[BLOCK];
    memset(rest, padding, sizeof rest);
    return job_write(job, rest, (BLOCK - size % BLOCK) % BLOCK);
}

/* Fills in row `row` of the file as big-endian floats. The file has the rows of the first channel from the bottom
 * upwards, then the rows of the next channel. */
static void fill_row(const struct picture *p, int row, float *to)
{
    const int channel = row / p->height, y = p->height - 1 - row % p->height;
    const float *from = p->linear + (size_t)y * (size_t)p->width * (size_t)p->stride + channel;
    for (int x = 0; x < p->width; x++) {
        uint32_t bits;
        memcpy(&bits, from + (size_t)x * (size_t)p->stride, sizeof bits);
        bits = nb_big_endian_32(bits);
        memcpy(to + x, &bits, sizeof bits);
    }
}

int fits_write(void *state, struct job *job)
{
    (void)state;
    const struct picture *p = &job->picture;
    struct header h = {0};
    fill_header(&h, p);
    int status = h.failed ? nb_fail("%s: no memory for the FITS header", tool_output_name(job->file))
                          : job_write(job, h.cards, h.count * CARD);
    free(h.cards);
    if (status || write_rest(job, h.count * CARD, ' ') ||
        linear_rows(job, (size_t)p->width, p->height * p->channels, fill_row))
        return -1;
    return write_rest(job, (size_t)p->width * (size_t)p->height * (size_t)p->channels * sizeof(float), 0);
}
