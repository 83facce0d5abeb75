#include "nbrender/nbrender.h"

#include <ctype.h>

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

/* A word, or the number that the encoders take. */
static void take_quality(const struct tool_option *o, const char *text)
{
    static const char *const words[] = {[FILM_DRAFT] = "draft", [FILM_GOOD] = "good", [FILM_BEST] = "best"};
    struct output_options *out = &render_given.output;
    out->crf = render_defaults.output.crf;
    for (enum film_quality k = FILM_DRAFT; k < FILM_QUALITIES; k++)
        if (strcmp(text, words[k]) == 0) {
            out->quality = k;
            return;
        }
    out->quality = FILM_GOOD;
    if (!isdigit((unsigned char)*text))
        die_usage("--%s %s: not draft, good, best or a whole number", o->name, text);
    tool_take_integer(o, text);
}

const struct tool_option output_table[] = {
    {.about = "Files and films:"},
    {"depth", "8|10|16", tool_take_integer, &render_given.output.depth,
     "bits a channel: 8 or 16 in PNG, 8 or 10 in films and YUV4MPEG2 (default 8)"},
    {"alpha", NULL, tool_take_flag, &render_given.output.alpha,
     "PNG, WebP, APNG and MOV are transparent where there is no light"},
    {"no-dither", NULL, tool_take_flag, &render_given.output.no_dither,
     "pictures of 8 bits: round each pixel to the nearest level (default: dither with blue noise, as films of 8 bits always do)"},
    {"fps", "RATE", take_fps, NULL, "pictures a second in films, such as 25 or 29.97 (default 30)", 0.001, 1000,
     "not from 0.001 to 1000"},
    {"codec", "NAME", tool_take_text, &render_given.output.codec,
     "of a film: h264 (default of mp4, mov, mkv), hevc, av1, vp9 (default of webm) or ffv1 (lossless, mkv); with --alpha prores or qtrle (lossless)"},
    {"quality", "draft|good|best|CRF", take_quality, &render_given.output.crf,
     "of a film: draft is the fastest; best is hevc of 10 bits where the file takes it, slow and small; or how much good may lose, from 0, nearly nothing, to 51 (h264, hevc) or 63 (av1, vp9) (default good: 20, 20, 28, 30). "
     "Of JPEG and WebP: draft is small, best is a WebP that loses nothing",
     0, 63, "not from 0 to 63"},
    {"hdr", NULL, tool_take_flag, &render_given.output.hdr,
     "a film of light in HDR10 (hevc of 10 bits, PQ, BT.2020): bright places go beyond white, to 1000 cd/m^2"},
    {"chroma", "420|444", tool_take_integer, &render_given.output.chroma,
     "colour at half or at full resolution in films, YUV4MPEG2 and JPEG (default 420, which all players know; of JPEG 444)"},
    {"keep-partial", NULL, tool_take_flag, &render_given.output.keep_partial,
     "where the input breaks off, give a film of the frames before its name; the exit code is 1 all the same (default: it stays FILE.part)"},
    {0},
};
