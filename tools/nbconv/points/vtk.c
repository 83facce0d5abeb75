/* vtk.c - writes VTK's unstructured grid (.vtu): XML that describes the arrays, followed by the arrays. The grid has
 * one cell, of type "poly vertex" (a set of points), which contains all bodies. */
#include "nbconv/input.h"
#include "nbconv/points/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POLY_VERTEX 2

static const char *type_name(enum nb_type type)
{
    return type == NB_F64   ? "Float64"
           : type == NB_F32 ? "Float32"
           : type == NB_U8  ? "UInt8"
           : type == NB_U32 ? "UInt32"
                            : "UInt64";
}

/* Writes the XML element that describes an array of `bytes` bytes. *offset is the position of the array in the binary
 * data that follow the XML. In these data, each array consists of its size in bytes (a 64-bit number) and its values.
 * Advances *offset to the next array. */
static void say_array(struct bytes_out *out, const char *type, const char *name, int width, uint64_t bytes,
                      uint64_t *offset)
{
    bytes_print(out,
                "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64
                "\"/>\n",
                type, name, width, *offset);
    *offset += sizeof bytes + bytes;
}

static void say_arrays(struct bytes_out *out, const struct nb_bodies *b, bool points, uint64_t *offset)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        if ((strcmp(c->name, "pos") == 0) == points)
            say_array(out, type_name(c->type), c->name, c->width, nb_column_bytes(c, b->n), offset);
    }
}

static void put_arrays(struct bytes_out *out, const struct nb_bodies *b, bool points)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        const uint64_t bytes = nb_column_bytes(c, b->n);
        if ((strcmp(c->name, "pos") == 0) != points)
            continue;
        bytes_put(out, &bytes, sizeof bytes, 1);
        bytes_put(out, c->data, nb_type_size(c->type), bytes / nb_type_size(c->type));
    }
}

static void put_cell(struct bytes_out *out, uint64_t n)
{
    const uint64_t bytes[] = {n * sizeof n, sizeof n, 1};
    const uint8_t type = POLY_VERTEX;
    bytes_put(out, &bytes[0], sizeof *bytes, 1);
    for (uint64_t i = 0; i < n; i++)
        bytes_put(out, &i, sizeof i, 1);
    bytes_put(out, &bytes[1], sizeof *bytes, 1);
    bytes_put(out, &n, sizeof n, 1);
    bytes_put(out, &bytes[2], sizeof *bytes, 1);
    bytes_put(out, &type, 1, 1);
}

int vtk_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct bytes_out out;
    uint64_t offset = 0;
    bytes_begin(&out, e, 'l');
    bytes_print(&out,
                "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                "header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n<DataArray type=\"Float64\" "
                "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n</FieldData>\n"
                "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"1\">\n<PointData>\n",
                b->meta.time, b->n);
    say_arrays(&out, b, false, &offset);
    bytes_print(&out, "</PointData>\n<Points>\n");
    say_arrays(&out, b, true, &offset);
    bytes_print(&out, "</Points>\n<Cells>\n");
    say_array(&out, "Int64", "connectivity", 1, b->n * sizeof b->n, &offset);
    say_array(&out, "Int64", "offsets", 1, sizeof b->n, &offset);
    say_array(&out, "UInt8", "types", 1, 1, &offset);
    bytes_print(&out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    put_arrays(&out, b, false);
    put_arrays(&out, b, true);
    put_cell(&out, b->n);
    bytes_print(&out, "\n</AppendedData>\n</VTKFile>\n");
    bytes_flush(&out);
    return 0;
}
