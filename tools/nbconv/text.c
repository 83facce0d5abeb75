/* Text: a line a body, the names of the fields and the header in # lines. */
#include "text.h"

#include "formats.h"
#include "header.h"

enum { KEY_COLUMNS = 0x100 + 32, KEY_FIELDS };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    switch (key) {
    case KEY_COLUMNS: o->columns = arg; return true;
    case KEY_FIELDS: o->fields = arg; return true;
    default: return false;
    }
}

static const struct tool_option columns_table[] = {
    {.about = "Writing text and tables:"},
    {"columns", KEY_COLUMNS, "LIST", 0,
     "these columns of the stream, comma separated, a vector as three fields, or 'all' (default: all but those that a run computes, such as acc and phi)"},
    {0},
};

static const struct tool_option fields_table[] = {
    {.about = "Reading text and tables:"},
    {"fields", KEY_FIELDS, "LIST", 0,
     "what the fields of a line are, comma separated, as m,x,y,z,vx,vy,vz, with - for one to leave out; without "
     "velocities these are 0, without masses all are equal (default: what the file's line of names says)"},
    {0},
};

const struct tool_table columns_options = {columns_table, parse}, fields_options = {fields_table, parse};

const struct text_dialect text_plain = {.comment = "#", .separator = " ", .header = true};

static void from(struct conv_import *import, const char *path)
{
    text_from(import, path, &text_plain);
}

static void to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
               struct tool_output *output)
{
    text_to(o, b, frame, first, output, &text_plain);
}

const struct conv_format conv_text = {.name = "text",
                                      .about = "a line a body, names and header in # lines",
                                      .suffix = "txt",
                                      .from_options = {&header_options, &fields_options},
                                      .to_options = {&columns_options},
                                      .from = from,
                                      .to = to};
