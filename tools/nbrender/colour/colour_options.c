#include "nbrender/nbrender.h"

enum { KEY_COLOR = 0x300, KEY_COLORMAP, KEY_SCALE, KEY_RANGE, KEY_WEIGHT };

static const struct tool_option options[] = {
    {.about = "Colour:"},
    {"color", KEY_COLOR, "speed|density|component|COLUMN", 0,
     "what a body's colour shows: its speed, how many bodies are about it in the picture, its component, or what a column holds, of a vector its length (default speed)"},
    {"colormap", KEY_COLORMAP, "NAME|FILE", 0,
     "spectrum (blue, green, red), viridis, inferno, magma, cividis, coolwarm, stars (red to blue), or a file of lines r g b (default spectrum)",
     ramp_offer},
    {"color-scale", KEY_SCALE, "linear|log|asinh|rank", 0,
     "from the least to the largest, or by rank among the bodies (default rank, linear with --color-range and of bodies that touch)"},
    {"color-range", KEY_RANGE, "A,B", 0, "the map begins at A and ends at B (default: what there is)"},
    {"weight", KEY_WEIGHT, "mass|count|COLUMN", 0,
     "a body's light is its mass, the same for all, or what a column holds (default mass)"},
    {0},
};

static void parse_range(struct colour_options *o, const char *text)
{
    tool_pair("--color-range", text, &o->low, &o->high);
    if (o->low >= o->high)
        die_usage("--color-range %s: not A,B with A below B", text);
}

static const char *parse_name(const char *option, const char *text)
{
    if (!quantity_is_name(text))
        die_usage("%s %s: not a column's name", option, text);
    return text;
}

static bool parse(int key, const char *arg, void *context)
{
    struct colour_options *o = &((struct render_options *)context)->colour;
    switch (key) {
    case KEY_COLOR: o->color = parse_name("--color", arg); return true;
    case KEY_COLORMAP: o->colormap = arg; return true;
    case KEY_SCALE: o->scaling = (enum scaling)(SCALE_LINEAR + tool_word()); return true;
    case KEY_RANGE: parse_range(o, arg); return true;
    case KEY_WEIGHT: o->weight = parse_name("--weight", arg); return true;
    default: return false;
    }
}

const struct tool_table colour_table = {options, parse};

void colour_options_check(const struct colour_options *o, double smooth, bool is_map)
{
    bool ranged = o->low < o->high;
    bool mapped = ranged || o->scaling != SCALE_AUTO || o->colormap != render_defaults.colour.colormap;
    if (strcmp(o->color, "component") == 0 && mapped && !is_map)
        die_usage("--color component: has colours of its own, without a map, a scale or a range");
    if (ranged && o->scaling == SCALE_RANK)
        die_usage("--color-range: not with --color-scale rank, which has the bodies' own");
    if (ranged && o->scaling == SCALE_LOG && o->low <= 0 && o->high >= 0)
        die_usage("--color-range %g,%g: no logarithm of 0 or of both signs (asinh and linear have it)", o->low,
                  o->high);
    if (strcmp(o->color, "density") == 0 && smooth == 0)
        die_usage("--color density: is that which --smooth K looks for, not fixed");
}
