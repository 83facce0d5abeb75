#include "text.h"

#include "formats.h"
#include "header.h"

#include <string.h>

static const struct {
    const char *name;
    struct text_field field;
} short_names[] = {
    {"m", {"mass", -1}}, {"x", {"pos", 0}},  {"y", {"pos", 1}},  {"z", {"pos", 2}},
    {"vx", {"vel", 0}},  {"vy", {"vel", 1}}, {"vz", {"vel", 2}},
};

bool text_field_parse(const char *name, struct text_field *field)
{
    for (size_t k = 0; k < sizeof short_names / sizeof *short_names; k++)
        if (strcmp(name, short_names[k].name) == 0) {
            *field = short_names[k].field;
            return true;
        }
    size_t length = strlen(name);
    if (length >= NB_NAME_MAX || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length || name[0] < 'a')
        return false;
    strcpy(field->column, name);
    field->component = -1;
    if (length > 2 && name[length - 2] == '_' && name[length - 1] >= 'x' && name[length - 1] <= 'z') {
        field->column[length - 2] = '\0';
        field->component = name[length - 1] - 'x';
    }
    return true;
}

enum nb_type text_column_type(const char *column)
{
    const struct nb_known *known = nb_column_known(column);
    return known ? nb_known_type(known, NB_F64) : NB_F64;
}

const char *text_column_unit(const char *column)
{
    const struct nb_known *known = nb_column_known(column);
    return known ? known->unit : "-";
}

enum { KEY_COLUMNS = 0x100 + 32 };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    if (key != KEY_COLUMNS)
        return false;
    o->columns = arg;
    return true;
}

static const struct tool_option columns_table[] = {
    {.about = "Writing text:"},
    {"columns", KEY_COLUMNS, "LIST", 0,
     "these columns of the stream, comma separated, a vector as three fields (default: id m x y z vx vy vz)"},
    {0},
};

static const struct tool_table columns_options = {columns_table, parse};

const struct conv_format conv_text = {.name = "text",
                                      .about = "a line a body, names of the fields in a # line",
                                      .from_options = {&header_options},
                                      .to_options = {&columns_options},
                                      .from = text_from,
                                      .to = text_to};
