/* YUV4MPEG2: a line of text, then for each picture a line and the planes Y', Cb, Cr.
 *
 * BT.709 in limited range (ITU-R BT.709-6, sections 3.2 to 3.5, 8 bits): Y' = 0.2126 R + 0.7152 G + 0.0722 B,
 * Cb = (B - Y')/1.8556, Cr = (R - Y')/1.5748. A chroma sample is sited at the even pixels' column and between two rows,
 * where players of MPEG films expect it (C420mpeg2). */
#include "io.h"
#include "nbrender/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_LINE "FRAME\n"
#define FRAME_SIZE (sizeof FRAME_LINE - 1)

struct y4m {
    int fd;
    char *name;
    int width, height;
    bool begun;
    char header[128];
    unsigned char *frame; /* line and planes */
    size_t frame_size;
};

struct y4m *y4m_create(int fd, const char *name, const struct render_options *o)
{
    struct y4m *y = calloc(1, sizeof *y);
    size_t pixels = (size_t)o->width * (size_t)o->height;
    if (!y)
        die("no memory for the film");
    *y = (struct y4m){.fd = fd, .name = strdup(name), .width = o->width, .height = o->height};
    y->frame_size = FRAME_SIZE + pixels + pixels / 2;
    y->frame = malloc(y->frame_size);
    if (!y->frame || !y->name)
        die("no memory for the film");
    memcpy(y->frame, FRAME_LINE, FRAME_SIZE);
    snprintf(y->header, sizeof y->header, "YUV4MPEG2 W%d H%d F%u:%u Ip A1:1 C420mpeg2 XCOLORRANGE=LIMITED\n", o->width,
             o->height, o->fps_num, o->fps_den);
    return y;
}

void y4m_destroy(struct y4m *y)
{
    free(y->name);
    free(y->frame);
    free(y);
}

/* ---- colours ---- */

#define FIXED(x) ((int)((x)*65536 + ((x) < 0 ? -0.5 : 0.5)))

static void luma_row(const uint16_t *restrict r, const uint16_t *restrict g, const uint16_t *restrict b, int width,
                     unsigned char *restrict luma)
{
    const double range = 219.0 / 255;
    const int kr = FIXED(0.2126 * range), kg = FIXED(0.7152 * range), kb = FIXED(0.0722 * range);
    for (int x = 0; x < width; x++)
        luma[x] = (unsigned char)((kr * picture_byte(r[x]) + kg * picture_byte(g[x]) + kb * picture_byte(b[x]) +
                                   (16 << 16) + (1 << 15)) >>
                                  16);
}

/* Sums over two rows and, with weights 1 2 1, over three columns about each even one: 8 times the mean. */
static void chroma_sums(const uint16_t *restrict upper, const uint16_t *restrict lower, int width,
                        unsigned short *restrict sum)
{
    sum[0] = (unsigned short)(3 * (upper[0] + lower[0]) + upper[1] + lower[1]);
    for (int x = 1; x < width / 2; x++)
        sum[x] = (unsigned short)(upper[2 * x - 1] + 2 * upper[2 * x] + upper[2 * x + 1] + lower[2 * x - 1] +
                                  2 * lower[2 * x] + lower[2 * x + 1]);
}

static void chroma_row(const unsigned short *restrict r, const unsigned short *restrict g,
                       const unsigned short *restrict b, int width, unsigned char *restrict cb,
                       unsigned char *restrict cr)
{
    const double range = 224.0 / 255 / 8, blue = range / 1.8556, red = range / 1.5748;
    const int br = FIXED(-0.2126 * blue), bg = FIXED(-0.7152 * blue), bb = -(br + bg);
    const int rg = FIXED(-0.7152 * red), rb = FIXED(-0.0722 * red), rr = -(rg + rb);
    for (int x = 0; x < width; x++) {
        cb[x] = (unsigned char)((br * r[x] + bg * g[x] + bb * b[x] + (128 << 16) + (1 << 15)) >> 16);
        cr[x] = (unsigned char)((rr * r[x] + rg * g[x] + rb * b[x] + (128 << 16) + (1 << 15)) >> 16);
    }
}

static void fill_chroma(const struct picture *p, unsigned char *cb, unsigned char *cr)
{
    unsigned short sum[3][RENDER_SIZE_MAX / 2];
    size_t width = (size_t)p->width, half = width / 2;
    for (size_t y = 0; y < (size_t)p->height / 2; y++) {
        for (int k = 0; k < 3; k++)
            chroma_sums(p->plane[k] + 2 * y * width, p->plane[k] + (2 * y + 1) * width, p->width, sum[k]);
        chroma_row(sum[0], sum[1], sum[2], (int)half, cb + y * half, cr + y * half);
    }
}

/* ---- bytes ---- */

int y4m_put(struct y4m *y, const struct picture *p)
{
    size_t width = (size_t)p->width, pixels = width * (size_t)p->height;
    unsigned char *luma = y->frame + FRAME_SIZE;
    if (!y->begun && nb_io_write(y->fd, y->name, y->header, strlen(y->header)))
        return -1;
    y->begun = true;
    for (size_t row = 0; row < (size_t)p->height; row++) {
        size_t at = row * width;
        luma_row(p->plane[0] + at, p->plane[1] + at, p->plane[2] + at, p->width, luma + at);
    }
    fill_chroma(p, luma + pixels, luma + pixels + pixels / 4);
    return nb_io_write(y->fd, y->name, y->frame, y->frame_size);
}

/* ---- the kind ---- */

void *y4m_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o)
{
    (void)kind, (void)path;
    return y4m_create(tool_output_fd(file), tool_output_name(file), o);
}

int y4m_write(void *state, struct job *job)
{
    return y4m_put(state, &job->picture);
}

void y4m_close(void *state)
{
    y4m_destroy(state);
}
