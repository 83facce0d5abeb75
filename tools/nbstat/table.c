/* A line of text from its struct: tab-separated, or a JSON object (RFC 8259). */
#include "nbstat.h"

#include "tool_json.h"

#include <inttypes.h>
#include <math.h>

static const void *value_of(const void *line, const struct stat_column *c)
{
    return (const char *)line + c->offset;
}

/* ---- tab-separated ---- */

void stat_print_header(FILE *f, const struct stat_columns *c)
{
    for (int k = 0; k < c->count; k++)
        fprintf(f, "%s%s", k ? "\t" : "# ", c->of[k].parts ? c->of[k].parts : c->of[k].name);
    putc('\n', f);
}

/* A name with what would end a field or a line written as in C. */
static void print_name(FILE *f, const char *name)
{
    for (; *name; name++)
        if (*name == '\\')
            fputs("\\\\", f);
        else if ((unsigned char)*name < ' ')
            fprintf(f, "\\%03o", (unsigned)*name);
        else
            putc(*name, f);
}

static void print_field(FILE *f, const struct stat_column *c, const void *value)
{
    const double *number = value;
    switch (c->type) {
    case STAT_NAME: print_name(f, *(const char *const *)value); break;
    case STAT_FRAME: fprintf(f, "%" PRId64, *(const int64_t *)value); break;
    case STAT_COUNT: fprintf(f, "%" PRIu64, *(const uint64_t *)value); break;
    case STAT_NUMBER:
        for (int k = 0; k < c->width; k++)
            fprintf(f, k ? "\t%.17g" : "%.17g", isnan(number[k]) ? (double)NAN : number[k]); /* never -nan */
    }
}

void stat_print_tsv(FILE *f, const struct stat_columns *c, const void *line)
{
    for (int k = 0; k < c->count; k++) {
        fputs(k ? "\t" : "", f);
        print_field(f, &c->of[k], value_of(line, &c->of[k]));
    }
    putc('\n', f);
}

/* ---- JSON ---- */

static void print_values(FILE *f, const double *value, int width)
{
    if (width == 1) {
        tool_json_number(f, *value);
        return;
    }
    for (int c = 0; c < width; c++) {
        fputs(c ? ", " : "[", f);
        tool_json_number(f, value[c]);
    }
    putc(']', f);
}

static void print_value(FILE *f, const struct stat_column *c, const void *value)
{
    switch (c->type) {
    case STAT_NAME: tool_json_string(f, *(const char *const *)value); break;
    case STAT_NUMBER: print_values(f, value, c->width); break;
    default: print_field(f, c, value);
    }
}

void stat_print_json(FILE *f, const struct stat_columns *c, const void *line)
{
    for (int k = 0; k < c->count; k++) {
        fprintf(f, "%s\"%s\": ", k ? ", " : "{", c->of[k].name);
        print_value(f, &c->of[k], value_of(line, &c->of[k]));
    }
    fputs("}\n", f);
}
