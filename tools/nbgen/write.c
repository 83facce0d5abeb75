/* write.c - writes the columns of a frame, block by block. */
#include "nbgen.h"

#include "simd/columns.h"
#include "snap/narrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pass {
    const struct nb_bodies *bodies;
    int column;
    const struct gen_source *source;
    struct nb_snap_writer *writer;
    uint64_t batch; /* number of bodies of a batch (gen_batch) */
    char *values;   /* values of two batches of the column: one is computed while the other is written */
};

/* Working space for one block of a column. Values of type f32 are first computed as doubles in `made`. */
struct buffer {
    uint64_t bad; /* index of a body with a value that is not finite or that f32 cannot store; UINT64_MAX: none */
    double value; /* the invalid value of the body `bad` */
    double made[3 * GEN_BLOCK];
};

/* Returns the memory for the values of body i. */
static void *place(const struct pass *pass, uint64_t i)
{
    return pass->values + nb_column_bytes(&pass->bodies->columns[pass->column], i % (2 * pass->batch));
}

static bool is(const struct nb_column *c, const char *name)
{
    return strcmp(c->name, name) == 0;
}

static void make_ids(uint64_t *id, uint64_t i0, uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i++)
        id[i - i0] = i;
}

/* Checks `count` values of column c. The values must be finite if the snapshot format defines a column of this name. If
 * the column has type f32, also converts the values to `out`. Stores the first invalid value and the index of its body
 * in *buffer. i0 is the index of the first body of the block. */
static void narrow_and_check(const struct nb_column *c, struct buffer *buffer, const double *values, void *out,
                             uint64_t i0, size_t count)
{
    size_t bad = !nb_column_known(c->name) || nb_columns()->finite(count, values) ? count : 0;
    while (bad < count && isfinite(values[bad]))
        bad++;
    if (bad == count && c->type == NB_F32)
        bad = nb_narrow(values, out, count, is(c, "mass") || is(c, "radius"));
    if (bad < count) {
        buffer->bad = i0 + bad / (size_t)c->width;
        buffer->value = values[bad];
    }
}

static void make(const void *context, uint64_t i0, uint64_t i1, void *in)
{
    const struct pass *pass = context;
    const struct nb_column *c = &pass->bodies->columns[pass->column];
    struct buffer *buffer = in;
    void *out = place(pass, i0), *values = c->type == NB_F32 ? buffer->made : out;
    buffer->bad = UINT64_MAX;
    if (is(c, "id"))
        make_ids(out, i0, i1);
    else
        pass->source->values(pass->source->context, pass->column, i0, i1, values);
    if (nb_type_is_real(c->type))
        narrow_and_check(c, buffer, values, out, i0, (i1 - i0) * (size_t)c->width);
}

static int take(void *context, uint64_t i0, uint64_t i1, const void *from)
{
    const struct pass *pass = context;
    const struct nb_column *c = &pass->bodies->columns[pass->column];
    const struct buffer *buffer = from;
    pass->source->tell(pass->source->context, pass->column, i0, i1);
    if (buffer->bad < UINT64_MAX && isfinite(buffer->value))
        return nb_fail("body %" PRIu64 ": %s %.9g does not fit f32 (--store f64)", buffer->bad, c->name, buffer->value);
    if (buffer->bad < UINT64_MAX)
        return nb_fail("body %" PRIu64 ": %s is not finite: options or units are out of range", buffer->bad, c->name);
    if (i1 % pass->batch && i1 < pass->bodies->n)
        return 0;
    const uint64_t first = (i1 - 1) / pass->batch * pass->batch;
    return nb_snap_give(pass->writer, place(pass, first), nb_column_bytes(c, i1 - first));
}

static int put_columns(struct nb_snap_writer *writer, const struct nb_bodies *b, const struct gen_source *source)
{
    struct pass pass = {.bodies = b, .source = source, .writer = writer, .batch = gen_batch()};
    const uint64_t bodies = b->n < 2 * pass.batch ? b->n : 2 * pass.batch;
    pass.values = gen_memory(bodies * 3 * sizeof(double));
    int status = 0;
    for (; pass.column < b->column_count && status == 0; pass.column++) {
        if (source->begin)
            source->begin(source->context, pass.column);
        status = gen_in_order(b->n, sizeof(struct buffer), make, take, &pass);
    }
    free(pass.values);
    return status;
}

static void check_space(const struct tool_output *output, const struct nb_bodies *b)
{
    double size_bytes = 0;
    for (int k = 0; k < b->column_count; k++)
        size_bytes += (double)nb_column_bytes(&b->columns[k], b->n);
    tool_check_space(tool_output_fd(output), tool_output_name(output), size_bytes, tool_many(b->n, "body", "bodies"));
}

void gen_write_frame(const struct nb_bodies *b, const struct gen_source *source)
{
    struct tool_output *output = tool_output_open(tool_options.output, true);
    struct nb_snap_writer *writer = must_have(nb_snap_create(tool_output_fd(output), tool_output_name(output)));
    check_space(output, b);
    if (nb_snap_begin(writer, b) || put_columns(writer, b, source) || nb_snap_end(writer) || nb_snap_finish(writer))
        tool_output_failed();
    tool_progress_end();
    nb_snap_destroy(writer);
    tool_output_close(output);
}

/* ---- frames from a plan ---- */

struct planned {
    struct gen_plan *plan;
    struct nb_bodies bodies;
};

static void add_columns(struct nb_bodies *b, const struct gen_plan *plan)
{
    const char *const names[] = {
        "id", "component", plan->galaxies ? "galaxy" : NULL, "mass", plan->radii ? "radius" : NULL, "pos", "vel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k])
            must(nb_bodies_add_known(b, names[k], (enum nb_type)plan->options->store));
    if (plan->temperatures)
        must(nb_bodies_add(b, "temperature", (enum nb_type)plan->options->store, 1, "K"));
}

static void describe(struct nb_bodies *b, const struct gen_plan *plan)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, plan->options->seed);
    nb_bodies_init(b);
    b->n = plan->n;
    b->meta.units = plan->units;
    b->meta.G = plan->G;
    b->meta.softening = plan->softening;
    b->meta.dt = plan->dt;
    b->meta.dynamical_time = plan->dynamical_time;
    for (size_t k = 0; k < sizeof plan->forces / sizeof *plan->forces; k++)
        if (plan->forces[k])
            must(nb_meta_add_force(&b->meta, plan->forces[k]));
    if (plan->scene)
        must(nb_scene_write(plan->scene, &b->meta));
    add_columns(b, plan);
    tool_record(&b->meta, plan->random ? seed : NULL);
}

/* Before the column pos is written, computes the centre of mass of each part of the model that must be moved
 * (gen_centre). This takes time, so it is done after the header was written: a reader that refuses the header (too many
 * bodies) need not wait. */
static void begin(void *context, int column)
{
    const struct planned *p = context;
    if (is(&p->bodies.columns[column], "pos"))
        gen_centre(p->plan);
}

static void fill(const void *context, int column, uint64_t i0, uint64_t i1, void *out)
{
    const struct planned *p = context;
    const struct nb_column *c = &p->bodies.columns[column];
    gen_fill_plan(p->plan, i0, i1,
                  &(struct gen_block){
                      .component = is(c, "component") ? out : NULL,
                      .galaxy = is(c, "galaxy") ? out : NULL,
                      .mass = is(c, "mass") ? out : NULL,
                      .radius = is(c, "radius") ? out : NULL,
                      .temperature = is(c, "temperature") ? out : NULL,
                      .pos = is(c, "pos") ? out : NULL,
                      .vel = is(c, "vel") ? out : NULL,
                  });
}

static void tell(const void *context, int column, uint64_t i0, uint64_t i1)
{
    const struct planned *p = context;
    const struct nb_column *c = &p->bodies.columns[column];
    gen_progress(p->plan, c->name, c->width == 1 ? GEN_WEIGHT_LIGHT : 1, i1 - i0);
}

void gen_write(struct gen_plan *plan)
{
    struct planned p = {.plan = plan};
    describe(&p.bodies, plan);
    gen_write_frame(&p.bodies, &(struct gen_source){&p, fill, tell, begin});
    nb_bodies_free(&p.bodies);
}
