/* options.c - the options of nbstat and its command line. */

#include "nbstat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names of the options for measurements of bodies. They are not allowed in modes that measure no bodies. */
#define MEASURES \
    "potential|max-de|max-dp|max-dl|select|frame|times|columns|lagrange|modes|within|escaped|distance|about|axis|radial|bins|range|binaries"

struct stat_options stat_given;

static const struct tool_option table[] = {
    {.about = "Method:"},
    {"potential", "auto|direct|tree|column|none", tool_take_word, &stat_given.potential,
     "method for the potential: direct summation, tree, or the columns phi, phi_external and acc (default auto: "
     "columns, otherwise direct for up to 32768 bodies and tree for more). none leaves out potential, energy and "
     "virial"},
    {"device", "auto|cpu[:A-B]|cuda[:N|:A-B|:all]|opencl[:N]", tool_take_device, &stat_given.device,
     "device for the potential: cuda:N is GPU number N from 0; cuda:A-B or cuda:all use several as one (default auto)",
     .flags = TOOL_NOT_RECORDED},
    {"params", "LIST", stat_params_take, NULL,
     "columns in front with parameters of the run: options from the history, such as virial or nbsim.theta, and "
     "seed, model, G, softening, dt, units"},
    {.about = "Output:"},
    {"csv", NULL, tool_take_word, &stat_given.form,
     "comma-separated values with a line of names, as for spreadsheets and pandas", STAT_CSV},
    {"json", NULL, tool_take_word, &stat_given.form,
     "one JSON object a line instead of a table, with null for missing values; for --info too", STAT_JSON,
     .excludes = "csv|no-header|digits"},
    {"no-header", NULL, tool_take_flag, &stat_given.no_header, "leave out the line of names"},
    {"digits", "N", tool_take_integer, &stat_given.digits,
     "significant digits, 1 to 17 (default 6 on a terminal, otherwise all)", 1, 17, "not 1 to 17"},
    {.about = "Limits, exit status 3 if exceeded:"},
    {"max-de", "X", tool_take_not_negative, &stat_given.limit[STAT_ENERGY],
     "exit status 3 if |energy_error| exceeds X in any frame"},
    {"max-dp", "X", tool_take_not_negative, &stat_given.limit[STAT_MOMENTUM],
     "exit status 3 if momentum_error exceeds X in any frame"},
    {"max-dl", "X", tool_take_not_negative, &stat_given.limit[STAT_ANGULAR_MOMENTUM],
     "exit status 3 if angular_momentum_error exceeds X in any frame"},
    {.about = "Forces on walls, and events, instead of measures:"},
    {"walls", NULL, tool_take_flag, &stat_given.walls,
     "force on each solid wall (on all walls if none is solid), averaged since the previous frame, with the "
     "coefficients of drag and lift in a flow",
     .excludes = "params|" MEASURES},
    {"after", "T", tool_take_number, &stat_given.after, "with --walls, frames from time T", .needs = "walls"},
    {"mean", NULL, tool_take_flag, &stat_given.mean,
     "with --walls, one line with the mean and its standard error, from 10 blocks of frames", .needs = "walls"},
    {"events", NULL, tool_take_flag, &stat_given.events,
     "a line for each star that merged or escaped since the previous frame, and for each hard binary that changed",
     .excludes = "walls|params|" MEASURES},
    {.about = "Contents of files, instead of measures:"},
    {"info", NULL, tool_take_flag, &stat_given.info, "list frames, columns, units and provenance",
     .excludes = "check|walls|events|csv|no-header|digits|params|" MEASURES},
    {"check", NULL, tool_take_flag, &stat_given.check,
     "verify checksums and completeness of each file; exit status 1 if a file is bad",
     .excludes = "walls|events|csv|json|no-header|digits|params|salvage|" MEASURES},
    {0},
};

static void refuse_stdin_twice(const struct stat_options *o)
{
    int count = 0;
    for (int k = 0; k < o->input_count; k++)
        count += strcmp(o->inputs[k], "-") == 0;
    if (count > 1)
        die_usage("-: stdin can be read only once");
}

void stat_options_parse(struct stat_options *o, int argc, char **argv)
{
    static const struct tool_syntax syntax = {
        .tables = {table, stat_table_structure, tool_table_select, tool_table_input, tool_table_output,
                   tool_table_common},
        .operands = "[FILE...]",
        .first = "columns|csv|json|select|max-de",
        .about = "Report energy, momentum, angular momentum and size of each frame, one line a frame.",
        .notes =
            "Reads FILE or stdin. All frames are measured, with --radial the last, or those of --frame. Errors are "
            "relative "
            "to the first frame of the same file, also with --frame K. Radii are about the density centre, angular "
            "momentum about the origin. Examples:\n\n"
            "  nbgen plummer -n 1k | nbsim --until 10 --every 1 | nbstat\n"
            "  nbstat --select disk --modes --within 2 --columns time,a2,phase2 run.nbs\n"
            "  nbstat --select halo --radial spherical --bins 30 run.nbs\n"
            "  nbstat --binaries --csv cluster.nbs > pairs.csv\n"
            "  nbstat --walls --after 10 --mean wing.nbs\n"
            "  nbstat --params virial,seed --frame last --csv virial-*.nbs > sweep.csv",
    };
    stat_given = (struct stat_options){.device = "auto",
                                       .limit = {NAN, NAN, NAN},
                                       .after = NAN,
                                       .about = NB_ABOUT_DENSITY,
                                       .axis = {0, 0, 1},
                                       .within = INFINITY,
                                       .bins = 20,
                                       .range = {NAN, NAN}};
    tool_options.frame = TOOL_FRAME_ALL;
    tool_parse("nbstat", &syntax, argc, argv);
    *o = stat_given;
    o->inputs = tool_inputs(&o->input_count);
    if (!isnan(o->limit[STAT_ENERGY]) && o->potential == POTENTIAL_NONE)
        die_usage("--max-de needs the energy, but --potential none omits it");
    stat_structure_check(o);
    if ((o->kind == STAT_SPHERICAL || o->kind == STAT_CYLINDRICAL) && !tool_options.frame_given)
        tool_options.frame = NB_FRAME_LAST;
    refuse_stdin_twice(o);
}
