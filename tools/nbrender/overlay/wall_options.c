#include "nbrender/nbrender.h"

enum { KEY_WALLS = 0xb00 };

static const struct tool_option options[] = {
    {"walls", KEY_WALLS, "fill|lines|none", 0,
     "draw the walls that the header has, in the plane z = 0: filled where they are solid, or their lines (default fill)"},
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    (void)arg;
    struct wall_options *o = &((struct render_options *)context)->walls;
    if (key != KEY_WALLS)
        return false;
    o->style = (enum wall_style)(WALLS_FILL + tool_word());
    return true;
}

const struct tool_table wall_table = {options, parse};
