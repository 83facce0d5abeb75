#include "nbrender/nbrender.h"

enum { KEY_INTERPOLATE = 0x900, KEY_SHUTTER };

#define INTERPOLATE_MOST 10000

static const struct tool_option options[] = {
    {.about = "Motion:"},
    {"interpolate", KEY_INTERPOLATE, "K", 0,
     "K pictures from one frame to the next, bodies on curves between them by their positions and velocities, matched by id (default 1)"},
    {"shutter", KEY_SHUTTER, "SHARE", 0,
     "blur motion: light is gathered for this share, 0 to 1, of the time to the next picture (default 0)"},
    {0},
};

static void parse_interpolate(struct motion_options *o, const char *text)
{
    uint64_t pictures = tool_unsigned("--interpolate", text);
    if (pictures < 1 || pictures > INTERPOLATE_MOST)
        die_usage("--interpolate %s: not from 1 to %d pictures", text, INTERPOLATE_MOST);
    o->interpolate = (int)pictures;
}

static bool parse(int key, const char *arg, void *context)
{
    struct motion_options *o = &((struct render_options *)context)->motion;
    switch (key) {
    case KEY_INTERPOLATE: parse_interpolate(o, arg); return true;
    case KEY_SHUTTER: o->shutter = render_share("--shutter", arg); return true;
    default: return false;
    }
}

const struct tool_table motion_table = {options, parse};
