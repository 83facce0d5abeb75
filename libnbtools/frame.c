/* frame.c - creates, reads and changes frames, their columns and their headers. Declared in nbtools.h. */
#include "frame.h"

#include "base/units.h"
#include "common/tool_syntax.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)NBT_F32 == NB_F32 && (int)NBT_F64 == NB_F64 && (int)NBT_U8 == NB_U8 && (int)NBT_U32 == NB_U32 &&
                  (int)NBT_U64 == NB_U64,
              "types have one number inside and outside");

const char *nbt_version(void)
{
    return TOOL_VERSION;
}

const char *nbt_error(void)
{
    return nb_error();
}

void nbt_frame_free(struct nbt_frame *f)
{
    if (f)
        nb_bodies_free(&f->bodies);
    free(f);
}

/* Adds the columns mass, pos and vel, filled with zeros. Returns -1 on error. */
static int fill_zero(struct nb_bodies *b)
{
    if (nb_bodies_add_known(b, "mass", NB_F64) || nb_bodies_add_known(b, "pos", NB_F64) ||
        nb_bodies_add_known(b, "vel", NB_F64) || nb_bodies_alloc(b))
        return -1;
    for (int k = 0; k < b->column_count; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], b->n));
    return 0;
}

struct nbt_frame *nbt_frame_new(uint64_t n)
{
    struct nbt_frame *f = malloc(sizeof *f);
    if (!f)
        return nb_null(nb_fail("no memory for a frame"));
    nb_bodies_init(&f->bodies);
    f->bodies.n = n;
    if (fill_zero(&f->bodies) == 0)
        return f;
    nbt_frame_free(f);
    return NULL;
}

uint64_t nbt_frame_bodies(const struct nbt_frame *f)
{
    return f->bodies.n;
}

const char *nbt_column_name(const struct nbt_frame *f, int k)
{
    return k >= 0 && k < f->bodies.column_count ? f->bodies.columns[k].name : NULL;
}

void *nbt_column_get(const struct nbt_frame *f, const char *name, enum nbt_type *type, int *width)
{
    const struct nb_column *c = nb_bodies_find(&f->bodies, name);
    if (!c)
        return nb_null(nb_fail("unknown column '%.40s'", name));
    if (type)
        *type = (enum nbt_type)c->type;
    if (width)
        *width = c->width;
    return c->data;
}

/* Adds a column, or replaces a column of this name if it has another type or width. Returns -1 on error. */
static int make(struct nb_bodies *b, const char *name, enum nb_type type, int width)
{
    const struct nb_known *known = nb_column_known(name);
    struct nb_column *old = nb_bodies_find(b, name);
    if ((unsigned)type >= NB_TYPES)
        return nb_fail("column '%.40s': unknown type number %d", name, (int)type);
    if (known && (!(known->types >> type & 1) || known->width != width))
        return nb_fail("column '%s' cannot be %s of width %d", name, nb_type_name(type), width);
    if (old && old->type == type && old->width == width)
        return 0;
    struct nb_bodies one; /* contains the new column. Its allocation may fail, so b is changed only afterwards */
    nb_bodies_init(&one);
    one.n = b->n;
    if (nb_bodies_add(&one, name, type, width,
                      known ? known->unit
                      : old ? old->unit
                            : "-") ||
        nb_bodies_alloc(&one) || (!old && nb_bodies_add(b, name, type, width, one.columns[0].unit))) {
        nb_bodies_free(&one);
        return -1;
    }
    struct nb_column *c = nb_bodies_find(b, name);
    free(c->data);
    *c = one.columns[0];
    return 0;
}

int nbt_column_set(struct nbt_frame *f, const char *name, enum nbt_type type, int width, const void *values)
{
    struct nb_bodies *b = &f->bodies;
    if (make(b, name, (enum nb_type)type, width))
        return -1;
    const struct nb_column *c = nb_bodies_find(b, name);
    if (values)
        memcpy(c->data, values, nb_column_bytes(c, b->n));
    else
        memset(c->data, 0, nb_column_bytes(c, b->n));
    return 0;
}

/* ---- the header ---- */

int nbt_value_get(const struct nbt_frame *f, const char *name, double *value)
{
    const struct nb_meta *meta = &f->bodies.meta;
    const struct {
        const char *name;
        double value;
    } values[] = {{"time", meta->time},
                  {"step", (double)meta->step},
                  {"G", meta->G},
                  {"softening", meta->softening},
                  {"dt", meta->dt},
                  {"length_cgs", meta->units.length_cgs},
                  {"mass_cgs", meta->units.mass_cgs},
                  {"time_cgs", meta->units.time_cgs}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (strcmp(name, values[k].name) == 0) {
            *value = values[k].value;
            return 0;
        }
    return nb_fail("the header has no number '%.40s'", name);
}

int nbt_value_set(struct nbt_frame *f, const char *name, double value)
{
    struct nb_meta *meta = &f->bodies.meta;
    const struct {
        const char *name;
        double *to;
        double least;
    } values[] = {
        {"time", &meta->time, -INFINITY}, {"G", &meta->G, 0}, {"softening", &meta->softening, 0}, {"dt", &meta->dt, 0}};
    double now;
    if (strcmp(name, "step") == 0) {
        if (!(value >= 0 && value <= 0x1p53 && value == floor(value)))
            return nb_fail("step: %g is not a whole number from 0 to 2^53", value);
        meta->step = (uint64_t)value;
        return 0;
    }
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (strcmp(name, values[k].name) == 0) {
            if (!isfinite(value) || value < values[k].least)
                return nb_fail("%s: %g is not a number%s", name, value, values[k].least == 0 ? " from 0 on" : "");
            *values[k].to = value;
            if (values[k].to == &meta->dt)
                meta->dt_asked = 0;
            return 0;
        }
    return nbt_value_get(f, name, &now) ? -1 : nb_fail("%s belongs to the units (nbt_units_set)", name);
}

int nbt_units_set(struct nbt_frame *f, const char *name)
{
    const struct nb_unit_system *system = nb_units_find(name);
    if (!system)
        return nb_fail("unknown units '%.40s'; known units: code, galactic, solar, gauss", name);
    f->bodies.meta.units = system->units;
    f->bodies.meta.G = system->G;
    return 0;
}
