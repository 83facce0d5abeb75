/* Options for the colour and the light of bodies, and the checks on their combinations. */
#include "nbrender/nbrender.h"

static void take_name(const struct tool_option *o, const char *text)
{
    if (!quantity_is_name(text))
        die_usage("--%s %s: expected the name of a column", o->name, text);
    tool_take_text(o, text);
}

static void take_range(const struct tool_option *o, const char *text)
{
    double *low = &render_given.colour.low, *high = &render_given.colour.high;
    tool_pair(o->name, text, low, high);
    if (*low >= *high)
        die_usage("--%s %s: expected A,B with A below B", o->name, text);
}

const struct tool_option colour_table[] = {
    {.about = "Colour:"},
    {"color", "auto|speed|density|component|COLUMN", take_name, &render_given.colour.color,
     "quantity that sets a body's colour: speed, density in the picture, component, or a column such as vx or "
     "NAME.z (default auto: temperature, age, stars of disks and bulges, or speed)"},
    {"colormap", "NAME|FILE", tool_take_text, &render_given.colour.colormap,
     "colour map: dusk, spectrum, viridis, inferno, magma, cividis, coolwarm, stars, or a file of lines r g b "
     "(default dusk; coolwarm for values of both signs; black bodies for temperature and age)",
     .offer = ramp_offer},
    {"color-scale", "linear|log|asinh|rank", tool_take_word, &render_given.colour.scaling,
     "scale of the values, or ranks of the bodies (default rank; linear with --color-range and for bodies that touch)",
     SCALE_LINEAR},
    {"color-range", "A,B", take_range, NULL, "values at both ends of the colour map (default: from the bodies)"},
    {"weight", "auto|mass|count|COLUMN", take_name, &render_given.colour.weight,
     "light of a body: its mass, the same for all, or a column (default auto: the mass; for single stars its "
     "power 1.75)"},
    {0},
};

void colour_options_check(const struct colour_options *o, double smooth, bool is_map)
{
    bool ranged = o->low < o->high;
    bool mapped = ranged || o->scaling != SCALE_AUTO || o->colormap;
    if (strcmp(o->color, "component") == 0 && mapped && !is_map)
        die_usage("--color component uses fixed colours, without a colour map, scale or range");
    if (ranged && o->scaling == SCALE_RANK)
        die_usage("--color-range cannot be used with --color-scale rank");
    if (ranged && o->scaling == SCALE_LOG && o->low <= 0 && o->high >= 0)
        die_usage("--color-range %g,%g: a logarithmic scale needs two values of one sign, without 0 (use --color-scale "
                  "asinh or linear)",
                  o->low, o->high);
    if (strcmp(o->color, "density") == 0 && smooth == 0)
        die_usage("--color density needs --smooth K, not fixed");
}
