#include "triples.h"

#include "base/io.h"
#include "number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_BYTES ((size_t)1 << 20)

void triples_begin(struct triples *t, struct tool_output *output)
{
    *t = (struct triples){.output = output};
}

static void flush(struct triples *t, size_t least)
{
    if (t->text.size < least)
        return;
    if (nb_io_write(tool_output_fd(t->output), tool_output_name(t->output), t->text.data, t->text.size))
        tool_output_failed();
    t->text.size = 0;
}

static void add(struct triples *t, const char *text, size_t size)
{
    if (nb_text_add(&t->text, text, size))
        die("no memory");
    flush(t, FLUSH_BYTES);
}

void triples_add(struct triples *t, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    add(t, line, (size_t)size);
}

void triples_add_body(struct triples *t, const struct nb_column *c, uint64_t i)
{
    char line[3 * NUMBER_BYTES], *at = line;
    for (int k = 0; k < c->width; k++) {
        const size_t place = (size_t)i * (size_t)c->width + (size_t)k;
        at += c->type == NB_F32 ? number_print_f32(at, ((const float *)c->data)[place])
                                : number_print_f64(at, ((const double *)c->data)[place]);
        *at++ = k + 1 < c->width ? ' ' : '\n';
    }
    add(t, line, (size_t)(at - line));
}

void triples_end(struct triples *t)
{
    flush(t, 1);
    nb_text_free(&t->text);
}

static bool has_special(const struct nb_meta *m)
{
    bool special = m->force_count > 0;
    for (int k = 0; k < m->extra_count; k++)
        special = special || strncmp(m->extra[k], "steps ", 6) != 0;
    return special;
}

/* Of the header; G and time are the formats' own. */
static void say_left_of_header(const struct nb_meta *m, const char *format)
{
    char list[NB_NAME_MAX + 3 * NUMBER_BYTES + 64] = "", *at = list;
    if (strcmp(m->units.name, "code") != 0)
        at += sprintf(at, ", units %s", m->units.name);
    if (m->softening > 0)
        at += sprintf(at, ", softening %g", m->softening);
    if (has_special(m))
        at += sprintf(at, ", forces and lines of disks");
    if (at > list)
        say("%s has no header: left out: %s", format, list + 2);
}

void triples_say_left(const struct nb_bodies *b, const char *format)
{
    say_left_of_header(&b->meta, format);
    char list[NB_COLUMNS_MAX * (NB_NAME_MAX + 2)] = "", *at = list;
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_known *known = nb_column_known(b->columns[k].name);
        if (!known || !known->required)
            at += sprintf(at, "%s%s", at > list ? ", " : "", b->columns[k].name);
    }
    if (*list)
        say("left out: %s", list);
}
