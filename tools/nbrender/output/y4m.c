/* YUV4MPEG2: a line of text, then for each picture a line and the planes Y', Cb, Cr; with 10 bits two bytes a sample,
 * the lower one first.
 *
 * BT.709 in limited range (ITU-R BT.709-6, sections 3.2 to 3.5): Y' = 0.2126 R + 0.7152 G + 0.0722 B,
 * Cb = (B - Y')/1.8556, Cr = (R - Y')/1.5748; of 8 bits, levels 16 to 235 and 16 to 240 are used, of 10 four times
 * these. With 4:2:0 a chroma sample is sited at the even pixels' column and between two rows, where players of MPEG
 * films expect it (C420mpeg2). */
#include "io.h"
#include "nbrender/output/dither.h"
#include "nbrender/output/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_LINE "FRAME\n"
#define FRAME_SIZE (sizeof FRAME_LINE - 1)
#define CHUNK      DITHER_SIDE /* pixels at once */

struct y4m {
    int fd;
    char *name;
    int width, height;
    int chroma_width, chroma_height;
    int bytes; /* of a sample */
    bool dithered;
    bool begun;
    char header[128];
    unsigned char *frame; /* line and planes */
    size_t frame_size;
    float *sum[3]; /* of the pixels about each chroma sample in a row, red, green, blue */
};

static const char *format_word(int depth, bool full)
{
    return depth == 8 ? (full ? "444" : "420mpeg2") : (full ? "444p10 XYSCSS=444P10" : "420p10 XYSCSS=420P10");
}

struct y4m *y4m_create(int fd, const char *name, const struct render_options *o, int chroma)
{
    const bool full = chroma == 444;
    const int depth = o->output.depth ? o->output.depth : 8;
    struct y4m *y = calloc(1, sizeof *y);
    if (!y)
        die("no memory for the film");
    *y = (struct y4m){.fd = fd, .name = strdup(name), .width = o->width, .height = o->height};
    y->chroma_width = full ? o->width : o->width / 2;
    y->chroma_height = full ? o->height : o->height / 2;
    y->bytes = depth > 8 ? 2 : 1;
    y->dithered = depth == 8;
    y->frame_size = FRAME_SIZE + (size_t)y->bytes * ((size_t)o->width * (size_t)o->height +
                                                     2 * (size_t)y->chroma_width * (size_t)y->chroma_height);
    y->frame = malloc(y->frame_size);
    bool none = !y->frame || !y->name;
    for (int k = 0; k < 3; k++)
        none |= !(y->sum[k] = malloc(((size_t)o->width + CHUNK) * sizeof(float)));
    if (none)
        die("no memory for the film");
    memcpy(y->frame, FRAME_LINE, FRAME_SIZE);
    snprintf(y->header, sizeof y->header, "YUV4MPEG2 W%d H%d F%u:%u Ip A1:1 C%s XCOLORRANGE=LIMITED\n", o->width,
             o->height, o->output.fps_num, o->output.fps_den, format_word(depth, full));
    return y;
}

void y4m_destroy(struct y4m *y)
{
    free(y->name);
    free(y->frame);
    for (int k = 0; k < 3; k++)
        free(y->sum[k]);
    free(y);
}

/* ---- colours ---- */

struct weights { /* sample = zero + red R + green G + blue B, of levels up to PICTURE_FULL */
    float red, green, blue, zero;
};

static struct weights luma_weights(int bytes)
{
    const float unit = bytes == 2 ? 4 : 1, range = 219 * unit / PICTURE_FULL;
    return (struct weights){0.2126f * range, 0.7152f * range, 0.0722f * range, 16 * unit};
}

/* `pixels` is the sum of the weights in the sums that the samples are made of. */
static struct weights chroma_weights(int bytes, bool is_red, float pixels)
{
    const float unit = bytes == 2 ? 4 : 1;
    const float range = 224 * unit / PICTURE_FULL / pixels / (is_red ? 1.5748f : 1.8556f);
    return is_red ? (struct weights){0.7874f * range, -0.7152f * range, -0.0722f * range, 128 * unit}
                  : (struct weights){-0.2126f * range, -0.7152f * range, 0.9278f * range, 128 * unit};
}

/* `n` samples from sums of pixels; both loops are alike but for the type they write. */
static void sample_row(const struct weights *w, const float *restrict r, const float *restrict g,
                       const float *restrict b, int n, const float *restrict threshold, int bytes,
                       void *restrict samples)
{
    unsigned char *byte = samples;
    uint16_t *word = samples;
    for (int x0 = 0; x0 < n; x0 += CHUNK) {
        int level[CHUNK], count = n - x0 < CHUNK ? n - x0 : CHUNK;
        for (int k = 0; k < CHUNK; k++)
            level[k] = (int)(w->zero + threshold[k] + w->red * r[x0 + k] + w->green * g[x0 + k] + w->blue * b[x0 + k]);
        for (int k = 0; k < count && bytes == 1; k++)
            byte[x0 + k] = (unsigned char)level[k];
        for (int k = 0; k < count && bytes == 2; k++)
            word[x0 + k] = (uint16_t)level[k];
    }
}

static void widen(const uint16_t *restrict from, int n, float *restrict to)
{
    for (int x = 0; x < n; x++)
        to[x] = from[x];
}

/* Sums over two rows and, with weights 1 2 1, over three columns about each even one: 8 times the mean. */
static void chroma_sums(const uint16_t *restrict upper, const uint16_t *restrict lower, int width, float *restrict sum)
{
    sum[0] = (float)(3 * (upper[0] + lower[0]) + upper[1] + lower[1]);
    for (int x = 1; x < width / 2; x++)
        sum[x] = (float)(upper[2 * x - 1] + 2 * upper[2 * x] + upper[2 * x + 1] + lower[2 * x - 1] + 2 * lower[2 * x] +
                         lower[2 * x + 1]);
}

static unsigned char *plane_of(const struct y4m *y, int k)
{
    size_t luma = (size_t)y->width * (size_t)y->height, chroma = (size_t)y->chroma_width * (size_t)y->chroma_height;
    return y->frame + FRAME_SIZE + (size_t)y->bytes * (k == 0 ? 0 : k == 1 ? luma : luma + chroma);
}

static void fill_rows(struct y4m *y, int plane, struct weights w, int row, int width)
{
    sample_row(&w, y->sum[0], y->sum[1], y->sum[2], width, dither_row(y->dithered, plane, row), y->bytes,
               plane_of(y, plane) + (size_t)row * (size_t)width * (size_t)y->bytes);
}

static void fill_frame(struct y4m *y, const struct picture *p)
{
    const bool full = y->chroma_height == y->height;
    const struct weights luma = luma_weights(y->bytes), cb = chroma_weights(y->bytes, false, full ? 1 : 8),
                         cr = chroma_weights(y->bytes, true, full ? 1 : 8);
    const size_t width = (size_t)y->width;
    for (int row = 0; row < y->height; row++) {
        for (int k = 0; k < 3; k++)
            widen(p->plane[k] + (size_t)row * width, y->width, y->sum[k]);
        fill_rows(y, 0, luma, row, y->width);
        if (!full && row % 2 == 0)
            continue;
        for (int k = 0; k < 3 && !full; k++)
            chroma_sums(p->plane[k] + (size_t)(row - 1) * width, p->plane[k] + (size_t)row * width, y->width,
                        y->sum[k]);
        fill_rows(y, 1, cb, full ? row : row / 2, y->chroma_width);
        fill_rows(y, 2, cr, full ? row : row / 2, y->chroma_width);
    }
}

/* ---- bytes ---- */

int y4m_put(struct y4m *y, const struct picture *p)
{
    if (!y->begun && nb_io_write(y->fd, y->name, y->header, strlen(y->header)))
        return -1;
    y->begun = true;
    fill_frame(y, p);
    return nb_io_write(y->fd, y->name, y->frame, y->frame_size);
}

/* ---- the kind ---- */

void *y4m_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o)
{
    (void)path;
    return y4m_create(tool_output_fd(file), tool_output_name(file), o, output_chroma(kind, o));
}

int y4m_write(void *state, struct job *job)
{
    return y4m_put(state, &job->picture);
}

void y4m_close(void *state)
{
    y4m_destroy(state);
}
