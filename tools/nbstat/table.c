/* table.c - prints a line of values: tab-separated, comma-separated (RFC 4180), or as a JSON object (RFC 8259). */
#include "nbstat.h"

#include "common/tool_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALL_DIGITS    17
#define PEOPLE_DIGITS 6

void stat_print_begin(struct stat_print *p, const struct stat_options *o, const struct stat_output *out)
{
    const bool people = tool_is_stdout(tool_options.output) && isatty(tool_output_fd(out->file));
    *p = (struct stat_print){.file = out->text, .form = o->form, .header_due = !o->no_header};
    p->digits = o->digits ? o->digits : people && o->form != STAT_JSON ? PEOPLE_DIGITS : ALL_DIGITS;
    p->aligned = people && o->form == STAT_TABS;
    p->no_names = o->no_header;
    for (int k = 0; k < o->input_count; k++)
        if ((int)strlen(o->inputs[k]) > p->name_width)
            p->name_width = (int)strlen(o->inputs[k]);
}

static const void *value_of(const void *line, const struct stat_column *c)
{
    return (const char *)line + c->offset;
}

/* ---- names ---- */

/* Prints a name. Characters that would end a field or a line are escaped as in C. */
static void print_tab_name(FILE *f, const char *name)
{
    for (; *name; name++)
        if (*name == '\\')
            fputs("\\\\", f);
        else if ((unsigned char)*name < ' ')
            fprintf(f, "\\%03o", (unsigned)*name);
        else
            putc(*name, f);
}

static void print_csv_name(FILE *f, const char *name)
{
    const bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    fputs(quoted ? "\"" : "", f);
    for (; *name; name++) {
        fputs(*name == '"' ? "\"" : "", f);
        putc(*name, f);
    }
    fputs(quoted ? "\"" : "", f);
}

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

static bool is_json_number(const char *text)
{
    const char *whole = text + (*text == '-'), *at = skip_digits(whole);
    if (at == whole || (*whole == '0' && at > whole + 1))
        return false;
    if (*at == '.' && skip_digits(at + 1) == at + 1)
        return false;
    at = *at == '.' ? skip_digits(at + 1) : at;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        if (skip_digits(at) == at)
            return false;
        at = skip_digits(at);
    }
    return !*at;
}

static void print_name(const struct stat_print *p, const struct stat_column *c, const char *name)
{
    static const char *const none[] = {[STAT_TABS] = "nan", [STAT_CSV] = "", [STAT_JSON] = "null"};
    if (!name)
        fputs(none[p->form], p->file);
    else if (p->form == STAT_JSON && c->type == STAT_PARAM && is_json_number(name))
        fputs(name, p->file);
    else if (p->form == STAT_JSON)
        tool_json_string(p->file, name);
    else
        (p->form == STAT_CSV ? print_csv_name : print_tab_name)(p->file, name);
}

/* ---- numbers ---- */

static void print_number(const struct stat_print *p, double value)
{
    if (p->form == STAT_JSON)
        tool_json_number(p->file, value);
    else if (!isnan(value))
        fprintf(p->file, "%.*g", p->digits, value);
    else if (p->form == STAT_TABS)
        fputs("nan", p->file); /* never -nan */
}

static void print_numbers(const struct stat_print *p, const double *value, int width)
{
    const char *const between = p->form == STAT_JSON ? ", " : p->form == STAT_CSV ? "," : "\t";
    const bool list = p->form == STAT_JSON && width > 1;
    fputs(list ? "[" : "", p->file);
    for (int k = 0; k < width; k++) {
        fputs(k ? between : "", p->file);
        print_number(p, value[k]);
    }
    fputs(list ? "]" : "", p->file);
}

static void print_value(const struct stat_print *p, const struct stat_column *c, const void *value)
{
    switch (c->type) {
    case STAT_NAME:
    case STAT_PARAM: print_name(p, c, *(const char *const *)value); break;
    case STAT_FRAME: fprintf(p->file, "%" PRId64, *(const int64_t *)value); break;
    case STAT_COUNT: fprintf(p->file, "%" PRIu64, *(const uint64_t *)value); break;
    case STAT_NUMBER: print_numbers(p, value, c->width);
    }
}

/* ---- lines ---- */

static void print_header(const struct stat_print *p, const struct stat_columns *c)
{
    const bool csv = p->form == STAT_CSV;
    for (int k = 0; k < c->count; k++) {
        const char *name = c->of[k].parts ? c->of[k].parts : c->of[k].name;
        fputs(k ? csv ? "," : "\t" : csv ? "" : "# ", p->file);
        for (; *name; name++) /* a vector has several names with tabs between them */
            putc(csv && *name == '\t' ? ',' : *name, p->file);
    }
    putc('\n', p->file);
}

static void print_object(const struct stat_print *p, const struct stat_columns *c, const void *line)
{
    for (int k = 0; k < c->count; k++) {
        fprintf(p->file, "%s\"%s\": ", k ? ", " : "{", c->of[k].name);
        print_value(p, &c->of[k], value_of(line, &c->of[k]));
    }
    fputs("}\n", p->file);
}

static void print_values(const struct stat_print *p, const struct stat_columns *c, const void *line)
{
    for (int k = 0; k < c->count; k++) {
        fputs(k ? p->form == STAT_CSV ? "," : "\t" : "", p->file);
        print_value(p, &c->of[k], value_of(line, &c->of[k]));
    }
    putc('\n', p->file);
}

/* Prints a line, or the names of the columns if `line` is NULL. */
static void print_text(const struct stat_print *p, const struct stat_columns *c, const void *line)
{
    struct stat_print plain = *p;
    char *text = NULL;
    size_t size;
    if (p->aligned && !(plain.file = open_memstream(&text, &size)))
        die("no memory");
    if (line)
        print_values(&plain, c, line);
    else
        print_header(&plain, c);
    if (p->aligned && fclose(plain.file))
        die("no memory");
    if (p->aligned)
        stat_print_aligned(p, c, text);
    free(text);
}

void stat_print_names(struct stat_print *p, const struct stat_columns *c)
{
    if (p->header_due && p->form != STAT_JSON)
        print_text(p, c, NULL);
    p->header_due = false;
}

void stat_print_line(struct stat_print *p, const struct stat_columns *c, const void *line)
{
    if (p->form == STAT_JSON) {
        print_object(p, c, line);
        return;
    }
    stat_print_names(p, c);
    print_text(p, c, line);
}

void stat_shortest(char text[32], double value)
{
    int digits = 15;
    do
        snprintf(text, 32, "%.*g", digits, value);
    while (strtod(text, NULL) != value && digits++ < ALL_DIGITS);
}
