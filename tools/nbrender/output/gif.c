/* Writes GIF films (version 89a) with one palette, chosen from the first pictures. Pixels that did not change since the
 * previous picture are transparent. */
#include "base/io.h"
#include "nbrender/nbrender.h"
#include "nbrender/output/lzw.h"
#include "nbrender/output/palette.h"

#define FPS_LEAST 0.002 /* minimum pictures per second: the time of a picture in 1/100 s must fit into 16 bits */
#define FPS_MOST  50    /* maximum pictures per second: players replace delays below 2/100 s by 10/100 s */
/* The palette is chosen from at most HELD_MOST pictures, which together have at most about HELD_BYTES bytes. */
#define HELD_BYTES  ((size_t)1 << 28)
#define HELD_MOST   1000
#define TRANSPARENT PALETTE_MAX
#define HEAD_BYTES  (13 + 3 * (PALETTE_MAX + 1) + 19)
#define FRAME_BYTES 18 /* number of bytes of a picture before its pixels */

struct gif {
    int fd;
    const char *name;
    int width, height;
    double picture_cs; /* duration of a picture, 1/100 s */
    long long count;   /* number of pictures written */
    struct palette palette;
    struct mixer *mixer; /* NULL: no palette yet */
    uint8_t **held;      /* pictures that wait until the palette is chosen; 3 bytes per pixel */
    int held_count, held_most;
    struct lzw *lzw;
    /* palette indices of the pixels: `shown` of the previous picture, `numbers` of the current picture */
    uint8_t *shown, *numbers;
    uint8_t *bytes;
};

void gif_check(const struct output_kind *kind, const char *path, struct render_options *o)
{
    const double fps = (double)o->output.fps_num / o->output.fps_den;
    (void)kind, (void)path;
    if (fps > FPS_MOST || fps < FPS_LEAST)
        die_usage("--fps: a GIF can have from %g to %d pictures a second", FPS_LEAST, FPS_MOST);
}

void *gif_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o)
{
    (void)kind, (void)path;
    const size_t pixels = (size_t)o->width * (size_t)o->height;
    struct gif *g = claimed(calloc(1, sizeof *g), "no memory for the film");
    *g = (struct gif){.fd = tool_output_fd(file),
                      .name = tool_output_name(file),
                      .width = o->width,
                      .height = o->height,
                      .picture_cs = 100.0 * o->output.fps_den / o->output.fps_num,
                      .held_most = (int)(HELD_BYTES / (3 * pixels)) + 1};
    g->held_most = g->held_most < HELD_MOST ? g->held_most : HELD_MOST;
    g->held = claimed(calloc((size_t)g->held_most, sizeof *g->held), "no memory for the film");
    g->lzw = claimed(lzw_begin(), "no memory for the film");
    g->shown = claimed(calloc(pixels, 1), "no memory for the film");
    g->numbers = claimed(malloc(pixels), "no memory for the film");
    g->bytes = claimed(malloc(FRAME_BYTES + LZW_MOST(pixels)), "no memory for the film");
    return g;
}

static uint8_t *put_short(uint8_t *to, int number)
{
    *to++ = (uint8_t)number;
    *to++ = (uint8_t)(number >> 8);
    return to;
}

/* Writes the header, the palette, and the block (NETSCAPE2.0) that makes players repeat the film forever. */
static int write_head(const struct gif *g)
{
    uint8_t head[HEAD_BYTES] = "GIF89a", *to = put_short(head + 6, g->width);
    to = put_short(to, g->height);
    *to = 0xf7; /* flags: the palette has 256 colours, with 8 bits per channel */
    to += 3;
    memcpy(to, g->palette.colour, sizeof g->palette.colour);
    memcpy(to + 3 * (PALETTE_MAX + 1), "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0", 19);
    return nb_io_write(g->fd, g->name, head, sizeof head);
}

/* Returns the time at which picture k ends, in 1/100 s from the beginning of the film. */
static long long end_of(const struct gif *g, long long k)
{
    return llround((double)(k + 1) * g->picture_cs);
}

/* Writes the picture in g->numbers. A player draws it over the previous picture. */
static int write_frame(struct gif *g)
{
    const int delay = (int)(end_of(g, g->count) - end_of(g, g->count - 1));
    uint8_t *to = g->bytes;
    /* The byte 0x05 contains flags: the next picture is drawn over this picture, and one colour is transparent. */
    memcpy(to, "\x21\xf9\x04\x05", 4);
    to = put_short(to + 4, delay);
    *to++ = TRANSPARENT;
    *to++ = 0;
    *to++ = 0x2c;
    to = put_short(put_short(to, 0), 0);
    to = put_short(put_short(to, g->width), g->height);
    *to++ = 0;
    to += lzw_pack(g->lzw, g->numbers, (size_t)g->width * (size_t)g->height, to);
    g->count++;
    return nb_io_write(g->fd, g->name, g->bytes, (size_t)(to - g->bytes));
}

/* Sets pixels of g->numbers to TRANSPARENT if they have the same colour as in the previous picture. Stores the palette
 * indices of all pixels in g->shown. */
static void compare(struct gif *g)
{
    const size_t pixels = (size_t)g->width * (size_t)g->height;
    for (size_t k = 0; k < pixels; k++) {
        const uint8_t number = g->numbers[k], before = g->shown[k];
        g->shown[k] = number;
        g->numbers[k] = number == before && g->count > 0 ? TRANSPARENT : number;
    }
}

static int write_picture(struct gif *g, const uint8_t *colours)
{
    for (int y = 0; y < g->height; y++) {
        const size_t at = (size_t)y * (size_t)g->width;
        mixer_row(g->mixer, colours + 3 * at, g->width, y, g->numbers + at);
    }
    compare(g);
    return write_frame(g);
}

/* Chooses the palette from the pictures in g->held, then writes these pictures. */
static int begin(struct gif *g)
{
    const size_t pixels = (size_t)g->width * (size_t)g->height;
    if (palette_choose(&g->palette, (const uint8_t *const *)g->held, g->held_count, pixels))
        return nb_fail("%s: %s", g->name, nb_error());
    if (write_head(g))
        return -1;
    if (!(g->mixer = mixer_create(&g->palette)))
        return nb_fail("%s: no memory for the film", g->name);
    int status = 0;
    for (int k = 0; k < g->held_count; k++) {
        status = status ? status : write_picture(g, g->held[k]);
        free(g->held[k]);
    }
    g->held_count = 0;
    return status;
}

/* Returns the colours of a picture, 3 bytes per pixel. The caller frees them. Returns NULL if there is no memory. */
static uint8_t *colours_of(const struct picture *p)
{
    const size_t pixels = (size_t)p->width * (size_t)p->height;
    uint8_t *colours = malloc(3 * pixels);
    for (size_t k = 0; k < pixels && colours; k++)
        for (int d = 0; d < 3; d++)
            colours[3 * k + (size_t)d] = (uint8_t)((p->plane[d][k] + 128) / 257);
    return colours;
}

int gif_write(void *state, struct job *job)
{
    struct gif *g = state;
    uint8_t *colours = colours_of(&job->picture);
    if (!colours)
        return nb_fail("%s: no memory for the film", g->name);
    if (!g->mixer) {
        g->held[g->held_count++] = colours;
        return g->held_count < g->held_most ? 0 : begin(g);
    }
    const int status = write_picture(g, colours);
    free(colours);
    return status;
}

void gif_close(void *state)
{
    struct gif *g = state;
    const uint8_t trailer = 0x3b;
    if ((!g->mixer && begin(g)) || nb_io_write(g->fd, g->name, &trailer, 1))
        tool_output_failed();
    mixer_destroy(g->mixer);
    lzw_end(g->lzw);
    free(g->held);
    free(g->shown);
    free(g->numbers);
    free(g->bytes);
    free(g);
}
