/* tool_help.c - prints texts made from the tables of options to stdout: --help, --usage, and the lists from which
 * manual pages and shell completion are made. */
#include "common/tool_syntax.h"

#include <stdio.h>
#include <string.h>

#define WIDTH  79 /* maximum width of a line, for terminals of 80 columns */
#define INDENT 29 /* column at which the description of an option begins */

/* ---- text wrapped into lines ---- */

static int column; /* column of the next character */

static void put(const char *text, size_t length)
{
    fwrite(text, 1, length, stdout);
    column += (int)length;
}

static void new_line(int indent)
{
    printf("\n%*s", indent, "");
    column = indent;
}

static void put_words(const char *text, const char *end, int indent)
{
    for (bool first = true; text < end; first = false) {
        const size_t word = strcspn(text, " \n");
        if (!first && column + 1 + (int)word > WIDTH)
            new_line(indent);
        else if (!first)
            put(" ", 1);
        put(text, word);
        text += word;
        text += strspn(text, " ");
    }
}

/* Prints text. Lines that begin with a space are printed unchanged; other lines are wrapped if they are too long. */
static void put_text(const char *text, int indent)
{
    for (;;) {
        const size_t line = strcspn(text, "\n");
        if (*text == ' ')
            put(text, line);
        else
            put_words(text, text + line, indent);
        if (!text[line])
            return;
        new_line(indent);
        text += line + 1;
    }
}

/* ---- help ---- */

static void put_option(const struct tool_option *o)
{
    char letter[] = {'-', o->letter, ',', ' ', '\0'};
    column = printf("  %s--%s", o->letter ? letter : "    ", o->name);
    if (o->value)
        column += printf("=%s", o->value);
    if (column >= INDENT)
        new_line(INDENT);
    else
        column += printf("%*s", INDENT - column, "");
    put_text(o->about, INDENT);
    putchar('\n');
}

static void put_heading(const struct tool_option *o)
{
    column = printf(" ");
    put_text(o->about, 1);
    putchar('\n');
}

static bool is_heading(const struct tool_option *o)
{
    return o && !o->name && *o->about;
}

static bool is_first(const struct tool_syntax *s, const char *name)
{
    return tool_words_find(s->first, name) >= 0;
}

/* Prints the most used options, in the order in which the tables of options contain them. */
static void put_first(const struct tool_flat *flat)
{
    printf("\n Most used:\n");
    for (int k = 0; k < flat->count; k++)
        if (flat->option[k] && flat->option[k]->name && is_first(flat->syntax, flat->option[k]->name))
            put_option(flat->option[k]);
}

#define SHORT_FROM 45 /* from this number of options on, --help shows only the most used options */

static int count_listed(const struct tool_flat *flat)
{
    int count = 0;
    for (int k = 0; k < flat->count; k++)
        count += flat->option[k] && flat->option[k]->name && !(flat->option[k]->flags & TOOL_UNLISTED);
    return count;
}

/* Prints the headings of all groups of options, and a note that --help=all shows all `count` options. */
static void put_further(const struct tool_flat *flat, const char *name, int count)
{
    printf("\n Further options");
    column = 16;
    for (int k = 0; k < flat->count; k++) {
        const struct tool_option *o = flat->option[k];
        if (!is_heading(o))
            continue;
        char heading[128];
        const bool first = column == 16;
        snprintf(heading, sizeof heading, "%.*s", (int)strcspn(o->about, ":"), o->about);
        if (column + 3 + (int)strlen(heading) > WIDTH) {
            put(",", 1);
            new_line(1);
        } else
            put(first ? ": " : ", ", 2);
        put(heading, strlen(heading));
    }
    printf(".\n `%s --help=all' shows all %d, the manual page %s(1) explains them.\n", name, count, name);
}

/* Returns whether the full help lists any option under the heading at index k. The most used options do not count,
 * because they are listed only at the beginning of the help. */
static bool has_options(const struct tool_flat *flat, int k)
{
    for (k++; k < flat->count && flat->option[k] && flat->option[k]->name; k++)
        if (!(flat->option[k]->flags & TOOL_UNLISTED) && !is_first(flat->syntax, flat->option[k]->name))
            return true;
    return false;
}

static void put_all(const struct tool_flat *flat)
{
    const struct tool_syntax *s = flat->syntax;
    bool gap = true; /* print a blank line before the next entry */
    if (s->first && flat->option[0] && flat->option[0]->name)
        printf("\n Further options:");
    for (int k = 0; k < flat->count; k++) {
        const struct tool_option *o = flat->option[k];
        gap = gap || !o || !o->name;
        if (!o || o->flags & TOOL_UNLISTED || (o->name && is_first(s, o->name)))
            continue;
        if (is_heading(o) && !has_options(flat, k))
            continue;
        if (gap)
            putchar('\n');
        gap = false;
        if (o->name)
            put_option(o);
        else
            put_heading(o);
    }
}

void tool_print_help(const struct tool_flat *flat, const char *name, bool all)
{
    const struct tool_syntax *s = flat->syntax;
    const int count = count_listed(flat);
    printf("Usage: %s [OPTION...]%s%s\n", name, s->operands ? " " : "", s->operands ? s->operands : "");
    column = 0;
    put_text(s->about, 0);
    putchar('\n');
    if (s->first)
        put_first(flat);
    if (s->first && count >= SHORT_FROM && !all)
        put_further(flat, name, count);
    else
        put_all(flat);
    putchar('\n');
    column = 0;
    put_text(s->notes ? s->notes : "", 0);
    if (column > 0)
        putchar('\n');
}

/* Prints an option in brackets, such as "[--dt=H]". Begins a new line if the current line is full. */
static void put_bracket(const struct tool_option *o, int indent)
{
    const int value = o->value ? 1 + (int)strlen(o->value) : 0, length = 5 + (int)strlen(o->name) + value;
    if (column + length > WIDTH)
        new_line(indent - 1);
    column += printf(" [--%s%s%s]", o->name, o->value ? "=" : "", o->value ? o->value : "");
}

void tool_print_usage(const struct tool_flat *flat, const char *name)
{
    column = printf("Usage: %s", name);
    for (int k = 0; k < flat->count; k++) {
        const struct tool_option *o = flat->option[k];
        if (o && o->name && !(o->flags & TOOL_UNLISTED))
            put_bracket(o, 12);
    }
    if (flat->syntax->operands && column + 1 + (int)strlen(flat->syntax->operands) > WIDTH)
        new_line(11);
    printf(flat->syntax->operands ? " %s\n" : "\n", flat->syntax->operands);
}

/* ---- for other programs ---- */

static int find_last_heading(const struct tool_flat *flat)
{
    int last = flat->count - 1;
    while (last >= 0 && !is_heading(flat->option[last]))
        last--;
    return last;
}

/* Prints the part of a manual page (in roff) that explains the options: a paragraph for each option. If a tool has
 * many options, their groups become subsections. */
void tool_print_man(const struct tool_flat *flat)
{
    const bool grouped = flat->syntax->first && count_listed(flat) >= SHORT_FROM;
    const int last = find_last_heading(flat);
    bool shared = false; /* true: the heading of the options that all tools share was reached */
    for (int k = 0; k < flat->count; k++) {
        const struct tool_option *o = flat->option[k];
        if (grouped && is_heading(o))
            printf(".SS %.*s\n", (int)strcspn(o->about, ":"), o->about);
        if (grouped && !o && k > last && !shared)
            printf(".SS Input, files and messages\n");
        shared = shared || (!o && k > last);
        if (!o || !o->name || o->flags & TOOL_UNLISTED)
            continue;
        printf(".TP\n");
        if (o->letter)
            printf("\\fB\\-%c\\fR, ", o->letter);
        printf("\\fB\\-\\-%s\\fR", o->name);
        if (o->value)
            printf("=\\fI%s\\fR", o->value);
        putchar('\n');
        for (const char *c = o->about; *c; c++)
            printf(*c == '-' || *c == '\\' ? "\\%c" : "%c", *c);
        putchar('\n');
    }
}

void tool_print_words(const struct tool_flat *flat)
{
    for (int k = 0; k < flat->count; k++) {
        const struct tool_option *o = flat->option[k];
        if (o && o->name && !(o->flags & TOOL_UNLISTED))
            printf("--%s%s\n", o->name, o->value ? "=" : "");
    }
}
