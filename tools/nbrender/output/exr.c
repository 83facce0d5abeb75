/* Writes OpenEXR files (Technical Introduction and File Layout, version 2) in blocks of 16 scan lines, compressed with
 * ZIP. Light is stored as half floats with BT.709 primaries; the value 1 is diffuse white. Maps are stored as 32-bit
 * floats. */
#include "nbrender/output/output.h"

#include "base/portable.h"

#include <zlib.h>

#define LINES     16 /* number of lines in a block */
#define ZIP       3
#define HALF      1 /* type of a channel: 16-bit floating point */
#define FLOAT     2 /* type of a channel: 32-bit floating point */
#define HALF_MOST 65504.0f
#define LEVEL     4 /* zlib compression level; higher levels make these files only 1 % smaller */
#define WHITE     203.0f

struct bytes { /* a growing buffer */
    unsigned char *at;
    size_t size, room;
    bool failed; /* true: memory for the buffer could not be allocated, or compression failed */
};

static unsigned char *extend(struct bytes *b, size_t size)
{
    if (b->failed)
        return NULL;
    if (b->size + size > b->room) {
        const size_t room = 2 * b->room + size;
        unsigned char *at = realloc(b->at, room);
        b->failed = !at;
        if (!at)
            return NULL;
        b->at = at;
        b->room = room;
    }
    b->size += size;
    return b->at + b->size - size;
}

static void put(struct bytes *b, const void *data, size_t size)
{
    unsigned char *to = extend(b, size);
    if (to)
        memcpy(to, data, size);
}

/* Writes the `count` lowest bytes of a number to `to` in little-endian order. Returns the position after them. */
static unsigned char *put_low(unsigned char *to, uint32_t value, int count)
{
    for (int k = 0; k < count; k++)
        *to++ = (unsigned char)(value >> 8 * k);
    return to;
}

static void put_int(struct bytes *b, uint32_t value)
{
    unsigned char *to = extend(b, 4);
    if (to)
        put_low(to, value, 4);
}

static void put_float(struct bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_int(b, bits);
}

/* ---- header ---- */

static void put_name(struct bytes *b, const char *name, const char *type, size_t size)
{
    put(b, name, strlen(name) + 1);
    put(b, type, strlen(type) + 1);
    put_int(b, (uint32_t)size);
}

static void put_window(struct bytes *b, const char *name, const struct picture *p)
{
    put_name(b, name, "box2i", 16);
    put_int(b, 0);
    put_int(b, 0);
    put_int(b, (uint32_t)p->width - 1);
    put_int(b, (uint32_t)p->height - 1);
}

static void put_text(struct bytes *b, const char *name, const char *text)
{
    put_name(b, name, "string", strlen(text));
    put(b, text, strlen(text));
}

static void put_numbers(struct bytes *b, const char *name, const char *type, int count, const float *value)
{
    put_name(b, name, type, sizeof *value * (size_t)count);
    for (int k = 0; k < count; k++)
        put_float(b, value[k]);
}

static bool is_light(const struct picture *p)
{
    return p->channels == 3;
}

/* Returns the names of the channels, one letter each, in alphabetical order. */
static const char *channels_of(const struct picture *p)
{
    return is_light(p) ? "BGR" : "Y";
}

static void put_channels(struct bytes *b, const struct picture *p)
{
    const char *channels = channels_of(p);
    put_name(b, "channels", "chlist", 18 * strlen(channels) + 1);
    for (; *channels; channels++) {
        const char name[2] = {*channels};
        put(b, name, 2);
        put_int(b, is_light(p) ? HALF : FLOAT);
        put_int(b, 0);
        put_int(b, 1); /* sampling: one sample per pixel in x and y */
        put_int(b, 1);
    }
    put(b, "", 1);
}

static void put_header(struct bytes *b, const struct picture *p)
{
    static const float primaries[8] = {0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f};
    put_int(b, 20000630);
    put_int(b, 2);
    put_channels(b, p);
    if (is_light(p))
        put_numbers(b, "chromaticities", "chromaticities", 8, primaries);
    put_name(b, "compression", "compression", 1);
    put(b, (const unsigned char[]){ZIP}, 1);
    put_window(b, "dataWindow", p);
    put_window(b, "displayWindow", p);
    if (p->info.history)
        put_text(b, "history", p->info.history);
    put_name(b, "lineOrder", "lineOrder", 1);
    put(b, "", 1); /* value of lineOrder: one byte 0, rows from top to bottom */
    put_numbers(b, "pixelAspectRatio", "float", 1, (const float[]){1});
    put_numbers(b, "screenWindowCenter", "v2f", 2, (const float[]){0, 0});
    put_numbers(b, "screenWindowWidth", "float", 1, (const float[]){1});
    put_text(b, "software", "nbrender " TOOL_VERSION);
    if (is_light(p))
        put_numbers(b, "whiteLuminance", "float", 1, (const float[]){WHITE});
    put(b, "", 1);
}

/* ---- pixels ---- */

/* Returns x as an IEEE 754 binary16 number, rounded to nearest even. Numbers above HALF_MOST become HALF_MOST. */
static uint16_t half_of(float x)
{
    uint32_t bits;
    const float size = fminf(fabsf(x), HALF_MOST);
    const uint16_t sign = x < 0 ? 0x8000 : 0;
    if (size < 0x1p-14f)
        return (uint16_t)(sign | (uint16_t)lrintf(size * 0x1p24f));
    memcpy(&bits, &size, sizeof bits);
    bits -= 112u << 23;
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | bits >> 13);
}

/* Writes row y, one channel after the other. */
static void put_row(struct bytes *b, const struct picture *p, int y)
{
    const float scale = p->info.white > 0 ? (float)(1 / p->info.white) : 0;
    const float *row = p->linear + (size_t)y * (size_t)p->width * (size_t)p->stride;
    unsigned char *to = extend(b, (size_t)p->width * (size_t)p->channels * (is_light(p) ? 2 : 4));
    for (int k = p->channels - 1; k >= 0 && to; k--)
        for (int x = 0; x < p->width; x++) {
            uint32_t bits;
            memcpy(&bits, &row[x * p->stride + k], sizeof bits);
            to = is_light(p) ? put_low(to, half_of(scale * row[x * p->stride + k]), 2) : put_low(to, bits, 4);
        }
}

/* Prepares bytes for compression as EXR's ZIP requires: bytes with even index come first, then bytes with odd index.
 * Each byte is replaced by its difference from the previous byte, plus 128. */
static void predict(const struct bytes *from, unsigned char *to)
{
    const size_t half = (from->size + 1) / 2;
    for (size_t k = 0; k < from->size; k++)
        to[k % 2 ? half + k / 2 : k / 2] = from->at[k];
    for (size_t k = from->size - 1; k > 0; k--)
        to[k] = (unsigned char)(to[k] - to[k - 1] + 128);
}

/* Writes the block of LINES rows that begins with row y. If compression does not make a block smaller, the block is
 * stored uncompressed. `raw` and `mixed` are work space. */
static void put_block(struct bytes *b, const struct picture *p, int y, struct bytes *raw, struct bytes *mixed)
{
    raw->size = mixed->size = 0;
    for (int line = y; line < y + LINES && line < p->height; line++)
        put_row(raw, p, line);
    uLongf size = compressBound((uLong)raw->size);
    unsigned char *to = extend(mixed, raw->size + size);
    if (raw->failed || !to) {
        b->failed = true;
        return;
    }
    predict(raw, to);
    /* Compression can fail only for lack of memory. */
    b->failed |= compress2(to + raw->size, &size, to, (uLong)raw->size, LEVEL) != Z_OK;
    const bool packed = size < raw->size;
    put_int(b, (uint32_t)y);
    put_int(b, (uint32_t)(packed ? size : raw->size));
    put(b, packed ? to + raw->size : raw->at, packed ? size : raw->size);
}

int exr_write(void *state, struct job *job)
{
    (void)state;
    const struct picture *p = &job->picture;
    struct bytes b = {0}, raw = {0}, mixed = {0};
    put_header(&b, p);
    const size_t table = b.size, blocks = (size_t)(p->height + LINES - 1) / LINES;
    extend(&b, 8 * blocks);
    for (size_t k = 0; k < blocks && !b.failed; k++) {
        const uint64_t offset = nb_little_endian_64(b.size);
        memcpy(b.at + table + 8 * k, &offset, sizeof offset);
        put_block(&b, p, (int)k * LINES, &raw, &mixed);
    }
    const int status =
        b.failed ? nb_fail("%s: no memory for the picture", tool_output_name(job->file)) : job_write(job, b.at, b.size);
    free(b.at);
    free(raw.at);
    free(mixed.at);
    return status;
}
