/* PNG files. The run-length strategy of zlib with the filter Sub is several times faster than the defaults on pictures
 * of many small spots, for a few percent more bytes. */
#include "error.h"
#include "io.h"
#include "nbrender/output/output.h"

#include <ctype.h>
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct png_files { /* the name of a file is prefix, number (if numbered), suffix */
    char *prefix, *suffix;
    bool numbered, zeros;
    int digits;
};

/* ---- names ---- */

/* Reads a conversion %d, %5d or %05d behind the percent sign; its length, or 0. */
static size_t parse_conversion(const char *text, struct png_files *files)
{
    const char *c = text;
    files->zeros = *c == '0';
    for (files->digits = 0; isdigit((unsigned char)*c) && c < text + 3; c++)
        files->digits = 10 * files->digits + (*c - '0');
    return *c == 'd' && files->digits <= 20 ? (size_t)(c - text) + 1 : 0;
}

/* Splits the name at the frame's number. False: a percent sign that is neither %% nor the one %d. */
static bool parse_name(const char *path, struct png_files *files)
{
    size_t size = strlen(path) + 1;
    char *to = files->prefix = calloc(size, 1);
    files->suffix = calloc(size, 1);
    if (!to || !files->suffix)
        die("no memory");
    for (const char *c = path; *c; c++) {
        if (*c == '%' && c[1] == '%')
            *to++ = *c++;
        else if (*c != '%')
            *to++ = *c;
        else {
            size_t length = files->numbered ? 0 : parse_conversion(c + 1, files);
            if (!length)
                return false;
            files->numbered = true;
            to = files->suffix;
            c += length;
        }
    }
    return true;
}

static void free_files(struct png_files *files)
{
    free(files->prefix);
    free(files->suffix);
    free(files);
}

bool png_is_single(const char *path)
{
    struct png_files *files = calloc(1, sizeof *files);
    if (!files)
        die("no memory");
    bool good = parse_name(path, files), numbered = files->numbered;
    free_files(files);
    if (!good)
        die_usage("-o %s: a name has one place for the frame's number, such as %%05d, and no other %% but %%%%", path);
    return !numbered;
}

void *png_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o)
{
    (void)kind, (void)file, (void)o;
    struct png_files *files = calloc(1, sizeof *files);
    if (!files)
        die("no memory");
    parse_name(path, files);
    if (!files->numbered)
        tool_output_check(files->prefix, true);
    return files;
}

void png_give(void *state, struct job *job)
{
    const struct png_files *files = state;
    char *name;
    int length = !files->numbered ? asprintf(&name, "%s", files->prefix)
                 : files->zeros
                     ? asprintf(&name, "%s%0*lld%s", files->prefix, files->digits, (long long)job->frame, files->suffix)
                     : asprintf(&name, "%s%*lld%s", files->prefix, files->digits, (long long)job->frame, files->suffix);
    if (length < 0)
        die("no memory");
    job->file = tool_output_open(name, true);
    free(name);
}

void png_take(void *state, struct job *job)
{
    (void)state;
    tool_output_close(job->file);
}

void png_close(void *state)
{
    free_files(state);
}

/* ---- bytes ---- */

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

static void encode(png_structp png, png_infop info, const struct picture *p, png_bytep row)
{
    size_t width = (size_t)p->width;
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_strategy(png, Z_RLE);
    png_set_compression_buffer_size(png, 1 << 18);
    png_write_info(png, info);
    for (size_t y = 0; y < (size_t)p->height; y++) {
        const uint16_t *red = p->plane[0] + y * width, *green = p->plane[1] + y * width;
        const uint16_t *blue = p->plane[2] + y * width;
        for (size_t x = 0; x < width; x++)
            row[3 * x] = picture_byte(red[x]), row[3 * x + 1] = picture_byte(green[x]),
                    row[3 * x + 2] = picture_byte(blue[x]);
        png_write_row(png, row);
    }
    png_write_end(png, info);
}

/* Alone in its function: what its caller reads after a jump back to here is none of the locals that the jump leaves
 * undefined. */
static int try_to_encode(png_structp png, png_infop info, const struct picture *p, png_bytep row, struct sink *sink)
{
    if (setjmp(png_jmpbuf(png)))
        return -1;
    png_set_write_fn(png, sink, sink_write, sink_flush);
    encode(png, info, p, row);
    return 0;
}

int png_write(void *state, struct job *job)
{
    (void)state;
    struct sink sink = {.fd = tool_output_fd(job->file), .name = tool_output_name(job->file)};
    png_bytep row = malloc(3 * (size_t)job->picture.width);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int status = !info || !row ? nb_fail("no memory") : try_to_encode(png, info, &job->picture, row, &sink);
    png_destroy_write_struct(&png, &info);
    free(row);
    if (status)
        nb_fail("%s: cannot be written: %s", tool_output_name(job->file), nb_error());
    errno = sink.error_number;
    return status;
}
