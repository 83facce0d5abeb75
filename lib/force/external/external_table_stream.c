/* external_table_stream.c - reads from a stream how the centre of an external field moves. Each frame gives one row of
 * the table: the centre of mass of its bodies. Declared in external_table_read.h. */
#include "force/external/external_table_read.h"

#include "base/error.h"
#include "base/sum.h"
#include "snap/snap.h"

static bool same_units(const struct nb_meta *a, const struct nb_meta *b)
{
    return a->G == b->G && a->units.length_cgs == b->units.length_cgs && a->units.mass_cgs == b->units.mass_cgs &&
           a->units.time_cgs == b->units.time_cgs;
}

/* Computes position and velocity of the centre of mass. For a single body, the results are bitwise identical to the
 * body's position and velocity. If no body has mass, the results are unweighted means. */
static void find_centre(const struct nb_bodies *b, double centre[6])
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"),
                           *of[] = {nb_bodies_find(b, "pos"), nb_bodies_find(b, "vel")};
    struct nb_sum all = {0}, sum[6] = {{0}};
    for (uint64_t i = 0; i < b->n; i++)
        nb_sum_add(&all, nb_column_get(mass, i, 0));
    const bool massive = b->n > 1 && nb_sum_value(&all) > 0;
    for (uint64_t i = 0; i < b->n; i++)
        for (int k = 0; k < 6; k++)
            nb_sum_add(&sum[k], (massive ? nb_column_get(mass, i, 0) : 1) * nb_column_get(of[k / 3], i, k % 3));
    for (int k = 0; k < 6; k++)
        centre[k] = nb_sum_value(&sum[k]) / (massive ? nb_sum_value(&all) : (double)b->n);
}

static int take_frame(struct nb_external_rows *r, const char *file, const struct nb_bodies *b,
                      const struct nb_meta *meta)
{
    double row[7] = {b->meta.time};
    if (nb_bodies_check(b))
        return nb_fail("%s: frame %zu: %s", file, r->rows, nb_error());
    if (!same_units(&b->meta, meta))
        return nb_fail("%s: frame %zu: units or G differ from those of the bodies in the field", file, r->rows);
    if (r->rows > 0 && !(row[0] > r->value[(r->rows - 1) * 7]))
        return nb_fail("%s: frame %zu: times must increase (%.9g follows %.9g)", file, r->rows, row[0],
                       r->value[(r->rows - 1) * 7]);
    find_centre(b, row + 1);
    return nb_external_rows_add(r, file, row);
}

int nb_external_rows_of_stream(struct nb_external_rows *r, const char *file, const struct nb_meta *meta)
{
    struct nb_snap_reader *reader = nb_snap_open(file, false);
    struct nb_bodies b;
    int status = reader ? 1 : -1;
    nb_bodies_init(&b);
    r->columns = 7;
    for (int c = 0; c < 6; c++)
        r->place[c] = c;
    while (status > 0 && (status = nb_snap_read(reader, &b)) > 0)
        if (take_frame(r, file, &b, meta))
            status = -1;
    nb_bodies_free(&b);
    if (reader)
        nb_snap_close(reader);
    return status;
}
