/* Codecs of films: their defaults, and ffmpeg's encoders and arguments for them. */
#include "nbrender/output/output.h"

#include "base/io.h"
#include "base/portable.h"

#include <ctype.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENCODERS 2 /* maximum number of encoders of a codec */
#define AOM      "-b:v", "0", "-row-mt", "1", "-tiles", "2x2", "-cpu-used"
#define VPX      "-b:v", "0", "-deadline", "good", "-row-mt", "1", "-cpu-used"
#define FFV1                                             \
    {                                                    \
        "-level", "3", "-slices", "16", "-slicecrc", "1" \
    }
#define PRORES                                    \
    {                                             \
        "-profile:v", "4444", "-alpha_bits", "16" \
    }
#define X265 "-x265-params", "log-level=error"

struct encoder {
    const char *name;
    bool full;                                /* true: the encoder supports full chroma resolution (4:4:4) */
    const char *arguments[FILM_QUALITIES][9]; /* ffmpeg's arguments for each quality, ended by NULL */
};

struct codec {
    const char *name;
    /* crf: default CRF (constant rate factor of the encoder) of each quality; crf_most: maximum CRF, or -1 if the codec
     * has no CRF */
    int crf[FILM_QUALITIES], crf_most;
    int best_depth; /* bits per channel with --quality best */
    bool all_keys;  /* true: every picture is a keyframe */
    struct encoder encoders[ENCODERS];
    const char *alpha; /* pixel format with alpha (best_depth bits per channel); NULL: the codec has no alpha */
};

/* Arguments for h264 with --quality good and best (measurements: bench/README.md, "Encoders of films"):
 * - no B-frames, because films with B-frames flicker: the mean luma changes from picture to picture;
 * - more bits for dark regions (aq-mode 3).
 * For good, the table below also sets perceptual mode decisions (subme=6), partitions=i8x8 and trellis=1. Together with
 * aq-mode 3, these arguments make blocks in dark skies less visible. */
#define CALM "-bf", "0", "-aq-mode", "3"
static const struct codec codecs[] = {
    {"h264",
     {23, 20, 18},
     51,
     8,
     false,
     {{"libx264",
       true,
       {{"-preset", "ultrafast"},
        {"-preset", "veryfast", CALM, "-x264-params", "subme=6:partitions=i8x8:trellis=1"},
        {"-preset", "slow", CALM}}}}},
    {"hevc",
     {24, 20, 20},
     51,
     10,
     false,
     {{"libx265", true, {{"-preset", "ultrafast", X265}, {"-preset", "fast", X265}, {"-preset", "medium", X265}}}}},
    {"av1",
     {35, 28, 24},
     63,
     10,
     false,
     {{"libsvtav1", false, {{"-preset", "12"}, {"-preset", "8"}, {"-preset", "5"}}},
      {"libaom-av1", true, {{AOM, "8"}, {AOM, "6"}, {AOM, "4"}}}}},
    {"vp9", {36, 30, 24}, 63, 8, false, {{"libvpx-vp9", true, {{VPX, "8"}, {VPX, "4"}, {VPX, "2"}}}}},
    {"ffv1", {-1, -1, -1}, -1, 8, true, {{"ffv1", true, {FFV1, FFV1, FFV1}}}, NULL},
    {"prores", {-1, -1, -1}, -1, 10, true, {{"prores_ks", true, {PRORES, PRORES, PRORES}}}, "yuva444p10le"},
    {"qtrle", {-1, -1, -1}, -1, 8, true, {{"qtrle", true, {{NULL}}}}, "argb"},
};

/* ---- choice of the codec ---- */

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Returns the name of the default codec. `allowed` is a list of codec names separated by spaces. If hevc is in the
 * list, it is the default for HDR and for --quality best. In all other cases the default is the first name. */
static const char *default_of(const char *allowed, const struct output_options *o)
{
    static char first[16];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(allowed, " "), allowed);
    return (o->quality == FILM_BEST || o->hdr) && has_word(allowed, "hevc") ? "hevc" : first;
}

const struct codec *codec_find(const char *allowed, const char *path, const struct output_options *o)
{
    const char *name = o->codec ? o->codec : default_of(allowed, o);
    const struct codec *c = codecs;
    while (c < codecs + sizeof codecs / sizeof *codecs && strcmp(c->name, name) != 0)
        c++;
    if (strchr(name, ' ') || !*name || !has_word(allowed, name))
        die_usage("--codec %s: %s takes %s", name, path, allowed);
    if (o->hdr && (strcmp(name, "hevc") != 0 || (o->depth && o->depth != 10)))
        die_usage("--hdr needs hevc of 10 bits in mp4, mov or mkv, not %s", path);
    if (tool_given("quality") && c->crf_most < 0)
        die_usage("--quality: %s has only one quality", c->name);
    if (c->alpha && o->depth && o->depth != c->best_depth)
        die_usage("--depth %d: %s always has %d bits", o->depth, c->name, c->best_depth);
    if (o->crf > c->crf_most)
        die_usage("--quality %d: must be from 0 to %d for %s", o->crf, c->crf_most, c->name);
    return c;
}

int codec_depth(const struct codec *c, const struct output_options *o)
{
    return o->depth ? o->depth : o->hdr ? 10 : o->quality == FILM_BEST || c->alpha ? c->best_depth : 8;
}

/* ---- encoders of the installed ffmpeg ---- */

/* Returns the output of `ffmpeg -encoders`, which the caller frees. Returns NULL if ffmpeg fails. Does not report the
 * failure, because ffmpeg will fail again, with a report, when it is started for the film. */
static char *list_encoders(void)
{
    static const char *const arguments[] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-encoders", NULL};
    size_t size = 0, most = 1 << 17;
    char *text = claimed(malloc(most + 1), "no memory for the film");
    int ends[2];
    if (nb_pipe(ends))
        die("cannot open a pipe from ffmpeg: %s", strerror(errno));
    ffmpeg_start(arguments, -1, ends[1], true);
    close(ends[1]);
    for (ssize_t got = 1; got > 0 && size<most; size += got> 0 ? (size_t)got : 0)
        got = nb_io_read(ends[0], text + size, most - size);
    close(ends[0]);
    text[size] = '\0';
    if (ffmpeg_wait() == 0 && strstr(text, "Encoders:"))
        return text;
    free(text);
    return NULL;
}

/* Returns whether the list of encoders has a line " V..... NAME   description". */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if (at - list > 8 && at[-1] == ' ' && at[-7] == 'V' && isspace((unsigned char)at[length]))
            return true;
    return false;
}

int codec_encoder(const struct codec *c, int chroma, const char *path)
{
    char *list = list_encoders(), names[64] = "";
    for (int k = 0; k < ENCODERS && c->encoders[k].name; k++) {
        if (chroma == 444 && !c->encoders[k].full)
            continue;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? " or " : "",
                 c->encoders[k].name);
        if (!list || is_listed(list, c->encoders[k].name)) {
            free(list);
            return k;
        }
    }
    free(list);
    die("%s: this ffmpeg has no encoder for %s: it needs %s; choose another --codec or suffix", path, c->name, names);
}

/* ---- arguments ---- */

int codec_append(const char **arguments, const char *const *more)
{
    int count = 0;
    for (; more[count]; count++)
        arguments[count] = more[count];
    return count;
}

const char *codec_tag(const struct codec *c)
{
    return strcmp(c->name, "hevc") == 0 ? "hvc1" : NULL;
}

int codec_arguments(const struct codec *c, int encoder, int chroma, const struct output_options *o,
                    const char **arguments)
{
    /* master-display (SMPTE ST 2086) describes the display: colour coordinates of the P3 primaries and of white (unit
     * 2e-5), maximum and minimum luminance (unit 1e-4 cd/m^2). max-cll (CTA-861-H) describes the film: luminance of the
     * brightest pixel, and largest mean luminance of a picture (unit cd/m^2). */
    static const char *const hdr[] = {
        "-colorspace",
        "bt2020nc",
        "-color_primaries",
        "bt2020",
        "-color_trc",
        "smpte2084",
        "-x265-params",
        "log-level=error:hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
        "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400",
        NULL};
    static const char *const colours[] = {"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
                                          "bt709",       NULL};
    static const char *const range[] = {"-color_range", "tv", NULL};
    static char crf[8], keys[16], pixels[16];
    snprintf(crf, sizeof crf, "%d", o->crf >= 0 ? o->crf : c->crf[o->quality]);
    snprintf(keys, sizeof keys, "%.0f", c->all_keys ? 1 : fmax(1, round((double)o->fps_num / o->fps_den)));
    snprintf(pixels, sizeof pixels, "yuv%dp%s", chroma, o->depth == 10 ? "10le" : "");
    const char *const own[] = {"-c:v", c->encoders[encoder].name, "-pix_fmt", c->alpha ? c->alpha : pixels, "-g", keys,
                               NULL};
    const char *const quality[] = {c->crf_most >= 0 ? "-crf" : NULL, crf, NULL};
    int count = codec_append(arguments, own);
    count += codec_append(arguments + count, c->encoders[encoder].arguments[o->quality]);
    count += codec_append(arguments + count, quality);
    const bool is_rgb = c->alpha && *c->alpha == 'a';
    /* skips the first two arguments (the colour matrix) for RGB, which has no colour matrix */
    count +=
        o->hdr ? codec_append(arguments + count, hdr) : codec_append(arguments + count, colours + (is_rgb ? 2 : 0));
    return count + (is_rgb ? 0 : codec_append(arguments + count, range));
}
