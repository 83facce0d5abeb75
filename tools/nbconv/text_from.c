/* Reading text: the names of the fields from a # line or from their number, then a body a line. */
#include "decimal.h"
#include "error.h"
#include "lines.h"
#include "portable.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

union value {
    double real;
    uint64_t whole;
};

struct source {
    struct lines in;
    struct conv_import *import;
    struct text_field fields[TEXT_FIELDS_MAX];
    int field_count;         /* 0: not known yet */
    struct nb_bodies layout; /* the columns that the fields make */
    union value *values;     /* field_count of them a body */
    double *rests;           /* as many, with --store quad: what the values round away */
    uint64_t n, capacity;    /* bodies read, values allocated */
    double time;
    bool announced; /* a `# frame` line precedes the bodies */
};

/* ---- the names ---- */

static int component_bits(const struct source *s, const char *column)
{
    int bits = 0;
    for (int k = 0; k < s->field_count; k++)
        if (strcmp(s->fields[k].column, column) == 0)
            bits |= s->fields[k].component < 0 ? 8 : 1 << s->fields[k].component;
    return bits;
}

/* Makes columns of the fields: each vector whole, each field once, and what a stream needs. */
static void make_layout(struct source *s)
{
    nb_bodies_free(&s->layout);
    for (int k = 0; k < s->field_count; k++) {
        const struct text_field *f = &s->fields[k];
        bool vector = f->component >= 0;
        int bits = component_bits(s, f->column);
        for (int j = 0; j < k; j++)
            if (strcmp(s->fields[j].column, f->column) == 0 && s->fields[j].component == f->component)
                die("%s: line %" PRIu64 ": a field of '%s' is there twice", s->in.name, s->in.number, f->column);
        if (bits != (vector ? 7 : 8))
            die("%s: line %" PRIu64 ": '%s' has not its three fields", s->in.name, s->in.number, f->column);
        if (!nb_bodies_find(&s->layout, f->column) && nb_bodies_add(&s->layout, f->column, text_column_type(f->column),
                                                                    vector ? 3 : 1, text_column_unit(f->column)))
            die("%s: line %" PRIu64 ": %s", s->in.name, s->in.number, nb_error());
    }
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->required && !nb_bodies_find(&s->layout, k->name))
            die("%s: line %" PRIu64 ": no field gives '%s' (wanted: m x y z vx vy vz)", s->in.name, s->in.number,
                k->name);
    if (nb_bodies_check_columns(&s->layout))
        die("%s: line %" PRIu64 ": %s", s->in.name, s->in.number, nb_error());
}

/* The columns that take what positions and velocities round away. */
static void add_low(struct source *s)
{
    static const char *const names[] = {"pos_lo", "vel_lo"};
    for (int k = 0; k < 2; k++)
        if (nb_bodies_find(&s->layout, names[k]) || nb_bodies_add_known(&s->layout, names[k], NB_F64))
            die("%s: line %" PRIu64 ": '%s' comes from the digits with --store quad, not from fields", s->in.name,
                s->in.number, names[k]);
}

/* 1, 2 or 4 for the words x, y and z, in any case and with a comma: then a # line means to give names. */
static int coordinate(const char *word)
{
    for (int k = 0; k < 3; k++)
        if ((word[0] | 32) == 'x' + k && (!word[1] || strcmp(word + 1, ",") == 0))
            return 1 << k;
    return 0;
}

/* A # line is one of names where all its words are names and a mass and a position are among them. One with x, y, z and
 * something that is no name is an error: taken as a comment it would give the numbers other meanings. */
static bool parse_names(struct source *s, char *text)
{
    struct text_field fields[TEXT_FIELDS_MAX];
    const char *unknown = NULL;
    int count = 0, seen = 0, coordinates = 0;
    for (char *word; (word = strsep(&text, " \t\r"));) {
        if (!*word)
            continue;
        coordinates |= coordinate(word);
        if (unknown || count == TEXT_FIELDS_MAX || !text_field_parse(word, &fields[count])) {
            unknown = unknown ? unknown : word;
            continue;
        }
        seen |= (strcmp(fields[count].column, "mass") == 0) | (strcmp(fields[count].column, "pos") == 0) << 1;
        count++;
    }
    if (unknown && coordinates == 7 && s->n == 0)
        die("%s: line %" PRIu64 ": '%s' is not the name of a field", s->in.name, s->in.number, unknown);
    if (unknown || seen != 3)
        return false;
    if (s->n > 0)
        die("%s: line %" PRIu64 ": names of fields in the middle of a frame", s->in.name, s->in.number);
    memcpy(s->fields, fields, sizeof fields);
    s->field_count = count;
    make_layout(s);
    if (s->import->options->quad)
        add_low(s);
    return true;
}

/* Without names: m x y z vx vy vz, with an id in front where there are eight fields. */
static void assume_names(struct source *s)
{
    static const char blanks[] = " \t\r\v\f";
    char with_id[] = "id m x y z vx vy vz";
    int count = 0;
    for (const char *at = s->in.text + strspn(s->in.text, blanks); *at; at += strspn(at, blanks), count++)
        at += strcspn(at, blanks);
    if (count != 7 && count != 8)
        die("%s: line %" PRIu64 ": %d fields; wanted m x y z vx vy vz, an id before them, or a # line with names",
            s->in.name, s->in.number, count);
    parse_names(s, count == 7 ? with_id + 3 : with_id);
}

/* ---- a frame ---- */

/* What column a field's values go to, and with --store quad their rests: NAME and NAME_lo. */
static void fill_column(const struct source *s, const struct nb_column *c)
{
    const bool low = s->rests && (strcmp(c->name, "pos_lo") == 0 || strcmp(c->name, "vel_lo") == 0);
    const size_t length = strlen(c->name) - (low ? strlen("_lo") : 0);
    for (int f = 0; f < s->field_count; f++) {
        const char *column = s->fields[f].column;
        if (strncmp(column, c->name, length) != 0 || column[length])
            continue;
        size_t k = s->fields[f].component > 0 ? (size_t)s->fields[f].component : 0, width = (size_t)c->width;
        for (uint64_t i = 0; i < s->n; i++) {
            const uint64_t from = i * (uint64_t)s->field_count + (uint64_t)f;
            const union value *v = &s->values[from];
            size_t at = i * width + k;
            switch (c->type) {
            case NB_F64: ((double *)c->data)[at] = low ? s->rests[from] : v->real; break;
            case NB_U8: ((uint8_t *)c->data)[at] = (uint8_t)v->whole; break;
            case NB_U32: ((uint32_t *)c->data)[at] = (uint32_t)v->whole; break;
            default: ((uint64_t *)c->data)[at] = v->whole;
            }
        }
    }
}

static void end_frame(struct source *s)
{
    struct nb_bodies b;
    if (s->n == 0)
        die("%s: no bodies", s->in.name);
    nb_bodies_init(&b);
    if (nb_bodies_copy_layout(&b, &s->layout))
        die("%s", nb_error());
    conv_import_meta(s->import, &b.meta);
    b.n = s->n;
    if (s->announced)
        b.meta.time = s->time;
    if (nb_bodies_alloc(&b))
        die("%s: %s", s->in.name, nb_error());
    for (int k = 0; k < b.column_count; k++)
        fill_column(s, &b.columns[k]);
    conv_import_frame(s->import, &b, s->in.name);
    nb_bodies_free(&b);
    s->n = 0;
}

static void parse_comment(struct source *s)
{
    double time;
    uint64_t number;
    int end = 0;
    char *text = s->in.text + strspn(s->in.text, " \t") + 1;
    if (sscanf(text, " frame %" SCNu64 " time %lf %n", &number, &time, &end) == 2 && end && !text[end]) {
        if (s->n == 0 && s->announced)
            die("%s: line %" PRIu64 ": the frame before has no bodies", s->in.name, s->in.number);
        if (s->n > 0)
            end_frame(s);
        s->announced = true;
        s->time = time;
    } else
        parse_names(s, text);
}

static void make_room(struct source *s, uint64_t needed)
{
    if (needed <= s->capacity)
        return;
    const uint64_t capacity = 2 * needed;
    union value *values = nb_realloc_array(s->values, capacity, sizeof *s->values);
    s->values = values ? values : s->values;
    double *rests = s->import->options->quad ? nb_realloc_array(s->rests, capacity, sizeof *s->rests) : NULL;
    s->rests = rests ? rests : s->rests;
    if (!values || (s->import->options->quad && !rests))
        die("%s: no memory for more than %" PRIu64 " bodies", s->in.name, s->n);
    s->capacity = capacity;
}

static void parse_value(struct source *s, const char *column, const char *word, uint64_t at)
{
    const enum nb_type type = text_column_type(column);
    if (type == NB_F64)
        s->values[at].real = lines_number(&s->in, word);
    else
        s->values[at].whole = lines_unsigned(&s->in, word, type == NB_U8 ? UINT8_MAX : UINT64_MAX);
    if (s->rests)
        s->rests[at] = type == NB_F64 ? decimal_rest(word, s->values[at].real) : 0;
}

static void parse_body(struct source *s)
{
    if (s->field_count == 0)
        assume_names(s);
    uint64_t count = (uint64_t)s->field_count, used = s->n * count;
    make_room(s, used + count);
    for (int k = 0; k < s->field_count; k++) {
        const char *word = lines_word(&s->in);
        if (!word)
            die("%s: line %" PRIu64 ": %d fields instead of %d", s->in.name, s->in.number, k, s->field_count);
        parse_value(s, s->fields[k].column, word, used + (uint64_t)k);
    }
    if (lines_word(&s->in))
        die("%s: line %" PRIu64 ": more than %d fields", s->in.name, s->in.number, s->field_count);
    s->n++;
}

void text_from(struct conv_import *import, const char *path)
{
    static struct source s;
    s = (struct source){.import = import};
    nb_bodies_init(&s.layout);
    lines_open(&s.in, path);
    while (lines_next(&s.in)) {
        char first = s.in.text[strspn(s.in.text, " \t\r\v\f")];
        if (first == '#')
            parse_comment(&s);
        else if (first)
            parse_body(&s);
    }
    end_frame(&s);
    nb_bodies_free(&s.layout);
    free(s.values);
    free(s.rests);
    lines_close(&s.in);
}
