/* field.c - parses the names of fields, and splits lines into words. */
#include "nbconv/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool is_among(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list;
}

static const struct {
    const char *column;
    bool vector;
    const char *names[10]; /* names of the column in files; for a vector, names without the axis x, y or z */
} known[] = {
    {"mass", false, {"m", "mass", "masses"}},
    {"id", false, {"id", "ids", "pid", "particle_id", "particle_ids", "particleid", "particleids", "body", "body_id"}},
    {"component", false, {"component", "components", "comp"}},
    {"softening", false, {"softening", "softenings", "eps", "epsilon"}},
    {"radius", false, {"radius", "radii"}},
    {"phi", false, {"phi", "pot", "potential", "potentials"}},
    {"pos", true, {"", "pos", "position", "positions", "coord", "coords", "coordinate", "coordinates"}},
    {"vel", true, {"v", "vel", "velocity", "velocities"}},
    {"acc", true, {"a", "acc", "acceleration", "accelerations"}},
};

static bool find_column(const char *name, bool vector, struct field *f)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].vector == vector && is_among(name, known[k].names)) {
            strcpy(f->column, known[k].column);
            return true;
        }
    return false;
}

static bool is_axis(char c)
{
    return c >= 'x' && c <= 'z';
}

/* Sets the column and the component of a field from a name such as x, vx, v_x, vel_x or x_vel. Returns false for other
 * names. */
static bool find_vector(const char *name, struct field *f)
{
    char stem[NB_NAME_MAX];
    size_t length = strlen(name);
    const bool before = length > 2 && is_axis(name[0]) && name[1] == '_';
    const char axis = before ? name[0] : name[length - 1];
    if (!is_axis(axis))
        return false;
    strcpy(stem, before ? name + 2 : name);
    if (!before)
        stem[--length] = '\0';
    if (!before && length > 1 && stem[length - 1] == '_')
        stem[length - 1] = '\0';
    if (!find_column(stem, true, f))
        return false;
    f->component = axis - 'x';
    return true;
}

/* Splits `from`, the name of a field with or without a unit in brackets. Copies the name to `name` in lower case, with
 * _ for each character that is not a letter or a digit. Copies the unit to `unit`. Returns false if `from` has another
 * form. */
static bool normalise(const char *from, char *name, char *unit)
{
    size_t length = 0;
    for (; *from && *from != '[' && *from != '('; from++) {
        if (length == NB_NAME_MAX - 1)
            return false;
        name[length++] = isalnum((unsigned char)*from) ? (char)tolower((unsigned char)*from) : '_';
    }
    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
    if (*from) {
        const size_t size = strcspn(++from, "])");
        if (!from[size] || from[size + 1] || size >= NB_NAME_MAX)
            return false;
        memcpy(unit, from, size);
        unit[size] = '\0';
    }
    return islower((unsigned char)name[0]);
}

bool field_parse(const char *text, struct field *f)
{
    char name[NB_NAME_MAX];
    *f = (struct field){.component = -1, .at = -1, .low_at = -1, .factor = 1};
    if (!*text || strcmp(text, "-") == 0) {
        f->role = FIELD_SKIP;
        return true;
    }
    if (!normalise(text, name, f->unit))
        return false;
    if (strcmp(name, "frame") == 0)
        f->role = FIELD_FRAME;
    else if (strcmp(name, "time") == 0 || strcmp(name, "t") == 0)
        f->role = FIELD_TIME;
    if (f->role != FIELD_COLUMN || find_column(name, false, f) || find_vector(name, f))
        return true;
    const size_t length = strlen(name);
    strcpy(f->column, name);
    if (length > 2 && name[length - 2] == '_' && is_axis(name[length - 1])) {
        f->column[length - 2] = '\0';
        f->component = name[length - 1] - 'x';
    }
    return true;
}

const char *field_name(const struct field *f)
{
    return f->role == FIELD_FRAME ? "frame" : f->role == FIELD_TIME ? "time" : f->column;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Unquotes a quoted word in place: replaces each "" by one quote and removes the closing quote. `at`: the first
 * character after the opening quote. Returns a pointer to the text after the closing quote. */
static char *cut_quoted(char *at)
{
    char *to = at;
    for (; *at; at++) {
        if (*at == '"' && *++at != '"')
            break;
        *to++ = *at;
        if (!*at)
            return at;
    }
    char *end = at;
    if (to < at)
        *to = '\0';
    return end;
}

static void trim_end(char *word, char *end)
{
    while (end > word && is_blank(end[-1]))
        end--;
    *end = '\0';
}

int field_split(char *line, char separator, char **words, int most)
{
    int count = 0;
    for (char *at = line;; at++) {
        while (is_blank(*at))
            at++;
        if (!*at && (separator == ' ' || count == 0))
            return count;
        if (count == most)
            return most + 1;
        const bool quoted = *at == '"';
        char *word = at + quoted;
        if (quoted)
            at = cut_quoted(at + 1);
        char *end = at;
        while (*at && (separator == ' ' ? !is_blank(*at) : *at != separator))
            at++;
        const bool last = !*at;
        if (!quoted)
            trim_end(word, at);
        else if (*end)
            *end = '\0';
        words[count++] = word;
        if (last)
            return count;
    }
}

char field_separator(const char *line)
{
    bool quoted = false, semicolon = false;
    for (; *line; line++) {
        quoted ^= *line == '"';
        if (!quoted && *line == ',')
            return ',';
        semicolon = semicolon || (!quoted && *line == ';');
    }
    return semicolon ? ';' : ' ';
}

static const char *skip_digits(const char *c)
{
    while (isdigit((unsigned char)*c))
        c++;
    return c;
}

bool field_has_decimal_commas(const char *line)
{
    int with = 0, words = 0;
    while (*(line += strspn(line, " \t\r\v\f;"))) {
        const char *c = line + (*line == '-' || *line == '+'), *comma = skip_digits(c);
        const size_t length = strcspn(line, " \t\r\v\f;");
        words++;
        if (comma > c && *comma == ',' && isdigit((unsigned char)comma[1])) {
            c = skip_digits(comma + 1);
            if ((*c | 32) == 'e')
                c = skip_digits(c + 1 + (c[1] == '-' || c[1] == '+'));
            with += c == line + length;
        } else if (comma < line + length)
            return false;
        line += length;
    }
    return words > 1 && with > 0;
}

bool field_is_number(const char *word)
{
    char *end;
    strtod(word, &end);
    return end > word && !*end;
}

bool field_is_missing(const char *word)
{
    static const char *const names[] = {"", "NA", "N/A", "null", "NULL", NULL};
    return is_among(word, names);
}
