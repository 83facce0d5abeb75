#include "nbrender/nbrender.h"

#include <string.h>

enum { KEY_EXPOSURE = 0x400, KEY_SMOOTH };

static const struct tool_option options[] = {
    {.about = "Light:"},
    {"smooth", KEY_SMOOTH, "K|fixed", 0,
     "a body's light covers so wide a place that about K bodies are in it, or is as wide everywhere (default 12)"},
    {"exposure", KEY_EXPOSURE, "X", 0, "times the exposure found for the first frame (default 1)"},
    {0},
};

const struct light_options light_defaults = {.smooth = 12, .exposure = 1};

static void parse_smooth(struct light_options *o, const char *text)
{
    o->smooth = strcmp(text, "fixed") == 0 ? 0 : tool_positive("--smooth", text);
    if (o->smooth != 0 && (o->smooth < 1 || o->smooth > 1e6))
        die_usage("--smooth %s: not from 1 to 1e6, nor fixed", text);
}

static void parse_exposure(struct light_options *o, const char *text)
{
    o->exposure = tool_positive("--exposure", text);
    if (o->exposure < 1e-6 || o->exposure > 1e6)
        die_usage("--exposure %s: not from 1e-6 to 1e6", text);
}

static bool parse(int key, const char *arg, void *context)
{
    struct light_options *o = &((struct render_options *)context)->light;
    switch (key) {
    case KEY_SMOOTH: parse_smooth(o, arg); return true;
    case KEY_EXPOSURE: parse_exposure(o, arg); return true;
    default: return false;
    }
}

const struct tool_table light_table = {options, parse};
