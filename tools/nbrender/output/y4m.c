/* Writes YUV4MPEG2: a line of text, then for each picture a line and the planes Y', Cb, Cr.
 *
 * - The colours are BT.709 in limited range (ITU-R BT.709-6, sections 3.2 to 3.5): Y' = 0.2126 R + 0.7152 G + 0.0722 B,
 *   Cb = (B - Y')/1.8556, Cr = (R - Y')/1.5748. HDR uses the matrix of ITU-R BT.2020-2, non-constant luminance.
 * - With 8 bits, luma has the levels 16 to 235 and chroma 16 to 240. With 10 bits, all levels are four times as large,
 *   and a sample has two bytes, little-endian.
 * - With 4:2:0, there is one chroma sample for 2 x 2 pixels. Horizontally it is at the centre of the left two pixels,
 *   vertically between the upper and the lower pixels, as in MPEG-2 (C420mpeg2). */
#include "base/io.h"
#include "base/memory.h"
#include "nbrender/nbrender.h"
#include "simd/samples.h"

#define FRAME_LINE "FRAME\n"
#define FRAME_SIZE (sizeof FRAME_LINE - 1)
_Static_assert(NB_SAMPLES_CHUNK == DITHER_SIDE, "");

struct matrix { /* weights of the channels in luma */
    double red, green, blue;
};
static const struct matrix bt709 = {0.2126, 0.7152, 0.0722}, bt2020 = {0.2627, 0.6780, 0.0593};

struct y4m {
    int fd;
    char *name;
    int width, height;
    int chroma_width, chroma_height;
    int bytes; /* bytes of a sample */
    const struct matrix *matrix;
    bool dithered;
    bool begun;
    char header[128];
    unsigned char *frame; /* FRAME_LINE and then the three planes of a picture */
    size_t frame_size;
};

void *y4m_create(int fd, const char *name, const struct render_options *o, int chroma)
{
    const bool full = chroma == 444;
    const int depth = o->output.depth ? o->output.depth : 8;
    struct y4m *y = claimed(calloc(1, sizeof *y), "no memory for the film");
    *y = (struct y4m){
        .fd = fd, .name = claimed(strdup(name), "no memory for the film"), .width = o->width, .height = o->height};
    y->chroma_width = full ? o->width : o->width / 2;
    y->chroma_height = full ? o->height : o->height / 2;
    y->bytes = depth > 8 ? 2 : 1;
    y->dithered = depth == 8;
    y->matrix = o->output.hdr ? &bt2020 : &bt709;
    y->frame_size = FRAME_SIZE + (size_t)y->bytes * ((size_t)o->width * (size_t)o->height +
                                                     2 * (size_t)y->chroma_width * (size_t)y->chroma_height);
    y->frame = claimed(malloc(y->frame_size), "no memory for the film");
    nb_memory_large_pages(y->frame, y->frame_size);
    memcpy(y->frame, FRAME_LINE, FRAME_SIZE);
    const char *format =
        depth == 8 ? (full ? "444" : "420mpeg2") : (full ? "444p10 XYSCSS=444P10" : "420p10 XYSCSS=420P10");
    snprintf(y->header, sizeof y->header, "YUV4MPEG2 W%d H%d F%u:%u Ip A1:1 C%s XCOLORRANGE=LIMITED\n", o->width,
             o->height, o->output.fps_num, o->output.fps_den, format);
    return y;
}

void y4m_close(void *state)
{
    struct y4m *y = state;
    free(y->name);
    free(y->frame);
    free(y);
}

/* ---- colours ---- */

static struct nb_samples_mix luma_weights(const struct matrix *m, int bytes)
{
    const float unit = bytes == 2 ? 4 : 1, range = 219 * unit / PICTURE_FULL;
    return (struct nb_samples_mix){(float)m->red * range, (float)m->green * range, (float)m->blue * range, 16 * unit};
}

/* Returns the factors of red, green and blue in a chroma sample (Cr if `is_red`, otherwise Cb). With 4:2:0, a sample is
 * a weighted sum over several pixels (mix_pairs). `pixels` is the sum of the weights; all factors are divided by it.
 * With 4:4:4, `pixels` is 1. */
static struct nb_samples_mix chroma_weights(const struct matrix *m, int bytes, bool is_red, float pixels)
{
    const double rest = 1 - (is_red ? m->red : m->blue);
    const float unit = bytes == 2 ? 4 : 1, range = 224 * unit / PICTURE_FULL / pixels / (float)(2 * rest);
    const float red = (float)(is_red ? rest : -m->red), blue = (float)(is_red ? -m->blue : 1 - m->blue);
    return (struct nb_samples_mix){red * range, (float)-m->green * range, blue * range, 128 * unit};
}

static unsigned char *plane_of(const struct y4m *y, int k)
{
    size_t luma = (size_t)y->width * (size_t)y->height, chroma = (size_t)y->chroma_width * (size_t)y->chroma_height;
    return y->frame + FRAME_SIZE + (size_t)y->bytes * (k == 0 ? 0 : k == 1 ? luma : luma + chroma);
}

static void *row_of(const struct y4m *y, int plane, int row)
{
    const int width = plane == 0 ? y->width : y->chroma_width;
    return plane_of(y, plane) + (size_t)row * (size_t)width * (size_t)y->bytes;
}

static void find_levels(const struct picture *p, int row, const uint16_t *level[3])
{
    for (int k = 0; k < 3; k++)
        level[k] = p->plane[k] + (size_t)row * (size_t)p->width;
}

/* Fills in row `row` of both chroma planes from two rows of the picture. `upper` and `lower` are the channels of these
 * two rows. */
static void fill_chroma(const struct y4m *y, const struct nb_samples_set *samples, const struct nb_samples_mix mix[2],
                        const uint16_t *const upper[3], const uint16_t *const lower[3], int row)
{
    const float *const threshold[2] = {dither_row(y->dithered, 1, row), dither_row(y->dithered, 2, row)};
    void *const to[2] = {row_of(y, 1, row), row_of(y, 2, row)};
    samples->mix_pairs(mix, upper, lower, y->chroma_width, threshold, y->bytes, to);
}

static void fill_frame(struct y4m *y, const struct picture *p)
{
    const bool full = y->chroma_height == y->height;
    const struct nb_samples_set *samples = nb_samples();
    const struct nb_samples_mix mix[3] = {luma_weights(y->matrix, y->bytes),
                                          chroma_weights(y->matrix, y->bytes, false, full ? 1 : 8),
                                          chroma_weights(y->matrix, y->bytes, true, full ? 1 : 8)};
    const uint16_t *upper[3], *level[3];
    for (int row = 0; row < y->height; row++) {
        find_levels(p, row - row % 2, upper);
        find_levels(p, row, level);
        for (int k = 0; k < (full ? 3 : 1); k++)
            samples->mix(&mix[k], level, y->width, dither_row(y->dithered, k, row), y->bytes, row_of(y, k, row));
        if (!full && row % 2)
            fill_chroma(y, samples, &mix[1], upper, level, row / 2);
    }
}

/* ---- writing ---- */

int y4m_put(void *state, const struct picture *picture)
{
    struct y4m *y = state;
    if (!y->begun && nb_io_write(y->fd, y->name, y->header, strlen(y->header)))
        return -1;
    y->begun = true;
    fill_frame(y, picture);
    return nb_io_write(y->fd, y->name, y->frame, y->frame_size);
}

int y4m_write(void *state, struct job *job)
{
    return y4m_put(state, &job->picture);
}

/* ---- the format ---- */

void *y4m_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o)
{
    (void)path;
    return y4m_create(tool_output_fd(file), tool_output_name(file), o, output_chroma(kind, o));
}
