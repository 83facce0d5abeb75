#include "nbstat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_JSON = 256,
    KEY_CSV,
    KEY_NO_HEADER,
    KEY_DIGITS,
    KEY_PARAMS,
    KEY_POTENTIAL,
    KEY_DEVICE,
    KEY_MAX_DE,
    KEY_MAX_DP,
    KEY_MAX_DL,
    KEY_INFO,
    KEY_CHECK,
    KEY_WALLS,
    KEY_AFTER,
    KEY_MEAN
};

/* What measures bodies. */
#define MEASURES \
    "potential|max-de|max-dp|max-dl|select|frame|times|columns|lagrange|modes|within|escaped|distance|about|axis|radial|bins|range"

static const struct tool_option table[] = {
    {.about = "What to measure:"},
    {"potential", KEY_POTENTIAL, "auto|direct|tree|column|none", 0,
     "where the potential comes from: direct (the sum over all pairs, in double, with the input's softening), tree "
     "(much quicker for many bodies; the potential energy is within 1e-5 of direct's), column (phi of the stream, and "
     "phi_external, and acc for the virial ratio), auto (column where there is one, else direct for up to 65536 bodies and tree for more; the default), or none, which leaves out potential, energy and virial"},
    {"device", KEY_DEVICE, "auto|cpu[:A-B]|cuda[:N|:A-B|:all]|opencl[:N]", TOOL_NOT_RECORDED,
     "GPU number N from 0; cuda:A-B or cuda:all, several as one (default auto)"},
    {"params", KEY_PARAMS, "LIST", 0,
     "in front columns of what the run was made with: options of the tools in the history, such as virial,nbsim.theta, and seed, model, G, softening, dt and units"},
    {.about = "How to print it:"},
    {"csv", KEY_CSV, 0, 0, "commas in place of tabs, and no # before the names: what spreadsheets and pandas read"},
    {"json", KEY_JSON, 0, 0, "an object a line, null for what has no value, instead of a table; of --info too",
     .excludes = "csv|no-header|digits"},
    {"no-header", KEY_NO_HEADER, 0, 0, "no line of names"},
    {"digits", KEY_DIGITS, "N", 0, "significant digits, 1 to 17 (default 6 on a terminal, else all)"},
    {.about = "Exit 3 if in some frame ..."},
    {"max-de", KEY_MAX_DE, "X", 0,
     "the energy is off by more than X of the first frame's (or of its kinetic or potential energy, if one is larger)"},
    {"max-dp", KEY_MAX_DP, "X", 0, "the momentum is off by more than X sum m|v|"},
    {"max-dl", KEY_MAX_DL, "X", 0, "the angular momentum is off by more than X sum m|r||v|"},
    {.about = "Instead of a line on the bodies of each frame:"},
    {"walls", KEY_WALLS, 0, 0,
     "the force on each solid wall (on all walls where none is solid), its mean since the frame before, and in a flow the coefficients of drag and lift",
     .excludes = "params|" MEASURES},
    {"after", KEY_AFTER, "T", 0, "of times from T on; the first frame's force is of a moment", .needs = "walls"},
    {"mean", KEY_MEAN, 0, 0, "one line of the mean, and its standard error by the means of 10 blocks of frames",
     .needs = "walls"},
    {.about = "Instead of measuring:"},
    {"info", KEY_INFO, 0, 0, "list frames, columns, units and provenance",
     .excludes = "check|walls|csv|no-header|digits|params|" MEASURES},
    {"check", KEY_CHECK, 0, 0, "verify checksums and completeness of each file; exit 1 if one is bad",
     .excludes = "walls|csv|json|no-header|digits|params|salvage|" MEASURES},
    {0},
};

static const char *const potentials[] = {[POTENTIAL_AUTO] = "auto",
                                         [POTENTIAL_DIRECT] = "direct",
                                         [POTENTIAL_TREE] = "tree",
                                         [POTENTIAL_COLUMN] = "column",
                                         [POTENTIAL_NONE] = "none"};

const char *stat_potential_name(enum stat_potential potential)
{
    return potentials[potential];
}

static int parse_digits(const char *text)
{
    const uint64_t digits = tool_unsigned("--digits", text);
    if (digits < 1 || digits > 17)
        die_usage("--digits %s: not 1 to 17", text);
    return (int)digits;
}

static void add_input(struct stat_options *o, const char *path)
{
    const char **longer = realloc(o->inputs, ((size_t)o->input_count + 1) * sizeof *longer);
    if (!longer)
        die("no memory");
    o->inputs = longer;
    o->inputs[o->input_count++] = path;
}

static bool parse(int key, const char *arg, void *context)
{
    struct stat_options *o = context;
    switch (key) {
    case KEY_JSON: o->form = STAT_JSON; return true;
    case KEY_CSV: o->form = STAT_CSV; return true;
    case KEY_NO_HEADER: o->no_header = true; return true;
    case KEY_DIGITS: o->digits = parse_digits(arg); return true;
    case KEY_PARAMS: stat_params_parse(o, arg); return true;
    case KEY_POTENTIAL: o->potential = (enum stat_potential)(POTENTIAL_AUTO + tool_word()); return true;
    case KEY_DEVICE: o->device = tool_device_name(arg); return true;
    case KEY_MAX_DE: o->max_de = tool_not_negative("--max-de", arg); return true;
    case KEY_MAX_DP: o->max_dp = tool_not_negative("--max-dp", arg); return true;
    case KEY_MAX_DL: o->max_dl = tool_not_negative("--max-dl", arg); return true;
    case KEY_INFO: o->info = true; return true;
    case KEY_CHECK: o->check = true; return true;
    case KEY_WALLS: o->walls = true; return true;
    case KEY_AFTER: o->after = tool_number("--after", arg); return true;
    case KEY_MEAN: o->mean = true; return true;
    case TOOL_OPERAND: add_input(o, arg); return true;
    default: return false;
    }
}

static void refuse_stdin_twice(const struct stat_options *o)
{
    int count = 0;
    for (int k = 0; k < o->input_count; k++)
        count += strcmp(o->inputs[k], "-") == 0;
    if (count > 1)
        die_usage("-: stdin can be read once");
}

void stat_options_parse(struct stat_options *o, int argc, char **argv)
{
    static const struct tool_table own = {table, parse};
    static const struct tool_syntax syntax = {
        .tables = {&own, &stat_table_structure, &tool_table_select, &tool_table_input, &tool_table_output,
                   &tool_table_common},
        .operands = "[FILE...]",
        .first = "columns|csv|json|select|max-de",
        .about = "Report energy, momentum, angular momentum and size of every frame, a line each.",
        .notes =
            "Reads stdin without FILE, and all frames without --frame, with --radial the last. Errors are against "
            "the first frame of the same file, also with --frame K. Radii are about the density centre, angular momentum about the origin. Examples:\n\n"
            "  nbgen plummer -n 1k | nbsim --until 10 --every 1 | nbstat\n"
            "  nbstat --select disk --modes --within 2 --columns time,a2,phase2 run.nbs\n"
            "  nbstat --select halo --radial spherical --bins 30 run.nbs\n"
            "  nbstat --walls --after 10 --mean wing.nbs\n"
            "  nbstat --params virial,seed --frame last --csv virial-*.nbs > sweep.csv",
    };
    *o = (struct stat_options){.device = "auto",
                               .max_de = NAN,
                               .max_dp = NAN,
                               .max_dl = NAN,
                               .after = NAN,
                               .about = NB_ABOUT_DENSITY,
                               .axis = {0, 0, 1},
                               .within = INFINITY,
                               .bins = 20,
                               .range = {NAN, NAN}};
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbstat", &syntax, argc, argv, o);
    if (o->input_count == 0)
        add_input(o, "-");
    if (!isnan(o->max_de) && o->potential == POTENTIAL_NONE)
        die_usage("--max-de needs the energy, which --potential none leaves out");
    stat_structure_check(o);
    if (o->kind != STAT_ROWS && !tool_options.frame_given)
        tool_options.frame = NB_FRAME_LAST;
    refuse_stdin_twice(o);
}
