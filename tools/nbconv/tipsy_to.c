/* Writing TIPSY's file, and what belongs beside it. */
#include "base/error.h"
#include "base/units.h"
#include "tipsy.h"
#include "type_map.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* bodies that are turned into records at a time */

static const char *const kept[] = {"mass",      "pos",         "vel",    "softening", "phi",
                                   "density",   "temperature", "metals", "id",        "formation_time",
                                   "component", "galaxy",      NULL};

struct sink {
    struct bytes_out out;
    const struct nb_bodies *b;
    uint64_t *order; /* bodies as they are written: by family, else as they come */
    struct tipsy_header head;
    double factor; /* of masses: G */
};

/* ---- the order ---- */

static enum tipsy_family family_of(const struct nb_column *component, const int *types, uint64_t i)
{
    const unsigned c = component ? ((const uint8_t *)component->data)[i] : NB_OTHER;
    const int type = types[c < NB_COMPONENTS ? c : NB_OTHER];
    return type == 0 ? TIPSY_GAS : type == 1 ? TIPSY_DARK : TIPSY_STAR;
}

static void make_order(struct sink *s, const struct conv_options *o)
{
    int types[NB_COMPONENTS];
    const struct nb_column *component = nb_bodies_find(s->b, "component");
    uint64_t at = 0;
    type_map_read(o, types);
    s->order = malloc(s->b->n * sizeof *s->order);
    if (!s->order)
        die("no memory for the order of %" PRIu64 " bodies", s->b->n);
    for (int f = 0; f < TIPSY_FAMILIES; f++) {
        const uint64_t begin = at;
        for (uint64_t i = 0; i < s->b->n; i++)
            if (family_of(component, types, i) == (enum tipsy_family)f)
                s->order[at++] = i;
        s->head.count[f] = at - begin;
    }
}

/* ---- the file ---- */

static void put_header(struct sink *s, double time)
{
    const int32_t counts[] = {(int32_t)s->head.n,
                              3,
                              (int32_t)s->head.count[TIPSY_GAS],
                              (int32_t)s->head.count[TIPSY_DARK],
                              (int32_t)s->head.count[TIPSY_STAR],
                              0};
    bytes_put(&s->out, &time, sizeof time, 1);
    bytes_put(&s->out, counts, sizeof *counts, 6);
}

static double value_of(const struct sink *s, const struct tipsy_field *f, const struct nb_column *c, uint64_t i)
{
    if (!c)
        return strcmp(f->column, "softening") == 0 ? s->b->meta.softening : 0;
    const double value = nb_column_get(c, i, f->component);
    return strcmp(f->column, "mass") == 0 || strcmp(f->column, "density") == 0 ? value * s->factor : value;
}

/* Writes the records of `count` <= PART bodies. */
static void put_part(struct sink *s, const struct tipsy_record *r, const uint64_t *bodies, size_t count)
{
    static double values[PART];
    static float singles[PART], records[PART * TIPSY_FIELDS_MAX];
    for (int k = 0; k < r->count; k++) {
        const struct tipsy_field *f = &r->fields[k];
        const struct nb_column *c = nb_bodies_find(s->b, f->column);
        for (size_t i = 0; i < count; i++)
            values[i] = value_of(s, f, c, bodies[i]);
        const size_t bad = nb_narrow(values, singles, count, strcmp(f->column, "mass") == 0);
        if (bad < count)
            die("body %" PRIu64 ": %s %g does not fit single precision, which TIPSY's file has alone", bodies[bad],
                f->column, values[bad]);
        for (size_t i = 0; i < count; i++)
            records[i * (size_t)r->count + (size_t)k] = singles[i];
    }
    bytes_put(&s->out, records, sizeof(float), count * (size_t)r->count);
}

static void put_bodies(struct sink *s)
{
    const uint64_t *bodies = s->order;
    for (int f = 0; f < TIPSY_FAMILIES; f++)
        for (uint64_t left = s->head.count[f]; left > 0;) {
            const size_t part = left < PART ? (size_t)left : PART;
            put_part(s, &tipsy_records[f], bodies, part);
            bodies += part;
            left -= part;
        }
    bytes_flush(&s->out);
}

/* ---- what is said, and what lies beside ---- */

static void say_losses(const struct nb_bodies *b)
{
    static bool said;
    if (!said && nb_bodies_find(b, "pos")->type == NB_F64)
        say("TIPSY's file has single precision alone: numbers are rounded to 6 to 7 digits");
    if (!said && b->meta.G != 1)
        say("TIPSY's file has G = 1: masses are written times G, which is %.10g here, and dMsolUnit says their unit",
            b->meta.G);
    said = true;
    bytes_say_lost(b, kept, "TIPSY's file");
}

static void write_beside(const struct sink *s, const struct physical *p)
{
    const struct tipsy_units u = {.length_cgs = p->length,
                                  .mass_cgs = p->length / p->time * p->length / p->time * (p->length / NB_G_CGS),
                                  .dt = s->b->meta.dt};
    tipsy_write_param(s->out.output, &u);
    for (const struct tipsy_aside *a = tipsy_asides; a->column; a++)
        if (nb_bodies_find(s->b, a->column))
            tipsy_write_aside(s->out.output, a, s->b, s->order);
}

void tipsy_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
              struct tool_output *output)
{
    static struct sink s;
    const struct physical p = physical_units(o, &b->meta);
    const char *path = tool_output_name(output);
    (void)frame, (void)first;
    if (b->n > INT32_MAX)
        die("%" PRIu64 " bodies: TIPSY's file has at most %d", b->n, INT32_MAX);
    s.out.output = output;
    s.out.swapped = bytes_written_swapped(o, 'b');
    s.b = b;
    s.head.n = b->n;
    s.factor = b->meta.G;
    say_losses(b);
    make_order(&s, o);
    put_header(&s, b->meta.time);
    put_bodies(&s);
    if (strcmp(tool_output_part(output), path) != 0) /* a device has nothing beside it */
        write_beside(&s, &p);
    free(s.order);
}
