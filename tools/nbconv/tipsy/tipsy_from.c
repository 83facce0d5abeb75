/* tipsy_from.c - reads TIPSY's file and the accompanying files. */
#include "base/units.h"
#include "nbconv/tipsy/tipsy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* number of records read at a time */

struct source {
    struct bytes in;
    struct conv_import *import;
    /* Path of the input. Accompanying files are in the same folder. NULL: no accompanying files are read. */
    const char *path;
    struct tipsy_header head;
    bool swapped;
    struct nb_bodies b;
};

/* ---- the header ---- */

/* Parses the header in one byte order. Returns false if the header is impossible in this order: the number of
 * dimensions is not three, or the numbers of bodies do not add up. */
static bool parse_header(const unsigned char *at, bool swapped, struct tipsy_header *h)
{
    uint32_t counts[2 + TIPSY_FAMILIES];
    memcpy(&h->time, at, sizeof h->time);
    memcpy(counts, at + sizeof h->time, sizeof counts);
    if (swapped) {
        bytes_swap(&h->time, sizeof h->time, 1);
        bytes_swap(counts, sizeof *counts, 2 + TIPSY_FAMILIES);
    }
    h->n = counts[0];
    h->dimensions = counts[1];
    memcpy(h->count, counts + 2, sizeof h->count);
    return h->dimensions == 3 && h->n >= 1 && h->n <= INT32_MAX && isfinite(h->time) &&
           (uint64_t)h->count[0] + h->count[1] + h->count[2] == h->n;
}

static int fail_no_header(const struct source *s, const unsigned char *at)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        struct tipsy_header h;
        parse_header(at, swapped, &h);
        if (h.dimensions == 1 || h.dimensions == 2)
            return nb_fail("%s: a TIPSY file of %" PRIu32 " dimensions, expected 3", s->in.name, h.dimensions);
        if (h.dimensions == 3)
            return nb_fail("%s: a TIPSY header whose numbers of bodies do not add up: total %" PRIu32 ", gas %" PRIu32
                           ", dark %" PRIu32 ", stars %" PRIu32 " (more than 2^31 bodies are not supported)",
                           s->in.name, h.n, h.count[0], h.count[1], h.count[2]);
    }
    if (s->in.in.at == 0)
        return nb_fail("%s: not a TIPSY file: its header has three dimensions in neither byte order", s->in.name);
    return nb_fail("%s: expected another TIPSY header after the bodies, at byte %" PRIu64, s->in.name, s->in.in.at);
}

/* Returns the number of bytes of the header, or -1 after nb_fail.
 *
 * The header ends with four bytes of padding, except in old files. The size of a file shows whether there is padding.
 * The size of a pipe is unknown; here, four bytes of 0 are taken as padding. Fails if the padding is not 0 and the file
 * is longer than the header and the bodies: then the file is damaged, or has more than 2^31 bodies, which are not
 * supported. */
static int header_size(const struct source *s, const unsigned char *at, size_t have)
{
    const uint64_t left = bytes_left(&s->in), size = tipsy_size(&s->head);
    const bool zeros = have == TIPSY_HEAD && memcmp(at + TIPSY_HEAD_OLD, "\0\0\0", 4) == 0;
    if (left == TIPSY_HEAD_OLD + size)
        return TIPSY_HEAD_OLD;
    if (left != UINT64_MAX && left > TIPSY_HEAD + size && !zeros)
        return nb_fail(
            "%s: a TIPSY header with padding that is not 0, and other data than its bodies: damaged, or more than "
            "2^31 bodies, which are not supported",
            s->in.name);
    return left == UINT64_MAX && !zeros ? TIPSY_HEAD_OLD : TIPSY_HEAD;
}

/* Reads the next header. Returns 1, or 0 at the end of the file, or -1 after nb_fail. */
static int next_header(struct source *s)
{
    const unsigned char *at;
    const ssize_t have = bytes_peek(&s->in, TIPSY_HEAD, &at);
    if (have <= 0 && s->in.in.at > 0)
        return (int)have;
    if (have < 0)
        return -1;
    if (have < TIPSY_HEAD_OLD)
        return nb_fail("%s: %s", s->in.name,
                       s->in.in.at ? "bytes follow the bodies" : "not a TIPSY file: shorter than a header");
    s->swapped = !parse_header(at, false, &s->head);
    if (s->swapped && !parse_header(at, true, &s->head))
        return fail_no_header(s, at);
    const int size = header_size(s, at, (size_t)have);
    if (size < 0 || bytes_skip(&s->in, (uint64_t)size, "the header"))
        return -1;
    return bytes_expect(&s->in, tipsy_size(&s->head), "the bodies") ? -1 : 1;
}

/* ---- the bodies ---- */

static int add_columns(struct source *s)
{
    for (const struct tipsy_column *c = tipsy_columns; c->name; c++)
        if (nb_bodies_add(&s->b, c->name, NB_F64, c->width, c->unit))
            return -1;
    /* The size of a pipe is unknown, so the number of bodies in the header cannot be checked. If the number is
     * wrong and too large for the memory, conv_alloc fails. */
    if (conv_alloc(&s->b, s->in.name))
        return -1;
    /* Sets all scalar columns to 0. Bodies whose family (gas, dark or star) does not have a column in its records keep
     * this value. */
    for (int k = 0; k < s->b.column_count; k++)
        if (s->b.columns[k].width == 1)
            memset(s->b.columns[k].data, 0, nb_column_bytes(&s->b.columns[k], s->b.n));
    return 0;
}

static int take_records(struct source *s, const struct tipsy_record *r, uint64_t begin, uint64_t count)
{
    static float records[PART * TIPSY_FIELDS_MAX];
    const size_t fields = (size_t)r->count;
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < PART ? (size_t)(count - done) : PART;
        if (bytes_take(&s->in, records, sizeof *records, part * fields, s->swapped, "the bodies"))
            return -1;
        for (size_t k = 0; k < fields; k++) {
            const struct nb_column *c = nb_bodies_find(&s->b, r->fields[k].column);
            double *to = (double *)c->data + (begin + done) * (size_t)c->width + (size_t)r->fields[k].component;
            for (size_t i = 0; i < part; i++)
                to[i * (size_t)c->width] = (double)records[i * fields + k];
        }
    }
    return 0;
}

static int take_bodies(struct source *s)
{
    uint64_t begin = 0;
    for (int f = 0; f < TIPSY_FAMILIES; f++) {
        if (take_records(s, &tipsy_records[f], begin, s->head.count[f]))
            return -1;
        begin += s->head.count[f];
    }
    return 0;
}

static bool is_zero(const struct nb_column *c, uint64_t n)
{
    const double *x = c->data;
    for (uint64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

static void drop_empty(struct nb_bodies *b)
{
    for (const struct tipsy_column *c = tipsy_columns; c->name; c++)
        if (c->optional && is_zero(nb_bodies_find(b, c->name), b->n))
            nb_bodies_drop(b, c->name);
}

/* Adds the columns of accompanying files. If there is no column `component`, sets the component of each body
 * from its family (gas, dark or star). */
static int add_beside(struct source *s)
{
    static const int family_types[TIPSY_FAMILIES] = {0, 1, 4};
    int types[NB_COMPONENTS];
    for (const struct tipsy_aside *a = tipsy_asides; s->path && a->column; a++)
        if (tipsy_read_aside(s->path, a, &s->b))
            return -1;
    if (nb_bodies_find(&s->b, "component"))
        return 0;
    if (conv_type_map(s->import->options, types))
        return -1;
    if (nb_bodies_add_known(&s->b, "component", NB_F64) || nb_bodies_alloc(&s->b))
        return nb_fail("%s: %s", s->in.name, nb_error());
    uint8_t *component = nb_bodies_find(&s->b, "component")->data;
    for (int f = 0; f < TIPSY_FAMILIES; f++) {
        memset(component, (int)conv_component_of(types, family_types[f]), s->head.count[f]);
        component += s->head.count[f];
    }
    return 0;
}

/* ---- units ---- */

static int set_units(struct source *s)
{
    static bool said;
    const struct conv_options *o = s->import->options;
    struct nb_meta *meta = &s->b.meta;
    struct tipsy_units u = {.length_cgs = o->length_cgs, .mass_cgs = o->mass_cgs};
    if (!(u.length_cgs > 0) != !(u.mass_cgs > 0))
        return conv_misused(nb_fail("--length-unit and --mass-unit must be given together"));
    if (!(u.length_cgs > 0) && s->path && tipsy_read_param(s->path, &u))
        return -1;
    if (!(u.length_cgs > 0 && u.mass_cgs > 0)) {
        if (!said)
            say("there is no .param file, so units are unknown except G = 1 (--length-unit, --mass-unit)");
        said = true;
        return 0;
    }
    strcpy(meta->units.name, "tipsy");
    meta->units.length_cgs = u.length_cgs;
    meta->units.mass_cgs = u.mass_cgs;
    meta->units.time_cgs = sqrt(u.length_cgs / u.mass_cgs * u.length_cgs * (u.length_cgs / NB_G_CGS));
    if (u.dt > 0)
        meta->dt = u.dt;
    return 0;
}

static int take_frame(struct source *s, int64_t number)
{
    char where[256];
    snprintf(where, sizeof where, "%.200s: frame %" PRId64, s->in.name, number);
    if (nb_meta_copy(&s->b.meta, &s->import->options->meta) || set_units(s))
        return -1;
    s->b.meta.time = s->head.time;
    s->b.n = s->head.n;
    if (add_columns(s) || take_bodies(s))
        return -1;
    drop_empty(&s->b);
    conv_one_softening(&s->b);
    return add_beside(s) ? -1 : conv_import_frame(s->import, &s->b, where);
}

int tipsy_from(struct conv_import *import, const char *path)
{
    static struct source s;
    s = (struct source){.import = import, .path = path && strcmp(path, "-") != 0 ? path : NULL};
    int status = bytes_open(&s.in, path) ? -1 : 1;
    for (int64_t k = 0; status > 0 && (status = next_header(&s)) > 0; k++) {
        nb_bodies_init(&s.b);
        status = take_frame(&s, k) ? -1 : 1;
        nb_bodies_free(&s.b);
    }
    bytes_close(&s.in);
    return status;
}
