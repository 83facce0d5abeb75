#include "nbrender/output/output.h"

#include "base/io.h"
#include "base/portable.h"

#include <ctype.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENCODERS 2 /* of a codec */

struct codec {
    const char *name;
    int crf, crf_most; /* the one by default, and the largest; -1: it has none */
    bool all_keys;     /* each picture is a keyframe */
    struct {
        const char *name;
        bool full;                /* takes 4:4:4 */
        const char *arguments[9]; /* NULL at the end */
    } encoders[ENCODERS];
};

static const struct codec codecs[] = {
    {"h264", 18, 51, false, {{"libx264", true, {"-preset", "veryfast"}}}},
    {"hevc", 20, 51, false, {{"libx265", true, {"-preset", "fast", "-x265-params", "log-level=error"}}}},
    {"av1",
     28,
     63,
     false,
     {{"libsvtav1", false, {"-preset", "8"}},
      {"libaom-av1", true, {"-b:v", "0", "-cpu-used", "6", "-row-mt", "1", "-tiles", "2x2"}}}},
    {"vp9",
     30,
     63,
     false,
     {{"libvpx-vp9", true, {"-b:v", "0", "-deadline", "good", "-cpu-used", "4", "-row-mt", "1"}}}},
    {"ffv1", -1, -1, true, {{"ffv1", true, {"-level", "3", "-slices", "16", "-slicecrc", "1"}}}},
};

/* ---- what is asked for ---- */

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

const struct codec *codec_find(const char *allowed, const char *path, const struct output_options *o)
{
    char first[16];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(allowed, " "), allowed);
    const char *name = o->codec ? o->codec : first;
    const struct codec *c = codecs;
    while (c < codecs + sizeof codecs / sizeof *codecs && strcmp(c->name, name) != 0)
        c++;
    if (strchr(name, ' ') || !*name || !has_word(allowed, name))
        die_usage("--codec %s: %s takes %s", name, path, allowed);
    if (o->crf > c->crf_most && c->crf_most < 0)
        die_usage("--crf %d: %s loses nothing", o->crf, c->name);
    if (o->crf > c->crf_most)
        die_usage("--crf %d: not from 0 to %d, as %s wants it", o->crf, c->crf_most, c->name);
    return c;
}

/* ---- what ffmpeg has ---- */

/* Its list of encoders, to be freed; NULL where it fails to give one, which making the film will show. */
static char *list_encoders(void)
{
    static const char *const arguments[] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-encoders", NULL};
    size_t size = 0, most = 1 << 17;
    char *text = claimed(malloc(most + 1), "no memory for the film");
    int ends[2];
    if (nb_pipe(ends))
        die("no pipe from ffmpeg: %s", strerror(errno));
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

/* A line of the list: " V..... NAME   what it is". */
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
    die("%s: this ffmpeg has no encoder for %s (%s)", path, c->name, names);
}

/* ---- how it is told ---- */

int codec_append(const char **arguments, const char *const *more)
{
    int count = 0;
    for (; more[count]; count++)
        arguments[count] = more[count];
    return count;
}

int codec_arguments(const struct codec *c, int encoder, int chroma, const struct output_options *o,
                    const char **arguments)
{
    static const char *const colours[] = {
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", NULL};
    static char crf[8], keys[16], pixels[16];
    snprintf(crf, sizeof crf, "%d", o->crf >= 0 ? o->crf : c->crf);
    snprintf(keys, sizeof keys, "%.0f", c->all_keys ? 1 : fmax(1, round((double)o->fps_num / o->fps_den)));
    snprintf(pixels, sizeof pixels, "yuv%dp%s", chroma, o->depth == 10 ? "10le" : "");
    const char *const own[] = {"-c:v", c->encoders[encoder].name, "-pix_fmt", pixels, "-g", keys, NULL};
    const char *const quality[] = {c->crf >= 0 ? "-crf" : NULL, crf, NULL};
    int count = codec_append(arguments, own);
    count += codec_append(arguments + count, c->encoders[encoder].arguments);
    count += codec_append(arguments + count, quality);
    return count + codec_append(arguments + count, colours);
}
