#include "nbrender/nbrender.h"

enum { KEY_FPS = 0x800, KEY_CODEC, KEY_CRF, KEY_DEPTH, KEY_CHROMA, KEY_ALPHA, KEY_DITHER, KEY_PARTIAL };

static const struct tool_option options[] = {
    {.about = "Files and films:"},
    {"depth", KEY_DEPTH, "8|10|16", 0, "bits a channel: 8 or 16 in PNG, 8 or 10 in films and YUV4MPEG2 (default 8)"},
    {"alpha", KEY_ALPHA, NULL, 0, "PNG is transparent where there is no light"},
    {"dither", KEY_DITHER, NULL, 0,
     "PNG of 8 bits: spread what lies between two levels over neighbouring pixels, as films of 8 bits always do"},
    {"fps", KEY_FPS, "RATE", 0, "pictures a second in films, such as 25 or 29.97 (default 30)"},
    {"codec", KEY_CODEC, "NAME", 0,
     "of a film: h264 (default of mp4, mov, mkv), hevc, av1, vp9 (default of webm) or ffv1 (lossless, mkv)"},
    {"crf", KEY_CRF, "N", 0,
     "how much a film may lose: from 0, nearly nothing, to 51 (h264, hevc) or 63 (av1, vp9) (default 18, 20, 28, 30)"},
    {"chroma", KEY_CHROMA, "420|444", 0,
     "colour at half or at full resolution in films and YUV4MPEG2 (default 420, which all players know)"},
    {"keep-partial", KEY_PARTIAL, NULL, 0,
     "where the input breaks off, give a film of the frames before its name; the exit code is 1 all the same (default: it stays FILE.part)"},
    {0},
};

/* Rates are told as a fraction; thousandths serve all that are usual. */
static void parse_fps(struct output_options *o, const char *text)
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

/* What a codec takes is looked at when it is known which. */
static int parse_crf(const char *text)
{
    uint64_t crf = tool_unsigned("--crf", text);
    if (crf > 63)
        die_usage("--crf %s: not from 0 to 63", text);
    return (int)crf;
}

static bool parse(int key, const char *arg, void *context)
{
    struct output_options *o = &((struct render_options *)context)->output;
    switch (key) {
    case KEY_FPS: parse_fps(o, arg); return true;
    case KEY_CODEC: o->codec = arg; return true;
    case KEY_CRF: o->crf = parse_crf(arg); return true;
    case KEY_DEPTH: o->depth = (int)tool_unsigned("--depth", arg); return true;
    case KEY_CHROMA: o->chroma = (int)tool_unsigned("--chroma", arg); return true;
    case KEY_ALPHA: o->alpha = true; return true;
    case KEY_DITHER: o->dither = true; return true;
    case KEY_PARTIAL: o->keep_partial = true; return true;
    default: return false;
    }
}

const struct tool_table output_table = {options, parse};
