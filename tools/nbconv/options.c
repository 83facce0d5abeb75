#include "nbconv.h"

#include "error.h"
#include "units.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_FROM = 256, KEY_TO, KEY_COLUMNS, KEY_G, KEY_SOFTENING, KEY_TIME, KEY_UNITS, KEY_STORE };

static const struct tool_option table[] = {
    {"from", KEY_FROM, "FORMAT", 0, "read FORMAT and write a stream: text or rosetta"},
    {"to", KEY_TO, "FORMAT", 0, "read a stream and write FORMAT: text"},
    {.about = "Writing text:"},
    {"columns", KEY_COLUMNS, "LIST", 0,
     "these columns of the stream, comma separated, a vector as three fields (default: id m x y z vx vy vz)"},
    {.about = "Reading text, which lacks a header:"},
    {"G", KEY_G, "G", 0, "gravitational constant (default: that of --units)"},
    {"softening", KEY_SOFTENING, "L", 0, "softening length to suggest (default 0)"},
    {"time", KEY_TIME, "T", 0, "time of the frame (default 0, or as its # frame line says)"},
    {"units", KEY_UNITS, "NAME", 0, "code, galactic, solar or gauss (default code)"},
    {"store", KEY_STORE, "TYPE", 0,
     "f32 or f64 for real numbers (default f64), or quad, of text: f64 and, of positions and velocities, the further "
     "digits as pos_lo and vel_lo"},
    {0},
};

struct given { /* options as given, and those that go with one direction only */
    struct conv_options *o;
    const char *from, *to, *units;
    double G;
    const char *only_from, *only_to;
};

static bool parse(int key, const char *arg, void *context)
{
    struct given *g = context;
    struct conv_options *o = g->o;
    switch (key) {
    case KEY_FROM: g->from = arg; return true;
    case KEY_TO: g->to = arg; return true;
    case KEY_COLUMNS: o->columns = arg, g->only_to = "--columns"; return true;
    case KEY_G: g->G = tool_positive("--G", arg), o->G_given = true, g->only_from = "--G"; return true;
    case KEY_SOFTENING:
        o->meta.softening = tool_not_negative("--softening", arg);
        g->only_from = "--softening";
        return true;
    case KEY_TIME:
        o->meta.time = tool_number("--time", arg), o->time_given = true, g->only_from = "--time";
        return true;
    case KEY_UNITS: g->units = arg, g->only_from = "--units"; return true;
    case KEY_STORE:
        o->quad = strcmp(arg, "quad") == 0;
        o->store = o->quad ? NB_F64 : tool_real_type("--store", arg), g->only_from = "--store";
        return true;
    case TOOL_OPERAND: tool_one_input(&o->input, arg); return true;
    default: return false;
    }
}

static const struct conv_format *find_format(const char *option, const char *name, bool reads)
{
    char known[256] = "";
    for (const struct conv_format *const *f = conv_formats; *f; f++) {
        if (reads ? !(*f)->from : !(*f)->to)
            continue;
        if (strcmp((*f)->name, name) == 0)
            return *f;
        if (strlen(known) + strlen((*f)->name) + 2 < sizeof known)
            strcat(strcat(known, " "), (*f)->name);
    }
    die_usage("%s %s: not one of%s", option, name, known);
}

static void set_units(const struct given *g)
{
    const struct nb_unit_system *system = nb_units_find(g->units ? g->units : "code");
    if (!system)
        die_usage("%s", nb_error());
    g->o->meta.units = system->units;
    g->o->meta.G = g->o->G_given ? g->G : system->G;
}

void conv_options_parse(struct conv_options *o, int argc, char **argv)
{
    static const struct tool_table own = {table, parse};
    static const struct tool_syntax syntax = {
        .tables = {&own, &tool_table_input, &tool_table_output, &tool_table_common},
        .operands = "--from FORMAT | --to FORMAT [FILE]",
        .about = "Translate snapshots to and from other formats.",
        .notes =
            "FILE is the input, stdin by default. Where --frame names several, a `# frame K time T' line is written in "
            "front of each and two blank lines between them.",
    };
    *o = (struct conv_options){.store = NB_F64};
    struct given g = {.o = o};
    tool_parse("nbconv", &syntax, argc, argv, &g);
    if (!g.from == !g.to)
        die_usage("--from FORMAT or --to FORMAT is needed, and one of them alone");
    if (g.from && tool_options.frame_given)
        g.only_to = "--frame";
    if (g.from && tool_options.salvage)
        g.only_to = "--salvage";
    if (g.from ? g.only_to : g.only_from)
        die_usage("%s goes with --%s", g.from ? g.only_to : g.only_from, g.from ? "to" : "from");
    if (g.from)
        o->from = find_format("--from", g.from, true);
    else
        o->to = find_format("--to", g.to, false);
    set_units(&g);
}
