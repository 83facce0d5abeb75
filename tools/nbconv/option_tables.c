/* The options of nbconv, in tables: those of each run, and those of formats. */
#include "common/tool_json.h"
#include "nbconv/nbconv.h"

#include <stdio.h>
#include <string.h>

enum {
    KEY_FROM = 256,
    KEY_TO,
    KEY_LIST,
    KEY_JSON,
    KEY_STORE,
    KEY_G,
    KEY_SOFTENING,
    KEY_TIME,
    KEY_UNITS,
    KEY_COLUMNS,
    KEY_FIELDS,
    KEY_LENGTH,
    KEY_MASS,
    KEY_TYPE_MAP,
    KEY_ENDIAN,
    KEY_STEPS
};

noreturn void conv_list_formats(bool json)
{
    FILE *rows = tool_rows_begin(json);
    fprintf(rows, "# format\tending\tabout\n");
    for (const struct conv_format *f = conv_formats; f->name; f++)
        fprintf(rows, "%s\t.%s\t%s\n", f->name, f->suffix ? f->suffix : f->name, f->about);
    tool_rows_end(rows);
}

static void set_store(struct conv_options *o, const char *arg)
{
    o->store_given = true;
    o->quad = strcmp(arg, "quad") == 0;
    o->store = o->quad ? NB_F64 : tool_real_type("--store", arg);
}

static void set_endian(struct conv_options *o, const char *arg)
{
    if (strcmp(arg, "native") != 0 && strcmp(arg, "little") != 0 && strcmp(arg, "big") != 0)
        die_usage("--endian %s: not one of native little big", arg);
    o->endian = arg[0];
}

static bool parse_header(int key, const char *arg, void *context)
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

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    switch (key) {
    case KEY_FROM: o->from_name = arg; return true;
    case KEY_TO: o->to_name = arg; return true;
    case KEY_LIST: o->list = true; return true;
    case KEY_JSON: o->json = true; return true;
    case TOOL_OPERAND: *(o->input ? &o->another : &o->input) = arg; return true;
    case KEY_STORE: set_store(o, arg); return true;
    case KEY_COLUMNS: o->columns = arg; return true;
    case KEY_FIELDS: o->fields = arg; return true;
    case KEY_LENGTH: o->length_cgs = conv_parse_size("--length-unit", arg, 1); return true;
    case KEY_MASS: o->mass_cgs = conv_parse_size("--mass-unit", arg, 0); return true;
    case KEY_TYPE_MAP: o->type_map = arg; return true;
    case KEY_ENDIAN: set_endian(o, arg); return true;
    case KEY_STEPS: o->steps = tool_unsigned("--steps", arg), o->steps_given = true; return true;
    default: return false;
    }
}

/* ---- of each run ---- */

static char from_about[320] = "read FORMAT and write a stream:", to_about[320] = "read a stream and write FORMAT:";

static void offer_formats(const char *typed)
{
    (void)typed;
    tool_offer_behind(0);
    for (const struct conv_format *f = conv_formats; f->name; f++)
        tool_offer(f->name, f->about);
}

static const struct tool_option own[] = {
    {"from", KEY_FROM, "FORMAT", 0, from_about, offer_formats, .excludes = "to"},
    {"to", KEY_TO, "FORMAT", 0, to_about, offer_formats},
    {"list-formats", KEY_LIST, NULL, TOOL_NOT_RECORDED, "list the formats, and exit"},
    {"json", KEY_JSON, NULL, TOOL_NOT_RECORDED, "print the list as a JSON array", .needs = "list-formats"},
    {0},
};

static const struct tool_option store[] = {
    {.about = "Reading:"},
    {"store", KEY_STORE, "f32|f64|quad", 0,
     "f32 or f64 for real numbers (default f64), or quad, of text: f64 and, of positions and velocities, the further digits as pos_lo and vel_lo"},
    {0},
};

const struct tool_table conv_own_options = {own, parse}, conv_store_options = {store, parse};

/* The names of the formats, from their table. */
static void name_formats(char *about, size_t size)
{
    if (about[strlen(about) - 1] == ':')
        for (const struct conv_format *f = conv_formats; f->name; f++)
            snprintf(about + strlen(about), size - strlen(about), "%s %s", f > conv_formats ? "," : "", f->name);
}

void conv_options_name_formats(void)
{
    name_formats(from_about, sizeof from_about);
    name_formats(to_about, sizeof to_about);
}

/* ---- of formats ---- */

static const struct tool_option header[] = {
    {.about = "Reading what lacks a header, or in place of what it says:"},
    {"G", KEY_G, "G", 0, "gravitational constant (default: the file's, or that of --units)"},
    {"softening", KEY_SOFTENING, "L", 0, "softening length to suggest (default: the file's, or 0)"},
    {"time", KEY_TIME, "T", 0, "time of the frame (default: the file's, or 0)"},
    {"units", KEY_UNITS, "code|galactic|solar|gauss", 0,
     "the units that the numbers are in (default: the file's, or code)"},
    {0},
};

static const struct tool_option columns[] = {
    {.about = "Writing text and tables:"},
    {"columns", KEY_COLUMNS, "LIST", 0,
     "these columns of the stream, comma separated, a vector as three fields, or 'all' (default: all but those that a run computes, such as acc and phi)"},
    {0},
};

static const struct tool_option fields[] = {
    {.about = "Reading text and tables:"},
    {"fields", KEY_FIELDS, "LIST", 0,
     "what the fields of a line are, comma separated, as m,x,y,z,vx,vy,vz, with - for one to leave out; without "
     "velocities these are 0, without masses all are equal (default: what the file's line of names says)"},
    {0},
};

static const struct tool_option physical[] = {
    {.about = "Physical units of a stream that has none (code units):"},
    {"length-unit", KEY_LENGTH, "LENGTH", 0, "its unit of length, as 3.5kpc: cm, m, km, AU, pc, kpc or Mpc"},
    {"mass-unit", KEY_MASS, "MASS", 0, "its unit of mass, as 1e10Msun: g, kg or Msun"},
    {0},
};

static const struct tool_option type_map[] = {
    {.about = "Types of particles:"},
    {"type-map", KEY_TYPE_MAP, "NAME=TYPE,...", 0,
     "the types 0 to 5 that components become, and back (default gas=0, halo=1, disk=2, bulge=3, star=4, hole=5, planet=4, other=1)"},
    {0},
};

static const struct tool_option endian[] = {
    {.about = "Binary formats:"},
    {"endian", KEY_ENDIAN, "ORDER", TOOL_NOT_RECORDED,
     "byte order that is written, native, little or big (default: big of tipsy, native of nemo); either is read"},
    {0},
};

static const struct tool_option steps[] = {
    {.about = "Writing rosetta:"},
    {"steps", KEY_STEPS, "N", 0, "the number of steps that it asks for (default: that of the header's line `steps')"},
    {0},
};

const struct tool_table conv_header_options = {header, parse_header}, conv_columns_options = {columns, parse},
                        conv_fields_options = {fields, parse}, conv_physical_options = {physical, parse},
                        conv_type_map_options = {type_map, parse}, conv_endian_options = {endian, parse},
                        conv_steps_options = {steps, parse};
