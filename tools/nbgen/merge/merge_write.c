/* merge_write.c - writes the merged galaxies, column by column and block by block. */

#include "nbgen/merge/merge.h"

#include <string.h>

/* Writes the values of bodies [i0, i1) of an input to `out`. c is NULL if the input does not have the column. */
typedef void get_values(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out);

/* Copies values that are not real numbers. If the input lacks the column, which is possible only for `component`,
 * writes NB_OTHER for each body. */
static void get_bytes(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    (void)in;
    if (c)
        memcpy(out, (const char *)c->data + nb_column_bytes(c, i0), nb_column_bytes(c, i1 - i0));
    else
        memset(out, NB_OTHER, i1 - i0);
}

static void get_galaxy(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    uint8_t *galaxy = out;
    for (uint64_t i = i0; i < i1; i++)
        galaxy[i - i0] = in->galaxy[c ? ((const uint8_t *)c->data)[i] : 0];
}

/* Writes the id that each body has in the input, or its index if the input has no ids. */
static void get_parent(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    const struct nb_column *id = nb_bodies_find(&in->bodies, "id");
    uint64_t *parent = out;
    (void)c;
    for (uint64_t i = i0; i < i1; i++)
        parent[i - i0] = id ? ((const uint64_t *)id->data)[i] : i;
}

/* Writes real values. If the input lacks the column, which is possible only for `softening`, writes the softening in
 * the input's header. */
static void get_real(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    double *values = out;
    if (c)
        nb_column_get_f64(c, i0, i1, values);
    for (uint64_t i = i0; i < i1 && !c; i++)
        values[i - i0] = in->bodies.meta.softening;
}

/* Transforms n positions or velocities of an input: subtracts `from` (position or velocity of the input's centre),
 * rotates, then adds `to` (position or velocity of the centre in the output). */
static void move(const struct orbit_plane *plane, const double from[3], const double to[3], uint64_t n, double *vectors)
{
    for (uint64_t i = 0; i < n; i++) {
        double *v = vectors + 3 * i;
        for (int k = 0; k < 3; k++)
            v[k] -= from[k];
        orbit_turn(plane, v);
        for (int k = 0; k < 3; k++)
            v[k] += to[k];
    }
}

static void get_pos(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    nb_column_get_f64(c, i0, i1, out);
    move(&in->plane, in->pos, in->place.pos, i1 - i0, out);
}

static void get_vel(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    nb_column_get_f64(c, i0, i1, out);
    move(&in->plane, in->vel, in->place.vel, i1 - i0, out);
}

static get_values *getter(const struct nb_column *c)
{
    static const struct {
        const char *name;
        get_values *get;
    } known[] = {{"galaxy", get_galaxy}, {"parent_id", get_parent}, {"pos", get_pos}, {"vel", get_vel}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(c->name, known[k].name) == 0)
            return known[k].get;
    return nb_type_is_real(c->type) ? get_real : get_bytes;
}

/* Computes a column of bodies [i0, i1) of the output, in which the bodies of the first input come first. */
static void get_both(const void *context, int column, uint64_t i0, uint64_t i1, void *out)
{
    const struct merge *m = context;
    const struct nb_column *c = &m->out.columns[column];
    const bool real = nb_type_is_real(c->type);
    const size_t size = real ? (size_t)c->width * sizeof(double) : nb_column_bytes(c, 1);
    uint64_t begin = 0;
    for (int k = 0; k < 2; begin += m->inputs[k++].bodies.n) {
        const struct merge_input *in = &m->inputs[k];
        const uint64_t from = i0 > begin ? i0 : begin, end = begin + in->bodies.n, to = i1 < end ? i1 : end;
        if (from < to)
            getter(c)(in, m->from[k][column], from - begin, to - begin, (char *)out + (from - i0) * size);
    }
}

static void tell(const void *context, int column, uint64_t i0, uint64_t i1)
{
    const struct merge *m = context;
    struct tool_progress p = tool_progress_of("column");
    (void)i0;
    p.done = column + 1;
    p.total = m->out.column_count;
    p.fraction = (column + (double)i1 / (double)m->out.n) / m->out.column_count;
    tool_progress(&p);
}

void merge_write(struct merge *m)
{
    gen_write_frame(&m->out, &(struct gen_source){m, get_both, tell, NULL});
}
