/* ply.c - writes PLY: a text header with the properties of a point, then a record for each body. */
#include "nbconv/input.h"
#include "nbconv/points/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_MOST (UINT64_C(1) << 53) /* all whole numbers up to this one are exact in double */

/* Type of a column in the file. SAME: the type of the column in the stream. PLY has no 64-bit whole numbers: a column
 * of such numbers has the type UINT if all values fit in 32 bits, otherwise DOUBLE. */
enum kind { SAME, UINT, DOUBLE };

static uint64_t largest(const struct nb_column *c, uint64_t n)
{
    uint64_t most = 0;
    for (uint64_t k = 0; k < n * (uint64_t)c->width; k++)
        most = ((const uint64_t *)c->data)[k] > most ? ((const uint64_t *)c->data)[k] : most;
    return most;
}

static int choose_kinds(const struct nb_bodies *b, enum kind *kinds)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        const uint64_t most = c->type == NB_U64 ? largest(c, b->n) : 0;
        kinds[k] = c->type != NB_U64 ? SAME : most <= UINT32_MAX ? UINT : DOUBLE;
        if (most > WHOLE_MOST)
            return nb_fail("column %s: %" PRIu64
                           " is above the limit of PLY, 2^53 (nbedit --columns removes the column)",
                           c->name, most);
    }
    return 0;
}

static const char *type_name(const struct nb_column *c, enum kind kind)
{
    if (kind != SAME)
        return kind == UINT ? "uint" : "double";
    return c->type == NB_F64 ? "double" : c->type == NB_F32 ? "float" : c->type == NB_U8 ? "uchar" : "uint";
}

#define PROPERTY_MAX (NB_NAME_MAX + 4)

static void name_property(char name[PROPERTY_MAX], const struct nb_column *c, int k)
{
    const bool pos = strcmp(c->name, "pos") == 0, vel = strcmp(c->name, "vel") == 0;
    if (pos || vel)
        snprintf(name, PROPERTY_MAX, "%s%c", pos ? "" : "v", "xyz"[k]);
    else if (c->width == 3)
        snprintf(name, PROPERTY_MAX, "%s_%c", c->name, "xyz"[k]);
    else
        snprintf(name, PROPERTY_MAX, "%s", c->name);
}

/* Fails if two properties would have the same name, for example the component x of pos and a column called x. */
static int check_names(const struct nb_bodies *b)
{
    char name[PROPERTY_MAX];
    for (int k = 0; k < b->column_count; k++)
        for (int j = 0; j < b->columns[k].width && b->columns[k].width > 1; j++) {
            name_property(name, &b->columns[k], j);
            if (nb_bodies_find(b, name))
                return nb_fail("columns %s and %s would both be %s in PLY (nbedit --columns removes one)",
                               b->columns[k].name, name, name);
        }
    return 0;
}

static void put_property(struct bytes_out *out, const struct nb_column *c, enum kind kind, int k)
{
    char name[PROPERTY_MAX];
    name_property(name, c, k);
    bytes_print(out, "property %s %s\n", type_name(c, kind), name);
}

static void put_header(struct bytes_out *out, const struct nb_bodies *b, const enum kind *kinds)
{
    bytes_print(out, "ply\nformat binary_little_endian 1.0\ncomment time %.17g\nelement vertex %" PRIu64 "\n",
                b->meta.time, b->n);
    for (int k = 0; k < b->column_count; k++)
        for (int j = 0; j < b->columns[k].width; j++)
            put_property(out, &b->columns[k], kinds[k], j);
    bytes_print(out, "end_header\n");
}

static void put_values(struct bytes_out *out, const struct nb_column *c, enum kind kind, uint64_t i)
{
    const size_t size = nb_type_size(c->type), width = (size_t)c->width;
    const char *row = (const char *)c->data + i * width * size;
    if (kind == SAME)
        bytes_put(out, row, size, width);
    for (size_t j = 0; j < width && kind != SAME; j++) {
        uint64_t whole;
        memcpy(&whole, row + j * sizeof whole, sizeof whole);
        const uint32_t half = (uint32_t)whole;
        const double real = (double)whole;
        bytes_put(out, kind == UINT ? (const void *)&half : &real, kind == UINT ? sizeof half : sizeof real, 1);
    }
}

int ply_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct bytes_out out;
    enum kind kinds[NB_COLUMNS_MAX];
    if (check_names(b) || choose_kinds(b, kinds))
        return -1;
    bytes_begin(&out, e, 'l');
    put_header(&out, b, kinds);
    for (uint64_t i = 0; i < b->n; i++)
        for (int k = 0; k < b->column_count; k++)
            put_values(&out, &b->columns[k], kinds[k], i);
    bytes_flush(&out);
    return 0;
}
