#include "nbrender/nbrender.h"

#include <string.h>

enum { KEY_WALLS = 0xb00 };

static const struct tool_option options[] = {
    {"walls", KEY_WALLS, "fill|lines|none", 0,
     "draw the walls that the header has, in the plane z = 0: filled where they are solid, or their lines (default "
     "fill)"},
    {0},
};

const struct wall_options wall_defaults = {.style = WALLS_FILL};

static bool parse(int key, const char *arg, void *context)
{
    static const char *const names[] = {"fill", "lines", "none"};
    struct wall_options *o = &((struct render_options *)context)->walls;
    if (key != KEY_WALLS)
        return false;
    for (int k = WALLS_FILL; k <= WALLS_NONE; k++)
        if (strcmp(names[k], arg) == 0) {
            o->style = (enum wall_style)k;
            return true;
        }
    die_usage("--walls %s: not fill, lines or none", arg);
}

const struct tool_table wall_table = {options, parse};
