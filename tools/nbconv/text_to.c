/* Writing text: pieces of bodies are formatted side by side and written in order. */
#include "decimal.h"
#include "error.h"
#include "io.h"
#include "scene.h"
#include "text.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES DECIMAL_BYTES
#define PIECE        16384
#define HEAD_BYTES   (128 + NB_COLUMNS_MAX * 3 * (NB_NAME_MAX + 3)) /* a frame's # lines */

struct piece {
    char *text;
    size_t size;
};

struct field { /* of a line, or several: a column */
    const struct nb_column *column;
    const struct nb_column *low; /* further digits of it, or NULL */
};

static void write_all(struct tool_output *output, const char *text, size_t size)
{
    if (nb_io_write(tool_output_fd(output), tool_output_name(output), text, size))
        tool_output_failed();
}

static noreturn void die_no_column(const struct nb_bodies *b, const char *name)
{
    char known[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "", *at = known;
    for (int k = 0; k < b->column_count; k++)
        at += sprintf(at, " %s", b->columns[k].name);
    die("the stream has no column '%s'; it has%s", name, known);
}

/* Without --columns positions and velocities are written with all their digits. */
static const struct nb_column *find_low(const struct conv_options *o, const struct nb_bodies *b, const char *name)
{
    char low_name[NB_NAME_MAX + 3];
    sprintf(low_name, "%s_lo", name);
    const bool any = !o->columns && nb_column_known(low_name);
    const struct nb_column *low = any ? nb_bodies_find(b, low_name) : NULL;
    const uint64_t bad = low ? nb_column_first_bad(low, b->n) : b->n;
    if (bad < b->n)
        die("body %" PRIu64 ": %s is not a finite number", bad, low_name);
    return low;
}

/* The columns to write; `numbered` where the stream has no id and the body's number takes its place. */
static int choose_columns(const struct conv_options *o, const struct nb_bodies *b, struct field fields[NB_COLUMNS_MAX],
                          bool *numbered)
{
    char *list = strdup(o->columns ? o->columns : "id,mass,pos,vel"), *rest = list;
    int count = 0;
    if (!list)
        die("no memory");
    *numbered = !o->columns && !nb_bodies_find(b, "id");
    if (*numbered)
        strsep(&rest, ",");
    for (char *name; (name = strsep(&rest, ","));) {
        const struct nb_column *c = nb_bodies_find(b, name);
        if (!c)
            die_no_column(b, name);
        if (count == NB_COLUMNS_MAX)
            die_usage("--columns %s: more than %d columns", o->columns, NB_COLUMNS_MAX);
        fields[count++] = (struct field){c, find_low(o, b, name)};
    }
    free(list);
    return count;
}

static size_t format_value(char *text, const struct field *f, uint64_t at)
{
    const struct nb_column *c = f->column;
    if (f->low)
        return decimal_print(text, nb_column_get(c, at / 3, (int)(at % 3)), ((const double *)f->low->data)[at]);
    switch (c->type) {
    case NB_F32: return (size_t)sprintf(text, "%.9g", (double)((const float *)c->data)[at]);
    case NB_F64: return (size_t)sprintf(text, "%.17g", ((const double *)c->data)[at]);
    case NB_U8: return (size_t)sprintf(text, "%u", ((const uint8_t *)c->data)[at]);
    case NB_U32: return (size_t)sprintf(text, "%" PRIu32, ((const uint32_t *)c->data)[at]);
    default: return (size_t)sprintf(text, "%" PRIu64, ((const uint64_t *)c->data)[at]);
    }
}

/* The lines of bodies [i0, i1). */
static void format_piece(struct piece *p, const struct field *fields, int count, bool numbered, uint64_t i0,
                         uint64_t i1)
{
    char *at = p->text;
    for (uint64_t i = i0; i < i1; i++) {
        if (numbered)
            at += sprintf(at, "%" PRIu64 " ", i);
        for (int k = 0; k < count; k++)
            for (uint64_t j = 0; j < (uint64_t)fields[k].column->width; j++) {
                at += format_value(at, &fields[k], i * (uint64_t)fields[k].column->width + j);
                *at++ = ' ';
            }
        at[-1] = '\n';
    }
    p->size = (size_t)(at - p->text);
}

static void write_bodies(const struct nb_bodies *b, const struct field *fields, int count, bool numbered,
                         struct tool_output *output)
{
    int threads = omp_get_max_threads(), words = 1;
    for (int k = 0; k < count; k++)
        words += fields[k].column->width;
    struct piece *pieces = calloc((size_t)threads, sizeof *pieces);
    for (int t = 0; t < threads; t++)
        if (!pieces || !(pieces[t].text = malloc((size_t)words * NUMBER_BYTES * PIECE)))
            die("no memory");
    for (uint64_t i0 = 0; i0 < b->n; i0 += (uint64_t)threads * PIECE) {
#pragma omp parallel for schedule(static, 1) if (b->n > PIECE)
        for (int t = 0; t < threads; t++) {
            uint64_t begin = i0 + (uint64_t)t * PIECE, end = begin + PIECE;
            begin = begin < b->n ? begin : b->n;
            format_piece(&pieces[t], fields, count, numbered, begin, end < b->n ? end : b->n);
        }
        for (int t = 0; t < threads; t++)
            write_all(output, pieces[t].text, pieces[t].size);
    }
    for (int t = 0; t < threads; t++)
        free(pieces[t].text);
    free(pieces);
}

/* The line of names, at `to`; its end. */
static char *add_names(char *to, const struct conv_options *o, const struct field *fields, int count)
{
    if (!o->columns)
        return to + sprintf(to, "# id m x y z vx vy vz\n");
    *to++ = '#';
    for (int k = 0; k < count; k++)
        if (fields[k].column->width == 1)
            to += sprintf(to, " %s", fields[k].column->name);
        else
            to +=
                sprintf(to, " %s_x %s_y %s_z", fields[k].column->name, fields[k].column->name, fields[k].column->name);
    *to++ = '\n';
    return to;
}

void text_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
             struct tool_output *output)
{
    struct field fields[NB_COLUMNS_MAX];
    bool numbered;
    int count = choose_columns(o, b, fields, &numbered);
    if (first && nb_scene_is_touching(&b->meta))
        say("text has no place for the header's contact law, walls and box: bodies that are read back do not touch");
    char head[HEAD_BYTES], *end = head;
    if (!first)
        end += sprintf(end, "\n\n");
    if (frame >= 0)
        end += sprintf(end, "# frame %" PRId64 " time %.17g\n", frame, b->meta.time);
    end = add_names(end, o, fields, count);
    write_all(output, head, (size_t)(end - head));
    write_bodies(b, fields, count, numbered, output);
}
