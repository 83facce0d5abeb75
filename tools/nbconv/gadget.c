/* GADGET's and SWIFT's HDF5: the names that they have for columns and units. */
#include "gadget.h"

#include "formats.h"
#include "header.h"
#include "physical.h"
#include "type_map.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first of a column's names is written. */
static const struct {
    const char *column, *gadget, *swift;
} names[] = {
    {"mass", "Masses", "Masses"},
    {"pos", "Coordinates", "Coordinates"},
    {"vel", "Velocities", "Velocities"},
    {"id", "ParticleIDs", "ParticleIDs"},
    {"component", "Component", "Components"},
    {"phi", "Potential", "Potentials"},
    {"acc", "Acceleration", "Accelerations"},
    {"softening", "Softening", "Softenings"},
    {"radius", "Radius", "Radii"},
    {"mass", "Mass", "DynamicalMasses"}, /* of older writers, and of SWIFT's black holes */
    {"vel", "Velocity", "Velocity"},
};
#define NAMES (sizeof names / sizeof *names)

void gadget_table_name(const char *column, bool swift, char name[GADGET_NAME_MAX])
{
    for (size_t k = 0; k < NAMES; k++)
        if (strcmp(column, names[k].column) == 0) {
            strcpy(name, swift ? names[k].swift : names[k].gadget);
            return;
        }
    bool large = true;
    for (; *column; column++)
        if (*column == '_')
            large = true;
        else {
            *name++ = large ? (char)toupper((unsigned char)*column) : *column;
            large = false;
        }
    *name = '\0';
}

bool gadget_column_name(const char *table, char column[NB_NAME_MAX])
{
    for (size_t k = 0; k < NAMES; k++)
        if (strcmp(table, names[k].gadget) == 0 || strcmp(table, names[k].swift) == 0) {
            strcpy(column, names[k].column);
            return true;
        }
    size_t length = 0;
    for (const char *c = table; *c; c++) {
        const bool word = c > table && isupper((unsigned char)*c) && !isupper((unsigned char)c[-1]) && c[-1] != '_';
        if (length + 2 >= NB_NAME_MAX)
            return false;
        if (word)
            column[length++] = '_';
        column[length++] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    }
    column[length] = '\0';
    return islower((unsigned char)column[0]) && !nb_column_known(column);
}

/* ---- units ---- */

static const char symbols[] = "MLT";

bool gadget_unit_powers(const char *unit, double powers[3])
{
    powers[0] = powers[1] = powers[2] = 0;
    if (strcmp(unit, "-") == 0)
        return true;
    int sign = 1;
    if (unit[0] == '1' && unit[1] == '/')
        sign = -1, unit += 2;
    while (*unit) {
        const char *symbol = strchr(symbols, *unit++);
        double power = 1;
        if (!symbol)
            return false;
        if (*unit == '^') {
            char *end;
            power = strtod(unit + 1, &end);
            if (end == unit + 1 || !isfinite(power) || fabs(power) > 100)
                return false;
            unit = end;
        }
        powers[symbol - symbols] += sign * power;
        sign = *unit == '/' ? -1 : sign; /* all that follows divides */
        if (*unit == '/' || *unit == '*' || *unit == ' ')
            if (!*++unit)
                return false;
    }
    return true;
}

/* Factors of one sign. */
static size_t add_factors(char *unit, size_t length, const double powers[3], int sign)
{
    for (int k = 0; k < 3; k++) {
        const int power = sign * (int)powers[k];
        if (power <= 0)
            continue;
        const char *joint = sign < 0 ? "/" : length ? "*" : "";
        length += (size_t)(power == 1 ? sprintf(unit + length, "%s%c", joint, symbols[k])
                                      : sprintf(unit + length, "%s%c^%d", joint, symbols[k], power));
    }
    return length;
}

void gadget_unit_name(const double powers[3], char unit[NB_NAME_MAX])
{
    bool positive = false, any = false;
    strcpy(unit, "-");
    for (int k = 0; k < 3; k++) {
        if (powers[k] != floor(powers[k]) || fabs(powers[k]) > 99)
            return;
        positive = positive || powers[k] > 0;
        any = any || powers[k] != 0;
    }
    if (!any)
        return;
    size_t length = positive ? 0 : (size_t)sprintf(unit, "1");
    length = add_factors(unit, length, powers, 1);
    add_factors(unit, length, powers, -1);
}

const struct conv_format conv_gadget = {
    .name = "gadget",
    .about = "GADGET's HDF5 snapshots",
    .from_options = {&header_options, &physical_options, &type_map_options},
    .suffix = "hdf5",
    .to_options = {&physical_options, &type_map_options, &tool_table_space},
    .from = gadget_from,
    .to = gadget_to,
    .several = true,
    .binary = true,
    .file_alone = true,
};

const struct conv_format conv_swift = {
    .name = "swift",
    .about = "SWIFT's dialect of them",
    .from_options = {&header_options, &physical_options, &type_map_options},
    .to_options = {&physical_options, &type_map_options, &tool_table_space},
    .from = gadget_from,
    .to = gadget_to_swift,
    .several = true,
    .binary = true,
    .file_alone = true,
};
