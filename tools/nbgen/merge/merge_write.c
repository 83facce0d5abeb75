#include "nbgen/merge/merge.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct buffer {   /* a block of a column: what was made, and what goes out */
    uint64_t bad; /* body with a value that is not finite or does not fit; UINT64_MAX: none */
    double value; /* that one */
    double made[3 * GEN_BLOCK];
    union {
        uint8_t bytes[3 * GEN_BLOCK * sizeof(uint64_t)];
        uint8_t u8[3 * GEN_BLOCK];
        uint64_t u64[3 * GEN_BLOCK];
        float f32[3 * GEN_BLOCK];
        double f64[3 * GEN_BLOCK];
    } out;
};

/* Values of bodies [i0, i1) of an input, of a column that may not be there. */
typedef void get_values(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out);

struct pass {
    const struct merge *m;
    int at; /* of the column */
    get_values *get;
    size_t body_size; /* bytes of a body in this column */
    struct nb_snap_writer *writer;
};

/* ---- values of an input ---- */

static void get_bytes(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    const size_t size = nb_column_bytes(c, 1);
    (void)in;
    memcpy(out, (const char *)c->data + i0 * size, (i1 - i0) * size);
}

static void get_component(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    if (c)
        get_bytes(in, c, i0, i1, out);
    else
        memset(out, NB_OTHER, i1 - i0);
}

static void get_galaxy(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    uint8_t *galaxy = out;
    for (uint64_t i = i0; i < i1; i++)
        galaxy[i - i0] = in->galaxy[c ? ((const uint8_t *)c->data)[i] : 0];
}

/* The number that the body had, or its place where it had none. */
static void get_parent(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    const struct nb_column *id = nb_bodies_find(&in->bodies, "id");
    uint64_t *parent = out;
    (void)c;
    for (uint64_t i = i0; i < i1; i++)
        parent[i - i0] = id ? ((const uint64_t *)id->data)[i] : i;
}

static void get_softening(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    double *softening = out;
    if (c)
        nb_column_get_f64(c, i0, i1, softening);
    for (uint64_t i = i0; i < i1 && !c; i++)
        softening[i - i0] = in->bodies.meta.softening;
}

static void get_real(const struct merge_input *in, const struct nb_column *c, uint64_t i0, uint64_t i1, void *out)
{
    (void)in;
    nb_column_get_f64(c, i0, i1, out);
}

/* From the input's own centre, turned, about the place on the orbit. */
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
    } known[] = {{"component", get_component}, {"galaxy", get_galaxy}, {"parent_id", get_parent},
                 {"softening", get_softening}, {"pos", get_pos},       {"vel", get_vel}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(c->name, known[k].name) == 0)
            return known[k].get;
    return c->type == NB_F32 || c->type == NB_F64 ? get_real : get_bytes;
}

/* ---- blocks ---- */

/* Bodies [i0, i1) of both, the first input's before the second's. */
static void get_both(const struct pass *pass, uint64_t i0, uint64_t i1, size_t value_size, char *out)
{
    uint64_t begin = 0;
    for (int k = 0; k < 2; begin += pass->m->inputs[k++].bodies.n) {
        const struct merge_input *in = &pass->m->inputs[k];
        const uint64_t from = i0 > begin ? i0 : begin, end = begin + in->bodies.n, to = i1 < end ? i1 : end;
        if (from < to)
            pass->get(in, pass->m->from[k][pass->at], from - begin, to - begin, out + (from - i0) * value_size);
    }
}

static void make_ids(uint64_t i0, uint64_t i1, uint64_t *out)
{
    for (uint64_t i = i0; i < i1; i++)
        out[i - i0] = i;
}

/* Values that physics needs are finite; of others nobody knows. */
static void make_real(const struct pass *pass, const struct nb_column *c, uint64_t i0, uint64_t i1, struct buffer *b)
{
    const size_t count = (i1 - i0) * (size_t)c->width;
    const struct nb_known *known = nb_column_known(c->name);
    double *values = c->type == NB_F32 ? b->made : b->out.f64;
    size_t bad = 0;
    get_both(pass, i0, i1, (size_t)c->width * sizeof *values, (char *)values);
    while (bad < count && (!known || isfinite(values[bad])))
        bad++;
    if (bad == count && c->type == NB_F32)
        bad = nb_narrow(values, b->out.f32, count, strcmp(c->name, "mass") == 0);
    if (bad < count) {
        b->bad = i0 + bad / (size_t)c->width;
        b->value = values[bad];
    }
}

static void make(const void *context, uint64_t i0, uint64_t i1, void *in)
{
    const struct pass *pass = context;
    const struct nb_column *c = &pass->m->out.columns[pass->at];
    struct buffer *buffer = in;
    buffer->bad = UINT64_MAX;
    if (strcmp(c->name, "id") == 0)
        make_ids(i0, i1, buffer->out.u64);
    else if (c->type == NB_F32 || c->type == NB_F64)
        make_real(pass, c, i0, i1, buffer);
    else
        get_both(pass, i0, i1, pass->body_size, (char *)buffer->out.bytes);
}

static void tell(const struct pass *pass, uint64_t end)
{
    const struct nb_bodies *out = &pass->m->out;
    struct tool_progress p = tool_progress_of("column");
    p.done = pass->at + 1;
    p.total = out->column_count;
    p.fraction = (pass->at + (double)end / (double)out->n) / out->column_count;
    tool_progress(&p);
}

static int take(void *context, uint64_t i0, uint64_t i1, const void *from)
{
    const struct pass *pass = context;
    const struct nb_bodies *out = &pass->m->out;
    const struct buffer *buffer = from;
    tell(pass, i1);
    if (buffer->bad < UINT64_MAX && isfinite(buffer->value))
        return nb_fail("body %" PRIu64 ": %s %.9g does not fit f32 (--store f64)", buffer->bad,
                       out->columns[pass->at].name, buffer->value);
    if (buffer->bad < UINT64_MAX)
        return nb_fail("body %" PRIu64 ": %s is not a finite number: options or units are out of range", buffer->bad,
                       out->columns[pass->at].name);
    return nb_snap_put(pass->writer, &buffer->out, (i1 - i0) * pass->body_size);
}

static int write_columns(struct nb_snap_writer *writer, const struct nb_bodies *b, void *context)
{
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        struct pass pass = {context, k, getter(c), nb_column_bytes(c, 1), writer};
        if (gen_in_order(b->n, sizeof(struct buffer), make, take, &pass))
            return -1;
    }
    return 0;
}

void merge_write(struct merge *m)
{
    gen_write_frame(&m->out, write_columns, m);
}
