/* Reads the options of nbrender, checks their combinations and chooses the device. */
#include "device/choose.h"
#include "nbrender/nbrender.h"

#include "device/group.h"

#include <omp.h>

const struct render_options render_defaults = {
    .width = 1920,
    .height = 1080,
    .device = "auto",
    .view = {.azimuth_deg = NAN, .zoom = 1, .center = {NAN, NAN, NAN}},
    .light = {.smooth = LIGHT_USUAL, .stars = LIGHT_USUAL, .bloom = 0.15, .exposure = 1},
    .colour = {.color = "auto", .weight = "auto"},
    .map = {.contours = -1, .bodies = 0.5, .softening = NAN},
    .overlay = {.tree = {.depth = -1}},
    .motion = {.interpolate = 1},
    .output = {.fps_num = 30, .fps_den = 1, .quality = FILM_GOOD, .crf = -1},
};

struct render_options render_given;

/* Reads the digits at *text as a number and moves *text to the first character after them. A number beyond 64 bits
 * becomes UINT64_MAX, so that take_size reports it as too large. Returns false if there are no digits. */
static bool parse_side(const char **text, uint64_t *side)
{
    char *end;
    const bool digit = **text >= '0' && **text <= '9';
    *side = strtoull(*text, &end, 10);
    *text = end;
    return digit;
}

static void take_size(const struct tool_option *o, const char *text)
{
    const char *at = text;
    uint64_t width, height;
    if (!parse_side(&at, &width) || *at++ != 'x' || !parse_side(&at, &height) || *at)
        die_usage("--%s %s: expected WxH, such as 1920x1080", o->name, text);
    if (width < 1 || height < 1 || width > RENDER_SIZE_MAX || height > RENDER_SIZE_MAX)
        die_usage("--%s %s: width and height must be from 1 to %d", o->name, text, RENDER_SIZE_MAX);
    render_given.width = (int)width;
    render_given.height = (int)height;
}

static const struct tool_option table[] = {
    {.about = "Picture:"},
    {"size", "WxH", take_size, NULL,
     "width and height in pixels (default 1920x1080; dome 4096x4096, 360 4096x2048). Most films need even numbers"},
    {"device", "auto|cpu|cuda[:N]", tool_take_device, &render_given.device,
     "device that draws; cuda:N is GPU number N from 0 (default auto). For a pipe auto takes the CPU if it has "
     "enough cores",
     .flags = TOOL_NOT_RECORDED},
    {0},
};

void render_options_parse(struct render_options *o, int argc, char **argv)
{
    static const struct tool_syntax syntax = {
        .tables = {table, view_table, tool_table_select, disc_table, light_table, colour_table, map_table,
                   overlay_table, wall_table, motion_table, output_table, tool_table_input, tool_table_output,
                   tool_table_common},
        .operands = "[FILE]",
        .first = "size|view|color|frame|output",
        .about = "Draw the frames of FILE or stdin as a film or pictures. Each body is a spot of light. The stars of a "
                 "galaxy "
                 "are coloured by age from red (old) to blue (young), other bodies by speed.",
        .notes =
            "The name after -o selects the format. FILE.mp4, .mov, .mkv or .webm: a film (by ffmpeg). FILE.gif or "
            ".apng: "
            "an animation. frame-%05d.png: a picture of each frame. FILE.png, .jpg or .webp: one picture, of the last "
            "frame or of --frame K. FILE.exr, .fits, .npy or .pfm: light or the values of a map as numbers. "
            "- or FILE.y4m: uncompressed YUV4MPEG2. Extent, colours and exposure come from the entire file, "
            "or from the first frame of a pipe. Example:\n\n  nbgen collision -n 20k | nbsim --until 8 --every 0.05 |\n"
            "      nbrender -o merger.mp4",
    };
    render_given = render_defaults;
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbrender", &syntax, argc, argv);
    *o = render_given;
    o->input = tool_one_input();
    colour_options_check(&o->colour, o->light.smooth, o->map.kind != MAP_NONE);
    view_options_finish_round(o);
    view_options_finish(&o->view, o->width, o->height);
    map_options_finish(o);
    if (o->light.dust > 0 && strcmp(o->colour.color, "density") == 0)
        die_usage("--dust cannot be used with --color density");
    overlay_options_finish(&o->overlay, o->map.kind != MAP_NONE);
    if (o->overlay.axes && !view_options_is_one(&o->view))
        die_usage("--axes cannot be used with --layout quad or --stereo");
}

/* Opens the device. With --device auto, uses the CPU if the input is a pipe, because the GPU probably runs the program
 * that writes the pipe. (nbsim with 200k bodies runs 14 % slower if it shares an H200 with nbrender.) Exceptions: maps
 * of potential or acceleration, and pictures with more than PIXELS_A_THREAD pixels per CPU thread. */
#define PIXELS_A_THREAD ((int64_t)1 << 18)
struct nb_device *render_device(const struct render_options *o)
{
    const bool spared = strcmp(o->device, "auto") == 0 && !map_is_field(&o->map) && !source_is_file(o->input) &&
                        (int64_t)o->width * o->height <= PIXELS_A_THREAD * omp_get_max_threads();
    struct nb_device *device = must_have(nb_device_choose(spared ? "cpu" : o->device));
    if (nb_device_is_group(device))
        die_usage("--device %s: pictures are drawn by one device only", o->device);
    return device;
}
