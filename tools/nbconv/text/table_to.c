/* table_to.c - prints frames as lines of values: chooses and names the columns, and writes the lines of all bodies.
 * Pieces of PIECE bodies are formatted in parallel and written in order. */
#include "base/units.h"
#include "nbconv/text/text.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES (DECIMAL_BYTES + 1) /* maximum bytes of a value, including the separator */
#define PIECE       16384

/* ---- which columns ---- */

static int fail_no_column(const struct nb_bodies *b, const char *name)
{
    char known[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "", *at = known;
    for (int k = 0; k < b->column_count; k++)
        at += sprintf(at, " %s", b->columns[k].name);
    return nb_fail("unknown column '%s'; columns:%s", name, known);
}

static bool is_written(const struct table_to *t, const struct nb_column *c)
{
    for (int k = 0; k < t->count; k++)
        if (t->columns[k].column == c || t->columns[k].low == c)
            return true;
    return false;
}

static void add(struct table_to *t, const struct nb_column *c, const struct nb_column *low)
{
    t->columns[t->count++] = (struct table_column){c, low, 1};
}

static int add_list(struct table_to *t, const struct nb_bodies *b, const char *columns)
{
    char *list = strdup(columns), *rest = list, *name;
    int status = list ? 0 : nb_fail("no memory");
    while (status == 0 && (name = strsep(&rest, ","))) {
        const struct nb_column *c = nb_bodies_find(b, name);
        if (!c)
            status = fail_no_column(b, name);
        else if (t->count == NB_COLUMNS_MAX)
            status = conv_misused(nb_fail("--columns %s: more than %d columns", columns, NB_COLUMNS_MAX));
        else
            add(t, c, NULL);
    }
    free(list);
    return status;
}

/* Adds the column `name` to the table. If b also has a column NAME_lo (the rounding errors of NAME), the table shows
 * the sum of both. Does nothing if b does not have the column `name`. */
static int add_whole(struct table_to *t, const struct nb_bodies *b, const char *name)
{
    char low_name[NB_NAME_MAX + 3];
    const struct nb_column *c = nb_bodies_find(b, name);
    sprintf(low_name, "%s_lo", name);
    const struct nb_column *low = nb_column_known(low_name) ? nb_bodies_find(b, low_name) : NULL;
    const uint64_t bad = low ? nb_column_first_bad(low, b->n) : b->n;
    if (c && bad < b->n)
        return nb_fail("body %" PRIu64 ": %s is not a finite number", bad, low_name);
    if (c)
        add(t, c, low);
    return 0;
}

static int add_usual(struct table_to *t, const struct nb_bodies *b, bool fixed)
{
    static const char *const first[][4] = {{"id", "mass", "pos", "vel"}, {"pos", "vel", "mass", "radius"}};
    for (int k = 0; k < 4; k++)
        if (add_whole(t, b, first[fixed][k]))
            return -1;
    for (int k = 0; k < b->column_count && !fixed; k++) {
        const struct nb_column *c = &b->columns[k];
        const struct nb_known *known = nb_column_known(c->name);
        const bool wanted = t->all || !known || known->role != NB_DERIVED;
        if (wanted && !is_written(t, c))
            add(t, c, NULL);
    }
    return 0;
}

int table_to_choose(struct table_to *t, const struct conv_options *o, const struct nb_bodies *b, bool fixed)
{
    *t = (struct table_to){.separator = " ", .fixed = fixed, .all = o->columns && strcmp(o->columns, "all") == 0};
    t->numbered = !o->columns && !fixed && !nb_bodies_find(b, "id");
    return o->columns && !t->all ? add_list(t, b, o->columns) : add_usual(t, b, fixed);
}

void table_to_convert(struct table_column *c, const struct conv_physical *factor)
{
    double powers[3];
    if (nb_unit_powers(c->column->unit, powers))
        c->factor = conv_power(factor, powers);
    if (c->factor != 1)
        c->low = NULL;
}

void table_to_say_left(const struct table_to *t, const struct nb_bodies *b)
{
    char list[NB_COLUMNS_MAX * (NB_NAME_MAX + 2)] = "", *at = list;
    for (int k = 0; k < b->column_count; k++)
        if (!is_written(t, &b->columns[k]))
            at += sprintf(at, "%s%s", at > list ? ", " : "", b->columns[k].name);
    if (*list)
        say("left out: %s%s", list, t->fixed ? "" : " (--columns all writes all)");
}

void table_to_names(const struct table_to *t, char names[TABLE_NAMES_BYTES], const char *comment, bool brief)
{
    static const char *const axes[] = {"_x", "_y", "_z"};
    const char *gap = t->separator;
    char *at = names + sprintf(names, "%s%s", comment ? comment : "", comment ? " " : "");
    if (t->numbered)
        at += sprintf(at, "id%s", gap);
    for (int k = 0; k < t->count; k++) {
        const struct nb_column *c = t->columns[k].column;
        const bool pos = brief && strcmp(c->name, "pos") == 0, vel = brief && strcmp(c->name, "vel") == 0;
        if (c->width == 1)
            at += sprintf(at, "%s%s", brief && strcmp(c->name, "mass") == 0 ? "m" : c->name, gap);
        for (int j = 0; j < 3 && c->width == 3; j++)
            at += sprintf(at, "%s%s%s", pos ? "" : vel ? "v" : c->name, axes[j] + (pos || vel), gap);
    }
    strcpy(at - strlen(gap), "\n");
}

/* ---- lines ---- */

static size_t format_value(char *text, const struct table_column *c, uint64_t at)
{
    if (!c->low)
        return number_print_value(text, c->column, at, c->factor);
    return decimal_print(text, nb_column_get(c->column, at / 3, (int)(at % 3)), ((const double *)c->low->data)[at]);
}

/* Formats the lines of bodies [i0, i1). Returns the end of the text. */
static char *format_piece(char *at, const struct table_to *t, uint64_t i0, uint64_t i1)
{
    const char *prefix = t->prefix ? t->prefix : "";
    for (uint64_t i = i0; i < i1; i++) {
        at = stpcpy(at, prefix);
        if (t->numbered)
            at = stpcpy(at + number_print_u64(at, i), t->separator);
        for (int k = 0; k < t->count; k++) {
            const uint64_t width = (uint64_t)t->columns[k].column->width;
            for (uint64_t j = 0; j < width; j++)
                at = stpcpy(at + format_value(at, &t->columns[k], i * width + j), t->separator);
        }
        at -= strlen(t->separator);
        *at++ = '\n';
    }
    return at;
}

static size_t line_bytes(const struct table_to *t)
{
    size_t words = 1;
    for (int k = 0; k < t->count; k++)
        words += (size_t)t->columns[k].column->width;
    return words * VALUE_BYTES + (t->prefix ? strlen(t->prefix) : 0);
}

int table_to_write(const struct table_to *t, const struct nb_bodies *b, struct tool_output *output)
{
    const int threads = omp_get_max_threads();
    const size_t room = line_bytes(t) * (b->n < PIECE ? b->n : PIECE);
    char *text = calloc((size_t)threads, room), **ends = calloc((size_t)threads, sizeof *ends);
    for (uint64_t i0 = 0; text && ends && i0 < b->n; i0 += (uint64_t)threads * PIECE) {
#pragma omp parallel for schedule(static, 1) if (b->n > PIECE)
        for (int k = 0; k < threads; k++) {
            uint64_t begin = i0 + (uint64_t)k * PIECE, end = begin + PIECE;
            begin = begin < b->n ? begin : b->n;
            ends[k] = format_piece(text + (size_t)k * room, t, begin, end < b->n ? end : b->n);
        }
        for (int k = 0; k < threads; k++)
            conv_write(output, text + (size_t)k * room, (size_t)(ends[k] - (text + (size_t)k * room)));
    }
    const int status = text && ends ? 0 : nb_fail("no memory for the lines of the table");
    free(text);
    free(ends);
    return status;
}
