#include "nbrender/nbrender.h"

#include "device/group.h"

#include <omp.h>

enum { KEY_SIZE = 256, KEY_DEVICE };

const struct render_options render_defaults = {
    .width = 1920,
    .height = 1080,
    .device = "auto",
    .view = {.azimuth_deg = NAN, .zoom = 1, .center = {NAN, NAN, NAN}},
    .light = {.smooth = 40, .bloom = 0.15, .exposure = 1},
    .colour = {.color = "speed", .colormap = "spectrum", .weight = "mass"},
    .map = {.contours = -1, .bodies = 0.5, .softening = NAN},
    .motion = {.interpolate = 1},
    .output = {.fps_num = 30, .fps_den = 1, .crf = -1},
};

static const struct tool_option table[] = {
    {.about = "Picture:"},
    {"size", KEY_SIZE, "WxH", 0, "width and height in pixels, even for most films (default 1920x1080)"},
    {"device", KEY_DEVICE, "auto|cpu|cuda[:N]", TOOL_NOT_RECORDED,
     "cuda:N is GPU number N from 0 (default auto); auto leaves a GPU to the program that writes a pipe, where cores are enough"},
    {0},
};

/* Of any length: what is too large is said to be that. */
static bool parse_side(const char **text, uint64_t *side)
{
    char *end;
    const bool digit = **text >= '0' && **text <= '9';
    *side = strtoull(*text, &end, 10); /* beyond 64 bits: the largest */
    *text = end;
    return digit;
}

static void parse_size(struct render_options *o, const char *text)
{
    const char *at = text;
    uint64_t width, height;
    if (!parse_side(&at, &width) || *at++ != 'x' || !parse_side(&at, &height) || *at)
        die_usage("--size %s: not WxH, such as 1920x1080", text);
    if (width < 1 || height < 1 || width > RENDER_SIZE_MAX || height > RENDER_SIZE_MAX)
        die_usage("--size %s: not from 1 to %d each way", text, RENDER_SIZE_MAX);
    o->width = (int)width;
    o->height = (int)height;
}

static bool parse(int key, const char *arg, void *context)
{
    struct render_options *o = context;
    switch (key) {
    case KEY_SIZE: parse_size(o, arg); return true;
    case KEY_DEVICE: o->device = tool_device_name(arg); return true;
    case TOOL_OPERAND: tool_one_input(&o->input, arg); return true;
    default: return false;
    }
}

double render_share(const char *option, const char *text)
{
    const double share = tool_not_negative(option, text);
    if (share > 1)
        die_usage("%s %s: not from 0 to 1", option, text);
    return share;
}

void render_options_parse(struct render_options *o, int argc, char **argv)
{
    static const struct tool_table own = {table, parse};
    static const struct tool_syntax syntax = {
        .tables = {&own, &view_table, &tool_table_select, &disc_table, &light_table, &colour_table, &map_table,
                   &overlay_table, &wall_table, &motion_table, &output_table, &tool_table_input, &tool_table_output,
                   &tool_table_common},
        .operands = "[FILE]",
        .first = "size|view|color|frame|output",
        .about =
            "Draw the frames of FILE or stdin: each body a spot of light, coloured by its speed from blue (slow) through green to red (fast).",
        .notes =
            "The name after -o says what is written: FILE.mp4, .mov, .mkv, .webm or .gif is a film (made by ffmpeg); "
            "frame-%05d.png a picture of each frame; FILE.png one picture, of the last frame or of --frame K; "
            "with .fits, .npy or .pfm these hold light or a map's values as numbers; "
            "- or FILE.y4m uncompressed YUV4MPEG2. The extent is found from the input's first frame, colours "
            "and exposure from all of a file. Example:\n\n  nbgen collision -n 20k | nbsim --until 8 --every 0.05 |\n"
            "      nbrender -o merger.mp4",
    };
    *o = render_defaults;
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbrender", &syntax, argc, argv, o);
    colour_options_check(&o->colour, o->light.smooth, o->map.kind != MAP_NONE);
    view_options_finish(&o->view, o->width, o->height);
    map_options_finish(o);
    overlay_options_finish(&o->overlay, o->map.kind != MAP_NONE);
}

/* Of a pipe the GPU is likely to be at work for the program that writes it. Two programs take turns on it: 200k bodies,
 * whose simulation fills an H200, then step 0.86 times as fast as with a CPU that draws, and that keeps up with a
 * thread for each PIXELS_A_THREAD. A map of forces is another matter. */
#define PIXELS_A_THREAD ((int64_t)1 << 18)
struct nb_device *render_device(const struct render_options *o)
{
    const bool spared = strcmp(o->device, "auto") == 0 && !map_is_field(&o->map) && !source_is_file(o->input) &&
                        (int64_t)o->width * o->height <= PIXELS_A_THREAD * omp_get_max_threads();
    struct nb_device *device = nb_device_choose(spared ? "cpu" : o->device);
    if (device && nb_device_is_group(device))
        die_usage("--device %s: pictures are drawn by one device", o->device);
    if (!device)
        die("%s", nb_error());
    return device;
}
