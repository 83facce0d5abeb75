/* option_tables.c - tables of the options of nbconv: options of every run, and options of formats. */
#include "common/tool_json.h"
#include "nbconv/nbconv.h"

#include <stdio.h>
#include <string.h>

noreturn void conv_list_formats(bool json)
{
    FILE *rows = tool_rows_begin(json);
    fprintf(rows, "# format\tending\tabout\n");
    for (const struct conv_format *f = conv_formats; f->name; f++)
        fprintf(rows, "%s\t.%s\t%s\n", f->name, f->suffix ? f->suffix : f->name, f->about);
    tool_rows_end(rows);
}

struct conv_options conv_given;

static void take_store(const struct tool_option *o, const char *text)
{
    conv_given.quad = strcmp(text, "quad") == 0;
    conv_given.store = conv_given.quad ? NB_F64 : tool_real_type(o->name, text);
}

static void take_endian(const struct tool_option *o, const char *text)
{
    if (strcmp(text, "native") != 0 && strcmp(text, "little") != 0 && strcmp(text, "big") != 0)
        die_usage("--%s %s: expected one of native little big", o->name, text);
    conv_given.endian = text[0];
}

static void take_size(const struct tool_option *o, const char *text)
{
    double *size = o->to;
    *size = conv_parse_size(o->name, text, size == &conv_given.length_cgs);
}

/* ---- options of each run ---- */

static char from_about[320] = "read FORMAT and write a stream:", to_about[320] = "read a stream and write FORMAT:";

static void offer_formats(void)
{
    for (const struct conv_format *f = conv_formats; f->name; f++)
        tool_offer(f->name, f->about);
}

const struct tool_option conv_own_options[] = {
    {"from", "FORMAT", tool_take_text, &conv_given.from_name, from_about, .offer = offer_formats, .excludes = "to"},
    {"to", "FORMAT", tool_take_text, &conv_given.to_name, to_about, .offer = offer_formats},
    {"list-formats", NULL, tool_take_flag, &conv_given.list, "list the formats and exit", .flags = TOOL_NOT_RECORDED},
    {"json", NULL, tool_take_flag, &conv_given.json, "print the list as a JSON array", .flags = TOOL_NOT_RECORDED,
     .needs = "list-formats"},
    {0},
};

const struct tool_option conv_store_options[] = {
    {.about = "Reading:"},
    {"store", "f32|f64|quad", take_store, NULL,
     "type of real numbers (default f64). quad, for text: f64 and the further digits of positions and velocities "
     "as pos_lo and vel_lo"},
    {0},
};

/* Appends the names of the formats to `about`, the help text of --from or --to. Does nothing if `about` does not end
 * with a colon, because the names were then appended before. For --from (`reads` is true), leaves out formats that
 * nbconv can only write. */
static void name_formats(char *about, size_t size, bool reads)
{
    if (about[strlen(about) - 1] == ':')
        for (const struct conv_format *f = conv_formats; f->name; f++)
            if (!reads || f->from || f->missing)
                snprintf(about + strlen(about), size - strlen(about), "%s %s", f > conv_formats ? "," : "", f->name);
}

void conv_options_name_formats(void)
{
    name_formats(from_about, sizeof from_about, true);
    name_formats(to_about, sizeof to_about, false);
}

/* ---- options of formats ---- */

const struct tool_option conv_header_options[] = {
    {.about = "Header, if the input has none, or to override it:"},
    {"G", "G", tool_take_positive, &conv_given.meta.G,
     "gravitational constant (default: that of the file or of --units)"},
    {"softening", "L", tool_take_not_negative, &conv_given.meta.softening,
     "suggested softening length (default: the file's, or 0)"},
    {"time", "T", tool_take_number, &conv_given.meta.time, "time of the frame (default: the file's, or 0)"},
    {"units", "code|galactic|solar|gauss", tool_take_text, &conv_given.units,
     "units of the numbers (default: the file's, or code)"},
    {0},
};

const struct tool_option conv_columns_options[] = {
    {.about = "Writing text and tables:"},
    {"columns", "LIST", tool_take_text, &conv_given.columns,
     "columns of the stream to write, separated by commas, a vector as three fields; or 'all' (default: all but "
     "those that a run computes, such as acc and phi)"},
    {0},
};

const struct tool_option conv_fields_options[] = {
    {.about = "Reading text and tables:"},
    {"fields", "LIST", tool_take_text, &conv_given.fields,
     "names of the fields of a line, separated by commas, such as m,x,y,z,vx,vy,vz; - leaves a field out "
     "(default: the file's line of names). Without velocities these are 0, without masses all are equal"},
    {0},
};

const struct tool_option conv_physical_options[] = {
    {.about = "Physical units of a stream in code units:"},
    {"length-unit", "LENGTH", take_size, &conv_given.length_cgs,
     "unit of length, such as 3.5kpc: cm, m, km, AU, pc, kpc or Mpc"},
    {"mass-unit", "MASS", take_size, &conv_given.mass_cgs, "unit of mass, such as 1e10Msun: g, kg or Msun"},
    {0},
};

const struct tool_option conv_type_map_options[] = {
    {.about = "Types of particles:"},
    {"type-map", "NAME=TYPE,...", tool_take_text, &conv_given.type_map,
     "types 0 to 5 of components, and back (default gas=0, halo=1, disk=2, bulge=3, star=4, hole=5, planet=4, "
     "other=1)"},
    {0},
};

const struct tool_option conv_endian_options[] = {
    {.about = "Binary formats:"},
    {"endian", "ORDER", take_endian, NULL,
     "byte order of the output: native, little or big (default: big for tipsy, native for others). Both are read",
     .flags = TOOL_NOT_RECORDED},
    {0},
};

const struct tool_option conv_steps_options[] = {
    {.about = "Writing rosetta:"},
    {"steps", "N", tool_take_unsigned, &conv_given.steps,
     "number of steps (default: that of the header's line `steps')"},
    {0},
};
