/* align.c - prints tables for people: columns are aligned, and numbers are right-aligned. A line is printed as soon as
 * its frame is read, so the widths of columns depend on the types of the columns and not on the values. */
#include "nbstat.h"

#include "common/tool_utf8.h"

#include <string.h>

#define GAP        2  /* number of spaces between columns */
#define SIGN       2  /* number of bytes of "# " before a header */
#define EXPONENT   6  /* number of characters of "-", "." and "e-05" in a number such as -1.5e-05 */
#define COUNT      9  /* width of integers, such as the number of bodies, characters */
#define TEXT       12 /* width of the values in a column of --params, characters */
#define LEAST_NAME 5  /* minimum width of the names of inputs, characters */

static int width_of_text(const char *text, const char *end)
{
    int width = 0;
    while (text < end && utf8_next(&text))
        width++;
    return width;
}

static bool is_text(const struct stat_column *c)
{
    return c->type == STAT_NAME || c->type == STAT_PARAM;
}

static int width_of_values(const struct stat_print *p, const struct stat_column *c)
{
    switch (c->type) {
    case STAT_NAME: return p->name_width > LEAST_NAME ? p->name_width : LEAST_NAME;
    case STAT_PARAM: return TEXT;
    case STAT_NUMBER: return p->digits + EXPONENT;
    default: return COUNT;
    }
}

/* Returns the name of component k of a column, and sets *end to the end of the name. */
static const char *name_of_part(const struct stat_column *c, int k, const char **end)
{
    const char *name = c->parts ? c->parts : c->name;
    for (; k > 0 && strchr(name, '\t'); k--)
        name = strchr(name, '\t') + 1;
    *end = name + strcspn(name, "\t");
    return name;
}

/* Returns the width of a column: the width of its values or of its name, whichever is larger. The name of the first
 * column has "# " before it. */
static int width_of_column(const struct stat_print *p, const struct stat_column *c, int part, bool first)
{
    const char *end, *name = name_of_part(c, part, &end);
    const int values = width_of_values(p, c), names = (int)(end - name) + (first && !p->no_names ? SIGN : 0);
    return values > names ? values : names;
}

/* Prints the field that begins at `field`, padded with spaces to the width of its column. Returns where the next field
 * begins. */
static const char *put_field(const struct stat_print *p, const struct stat_column *c, int part, bool first,
                             const char *field)
{
    int width = width_of_column(p, c, part, first);
    if (first && strncmp(field, "# ", SIGN) == 0) {
        fputs("# ", p->file);
        field += SIGN;
        width -= SIGN;
    }
    const char *end = field + strcspn(field, "\t\n");
    const int length = width_of_text(field, end), pad = length < width ? width - length : 0;
    fprintf(p->file, "%*s%.*s%*s", (first ? 0 : GAP) + (is_text(c) ? 0 : pad), "", (int)(end - field), field,
            is_text(c) ? pad : 0, "");
    return *end == '\t' ? end + 1 : end;
}

void stat_print_aligned(const struct stat_print *p, const struct stat_columns *c, const char *line)
{
    for (int k = 0; k < c->count; k++)
        for (int part = 0; part < c->of[k].width; part++)
            line = put_field(p, &c->of[k], part, k == 0 && part == 0, line);
    putc('\n', p->file);
}
