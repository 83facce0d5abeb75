#include "nbrender/nbrender.h"

enum { KEY_STYLE = 0xa00, KEY_TRAILS, KEY_LABELS };

static const struct tool_option options[] = {
    {"style", KEY_STYLE, "auto|light|discs", 0,
     "each body light, or a disc with a size by its mass, of bodies that touch with their radius (default auto: discs where the first frame has at most 200, or shows that radius)"},
    {"trails", KEY_TRAILS, "T", 0, "behind each disc its path of the last T time units, fading (default: none)"},
    {"labels", KEY_LABELS, "id|COLUMN|NAMES", 0,
     "beside each disc its id, a value of a column, or its name: A,B,... by increasing id"},
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    struct disc_options *o = &((struct render_options *)context)->discs;
    switch (key) {
    case KEY_STYLE: o->style = (enum style)(STYLE_AUTO + tool_word()); return true;
    case KEY_TRAILS: o->trails = tool_positive("--trails", arg); return true;
    case KEY_LABELS: o->labels = arg; return true;
    default: return false;
    }
}

const struct tool_table disc_table = {options, parse};
