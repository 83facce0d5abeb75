/* Options for files and films. */
#include "nbrender/nbrender.h"

#include <ctype.h>

/* Reads a frame rate, rounds it to three decimals, and converts it to a fraction. */
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

/* Reads the argument of --quality: draft, good, best, or a number (the CRF of the encoder). */
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
        die_usage("--%s %s: expected draft, good, best or a whole number", o->name, text);
    tool_take_integer(o, text);
}

const struct tool_option output_table[] = {
    {.about = "Files and films:"},
    {"depth", "8|10|16", tool_take_integer, &render_given.output.depth,
     "bits of a channel: 8 or 16 in PNG and APNG, 8 or 10 in films and YUV4MPEG2 (default 8)"},
    {"alpha", NULL, tool_take_flag, &render_given.output.alpha,
     "make PNG, WebP, APNG and MOV transparent where there is no light"},
    {"no-dither", NULL, tool_take_flag, &render_given.output.no_dither,
     "round the pixels of 8-bit PNG, JPEG and WebP to the nearest level (default: dither with blue noise). Films "
     "are always dithered"},
    {"fps", "RATE", take_fps, NULL, "pictures a second in films, such as 25 or 29.97 (default 30)", 0.001, 1000,
     "must be from 0.001 to 1000"},
    {"codec", "NAME", tool_take_text, &render_given.output.codec,
     "codec of a film: h264 (default for mp4, mov, mkv), hevc, av1, vp9 (default for webm) or ffv1 (lossless, "
     "mkv); with --alpha prores or qtrle (lossless)"},
    {"quality", "draft|good|best|CRF", take_quality, &render_given.output.crf,
     "quality of films, JPEG and WebP (default good). For films draft is fast, best is slow 10-bit hevc. For "
     "WebP best is lossless. CRF is a constant rate factor, 0 (nearly lossless) to 51 for h264 and hevc, to 63 "
     "for av1 and vp9 (good: 20, 20, 28, 30)",
     0, 63, "must be from 0 to 63"},
    {"hdr", NULL, tool_take_flag, &render_given.output.hdr,
     "write a film of light as HDR10 (10-bit hevc, PQ, BT.2020), in which bright regions reach 1000 cd/m^2"},
    {"chroma", "420|444", tool_take_integer, &render_given.output.chroma,
     "colour at half or full resolution in films, YUV4MPEG2 and JPEG (default 420; 444 for JPEG)"},
    {"keep-partial", NULL, tool_take_flag, &render_given.output.keep_partial,
     "if the input is truncated, give the film of the frames before that its final name; the exit status is "
     "still 1 (default: FILE.part)"},
    {0},
};
