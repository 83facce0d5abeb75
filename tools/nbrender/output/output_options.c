#include "nbrender/nbrender.h"

/* Rates are told as a fraction; thousandths serve all that are usual. */
static void take_fps(const struct tool_option *o, const char *text)
{
    const double rate = tool_accepted(o, text, tool_positive(o->name, text));
    unsigned a = (unsigned)lround(1000 * rate), b = 1000;
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    render_given.output.fps_num = (unsigned)lround(1000 * rate) / a;
    render_given.output.fps_den = 1000 / a;
}

const struct tool_option output_table[] = {
    {.about = "Files and films:"},
    {"depth", "8|10|16", tool_take_integer, &render_given.output.depth,
     "bits a channel: 8 or 16 in PNG, 8 or 10 in films and YUV4MPEG2 (default 8)"},
    {"alpha", NULL, tool_take_flag, &render_given.output.alpha, "PNG is transparent where there is no light"},
    {"no-dither", NULL, tool_take_flag, &render_given.output.no_dither,
     "PNG of 8 bits: round each pixel to the nearest level (default: dither with blue noise, as films of 8 bits always do)"},
    {"fps", "RATE", take_fps, NULL, "pictures a second in films, such as 25 or 29.97 (default 30)", 0.001, 1000,
     "not from 0.001 to 1000"},
    {"codec", "NAME", tool_take_text, &render_given.output.codec,
     "of a film: h264 (default of mp4, mov, mkv), hevc, av1, vp9 (default of webm) or ffv1 (lossless, mkv)"},
    {"crf", "N", tool_take_integer, &render_given.output.crf,
     "how much a film may lose: from 0, nearly nothing, to 51 (h264, hevc) or 63 (av1, vp9) (default 18, 20, 28, 30)",
     0, 63, "not from 0 to 63"},
    {"chroma", "420|444", tool_take_integer, &render_given.output.chroma,
     "colour at half or at full resolution in films and YUV4MPEG2 (default 420, which all players know)"},
    {"keep-partial", NULL, tool_take_flag, &render_given.output.keep_partial,
     "where the input breaks off, give a film of the frames before its name; the exit code is 1 all the same (default: it stays FILE.part)"},
    {0},
};
