#include "table_to.h"

#include "base/error.h"
#include "base/io.h"
#include "decimal.h"
#include "gadget.h"
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES (DECIMAL_BYTES + 1) /* with what separates */
#define PIECE       16384

/* ---- which columns ---- */

static noreturn void die_no_column(const struct nb_bodies *b, const char *name)
{
    char known[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "", *at = known;
    for (int k = 0; k < b->column_count; k++)
        at += sprintf(at, " %s", b->columns[k].name);
    die("the stream has no column '%s'; it has%s", name, known);
}

/* Unless the user chose columns positions and velocities are written with all their digits. */
static const struct nb_column *find_low(const struct nb_bodies *b, const char *name)
{
    char low_name[NB_NAME_MAX + 3];
    sprintf(low_name, "%s_lo", name);
    const struct nb_column *low = nb_column_known(low_name) ? nb_bodies_find(b, low_name) : NULL;
    const uint64_t bad = low ? nb_column_first_bad(low, b->n) : b->n;
    if (bad < b->n)
        die("body %" PRIu64 ": %s is not a finite number", bad, low_name);
    return low;
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

static void add_list(struct table_to *t, const struct nb_bodies *b, const char *columns)
{
    char *list = strdup(columns), *rest = list;
    if (!list)
        die("no memory");
    for (char *name; (name = strsep(&rest, ","));) {
        const struct nb_column *c = nb_bodies_find(b, name);
        if (!c)
            die_no_column(b, name);
        if (t->count == NB_COLUMNS_MAX)
            die_usage("--columns %s: more than %d columns", columns, NB_COLUMNS_MAX);
        add(t, c, NULL);
    }
    free(list);
}

static void add_usual(struct table_to *t, const struct nb_bodies *b, bool fixed)
{
    static const char *const first[][4] = {{"id", "mass", "pos", "vel"}, {"pos", "vel", "mass", "radius"}};
    for (int k = 0; k < 4; k++) {
        const struct nb_column *c = nb_bodies_find(b, first[fixed][k]);
        if (c)
            add(t, c, find_low(b, c->name));
    }
    for (int k = 0; k < b->column_count && !fixed; k++) {
        const struct nb_column *c = &b->columns[k];
        const struct nb_known *known = nb_column_known(c->name);
        const bool wanted = t->all || !known || known->kind != NB_DERIVED;
        if (wanted && !is_written(t, c))
            add(t, c, NULL);
    }
}

void table_to_choose(struct table_to *t, const struct conv_options *o, const struct nb_bodies *b, bool fixed)
{
    *t = (struct table_to){.separator = " ", .fixed = fixed, .all = o->columns && strcmp(o->columns, "all") == 0};
    t->numbered = !o->columns && !fixed && !nb_bodies_find(b, "id");
    if (o->columns && !t->all)
        add_list(t, b, o->columns);
    else
        add_usual(t, b, fixed);
}

void table_to_convert(struct table_column *c, const struct physical *factor)
{
    double powers[3];
    if (gadget_unit_powers(c->column->unit, powers))
        c->factor = pow(factor->mass, powers[0]) * pow(factor->length, powers[1]) * pow(factor->time, powers[2]);
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

/* ---- lines ---- */

static size_t format_value(char *text, const struct table_column *c, uint64_t at)
{
    const void *data = c->column->data;
    if (c->low)
        return decimal_print(text, nb_column_get(c->column, at / 3, (int)(at % 3)), ((const double *)c->low->data)[at]);
    switch (c->column->type) {
    case NB_F32:
        return c->factor == 1 ? number_print_f32(text, ((const float *)data)[at])
                              : number_print_f64(text, (double)((const float *)data)[at] * c->factor);
    case NB_F64: return number_print_f64(text, ((const double *)data)[at] * c->factor);
    case NB_U8: return number_print_u64(text, ((const uint8_t *)data)[at]);
    case NB_U32: return number_print_u64(text, ((const uint32_t *)data)[at]);
    default: return number_print_u64(text, ((const uint64_t *)data)[at]);
    }
}

static char *add_word(char *at, const char *word, size_t size)
{
    memcpy(at, word, size);
    return at + size;
}

/* The lines of bodies [i0, i1); the end. */
static char *format_piece(char *at, const struct table_to *t, uint64_t i0, uint64_t i1)
{
    const size_t gap = strlen(t->separator), prefix = t->prefix ? strlen(t->prefix) : 0;
    for (uint64_t i = i0; i < i1; i++) {
        if (prefix)
            at = add_word(at, t->prefix, prefix);
        if (t->numbered)
            at = add_word(at + number_print_u64(at, i), t->separator, gap);
        for (int k = 0; k < t->count; k++) {
            const uint64_t width = (uint64_t)t->columns[k].column->width;
            for (uint64_t j = 0; j < width; j++)
                at = add_word(at + format_value(at, &t->columns[k], i * width + j), t->separator, gap);
        }
        at -= gap;
        *at++ = '\n';
    }
    return at;
}

static void write_all(struct tool_output *output, const char *text, size_t size)
{
    if (nb_io_write(tool_output_fd(output), tool_output_name(output), text, size))
        tool_output_failed();
}

static size_t line_bytes(const struct table_to *t)
{
    size_t words = 1;
    for (int k = 0; k < t->count; k++)
        words += (size_t)t->columns[k].column->width;
    return words * VALUE_BYTES + (t->prefix ? strlen(t->prefix) : 0);
}

static void write_bodies(const struct table_to *t, const struct nb_bodies *b, struct tool_output *output)
{
    const int threads = omp_get_max_threads();
    char **pieces = calloc((size_t)threads, sizeof *pieces), **ends = calloc((size_t)threads, sizeof *ends);
    const uint64_t most = b->n < PIECE ? b->n : PIECE;
    for (int k = 0; k < threads; k++)
        if (!pieces || !ends || !(pieces[k] = malloc(line_bytes(t) * most)))
            die("no memory");
    for (uint64_t i0 = 0; i0 < b->n; i0 += (uint64_t)threads * PIECE) {
#pragma omp parallel for schedule(static, 1) if (b->n > PIECE)
        for (int k = 0; k < threads; k++) {
            uint64_t begin = i0 + (uint64_t)k * PIECE, end = begin + PIECE;
            begin = begin < b->n ? begin : b->n;
            ends[k] = format_piece(pieces[k], t, begin, end < b->n ? end : b->n);
        }
        for (int k = 0; k < threads; k++)
            write_all(output, pieces[k], (size_t)(ends[k] - pieces[k]));
    }
    for (int k = 0; k < threads; k++)
        free(pieces[k]);
    free(pieces);
    free(ends);
}

/* ---- the head ---- */

void table_to_add(struct nb_text *text, const char *format, ...)
{
    va_list args;
    char *line;
    va_start(args, format);
    const int size = vasprintf(&line, format, args);
    va_end(args);
    if (size < 0 || nb_text_add(text, line, (size_t)size))
        die("no memory");
    free(line);
}

static void add_name(struct nb_text *text, const struct table_to *t, const char *name, const char *axis)
{
    table_to_add(text, "%s%s%s", name, axis, t->separator);
}

void table_to_add_names(const struct table_to *t, struct nb_text *text, const char *comment, bool brief)
{
    static const char *const axes[] = {"_x", "_y", "_z"};
    if (comment)
        table_to_add(text, "%s ", comment);
    if (t->numbered)
        add_name(text, t, "id", "");
    for (int k = 0; k < t->count; k++) {
        const struct nb_column *c = t->columns[k].column;
        const bool pos = brief && strcmp(c->name, "pos") == 0, vel = brief && strcmp(c->name, "vel") == 0;
        if (c->width == 1)
            add_name(text, t, brief && strcmp(c->name, "mass") == 0 ? "m" : c->name, "");
        for (int j = 0; j < 3 && c->width == 3; j++)
            add_name(text, t, pos ? "" : vel ? "v" : c->name, axes[j] + (pos || vel));
    }
    text->size -= strlen(t->separator);
    table_to_add(text, "\n");
}

void table_to_write(const struct table_to *t, const struct nb_bodies *b, struct nb_text *head,
                    struct tool_output *output)
{
    write_all(output, head->data, head->size);
    nb_text_free(head);
    write_bodies(t, b, output);
}
