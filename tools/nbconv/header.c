/* Options for what a file without a header of its own lacks. */
#include "header.h"

#include "base/error.h"

enum { KEY_G = 0x100 + 16, KEY_SOFTENING, KEY_TIME, KEY_UNITS };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    switch (key) {
    case KEY_G: o->meta.G = tool_positive("--G", arg), o->G_given = true; return true;
    case KEY_SOFTENING:
        o->meta.softening = tool_not_negative("--softening", arg), o->softening_given = true;
        return true;
    case KEY_TIME: o->meta.time = tool_number("--time", arg), o->time_given = true; return true;
    case KEY_UNITS: o->units = arg; return true;
    default: return false;
    }
}

void conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta)
{
    const struct conv_options *o = import->options;
    if (nb_meta_copy(meta, own))
        die("%s", nb_error());
    if (o->units)
        meta->units = o->meta.units;
    if (o->units || o->G_given)
        meta->G = o->meta.G;
    if (o->softening_given)
        meta->softening = o->meta.softening;
    if (o->time_given)
        meta->time = o->meta.time;
}

static const struct tool_option table[] = {
    {.about = "Reading what lacks a header, or in place of what it says:"},
    {"G", KEY_G, "G", 0, "gravitational constant (default: the file's, or that of --units)"},
    {"softening", KEY_SOFTENING, "L", 0, "softening length to suggest (default: the file's, or 0)"},
    {"time", KEY_TIME, "T", 0, "time of the frame (default: the file's, or 0)"},
    {"units", KEY_UNITS, "code|galactic|solar|gauss", 0,
     "the units that the numbers are in (default: the file's, or code)"},
    {0},
};

const struct tool_table header_options = {table, parse};
