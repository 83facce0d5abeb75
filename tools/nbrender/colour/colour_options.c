#include "nbrender/nbrender.h"

enum { KEY_SPEED_RANGE = 0x300 };

static const struct tool_option options[] = {
    {.about = "Colour:"},
    {"speed-range", KEY_SPEED_RANGE, "A,B", 0,
     "blue at speed A, red at speed B, linear between (default: by rank among the speeds of the first frame; from 0 to "
     "twice the circular speed where most bodies start at rest)"},
    {0},
};

const struct colour_options colour_defaults = {0};

static void parse_speed_range(struct colour_options *o, const char *text)
{
    tool_pair("--speed-range", text, &o->speed_slow, &o->speed_fast);
    if (o->speed_slow < 0 || o->speed_slow >= o->speed_fast)
        die_usage("--speed-range %s: not two speeds from 0 on, the slower first", text);
}

static bool parse(int key, const char *arg, void *context)
{
    struct colour_options *o = &((struct render_options *)context)->colour;
    switch (key) {
    case KEY_SPEED_RANGE: parse_speed_range(o, arg); return true;
    default: return false;
    }
}

const struct tool_table colour_table = {options, parse};
