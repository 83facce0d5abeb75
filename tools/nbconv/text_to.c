/* Writing text: pieces of bodies are formatted side by side and written in order. */
#include "base/error.h"
#include "base/units.h"
#include "number.h"
#include "physical.h"
#include "snap/snap.h"
#include "table_to.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ---- */

/* Factors to the units of a dialect; all 1 where it has none. */
static struct physical convert(const struct conv_options *o, const struct nb_meta *meta, const struct text_dialect *d)
{
    if (!d->units)
        return (struct physical){1, 1, 1};
    const struct physical from = physical_units(o, meta);
    const struct nb_units *to = &d->units->units;
    return (struct physical){from.length / to->length_cgs, from.mass / to->mass_cgs, from.time / to->time_cgs};
}

static void check_range(const struct table_column *c, uint64_t n)
{
    for (uint64_t i = 0; i < n && c->factor != 1; i++)
        for (int k = 0; k < c->column->width; k++) {
            const double value = nb_column_get(c->column, i, k);
            if (isfinite(value) && !isfinite(value * c->factor))
                die("body %" PRIu64 ": %s %g is beyond double precision in the units that are written", i,
                    c->column->name, value);
        }
}

/* The frame as it is written: these columns, in these units. Provenance differs between texts that say the same, and
 * is for those who want all. Nothing of it is its own. */
static void make_view(const struct nb_bodies *b, const struct text_dialect *d, const struct table_to *t,
                      const struct physical *factor, struct nb_bodies *view)
{
    *view = *b;
    view->column_count = 0;
    for (int k = 0; k < t->count; k++) {
        struct nb_column *c = &view->columns[view->column_count++];
        *c = *t->columns[k].column;
        if (c->type == NB_F32 && t->columns[k].factor != 1)
            c->type = NB_F64; /* kilograms of a galaxy are beyond single precision */
        if (t->columns[k].low)
            view->columns[view->column_count++] = *t->columns[k].low;
    }
    struct nb_meta *m = &view->meta;
    m->history_count = t->all ? m->history_count : 0;
    if (!d->units)
        return;
    m->units = d->units->units;
    m->time *= factor->time;
    m->dt *= factor->time;
    m->dt_asked *= factor->time;
    m->origin *= factor->time;
    m->every *= factor->time;
    m->softening *= factor->length;
    m->G *= factor->length * factor->length * factor->length / (factor->mass * factor->time * factor->time);
    m->force_count = m->extra_count = 0;
}

static void add_header(struct nb_text *head, const struct nb_bodies *view, const struct text_dialect *d)
{
    char *lines = nb_snap_header_lines(view), *rest = lines;
    if (!lines)
        die("%s", nb_error());
    table_to_add(head, "%s " TEXT_MAGIC "\n", d->comment);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            table_to_add(head, "%s %s\n", d->comment, line);
    free(lines);
}

/* Whether the header that was written last says all of this frame but time and step. */
static bool is_same_header(const struct nb_bodies *view)
{
    static char *last;
    struct nb_bodies same = *view;
    same.meta.time = 0;
    same.meta.step = 0;
    char *lines = nb_snap_header_lines(&same);
    if (!lines)
        die("%s", nb_error());
    const bool equal = last && strcmp(last, lines) == 0;
    free(last);
    last = lines;
    return equal;
}

/* ---- what is lost ---- */

static void say_lost(const struct nb_bodies *b, const struct text_dialect *d, const struct conv_options *o)
{
    const struct nb_meta *m = &b->meta;
    const char *name = o->to->name;
    const bool special = m->force_count > 0 || m->extra_count > 0;
    char G[NUMBER_BYTES];
    number_print_f64(G, m->G);
    if (d->units && special)
        say("%s has no place for the header's forces and lines of disks, which are in other units", name);
    if (d->header || (m->G == 1 && m->softening == 0 && !special && strcmp(m->units.name, "code") == 0))
        return;
    say("%s has no header: units %s, G %s, softening %g%s are not in it", name, m->units.name, G, m->softening,
        special ? ", forces and lines of disks" : "");
}

/* A text that can be read back has the header; one of a few columns is a table alone. */
static bool is_snapshot(const struct table_to *t)
{
    bool mass = false, pos = false, vel = false;
    for (int k = 0; k < t->count; k++) {
        const char *name = t->columns[k].column->name;
        mass = mass || strcmp(name, "mass") == 0;
        pos = pos || strcmp(name, "pos") == 0;
        vel = vel || strcmp(name, "vel") == 0;
    }
    return mass && pos && vel;
}

/* A table's line of names, once, and what every line of this frame begins with. */
static void begin_table(struct table_to *t, struct nb_text *head, const struct nb_bodies *b, int64_t frame, bool first,
                        char prefix[3 * NUMBER_BYTES])
{
    static struct nb_text names;
    struct nb_text now = {0};
    char time[NUMBER_BYTES];
    number_print_f64(time, b->meta.time);
    if (frame >= 0) {
        sprintf(prefix, "%" PRId64 "%s%s%s", frame, t->separator, time, t->separator);
        t->prefix = prefix;
        table_to_add(&now, "frame%stime%s", t->separator, t->separator);
    }
    table_to_add_names(t, &now, NULL, true);
    if (first)
        table_to_add(head, "%.*s", (int)now.size, now.data);
    else if (now.size != names.size || memcmp(now.data, names.data, now.size) != 0)
        die("frame %" PRId64 " has other columns than the one before: a table has the same in all lines", frame);
    nb_text_free(&names);
    names = now;
}

static void begin_text(const struct table_to *t, struct nb_text *head, const struct nb_bodies *view, int64_t frame,
                       bool first, bool brief, const struct text_dialect *d)
{
    const bool same = is_same_header(view) && !first;
    if (!first)
        table_to_add(head, "\n\n");
    if (frame >= 0) {
        char time[NUMBER_BYTES];
        number_print_f64(time, view->meta.time);
        table_to_add(head, "%s frame %" PRId64 " time %s\n", d->comment, frame, time);
    }
    if (is_snapshot(t) && !same)
        add_header(head, view, d);
    else if (is_snapshot(t) && view->meta.step > 0)
        table_to_add(head, "%s step %" PRIu64 "\n", d->comment, view->meta.step);
    if (!d->fields)
        table_to_add_names(t, head, d->comment, brief);
}

void text_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
             struct tool_output *output, const struct text_dialect *d)
{
    struct table_to t;
    struct nb_bodies view;
    struct nb_text head = {0};
    char prefix[3 * NUMBER_BYTES];
    const struct physical factor = convert(o, &b->meta, d);
    table_to_choose(&t, o, b, d->fields != NULL);
    for (int k = 0; k < t.count; k++)
        table_to_convert(&t.columns[k], &factor);
    for (int k = 0; k < t.count; k++)
        check_range(&t.columns[k], b->n);
    t.separator = d->separator;
    make_view(b, d, &t, &factor, &view);
    if (first)
        say_lost(b, d, o);
    if (first && !o->columns)
        table_to_say_left(&t, b);
    if (d->table)
        begin_table(&t, &head, b, frame, first, prefix);
    else
        begin_text(&t, &head, &view, frame, first, !o->columns || t.all, d);
    table_to_write(&t, b, &head, output);
}
