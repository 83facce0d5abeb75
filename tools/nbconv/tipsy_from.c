/* Reading TIPSY's file, and what belongs beside it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "tipsy.h"
#include "type_map.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* records that are read at a time */

struct source {
    struct bytes in;
    struct conv_import *import;
    struct tipsy_header head;
    bool swapped;
    struct nb_bodies b;
};

/* ---- the header ---- */

static uint32_t count_at(const unsigned char *at, int k, bool swapped)
{
    uint32_t v;
    memcpy(&v, at + 8 + 4 * k, sizeof v);
    return swapped ? __builtin_bswap32(v) : v;
}

static double time_at(const unsigned char *at, bool swapped)
{
    uint64_t bits;
    double time;
    memcpy(&bits, at, sizeof bits);
    bits = swapped ? __builtin_bswap64(bits) : bits;
    memcpy(&time, &bits, sizeof time);
    return time;
}

/* The header in one byte order; false where it is none: the dimensions are not three, the counts do not add up. */
static bool parse_header(const unsigned char *at, bool swapped, struct tipsy_header *h)
{
    h->time = time_at(at, swapped);
    h->n = count_at(at, 0, swapped);
    for (int f = 0; f < TIPSY_FAMILIES; f++)
        h->count[f] = count_at(at, 2 + f, swapped);
    return count_at(at, 1, swapped) == 3 && h->n >= 1 && h->n <= INT32_MAX && isfinite(h->time) &&
           h->count[0] + h->count[1] + h->count[2] == h->n;
}

static noreturn void die_no_header(const struct source *s, const unsigned char *at)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        const uint32_t dimensions = count_at(at, 1, swapped);
        if (dimensions == 1 || dimensions == 2)
            die("%s: a TIPSY file of %" PRIu32 " dimensions, wanted: 3", s->in.name, dimensions);
        if (dimensions == 3)
            die("%s: a TIPSY header whose numbers of bodies do not add up: %" PRIu32 " in all, %" PRIu32
                " gas, %" PRIu32 " dark, %" PRIu32 " stars (more than 2^31 bodies are not read)",
                s->in.name, count_at(at, 0, swapped), count_at(at, 2, swapped), count_at(at, 3, swapped),
                count_at(at, 4, swapped));
    }
    if (s->in.in.at == 0)
        die("%s: not a TIPSY file: its header does not say three dimensions in either byte order", s->in.name);
    die("%s: %s at byte %" PRIu64 " is no further TIPSY header", s->in.name, "what follows the bodies", s->in.in.at);
}

/* Whether the header lacks the padding: by the size of the file, where that is known, else by what stands there. Some
 * files have more than 2^31 bodies, the upper bits of their numbers in the padding. */
static bool lacks_padding(const struct source *s, const unsigned char *at, size_t have)
{
    const uint64_t left = bytes_left(&s->in), size = tipsy_size(&s->head);
    const bool zeros = have == TIPSY_HEAD && memcmp(at + TIPSY_HEAD_OLD, "\0\0\0", 4) == 0;
    if (left == TIPSY_HEAD_OLD + size)
        return true;
    if (left != UINT64_MAX && left > TIPSY_HEAD + size && !zeros)
        die("%s: a TIPSY header whose padding is not 0, and whose bodies are not what follows: damaged, or of more than 2^31 bodies, which are not read",
            s->in.name);
    return left == UINT64_MAX && !zeros;
}

/* False at the end of the file. */
static bool next_header(struct source *s)
{
    const unsigned char *at;
    const size_t have = bytes_peek(&s->in, TIPSY_HEAD, &at);
    if (have == 0 && s->in.in.at > 0)
        return false;
    if (have < TIPSY_HEAD_OLD)
        die("%s: %s", s->in.name, s->in.in.at ? "bytes follow the bodies" : "not a TIPSY file: shorter than a header");
    s->swapped = false;
    if (!parse_header(at, false, &s->head)) {
        s->swapped = true;
        if (!parse_header(at, true, &s->head))
            die_no_header(s, at);
    }
    bytes_take(&s->in, NULL, lacks_padding(s, at, have) ? TIPSY_HEAD_OLD : TIPSY_HEAD, "the header");
    bytes_expect(&s->in, tipsy_size(&s->head), "the bodies");
    return true;
}

/* ---- the bodies ---- */

static void add_columns(struct source *s)
{
    double bytes = 0;
    for (const struct tipsy_column *c = tipsy_columns; c->name; c++)
        if (nb_bodies_add(&s->b, c->name, NB_F64, c->width, c->unit))
            die("%s", nb_error());
    for (int k = 0; k < s->b.column_count; k++)
        bytes += (double)nb_column_bytes_padded(&s->b.columns[k], s->b.n);
    if (nb_memory_check(s->b.n, bytes) || nb_bodies_alloc(&s->b)) /* of a pipe the number is only a claim */
        die("%s: %s", s->in.name, nb_error());
    for (int k = 0; k < s->b.column_count; k++) /* not all are of each family */
        if (s->b.columns[k].width == 1)
            memset(s->b.columns[k].data, 0, nb_column_bytes(&s->b.columns[k], s->b.n));
}

static void take_records(struct source *s, const struct tipsy_record *r, uint64_t begin, uint64_t count)
{
    static float records[PART * TIPSY_FIELDS_MAX];
    const size_t fields = (size_t)r->count;
    for (uint64_t done = 0; done < count;) {
        const size_t part = count - done < PART ? (size_t)(count - done) : PART;
        bytes_take(&s->in, records, part * fields * sizeof *records, "the bodies");
        if (s->swapped)
            bytes_swap(records, sizeof *records, part * fields);
        for (size_t k = 0; k < fields; k++) {
            const struct nb_column *c = nb_bodies_find(&s->b, r->fields[k].column);
            double *to = (double *)c->data + (begin + done) * (size_t)c->width + (size_t)r->fields[k].component;
            for (size_t i = 0; i < part; i++)
                to[i * (size_t)c->width] = (double)records[i * fields + k];
        }
        done += part;
    }
}

static bool is_zero(const struct nb_column *c, uint64_t n)
{
    const double *x = c->data;
    for (uint64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

static void drop_empty(struct source *s)
{
    double length;
    for (const struct tipsy_column *c = tipsy_columns; c->name; c++)
        if (c->optional && is_zero(nb_bodies_find(&s->b, c->name), s->b.n))
            nb_bodies_drop(&s->b, c->name);
    if (nb_bodies_find(&s->b, "softening") && nb_bodies_softening(&s->b, &length) == 0) {
        s->b.meta.softening = length;
        nb_bodies_drop(&s->b, "softening");
    }
}

/* Components from the families, unless a file beside says them. */
static void add_components(struct source *s)
{
    static const int family_types[TIPSY_FAMILIES] = {0, 1, 4};
    int types[NB_COMPONENTS];
    if (nb_bodies_find(&s->b, "component"))
        return;
    type_map_read(s->import->options, types);
    if (nb_bodies_add_known(&s->b, "component", NB_F64) || nb_bodies_alloc(&s->b))
        die("%s: %s", s->in.name, nb_error());
    uint8_t *component = nb_bodies_find(&s->b, "component")->data;
    for (int f = 0; f < TIPSY_FAMILIES; f++) {
        memset(component, (int)type_map_component(types, family_types[f]), s->head.count[f]);
        component += s->head.count[f];
    }
}

/* ---- units ---- */

static void set_units(struct source *s, const char *path)
{
    const struct conv_options *o = s->import->options;
    struct nb_meta *meta = &s->b.meta;
    struct tipsy_units u = {.length_cgs = o->length_cgs, .mass_cgs = o->mass_cgs};
    if (!(u.length_cgs > 0) != !(u.mass_cgs > 0))
        die_usage("--length-unit and --mass-unit go together");
    if (!(u.length_cgs > 0) && (!path || !tipsy_read_param(path, &u))) {
        static bool said;
        if (!said)
            say("no .param is there, and so no units but G = 1 (--length-unit, --mass-unit)");
        said = true;
        return;
    }
    strcpy(meta->units.name, "tipsy");
    meta->units.length_cgs = u.length_cgs;
    meta->units.mass_cgs = u.mass_cgs;
    meta->units.time_cgs = sqrt(u.length_cgs / u.mass_cgs * u.length_cgs * (u.length_cgs / NB_G_CGS));
    if (u.dt > 0)
        meta->dt = u.dt;
}

static void take_frame(struct source *s, const char *path, int64_t number)
{
    char where[256];
    uint64_t begin = 0;
    snprintf(where, sizeof where, "%.200s: frame %" PRId64, s->in.name, number);
    nb_bodies_init(&s->b);
    conv_import_meta(s->import, &s->b.meta);
    set_units(s, path);
    s->b.meta.time = s->head.time;
    s->b.n = s->head.n;
    add_columns(s);
    for (int f = 0; f < TIPSY_FAMILIES; f++) {
        take_records(s, &tipsy_records[f], begin, s->head.count[f]);
        begin += s->head.count[f];
    }
    drop_empty(s);
    for (const struct tipsy_aside *a = tipsy_asides; path && a->column; a++)
        tipsy_read_aside(path, a, &s->b);
    add_components(s);
    conv_import_frame(s->import, &s->b, where);
    nb_bodies_free(&s->b);
}

void tipsy_from(struct conv_import *import, const char *path)
{
    static struct source s;
    const bool is_file = path && strcmp(path, "-") != 0;
    s = (struct source){.import = import};
    if (import->options->quad)
        die_usage("--store quad goes with --from text");
    bytes_open(&s.in, path);
    for (int64_t k = 0; next_header(&s); k++)
        take_frame(&s, is_file ? path : NULL, k);
    bytes_close(&s.in);
}
