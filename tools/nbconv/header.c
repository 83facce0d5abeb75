/* Options for what a file without a header of its own lacks. */
#include "header.h"

enum { KEY_G = 0x100 + 16, KEY_SOFTENING, KEY_TIME, KEY_UNITS };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    switch (key) {
    case KEY_G: o->meta.G = tool_positive("--G", arg), o->G_given = true; return true;
    case KEY_SOFTENING: o->meta.softening = tool_not_negative("--softening", arg); return true;
    case KEY_TIME: o->meta.time = tool_number("--time", arg), o->time_given = true; return true;
    case KEY_UNITS: o->units = arg; return true;
    default: return false;
    }
}

static const struct tool_option table[] = {
    {.about = "Reading what lacks a header:"},
    {"G", KEY_G, "G", 0, "gravitational constant (default: that of --units)"},
    {"softening", KEY_SOFTENING, "L", 0, "softening length to suggest (default 0)"},
    {"time", KEY_TIME, "T", 0, "time of the frame (default 0, or as its # frame line says)"},
    {"units", KEY_UNITS, "NAME", 0, "code, galactic, solar or gauss (default code)"},
    {0},
};

const struct tool_table header_options = {table, parse};
