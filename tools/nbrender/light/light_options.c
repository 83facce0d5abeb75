#include "nbrender/nbrender.h"

enum { KEY_EXPOSURE = 0x400, KEY_SMOOTH, KEY_STARS, KEY_BLOOM };

static const struct tool_option options[] = {
    {.about = "Light:"},
    {"smooth", KEY_SMOOTH, "K|fixed", 0,
     "a body's light covers so wide a place that about K bodies are in it, or is as wide everywhere (default 40)"},
    {"stars", KEY_STARS, "SHARE", 0, "the share of each body's light that stays a point, 0 to 1 (default 0)"},
    {"bloom", KEY_BLOOM, "SHARE", 0, "the share of the light that shines about bright places, 0 to 1 (default 0.15)"},
    {"exposure", KEY_EXPOSURE, "fixed|adapt|X", 0,
     "one exposure and one range of colours for all pictures, those of a whole file or of a pipe's first frame, or "
     "adapting to what is shown; X times as much light; also fixed,X and adapt,X (default fixed for a file, adapt for a pipe)"},
    {0},
};

static void parse_smooth(struct light_options *o, const char *text)
{
    o->smooth = strcmp(text, "fixed") == 0 ? 0 : tool_positive("--smooth", text);
    if (o->smooth != 0 && (o->smooth < 1 || o->smooth > 1e6))
        die_usage("--smooth %s: not from 1 to 1e6, nor fixed", text);
}

static void parse_factor(struct light_options *o, const char *text)
{
    o->exposure = tool_positive("--exposure", text);
    if (o->exposure < 1e-6 || o->exposure > 1e6)
        die_usage("--exposure %s: not from 1e-6 to 1e6", text);
}

/* A word, a factor, or a word, a comma and a factor. */
static void parse_exposure(struct light_options *o, const char *text)
{
    static const char *const words[] = {[EXPOSURE_FIXED] = "fixed", [EXPOSURE_ADAPT] = "adapt"};
    for (enum exposure_mode k = EXPOSURE_FIXED; k <= EXPOSURE_ADAPT; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(text, words[k], length) != 0 || (text[length] != '\0' && text[length] != ','))
            continue;
        o->exposure_mode = k;
        if (text[length] == ',')
            parse_factor(o, text + length + 1);
        return;
    }
    parse_factor(o, text);
}

static bool parse(int key, const char *arg, void *context)
{
    struct light_options *o = &((struct render_options *)context)->light;
    switch (key) {
    case KEY_SMOOTH: parse_smooth(o, arg); return true;
    case KEY_STARS: o->stars = render_share("--stars", arg); return true;
    case KEY_BLOOM: o->bloom = render_share("--bloom", arg); return true;
    case KEY_EXPOSURE: parse_exposure(o, arg); return true;
    default: return false;
    }
}

const struct tool_table light_table = {options, parse};
