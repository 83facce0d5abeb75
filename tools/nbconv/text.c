#include "text.h"

#include "formats.h"

#include <string.h>

static const struct {
    const char *name;
    struct text_field field;
} short_names[] = {
    {"m", {"mass", -1}}, {"x", {"pos", 0}},  {"y", {"pos", 1}},  {"z", {"pos", 2}},
    {"vx", {"vel", 0}},  {"vy", {"vel", 1}}, {"vz", {"vel", 2}},
};

static const struct {
    const char *column, *unit;
} units[] = {
    {"mass", "M"},      {"pos", "L"},    {"vel", "L/T"},  {"acc", "L/T^2"},  {"phi", "L^2/T^2"},
    {"softening", "L"}, {"radius", "L"}, {"pos_lo", "L"}, {"vel_lo", "L/T"},
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

enum nb_type text_column_type(const char *column, enum nb_type real)
{
    if (strcmp(column, "id") == 0)
        return NB_U64;
    if (strcmp(column, "component") == 0)
        return NB_U8;
    size_t length = strlen(column);
    return length > 3 && strcmp(column + length - 3, "_lo") == 0 ? NB_F64 : real;
}

const char *text_column_unit(const char *column)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strcmp(column, units[k].column) == 0)
            return units[k].unit;
    return "-";
}

const struct conv_format conv_text = {
    .name = "text", .about = "a line a body, names of the fields in a # line", .from = text_from, .to = text_to};
