/* bodies.c - frames in memory: types, known columns, allocation, header lines. Declared in bodies.h. */
#include "base/bodies.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t size;
} types[NB_TYPES] = {
    [NB_F32] = {"f32", 4}, [NB_F64] = {"f64", 8}, [NB_U8] = {"u8", 1}, [NB_U32] = {"u32", 4}, [NB_U64] = {"u64", 8},
};

size_t nb_type_size(enum nb_type type)
{
    return types[type].size;
}

const char *nb_type_name(enum nb_type type)
{
    return types[type].name;
}

int nb_type_parse(const char *name)
{
    for (int t = 0; t < NB_TYPES; t++)
        if (strcmp(name, types[t].name) == 0)
            return t;
    return -1;
}

/* ---- known columns ---- */

static const char *const components[NB_COMPONENTS] = {
    [NB_OTHER] = "other", [NB_HALO] = "halo",       [NB_DISK] = "disk",     [NB_BULGE] = "bulge",
    [NB_STAR] = "star",   [NB_BLACK_HOLE] = "hole", [NB_PLANET] = "planet", [NB_GAS] = "gas",
};

const char *nb_component_name(unsigned component)
{
    return component < NB_COMPONENTS ? components[component] : NULL;
}

int nb_component_parse(const char *name)
{
    for (int k = 0; k < NB_COMPONENTS; k++)
        if (strcmp(name, components[k]) == 0)
            return k;
    return -1;
}

#define REAL (1 << NB_F32 | 1 << NB_F64)

const struct nb_known nb_known_columns[] = {
    {"mass", REAL, 1, "M", NB_PARAMETER, true},
    {"pos", REAL, 3, "L", NB_STATE, true},
    {"vel", REAL, 3, "L/T", NB_STATE, true},
    {"id", 1 << NB_U64, 1, "-", NB_LABEL, false},
    {"component", 1 << NB_U8, 1, "-", NB_LABEL, false},
    {"galaxy", 1 << NB_U8, 1, "-", NB_LABEL, false},
    {"parent_id", 1 << NB_U64, 1, "-", NB_LABEL, false},
    {"softening", REAL, 1, "L", NB_PARAMETER, false},
    {"radius", REAL, 1, "L", NB_PARAMETER, false},
    {"acc", REAL, 3, "L/T^2", NB_DERIVED, false},
    {"jerk", REAL, 3, "L/T^3", NB_DERIVED, false},
    {"phi", REAL, 1, "L^2/T^2", NB_DERIVED, false},
    {"phi_external", REAL, 1, "L^2/T^2", NB_DERIVED, false},
    {"pressure", REAL, 1, "M/T^2", NB_DERIVED, false},
    {"step", REAL, 1, "T", NB_DERIVED, false},
    {"pos_lo", 1 << NB_F64, 3, "L", NB_DERIVED, false},
    {"vel_lo", 1 << NB_F64, 3, "L/T", NB_DERIVED, false},
    {0},
};

const struct nb_known *nb_column_known(const char *name)
{
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (strcmp(name, k->name) == 0)
            return k;
    return NULL;
}

enum nb_type nb_known_type(const struct nb_known *known, enum nb_type real)
{
    return known->types >> real & 1 ? real : (enum nb_type)__builtin_ctz(known->types);
}

size_t nb_column_bytes(const struct nb_column *c, uint64_t n)
{
    size_t stride = nb_type_size(c->type) * (size_t)c->width, size;
    return __builtin_mul_overflow(stride, n, &size) ? SIZE_MAX : size;
}

size_t nb_column_bytes_padded(const struct nb_column *c, uint64_t n)
{
    size_t size = nb_column_bytes(c, n);
    return size > SIZE_MAX - NB_ALIGN ? SIZE_MAX : (size + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
}

void nb_bodies_init(struct nb_bodies *b)
{
    memset(b, 0, sizeof *b);
    b->meta.G = 1;
    strcpy(b->meta.units.name, "code");
}

static void lines_free(char ***lines, int *count)
{
    for (int k = 0; k < *count; k++)
        free((*lines)[k]);
    free(*lines);
    *lines = NULL;
    *count = 0;
}

static int lines_add(char ***lines, int *count, const char *line)
{
    char **longer = nb_memory_grow(*lines, (size_t)*count, sizeof *longer);
    if (longer)
        *lines = longer;
    if (!longer || !(longer[*count] = strdup(line)))
        return nb_fail("no memory for a header line");
    ++*count;
    return 0;
}

void nb_meta_free(struct nb_meta *meta)
{
    lines_free(&meta->history, &meta->history_count);
    lines_free(&meta->forces, &meta->force_count);
    lines_free(&meta->extra, &meta->extra_count);
}

int nb_meta_copy(struct nb_meta *to, const struct nb_meta *from)
{
    nb_meta_free(to);
    *to = *from;
    to->history = to->forces = to->extra = NULL;
    to->history_count = to->force_count = to->extra_count = 0;
    for (int k = 0; k < from->history_count; k++)
        if (lines_add(&to->history, &to->history_count, from->history[k]))
            return -1;
    for (int k = 0; k < from->force_count; k++)
        if (lines_add(&to->forces, &to->force_count, from->forces[k]))
            return -1;
    for (int k = 0; k < from->extra_count; k++)
        if (lines_add(&to->extra, &to->extra_count, from->extra[k]))
            return -1;
    return 0;
}

int nb_meta_add_extra(struct nb_meta *meta, const char *line)
{
    return lines_add(&meta->extra, &meta->extra_count, line);
}

int nb_meta_add_force(struct nb_meta *meta, const char *spec)
{
    return lines_add(&meta->forces, &meta->force_count, spec);
}

void nb_meta_clear_forces(struct nb_meta *meta)
{
    lines_free(&meta->forces, &meta->force_count);
}

int nb_meta_add_history(struct nb_meta *meta, const char *line)
{
    return lines_add(&meta->history, &meta->history_count, line);
}

void nb_column_free(struct nb_column *c)
{
    if (c->mapped) /* the mapping begins at the page boundary at or before `data` */
        munmap((char *)c->data - (uintptr_t)c->data % (uintptr_t)sysconf(_SC_PAGESIZE), c->mapped);
    else
        free(c->data);
    c->data = NULL;
    c->mapped = 0;
}

void nb_bodies_free_data(struct nb_bodies *b)
{
    for (int k = 0; k < b->column_count; k++)
        nb_column_free(&b->columns[k]);
}

void nb_bodies_free(struct nb_bodies *b)
{
    nb_bodies_free_data(b);
    nb_meta_free(&b->meta);
    nb_bodies_init(b);
}

int nb_bodies_copy_layout(struct nb_bodies *to, const struct nb_bodies *from)
{
    nb_bodies_free(to);
    to->n = from->n;
    to->column_count = from->column_count;
    memcpy(to->columns, from->columns, sizeof to->columns);
    for (int k = 0; k < to->column_count; k++) {
        to->columns[k].data = NULL;
        to->columns[k].mapped = 0;
    }
    return nb_meta_copy(&to->meta, &from->meta);
}

static int name_is_good(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && length < NB_NAME_MAX && name[length] == '\0' && name[0] >= 'a' && name[0] <= 'z';
}

int nb_bodies_add(struct nb_bodies *b, const char *name, enum nb_type type, int width, const char *unit)
{
    if (!name_is_good(name))
        return nb_fail("column name '%.40s' is not lower-case letters, digits and _", name);
    if (nb_bodies_find(b, name))
        return nb_fail("column '%s' appears twice", name);
    if (b->column_count == NB_COLUMNS_MAX)
        return nb_fail("more than %d columns", NB_COLUMNS_MAX);
    if (width != 1 && width != 3)
        return nb_fail("column '%s' has width %d, not 1 or 3", name, width);
    if (strlen(unit) >= NB_NAME_MAX)
        return nb_fail("column '%s': its unit '%.40s' is too long (at most %d characters)", name, unit,
                       NB_NAME_MAX - 1);
    struct nb_column *c = &b->columns[b->column_count++];
    memset(c, 0, sizeof *c);
    strcpy(c->name, name);
    strcpy(c->unit, unit);
    c->type = type;
    c->width = width;
    return 0;
}

int nb_bodies_add_known(struct nb_bodies *b, const char *name, enum nb_type real)
{
    const struct nb_known *known = nb_column_known(name);
    assert(known);
    return nb_bodies_add(b, name, nb_known_type(known, real), known->width, known->unit);
}

int nb_bodies_alloc(struct nb_bodies *b)
{
    for (int k = 0; k < b->column_count; k++) {
        struct nb_column *c = &b->columns[k];
        size_t size = nb_column_bytes_padded(c, b->n);
        if (c->data)
            continue;
        if (size < SIZE_MAX)
            c->data = aligned_alloc(NB_ALIGN, size ? size : NB_ALIGN);
        if (!c->data)
            return nb_fail("no memory for column '%s' of %" PRIu64 " bodies", c->name, b->n);
        nb_memory_large_pages(c->data, size);
        /* Clears only the padding after the values. The values are not cleared, because a page takes no memory until it
         * is written. */
        size_t used = nb_column_bytes(c, b->n);
        memset((char *)c->data + used, 0, size - used);
    }
    return 0;
}

int nb_bodies_number(struct nb_bodies *b)
{
    if (nb_bodies_find(b, "id"))
        return 0;
    if (nb_bodies_add_known(b, "id", NB_F64) || nb_bodies_alloc(b))
        return -1;
    uint64_t *id = nb_bodies_find(b, "id")->data;
    for (uint64_t i = 0; i < b->n; i++)
        id[i] = i;
    return 0;
}

void nb_bodies_drop(struct nb_bodies *b, const char *name)
{
    struct nb_column *c = nb_bodies_find(b, name);
    if (!c)
        return;
    nb_column_free(c);
    ptrdiff_t k = c - b->columns;
    memmove(c, c + 1, (size_t)(b->column_count - 1 - k) * sizeof *c);
    b->column_count--;
}

void nb_bodies_drop_derived(struct nb_bodies *b)
{
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->role == NB_DERIVED)
            nb_bodies_drop(b, k->name);
}

struct nb_column *nb_bodies_find(const struct nb_bodies *b, const char *name)
{
    for (int k = 0; k < b->column_count; k++)
        if (strcmp(b->columns[k].name, name) == 0)
            return (struct nb_column *)&b->columns[k];
    return NULL;
}

double nb_column_get(const struct nb_column *c, uint64_t i, int k)
{
    size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    switch (c->type) {
    case NB_F32: return (double)((const float *)c->data)[at];
    case NB_F64: return ((const double *)c->data)[at];
    case NB_U8: return ((const uint8_t *)c->data)[at];
    case NB_U32: return ((const uint32_t *)c->data)[at];
    default: return (double)((const uint64_t *)c->data)[at];
    }
}

void nb_column_set(const struct nb_column *c, uint64_t i, int k, double value)
{
    const size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    if (c->type == NB_F32)
        ((float *)c->data)[at] = (float)value;
    else
        ((double *)c->data)[at] = value;
}

void nb_column_get_f64(const struct nb_column *c, uint64_t i0, uint64_t i1, double *out)
{
    size_t width = (size_t)c->width, begin = (size_t)i0 * width, count = (size_t)(i1 - i0) * width;
    if (c->type == NB_F64) {
        memcpy(out, (const double *)c->data + begin, count * sizeof *out);
        return;
    }
    if (c->type == NB_F32) {
        const float *from = (const float *)c->data + begin;
        for (size_t k = 0; k < count; k++)
            out[k] = from[k];
        return;
    }
    for (uint64_t i = i0; i < i1; i++)
        for (int k = 0; k < c->width; k++)
            *out++ = nb_column_get(c, i, k);
}
