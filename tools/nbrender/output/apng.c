/* Animated PNG (PNG Specification, third edition, section 11.3.6). The first picture is stored as in a plain PNG file,
 * so that programs without animation show it. Later pictures are in separate chunks. */
#include "base/io.h"
#include "nbrender/nbrender.h"
#include "nbrender/output/png.h"

#include <errno.h>
#include <unistd.h>

#define DELAY_MOST 65535
/* offset in the file of the chunk acTL (number of pictures), after the PNG signature and the PNG header */
#define COUNT_BEGIN (8 + 25)

struct apng {
    struct png_file file;
    const struct output_options *options;
    struct png_work *work;
    uint32_t count, sequence; /* count: number of pictures; sequence: number of chunks with a sequence number */
    uint32_t delay_num, delay_den;
};

/* Dies unless the path is a regular file. Other files are not possible, because the number of pictures is written near
 * the beginning of the file after the last picture. */
void apng_check(const struct output_kind *kind, const char *path, struct render_options *o)
{
    (void)kind, (void)o;
    if (!tool_is_regular(path))
        die_usage("-o %s: an APNG needs a regular file, not a pipe or a device", path);
}

void *apng_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o)
{
    (void)kind, (void)path;
    struct apng *a = claimed(calloc(1, sizeof *a), "no memory for the film");
    *a = (struct apng){.file = {tool_output_fd(file), tool_output_name(file)},
                       .options = &o->output,
                       .delay_num = o->output.fps_den,
                       .delay_den = o->output.fps_num};
    if (a->delay_den > DELAY_MOST) {
        a->delay_num = (uint32_t)lround((double)DELAY_MOST * o->output.fps_den / o->output.fps_num);
        a->delay_den = DELAY_MOST;
    }
    a->work = claimed(png_work_create(&o->output, o->width), "no memory for the film");
    return a;
}

/* Writes the chunk acTL: the number of pictures, and 0 for endless repetition. The number of pictures is 0 until the
 * film is complete. All readers reject a file with 0 pictures. */
static int write_count(const struct apng *a, uint32_t count)
{
    unsigned char data[8] = {0};
    png_put_number(data, count);
    return png_write_small(&a->file, "acTL", data, sizeof data);
}

static int write_begin(const struct apng *a, const struct picture *p)
{
    return png_write_signature(&a->file, p, a->options) || write_count(a, 0) || png_write_notes(&a->file, p) ? -1 : 0;
}

/* Writes the chunk fcTL, which precedes a picture: its size, position (0, 0) and duration. */
static int write_control(struct apng *a, const struct picture *p)
{
    unsigned char data[26] = {0};
    png_put_number(data, a->sequence++);
    png_put_number(data + 4, (uint32_t)p->width);
    png_put_number(data + 8, (uint32_t)p->height);
    png_put_number(data + 20, a->delay_num << 16 | a->delay_den);
    return png_write_small(&a->file, "fcTL", data, sizeof data);
}

int apng_write(void *state, struct job *job)
{
    struct apng *a = state;
    const struct picture *p = &job->picture;
    if ((a->count == 0 && write_begin(a, p)) || write_control(a, p) ||
        png_write_pixels(&a->file, a->work, p, a->count > 0 ? &a->sequence : NULL))
        return -1;
    a->count++;
    return 0;
}

void apng_close(void *state)
{
    struct apng *a = state;
    if (png_write_small(&a->file, "IEND", "", 0))
        tool_output_failed();
    if (lseek(a->file.fd, COUNT_BEGIN, SEEK_SET) < 0)
        die("%s: cannot be written: %s", a->file.name, strerror(errno));
    if (write_count(a, a->count))
        tool_output_failed();
    png_work_destroy(a->work);
    free(a);
}
