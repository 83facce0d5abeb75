/* tipsy_to.c - writes TIPSY's file and the accompanying files. */
#include "base/units.h"
#include "nbconv/tipsy/tipsy.h"
#include "snap/narrow.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* number of bodies converted at a time */

static const char kept[] = "mass|pos|vel|softening|phi|density|temperature|metals|id|formation_time|component|galaxy";

struct sink {
    struct bytes_out out;
    const struct conv_options *o;
    const struct nb_bodies *b;
    /* indices of the bodies, sorted by family (gas, dark, star); bodies of one family keep the stream's order */
    uint64_t *order;
    struct tipsy_header head;
    double factor; /* the stream's G. Masses and densities are multiplied by it, because G is 1 in TIPSY's file */
};

/* ---- the order ---- */

static int make_order(struct sink *s)
{
    static const int family[CONV_TYPES] = {TIPSY_GAS, TIPSY_DARK, TIPSY_STAR, TIPSY_STAR, TIPSY_STAR, TIPSY_STAR};
    uint64_t count[TIPSY_FAMILIES];
    s->order = conv_order_by_type(s->o, s->b, family, TIPSY_FAMILIES, count);
    for (int f = 0; s->order && f < TIPSY_FAMILIES; f++)
        s->head.count[f] = (uint32_t)count[f];
    return s->order ? 0 : -1;
}

/* ---- the file ---- */

static void put_header(struct sink *s)
{
    const uint32_t counts[] = {(uint32_t)s->b->n,         3, s->head.count[TIPSY_GAS], s->head.count[TIPSY_DARK],
                               s->head.count[TIPSY_STAR], 0};
    bytes_put(&s->out, &s->b->meta.time, sizeof(double), 1);
    bytes_put(&s->out, counts, sizeof *counts, sizeof counts / sizeof *counts);
}

static double value_of(const struct sink *s, const struct tipsy_field *f, const struct nb_column *c, uint64_t i)
{
    if (!c)
        return strcmp(f->column, "softening") == 0 ? s->b->meta.softening : 0;
    const double value = nb_column_get(c, i, f->component);
    return strcmp(f->column, "mass") == 0 || strcmp(f->column, "density") == 0 ? value * s->factor : value;
}

/* Writes the records of `count` <= PART bodies. */
static int put_part(struct sink *s, const struct tipsy_record *r, const uint64_t *bodies, size_t count)
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
            return nb_fail("body %" PRIu64
                           ": %s %g does not fit single precision, and a TIPSY file has single precision only",
                           bodies[bad], f->column, values[bad]);
        for (size_t i = 0; i < count; i++)
            records[i * (size_t)r->count + (size_t)k] = singles[i];
    }
    bytes_put(&s->out, records, sizeof(float), count * (size_t)r->count);
    return 0;
}

static int put_bodies(struct sink *s)
{
    const uint64_t *bodies = s->order;
    for (int f = 0; f < TIPSY_FAMILIES; f++)
        for (uint64_t left = s->head.count[f]; left > 0;) {
            const size_t part = left < PART ? (size_t)left : PART;
            if (put_part(s, &tipsy_records[f], bodies, part))
                return -1;
            bodies += part;
            left -= part;
        }
    bytes_flush(&s->out);
    return 0;
}

/* ---- messages and accompanying files ---- */

static void say_losses(const struct nb_bodies *b)
{
    static bool said;
    if (!said && nb_bodies_find(b, "pos")->type == NB_F64)
        say("TIPSY files have single precision: numbers are rounded to 6 to 7 digits");
    if (!said && b->meta.G != 1)
        say("TIPSY files have G = 1: masses are multiplied by G = %.10g, and dMsolUnit has their unit", b->meta.G);
    said = true;
    conv_say_lost(b, kept, "TIPSY's file");
}

static int write_beside(const struct sink *s, const struct conv_physical *p)
{
    struct tool_output *output = s->out.output;
    const struct tipsy_units u = {.length_cgs = p->length,
                                  .mass_cgs = p->length / p->time * p->length / p->time * (p->length / NB_G_CGS),
                                  .dt = s->b->meta.dt};
    /* A device or a pipe has no temporary FILE.part: tool_output_part and tool_output_name then return the same name.
     * In this case, no accompanying files are written. */
    if (strcmp(tool_output_part(output), tool_output_name(output)) == 0)
        return 0;
    if (tipsy_write_param(output, &u))
        return -1;
    for (const struct tipsy_aside *a = tipsy_asides; a->column; a++)
        if (nb_bodies_find(s->b, a->column) && tipsy_write_aside(output, a, s->b, s->order))
            return -1;
    return 0;
}

int tipsy_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct sink s;
    struct conv_physical p;
    if (conv_physical(e->options, &b->meta, &p))
        return -1;
    if (b->n > INT32_MAX)
        return nb_fail("%" PRIu64 " bodies: a TIPSY file can have at most %d", b->n, INT32_MAX);
    bytes_begin(&s.out, e, 'b');
    s.o = e->options;
    s.b = b;
    s.order = NULL;
    s.factor = b->meta.G;
    say_losses(b);
    int status = make_order(&s);
    if (status == 0) {
        put_header(&s);
        status = put_bodies(&s) || write_beside(&s, &p) ? -1 : 0;
    }
    free(s.order);
    return status;
}
