/* tool_json.c - prints JSON values, and prints a list as an array of JSON objects. */

#include "common/tool_json.h"

#include "common/tool.h"
#include "common/tool_utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tool_json_string(FILE *f, const char *text)
{
    putc('"', f);
    for (const char *next = text; *text; text = next) {
        const uint32_t sign = utf8_next(&next);
        if (sign < ' ' || sign == 0x7f || sign == UTF8_BAD)
            fprintf(f, "\\u%04x", (unsigned)sign);
        else
            fprintf(f, "%s%.*s", sign == '"' || sign == '\\' ? "\\" : "", (int)(next - text), text);
    }
    putc('"', f);
}

void tool_json_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, "%.17g", value);
    else
        fputs("null", f);
}

/* ---- lists ---- */

/* for JSON: the text that the caller has written to the FILE from tool_rows_begin (memory of open_memstream) */
static char *list;
static size_t list_size;

FILE *tool_rows_begin(bool json)
{
    FILE *rows = claimed(json ? open_memstream(&list, &list_size) : stdout, "no memory");
    return rows;
}

/* Returns the column at *line, terminated with '\0', and moves *line to the next column. Returns NULL after the last
 * column. */
static char *next_column(char **line)
{
    char *column = *line;
    if (column && *(column + strcspn(column, "\t"))) {
        *line = column + strcspn(column, "\t");
        *(*line)++ = '\0';
    } else
        *line = NULL;
    return column;
}

static bool is_number(const char *text)
{
    char *end;
    return (isdigit((unsigned char)*text) || *text == '-') && isfinite(strtod(text, &end)) && end > text && !*end;
}

/* Prints one object from a line with names and a line with values. Modifies both lines. */
static void print_object(char *names, char *row)
{
    char *name, *value;
    for (const char *before = "{"; (name = next_column(&names)) && (value = next_column(&row)); before = ", ") {
        fputs(before, stdout);
        tool_json_string(stdout, name);
        fputs(": ", stdout);
        if (is_number(value))
            fputs(value, stdout);
        else
            tool_json_string(stdout, value);
    }
    putchar('}');
}

static void print_array(void)
{
    char *names = NULL, *rest = list;
    const char *before = "[\n  ";
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strncmp(line, "# ", 2) == 0)
            names = line + 2;
        else if (*line && names) {
            char *copy = tool_copy(names);
            fputs(before, stdout);
            print_object(copy, line);
            free(copy);
            before = ",\n  ";
        }
    }
    puts("\n]");
}

noreturn void tool_rows_end(FILE *rows)
{
    if (rows != stdout) {
        if (fclose(rows))
            die("no memory");
        print_array();
        free(list);
    }
    tool_end_list();
}
