/* binary_to.c - writes GADGET's binary snapshots. Bodies are sorted by type, and values have single precision, as
 * programs that read these files expect. */
#include "nbconv/gadget/binary.h"
#include "snap/narrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* number of bodies converted at a time */

struct sink {
    struct bytes_out out;
    const struct conv_options *o;
    const struct nb_bodies *b;
    bool named;
    struct conv_physical factor; /* factors from the stream's units to the file's units */
    uint64_t *order;             /* indices of the bodies, sorted by type; bodies of one type keep the stream's order */
    uint64_t count[BINARY_TYPES];
    double mass[BINARY_TYPES]; /* mass of each body of a type in the stream's unit; 0: masses differ */
};

/* ---- the order ---- */

static int make_order(struct sink *s)
{
    static const int own[CONV_TYPES] = {0, 1, 2, 3, 4, 5};
    const struct nb_column *mass = nb_bodies_find(s->b, "mass");
    s->order = conv_order_by_type(s->o, s->b, own, BINARY_TYPES, s->count);
    if (!s->order)
        return -1;
    const uint64_t *bodies = s->order;
    for (int t = 0; t < BINARY_TYPES; bodies += s->count[t++]) {
        s->mass[t] = s->count[t] > 0 ? nb_column_get(mass, bodies[0], 0) : 0;
        for (uint64_t k = 1; k < s->count[t]; k++)
            if (nb_column_get(mass, bodies[k], 0) != nb_column_get(mass, bodies[0], 0))
                s->mass[t] = 0;
    }
    return 0;
}

/* ---- the header ---- */

static void set(unsigned char *head, int at, const void *values, size_t size, size_t count, bool swapped)
{
    memcpy(head + at, values, size * count);
    if (swapped)
        bytes_swap(head + at, size, count);
}

static void put_count(struct sink *s, uint32_t count)
{
    bytes_put(&s->out, &count, sizeof count, 1);
}

static void begin_block(struct sink *s, const char *name, uint32_t bytes)
{
    if (s->named) {
        put_count(s, 8);
        bytes_put(&s->out, name, 1, 4);
        put_count(s, bytes + 8);
        put_count(s, 8);
    }
    put_count(s, bytes);
}

static void put_header(struct sink *s)
{
    unsigned char head[BINARY_HEAD] = {0};
    const bool swapped = s->out.swapped;
    const double time = s->b->meta.time * s->factor.time, one = 1;
    const int32_t files = 1;
    for (int t = 0; t < BINARY_TYPES; t++) {
        const uint32_t count = (uint32_t)s->count[t];
        const double mass = s->mass[t] * s->factor.mass;
        set(head, BINARY_COUNT + 4 * t, &count, 4, 1, swapped);
        set(head, BINARY_TOTAL + 4 * t, &count, 4, 1, swapped);
        set(head, BINARY_MASS + 8 * t, &mass, 8, 1, swapped);
    }
    set(head, BINARY_TIME, &time, 8, 1, swapped);
    set(head, BINARY_FILES, &files, 4, 1, swapped);
    set(head, BINARY_HUBBLE, &one, 8, 1, swapped);
    begin_block(s, "HEAD", BINARY_HEAD);
    bytes_put(&s->out, head, 1, BINARY_HEAD);
    put_count(s, BINARY_HEAD);
}

/* ---- blocks ---- */

static bool has_type(const struct sink *s, const struct binary_block *k, int type)
{
    return strcmp(k->name, "MASS") != 0 || s->mass[type] == 0;
}

static int put_numbers(struct sink *s, const struct binary_block *k, const struct nb_column *c, const uint64_t *bodies,
                       size_t count)
{
    static double values[3 * PART];
    static float singles[3 * PART];
    const size_t width = (size_t)k->width, all = count * width;
    double powers[3];
    nb_unit_powers(k->unit, powers);
    const double factor = conv_power(&s->factor, powers);
    for (size_t i = 0; i < all; i++)
        values[i] = nb_column_get(c, bodies[i / width], (int)(i % width)) * factor;
    const size_t bad = nb_narrow(values, singles, all, strcmp(k->column, "mass") == 0);
    if (bad < all)
        return nb_fail("body %" PRIu64 ": %s %g does not fit single precision, which GADGET's binary files have",
                       bodies[bad / width], k->column, values[bad]);
    bytes_put(&s->out, singles, sizeof(float), all);
    return 0;
}

static int put_block(struct sink *s, const struct binary_block *k, const struct nb_column *c)
{
    uint64_t values = 0;
    for (int t = 0; t < BINARY_TYPES; t++)
        values += has_type(s, k, t) ? s->count[t] * (uint64_t)k->width : 0;
    const uint64_t *bodies = s->order;
    if (values == 0)
        return 0;
    begin_block(s, k->name, (uint32_t)(sizeof(float) * values));
    for (int t = 0; t < BINARY_TYPES; t++) {
        for (uint64_t done = 0; done < s->count[t] && has_type(s, k, t);) {
            const size_t part = s->count[t] - done < PART ? (size_t)(s->count[t] - done) : PART;
            if (put_numbers(s, k, c, bodies + done, part))
                return -1;
            done += part;
        }
        bodies += s->count[t];
    }
    put_count(s, (uint32_t)(sizeof(float) * values));
    return 0;
}

static uint64_t id_of(const struct nb_column *id, uint64_t i)
{
    if (!id)
        return i;
    return id->type == NB_U64 ? ((const uint64_t *)id->data)[i] : (uint64_t)nb_column_get(id, i, 0);
}

/* Writes ids as 32-bit numbers if all of them fit, because most codes expect 32 bits. */
static void put_ids(struct sink *s, const struct nb_column *id)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < s->b->n; i++)
        most = id_of(id, i) > most ? id_of(id, i) : most;
    const size_t size = most > UINT32_MAX ? 8 : 4;
    begin_block(s, "ID  ", (uint32_t)(size * s->b->n));
    for (uint64_t i = 0; i < s->b->n; i++) {
        const uint64_t whole = id_of(id, s->order[i]);
        const uint32_t half = (uint32_t)whole;
        bytes_put(&s->out, size == 8 ? (const void *)&whole : &half, size, 1);
    }
    put_count(s, (uint32_t)(size * s->b->n));
}

static int put_blocks(struct sink *s)
{
    for (const struct binary_block *k = binary_blocks; k->name; k++) {
        const struct nb_column *c = nb_bodies_find(s->b, k->column);
        if (strcmp(k->column, "id") == 0)
            put_ids(s, c);
        else if (c && (!k->optional || s->named) && put_block(s, k, c))
            return -1;
    }
    return 0;
}

/* ---- messages ---- */

static void say_losses(const struct sink *s)
{
    static bool said;
    if (!said && nb_bodies_find(s->b, "pos")->type == NB_F64)
        say("GADGET's binary files have single precision: numbers are rounded to 6 to 7 digits (--to gadget keeps "
            "all digits)");
    if (!said && s->b->meta.softening > 0)
        say("GADGET's binary file cannot contain the softening length %g: it is lost", s->b->meta.softening);
    said = true;
    conv_say_lost(s->b, s->named ? "mass|pos|vel|id|phi|acc|component" : "mass|pos|vel|id|component",
                  "GADGET's binary file");
}

int binary_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct sink s;
    struct conv_physical unit;
    if (conv_physical(e->options, &b->meta, &unit))
        return -1;
    /* The largest block has three floats for each body. In format 2, its size in bytes plus 8 is stored as a 32-bit
     * number, which must not overflow. */
    if (b->n > (UINT32_MAX - 8) / (3 * sizeof(float)))
        return nb_fail(
            "%" PRIu64
            " bodies: a block of GADGET's binary file can have at most 4 GiB (--to gadget has no such limit)",
            b->n);
    bytes_begin(&s.out, e, 'n');
    s.o = e->options;
    s.b = b;
    s.named = e->options->to->dialect != NULL;
    s.order = NULL;
    s.factor = (struct conv_physical){unit.mass / GADGET_MASS, unit.length / GADGET_LENGTH, unit.time / GADGET_TIME};
    say_losses(&s);
    int status = make_order(&s);
    if (status == 0) {
        put_header(&s);
        status = put_blocks(&s);
        bytes_flush(&s.out);
    }
    free(s.order);
    return status;
}
