/* text_to.c - writes text: the header in comment lines, names, and one line for each body. */
#include "base/units.h"
#include "nbconv/text/text.h"
#include "snap/snap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink { /* the output of one frame */
    struct bytes_out out;
    const struct conv_export *e;
    const struct text_dialect *dialect;
    struct table_to table;
    /* factors that convert the stream's units to the units of this text format; 1 if the format has no units */
    struct conv_physical factor;
    char prefix[3 * NUMBER_BYTES];
};

/* ---- units ---- */

static int choose_units(struct sink *s, const struct nb_meta *meta)
{
    struct conv_physical from;
    s->factor = (struct conv_physical){1, 1, 1};
    if (!s->dialect->units)
        return 0;
    const struct nb_units *to = &s->dialect->units->units;
    if (conv_physical(s->e->options, meta, &from))
        return -1;
    s->factor =
        (struct conv_physical){from.mass / to->mass_cgs, from.length / to->length_cgs, from.time / to->time_cgs};
    return 0;
}

static int check_range(const struct table_column *c, uint64_t n)
{
    for (uint64_t i = 0; i < n && c->factor != 1; i++)
        for (int k = 0; k < c->column->width; k++) {
            const double value = nb_column_get(c->column, i, k);
            if (isfinite(value) && !isfinite(value * c->factor))
                return nb_fail("body %" PRIu64
                               ": %s %g is too large for double precision after conversion to the units of the output",
                               i, c->column->name, value);
        }
    return 0;
}

static int choose_columns(struct sink *s, const struct nb_bodies *b)
{
    struct table_to *t = &s->table;
    if (choose_units(s, &b->meta) || table_to_choose(t, s->e->options, b, s->dialect->fields != NULL))
        return -1;
    t->separator = s->dialect->separator;
    for (int k = 0; k < t->count; k++) {
        table_to_convert(&t->columns[k], &s->factor);
        if (check_range(&t->columns[k], b->n))
            return -1;
    }
    return 0;
}

/* ---- the header ---- */

/* Sets `view` to a copy of frame b for writing the header. `view` has the chosen columns only, and header values in the
 * units of the output. It has a history only with --columns all. Without a history, frames with equal bodies give equal
 * texts, even if different commands made them. `view` shares all memory with b. */
static void make_view(const struct sink *s, const struct nb_bodies *b, struct nb_bodies *view)
{
    const struct conv_physical *factor = &s->factor;
    *view = *b;
    view->column_count = 0;
    for (int k = 0; k < s->table.count; k++) {
        struct nb_column *c = &view->columns[view->column_count++];
        *c = *s->table.columns[k].column;
        if (c->type == NB_F32 && s->table.columns[k].factor != 1)
            c->type = NB_F64; /* the mass of a galaxy in kilograms is above the maximum of a float */
        if (s->table.columns[k].low)
            view->columns[view->column_count++] = *s->table.columns[k].low;
    }
    struct nb_meta *m = &view->meta;
    m->history_count = s->table.all ? m->history_count : 0;
    if (!s->dialect->units)
        return;
    m->units = s->dialect->units->units;
    m->time *= factor->time;
    m->dt *= factor->time;
    m->dt_asked *= factor->time;
    m->dynamical_time *= factor->time;
    m->origin *= factor->time;
    m->every *= factor->time;
    m->softening *= factor->length;
    m->G *= factor->length * factor->length * factor->length / (factor->mass * factor->time * factor->time);
    m->force_count = m->extra_count = 0;
}

static int put_header(struct sink *s, const struct nb_bodies *view)
{
    char *lines = nb_snap_header_lines(view), *rest = lines;
    if (!lines)
        return -1;
    bytes_print(&s->out, "%s " TEXT_MAGIC "\n", s->dialect->comment);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line) {
            bytes_print(&s->out, "%s ", s->dialect->comment);
            bytes_put(&s->out, line, 1, strlen(line));
            bytes_print(&s->out, "\n");
        }
    free(lines);
    return 0;
}

/* Returns 1 if the header of `view` equals the header in the previous call, except for time and step. Returns 0 if it
 * differs, or -1 after nb_fail. */
static int is_same_header(const struct nb_bodies *view)
{
    static char *last;
    struct nb_bodies same = *view;
    same.meta.time = 0;
    same.meta.step = 0;
    char *lines = nb_snap_header_lines(&same);
    if (!lines)
        return -1;
    const bool equal = last && strcmp(last, lines) == 0;
    free(last);
    last = lines;
    return equal;
}

/* ---- losses ---- */

static void say_lost(const struct sink *s, const struct nb_bodies *b)
{
    const struct nb_meta *m = &b->meta;
    const char *name = s->e->options->to->name;
    const bool special = m->force_count > 0 || m->extra_count > 0;
    char G[NUMBER_BYTES];
    number_print_f64(G, m->G);
    if (s->dialect->units && special)
        say("%s: the forces and the properties of disks in the header are not written: they have other units", name);
    if (!s->dialect->header && !(m->G == 1 && m->softening == 0 && !special && strcmp(m->units.name, "code") == 0))
        say("%s has no header: units %s, G %s, softening %g%s are lost", name, m->units.name, G, m->softening,
            special ? ", forces and properties of disks" : "");
    if (!s->e->options->columns)
        table_to_say_left(&s->table, b);
}

/* ---- a frame ---- */

/* Returns whether the text has a header, so that it can be read back as a snapshot. A text without masses, positions or
 * velocities is only a table. */
static bool is_snapshot(const struct nb_bodies *view)
{
    return nb_bodies_find(view, "mass") && nb_bodies_find(view, "pos") && nb_bodies_find(view, "vel");
}

/* Writes the line of column names before the first frame. Sets the prefix of this frame's lines to the number and
 * the time of the frame. */
static int begin_table(struct sink *s, double time)
{
    static char names[TABLE_NAMES_BYTES];
    const char *gap = s->table.separator;
    const int64_t frame = s->e->frame;
    char now[TABLE_NAMES_BYTES], number[NUMBER_BYTES];
    number_print_f64(number, time);
    table_to_names(&s->table, now, NULL, true);
    if (frame >= 0) {
        sprintf(s->prefix, "%" PRId64 "%s%s%s", frame, gap, number, gap);
        s->table.prefix = s->prefix;
    }
    if (s->e->first && frame >= 0)
        bytes_print(&s->out, "frame%stime%s", gap, gap);
    if (s->e->first)
        bytes_put(&s->out, now, 1, strlen(now));
    else if (strcmp(now, names) != 0)
        return nb_fail("other columns than in the frame before: all lines of a table need the same columns (--columns "
                       "LIST chooses columns that all frames have)");
    strcpy(names, now);
    return 0;
}

static int begin_text(struct sink *s, const struct nb_bodies *view)
{
    const char *comment = s->dialect->comment;
    const int same = is_same_header(view);
    char names[TABLE_NAMES_BYTES], time[NUMBER_BYTES];
    number_print_f64(time, view->meta.time);
    if (same < 0)
        return -1;
    if (!s->e->first)
        bytes_print(&s->out, "\n\n");
    if (s->e->frame >= 0)
        bytes_print(&s->out, "%s frame %" PRId64 " time %s\n", comment, s->e->frame, time);
    if (is_snapshot(view) && (s->e->first || !same)) {
        if (put_header(s, view))
            return -1;
    } else if (is_snapshot(view) && view->meta.step > 0)
        bytes_print(&s->out, "%s step %" PRIu64 "\n", comment, view->meta.step);
    if (!s->dialect->fields) {
        table_to_names(&s->table, names, comment, !s->e->options->columns || s->table.all);
        bytes_put(&s->out, names, 1, strlen(names));
    }
    return 0;
}

int text_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct sink s;
    struct nb_bodies view;
    s.e = e;
    s.dialect = e->options->to->dialect;
    bytes_begin(&s.out, e, 'n');
    if (choose_columns(&s, b))
        return -1;
    make_view(&s, b, &view);
    if (e->first)
        say_lost(&s, b);
    if (s.dialect->table ? begin_table(&s, b->meta.time) : begin_text(&s, &view))
        return -1;
    bytes_flush(&s.out);
    return table_to_write(&s.table, b, e->output);
}
