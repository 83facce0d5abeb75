/* PNG files (PNG Specification, third edition): 8 or 16 bits, with or without alpha, sRGB, the provenance as text. The
 * run-length strategy of zlib with the filter Up is several times faster than the defaults on these pictures, for a few
 * percent more bytes. */
#include "error.h"
#include "io.h"
#include "nbrender/output/dither.h"
#include "nbrender/output/output.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct sink {
    int fd;
    const char *name;
    int error_number; /* of a write that failed */
};

static void sink_write(png_structp png, png_bytep data, size_t size)
{
    struct sink *sink = png_get_io_ptr(png);
    if (nb_io_write(sink->fd, sink->name, data, size)) {
        sink->error_number = errno;
        png_error(png, strerror(errno));
    }
}

static void sink_flush(png_structp png)
{
    (void)png;
}

static void on_error(png_structp png, png_const_charp message)
{
    nb_fail("%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

/* ---- rows ---- */

/* The alpha of a pixel is its largest channel, and its colour is divided by that: over black it looks as without. */
static void fill_alpha(uint16_t pixel[4])
{
    uint16_t most = pixel[0] > pixel[1] ? pixel[0] : pixel[1];
    pixel[3] = most = most > pixel[2] ? most : pixel[2];
    for (int k = 0; k < 3 && most > 0; k++)
        pixel[k] = (uint16_t)((pixel[k] * (uint32_t)PICTURE_FULL + most / 2) / most);
}

__attribute__((noinline)) static void fill_row(const struct output_options *o, const struct picture *p, int y,
                                               png_bytep to)
{
    const size_t at = (size_t)y * (size_t)p->width;
    const int channels = o->alpha ? 4 : 3;
    const float *threshold[4];
    for (int k = 0; k < 4; k++) /* alpha is not dithered: what is opaque stays so */
        threshold[k] = dither_row(o->dither && k < 3, k, y);
    for (size_t x = 0; x < (size_t)p->width; x++) {
        uint16_t pixel[4] = {p->plane[0][at + x], p->plane[1][at + x], p->plane[2][at + x]};
        if (o->alpha)
            fill_alpha(pixel);
        for (int k = 0; k < channels; k++)
            if (o->depth == 16) {
                *to++ = (png_byte)(pixel[k] >> 8);
                *to++ = (png_byte)pixel[k];
            } else
                *to++ = (png_byte)(pixel[k] * (255.0f / PICTURE_FULL) + threshold[k][x % DITHER_SIDE]);
    }
}

/* ---- the file ---- */

static void write_head(png_structp png, png_infop info, const struct picture *p, const struct output_options *o)
{
    char software[] = "nbrender " TOOL_VERSION, software_key[] = "Software", history_key[] = "History";
    png_text text[2] = {{.compression = PNG_TEXT_COMPRESSION_NONE, .key = software_key, .text = software},
                        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = history_key, .text = p->info.history}};
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, o->depth == 16 ? 16 : 8,
                 o->alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_text(png, info, text, p->info.history ? 2 : 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_compression_strategy(png, Z_RLE);
    png_set_compression_buffer_size(png, 1 << 18);
    png_write_info(png, info);
}

static void encode(png_structp png, png_infop info, const struct picture *p, const struct output_options *o,
                   png_bytep row)
{
    write_head(png, info, p, o);
    for (int y = 0; y < p->height; y++) {
        fill_row(o, p, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
}

/* Alone in its function: what its caller reads after a jump back to here is none of the locals that the jump leaves
 * undefined. */
static int try_to_encode(png_structp png, png_infop info, const struct picture *p, const struct output_options *o,
                         png_bytep row, struct sink *sink)
{
    if (setjmp(png_jmpbuf(png)))
        return -1;
    png_set_write_fn(png, sink, sink_write, sink_flush);
    encode(png, info, p, o, row);
    return 0;
}

int png_write(void *state, struct job *job)
{
    const struct output_options *o = ((struct series *)state)->options;
    struct sink sink = {.fd = tool_output_fd(job->file), .name = tool_output_name(job->file)};
    png_bytep row = malloc(8 * (size_t)job->picture.width);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int status = !info || !row ? nb_fail("no memory") : try_to_encode(png, info, &job->picture, o, row, &sink);
    png_destroy_write_struct(&png, &info);
    free(row);
    if (status)
        nb_fail("%s: cannot be written: %s", tool_output_name(job->file), nb_error());
    errno = sink.error_number;
    return status;
}
