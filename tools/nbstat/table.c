/* A line of text from its struct: tab-separated, or a JSON object (RFC 8259). */
#include "nbstat.h"

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

/* Bytes of the UTF-8 sequence (RFC 3629) that begins here; 0: none does. */
static int sequence_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last; /* of the leading byte */
        unsigned char low, high;   /* of the second: no overlong forms, no surrogates, nothing beyond U+10FFFF */
        int length;
    } forms[] = {{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        if (s[0] < forms[k].first || s[0] > forms[k].last)
            continue;
        if (forms[k].length > 1 && (s[1] < forms[k].low || s[1] > forms[k].high))
            return 0;
        for (int c = 2; c < forms[k].length; c++)
            if ((s[c] & 0xc0) != 0x80)
                return 0;
        return forms[k].length;
    }
    return 0;
}

/* Bytes that are not UTF-8 become U+FFFD each: every reader takes that. */
static void print_string(FILE *f, const char *text)
{
    putc('"', f);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = sequence_length(s);
        if (length == 0)
            fputs("\\ufffd", f);
        else if (*s < ' ' || *s == 0x7f)
            fprintf(f, "\\u%04x", *s);
        else
            fprintf(f, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "", length, (const char *)s);
        s += length ? length : 1;
    }
    putc('"', f);
}

static void print_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, "%.17g", value);
    else
        fputs("null", f);
}

static void print_values(FILE *f, const double *value, int width)
{
    if (width == 1) {
        print_number(f, *value);
        return;
    }
    for (int c = 0; c < width; c++) {
        fputs(c ? ", " : "[", f);
        print_number(f, value[c]);
    }
    putc(']', f);
}

static void print_value(FILE *f, const struct stat_column *c, const void *value)
{
    switch (c->type) {
    case STAT_NAME: print_string(f, *(const char *const *)value); break;
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
