#include "nbrender.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_SIZE = 256,
    KEY_FPS,
    KEY_VIEW,
    KEY_CENTER,
    KEY_EXTENT,
    KEY_FOV,
    KEY_SPIN,
    KEY_SPEED_RANGE,
    KEY_EXPOSURE,
    KEY_PARTIAL
};

static const struct tool_option table[] = {
    {.about = "Picture:"},
    {"size", KEY_SIZE, "WxH", 0, "width and height in pixels, even for films (default 1920x1080)"},
    {"fps", KEY_FPS, "RATE", 0, "pictures a second in films, such as 25 or 29.97 (default 30)"},
    {.about = "Camera:"},
    {"view", KEY_VIEW, "DIRECTION", 0,
     "x, y or z: look down that axis, with y and z, x and z, x and y to the right and up; or AZ,EL: from azimuth AZ "
     "(degrees from the x axis) and elevation EL above the x-y plane, z up (default z)"},
    {"center", KEY_CENTER, "X,Y,Z", 0, "point in the picture's middle (default: the first frame's centre of mass)"},
    {"extent", KEY_EXTENT, "R", 0,
     "half the picture's width in length units (default: what the first frame needs: up to 16 bodies with their "
     "orbits, up to 100 all, else at least 95 % of them)"},
    {"fov", KEY_FOV, "DEG", 0,
     "perspective with this horizontal angle of view; the extent holds at the centre (default: orthographic)"},
    {"spin", KEY_SPIN, "DEG", 0, "turn the camera about the z axis by so many degrees a frame (default 0)"},
    {.about = "Light:"},
    {"speed-range", KEY_SPEED_RANGE, "A,B", 0,
     "blue at speed A, red at speed B, linear between (default: by rank among the speeds of the first frame; from 0 to "
     "twice the circular speed where most bodies start at rest)"},
    {"exposure", KEY_EXPOSURE, "X", 0, "times the exposure found for the first frame (default 1)"},
    {.about = "Where the input breaks off:"},
    {"keep-partial", KEY_PARTIAL, NULL, 0,
     "give a film of the frames before its name; the exit code is 1 all the same (default: it stays FILE.part)"},
    {0},
};

static void parse_size(struct render_options *o, const char *text)
{
    char end;
    int width, height;
    if (strspn(text, "0123456789x") != strlen(text) || strlen(text) > 12 ||
        sscanf(text, "%dx%d%c", &width, &height, &end) != 2)
        die_usage("--size %s: not WxH, such as 1920x1080", text);
    if (width < 1 || height < 1 || width > RENDER_SIZE_MAX || height > RENDER_SIZE_MAX)
        die_usage("--size %s: not from 1 to %d each way", text, RENDER_SIZE_MAX);
    o->width = width;
    o->height = height;
}

/* Rates are told as a fraction; thousandths serve all that are usual. */
static void parse_fps(struct render_options *o, const char *text)
{
    double rate = tool_positive("--fps", text);
    if (rate < 0.001 || rate > 1000)
        die_usage("--fps %s: not from 0.001 to 1000", text);
    unsigned a = (unsigned)lround(1000 * rate), b = 1000;
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    o->fps_num = (unsigned)lround(1000 * rate) / a;
    o->fps_den = 1000 / a;
}

static void parse_view(struct render_options *o, const char *text)
{
    static const double axes[3][2] = {{0, 0}, {-90, 0}, {-90, 90}};
    if (strlen(text) == 1 && *text >= 'x' && *text <= 'z') {
        o->azimuth_deg = axes[*text - 'x'][0];
        o->elevation_deg = axes[*text - 'x'][1];
        return;
    }
    if (!strchr(text, ','))
        die_usage("--view %s: not x, y, z or AZ,EL in degrees", text);
    tool_pair("--view", text, &o->azimuth_deg, &o->elevation_deg);
}

static void parse_center(struct render_options *o, const char *text)
{
    const char *at = text;
    for (int d = 0; d < 3; d++) {
        char *end;
        o->center[d] = strtod(at, &end);
        if (end == at || *end != (d < 2 ? ',' : '\0') || !isfinite(o->center[d]))
            die_usage("--center %s: not three numbers X,Y,Z", text);
        at = end + 1;
    }
}

static void parse_fov(struct render_options *o, const char *text)
{
    o->fov_deg = tool_positive("--fov", text);
    if (o->fov_deg < 0.01 || o->fov_deg > 170)
        die_usage("--fov %s: not from 0.01 to 170 degrees", text);
}

static void parse_speed_range(struct render_options *o, const char *text)
{
    tool_pair("--speed-range", text, &o->speed_slow, &o->speed_fast);
    if (o->speed_slow < 0 || o->speed_slow >= o->speed_fast)
        die_usage("--speed-range %s: not two speeds from 0 on, the slower first", text);
}

static void parse_exposure(struct render_options *o, const char *text)
{
    o->exposure = tool_positive("--exposure", text);
    if (o->exposure < 1e-6 || o->exposure > 1e6)
        die_usage("--exposure %s: not from 1e-6 to 1e6", text);
}

static bool parse(int key, const char *arg, void *context)
{
    struct render_options *o = context;
    switch (key) {
    case KEY_SIZE: parse_size(o, arg); return true;
    case KEY_FPS: parse_fps(o, arg); return true;
    case KEY_VIEW: parse_view(o, arg); return true;
    case KEY_CENTER: parse_center(o, arg); return true;
    case KEY_EXTENT: o->extent = tool_positive("--extent", arg); return true;
    case KEY_FOV: parse_fov(o, arg); return true;
    case KEY_SPIN: o->spin_deg = tool_number("--spin", arg); return true;
    case KEY_SPEED_RANGE: parse_speed_range(o, arg); return true;
    case KEY_EXPOSURE: parse_exposure(o, arg); return true;
    case KEY_PARTIAL: o->keep_partial = true; return true;
    case TOOL_OPERAND: tool_one_input(&o->input, arg); return true;
    default: return false;
    }
}

void render_options_parse(struct render_options *o, int argc, char **argv)
{
    static const struct tool_table own = {table, parse};
    static const struct tool_syntax syntax = {
        .tables = {&own, &tool_table_input, &tool_table_output, &tool_table_common},
        .operands = "[FILE]",
        .about = "Draw the frames of FILE or stdin: each body a spot of light, coloured by its speed from blue (slow) "
                 "through green to red (fast).",
        .notes = "The name after -o says what is written: FILE.mp4, .mkv, .webm or .gif is a film (made by ffmpeg); "
                 "frame-%05d.png a picture of each frame; FILE.png one picture, of the last frame or of --frame K; "
                 "- or FILE.y4m uncompressed YUV4MPEG2. Colours, extent and exposure are found from the input's first "
                 "frame and kept. Example:\n\n  nbgen collision -n 20k | nbsim --until 8 --every 0.05 |\n"
                 "      nbrender -o merger.mp4",
    };
    *o = (struct render_options){.width = 1920,
                                 .height = 1080,
                                 .fps_num = 30,
                                 .fps_den = 1,
                                 .azimuth_deg = -90,
                                 .elevation_deg = 90,
                                 .center = {NAN, NAN, NAN},
                                 .exposure = 1};
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbrender", &syntax, argc, argv, o);
}
