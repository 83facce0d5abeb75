#include "bodies.h"

#include "error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char **longer = realloc(*lines, ((size_t)*count + 1) * sizeof *longer);
    if (!longer)
        return nb_fail("no memory for a header line");
    *lines = longer;
    longer[*count] = strdup(line);
    if (!longer[*count])
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

int nb_history_add(struct nb_meta *meta, const char *tool, const char *version, const char *seed, const char *command)
{
    char parent[16] = "-", *line;
    if (meta->history_count > 0)
        snprintf(parent, sizeof parent, "%d", meta->history_count);
    if (asprintf(&line, "%d %s %s %s %s %s", meta->history_count + 1, parent, tool, version, seed ? seed : "-",
                 command) < 0)
        return nb_fail("no memory for a history line");
    int status = nb_meta_add_history(meta, line);
    free(line);
    return status;
}

void nb_bodies_free_data(struct nb_bodies *b)
{
    for (int k = 0; k < b->column_count; k++) {
        free(b->columns[k].data);
        b->columns[k].data = NULL;
    }
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
    for (int k = 0; k < to->column_count; k++)
        to->columns[k].data = NULL;
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
        return nb_fail("column '%s' is there twice", name);
    if (b->column_count == NB_COLUMNS_MAX)
        return nb_fail("more than %d columns", NB_COLUMNS_MAX);
    if (width != 1 && width != 3)
        return nb_fail("column '%s' has width %d, not 1 or 3", name, width);
    if (strlen(unit) >= NB_NAME_MAX)
        return nb_fail("column '%s' has too long a unit", name);
    struct nb_column *c = &b->columns[b->column_count++];
    memset(c, 0, sizeof *c);
    strcpy(c->name, name);
    strcpy(c->unit, unit);
    c->type = type;
    c->width = width;
    return 0;
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
        /* Only the padding is cleared: a lazily mapped column costs nothing until its data arrive. */
        size_t used = nb_column_bytes(c, b->n);
        memset((char *)c->data + used, 0, size - used);
    }
    return 0;
}

void nb_bodies_drop(struct nb_bodies *b, const char *name)
{
    struct nb_column *c = nb_bodies_find(b, name);
    if (!c)
        return;
    free(c->data);
    ptrdiff_t k = c - b->columns;
    memmove(c, c + 1, (size_t)(b->column_count - 1 - k) * sizeof *c);
    b->column_count--;
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

void nb_column_get_f64(const struct nb_column *c, uint64_t i0, uint64_t i1, double *out)
{
    size_t width = (size_t)c->width, begin = (size_t)i0 * width, count = (size_t)(i1 - i0) * width;
    if (c->type == NB_F64) {
        memcpy(out, (const double *)c->data + begin, count * sizeof *out);
        return;
    }
    for (uint64_t i = i0; i < i1; i++)
        for (int k = 0; k < c->width; k++)
            *out++ = nb_column_get(c, i, k);
}

/* ---- looking through a column: a quick test of blocks, value by value only where it finds something ---- */

#define BLOCK 4096 /* bodies looked at together */

/* Whether values [begin, end) hold an infinity or a NaN, whose exponents are all ones: adding one to the exponent then
 * carries into the sign. Integers only, so that the loops become SIMD. */
static int block_has_bad(const struct nb_column *c, size_t begin, size_t end)
{
    const char *data = c->data;
    uint64_t carry64 = 0, bits64;
    uint32_t carry32 = 0, bits32;
    if (c->type == NB_F64)
        for (size_t k = begin; k < end; k++) {
            memcpy(&bits64, data + k * sizeof bits64, sizeof bits64);
            carry64 |= (bits64 & INT64_MAX) + ((uint64_t)1 << 52);
        }
    else if (c->type == NB_F32)
        for (size_t k = begin; k < end; k++) {
            memcpy(&bits32, data + k * sizeof bits32, sizeof bits32);
            carry32 |= (bits32 & INT32_MAX) + ((uint32_t)1 << 23);
        }
    return carry64 >> 63 || carry32 >> 31;
}

static int is_bad(double value)
{
    return !isfinite(value);
}

static int block_has_negative(const struct nb_column *c, size_t begin, size_t end)
{
    int found = 0;
    if (c->type == NB_F64)
        for (size_t k = begin; k < end; k++)
            found |= ((const double *)c->data)[k] < 0;
    else if (c->type == NB_F32)
        for (size_t k = begin; k < end; k++)
            found |= ((const float *)c->data)[k] < 0;
    return found;
}

static int is_negative(double value)
{
    return value < 0;
}

/* The first body with a value for which `is` holds, or n; `block_has` holds for a block at least where `is` does. */
static uint64_t find_first(const struct nb_column *c, uint64_t n,
                           int (*block_has)(const struct nb_column *c, size_t begin, size_t end), int (*is)(double))
{
    uint64_t first = n, blocks = n / BLOCK + (n % BLOCK > 0);
#pragma omp parallel for reduction(min : first) schedule(static) if (blocks > 4)
    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t i0 = block * BLOCK, i1 = n - i0 < BLOCK ? n : i0 + BLOCK;
        if (i0 > first || !block_has(c, (size_t)i0 * (size_t)c->width, (size_t)i1 * (size_t)c->width))
            continue;
        for (uint64_t i = i0; i < i1; i++)
            for (int k = 0; k < c->width; k++)
                if (is(nb_column_get(c, i, k)) && i < first)
                    first = i;
    }
    return first;
}

uint64_t nb_column_first_bad(const struct nb_column *c, uint64_t n)
{
    return find_first(c, n, block_has_bad, is_bad);
}

int nb_bodies_check(const struct nb_bodies *b)
{
    static const struct {
        const char *name;
        int width;
    } required[] = {{"mass", 1}, {"pos", 3}, {"vel", 3}};
    if (b->n == 0)
        return nb_fail("no bodies (n = 0)");
    for (size_t k = 0; k < sizeof required / sizeof *required; k++) {
        const struct nb_column *c = nb_bodies_find(b, required[k].name);
        if (!c || c->width != required[k].width || (c->type != NB_F32 && c->type != NB_F64))
            return nb_fail("no column '%s' of type f32 or f64 and width %d", required[k].name, required[k].width);
        uint64_t i = nb_column_first_bad(c, b->n);
        if (i < b->n)
            return nb_fail("body %" PRIu64 ": %s is not a finite number", i, required[k].name);
    }
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    uint64_t i = find_first(mass, b->n, block_has_negative, is_negative);
    if (i < b->n)
        return nb_fail("body %" PRIu64 ": mass %g is negative", i, nb_column_get(mass, i, 0));
    return 0;
}
