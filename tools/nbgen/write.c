#include "nbgen.h"

#include "base/error.h"
#include "simd/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { ID, COMPONENT, GALAXY, MASS, RADIUS, POS, VEL, COLUMNS };
static const char *const names[COLUMNS] = {"id", "component", "galaxy", "mass", "radius", "pos", "vel"};

struct pass {
    const struct gen_plan *plan;
    enum column column;
    enum nb_type type;
    size_t body_size; /* bytes of a body in this column */
    struct nb_snap_writer *writer;
};

/* A block of a column: what was made, and what goes out. */
struct buffer {
    uint64_t bad; /* body of the block with a value that is not finite or does not fit; GEN_BLOCK: none */
    double value; /* that one */
    double made[3 * GEN_BLOCK];
    union {
        uint64_t id[GEN_BLOCK];
        uint8_t component[GEN_BLOCK], galaxy[GEN_BLOCK];
        float f32[3 * GEN_BLOCK];
        double f64[3 * GEN_BLOCK];
    } out;
};

static void make_ids(uint64_t *id, uint64_t i0, uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i++)
        id[i - i0] = i;
}

static void narrow_and_check(const struct pass *pass, struct buffer *buffer, const double *values, uint64_t n)
{
    size_t count = n * pass->body_size / nb_type_size(pass->type),
           bad = nb_columns()->finite(count, values) ? count : 0;
    while (bad < count && isfinite(values[bad]))
        bad++;
    if (bad == count && pass->type == NB_F32)
        bad = nb_narrow(values, buffer->out.f32, count, pass->column == MASS || pass->column == RADIUS);
    if (bad < count) {
        buffer->bad = bad / (count / n);
        buffer->value = values[bad];
    }
}

static void make(const void *context, uint64_t i0, uint64_t i1, void *in)
{
    const struct pass *pass = context;
    struct buffer *buffer = in;
    double *values = pass->type == NB_F32 ? buffer->made : buffer->out.f64;
    struct gen_block block = {
        .component = pass->column == COMPONENT ? buffer->out.component : NULL,
        .galaxy = pass->column == GALAXY ? buffer->out.galaxy : NULL,
        .mass = pass->column == MASS ? values : NULL,
        .radius = pass->column == RADIUS ? values : NULL,
        .pos = pass->column == POS ? values : NULL,
        .vel = pass->column == VEL ? values : NULL,
    };
    if (pass->column == ID)
        make_ids(buffer->out.id, i0, i1);
    else
        gen_fill_plan(pass->plan, i0, i1, &block);
    buffer->bad = GEN_BLOCK;
    if (pass->column >= MASS)
        narrow_and_check(pass, buffer, values, i1 - i0);
}

static int take(void *context, uint64_t i0, uint64_t i1, const void *from)
{
    struct pass *pass = context;
    const struct buffer *buffer = from;
    gen_progress(pass->plan, names[pass->column], pass->column < POS ? GEN_WEIGHT_LIGHT : 1, i1 - i0);
    if (buffer->bad < GEN_BLOCK && isfinite(buffer->value))
        return nb_fail("body %" PRIu64 ": %s %.9g does not fit f32 (--store f64)", i0 + buffer->bad,
                       names[pass->column], buffer->value);
    if (buffer->bad < GEN_BLOCK)
        return nb_fail("body %" PRIu64 ": %s is not a finite number: options or units are out of range",
                       i0 + buffer->bad, names[pass->column]);
    return nb_snap_put(pass->writer, &buffer->out, (i1 - i0) * pass->body_size);
}

static bool has_column(const struct gen_plan *plan, enum column column)
{
    return column == GALAXY ? plan->galaxies : column == RADIUS ? plan->radii : true;
}

static void describe(struct nb_bodies *b, const struct gen_plan *plan)
{
    enum nb_type real = plan->options->store;
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, plan->options->seed);
    nb_bodies_init(b);
    b->n = plan->n;
    b->meta.units = plan->units;
    b->meta.G = plan->G;
    b->meta.softening = plan->softening;
    b->meta.dt = plan->dt;
    for (size_t k = 0; k < sizeof plan->forces / sizeof *plan->forces; k++)
        if (plan->forces[k] && nb_meta_add_force(&b->meta, plan->forces[k]))
            die("%s", nb_error());
    if (plan->scene && nb_scene_write(plan->scene, &b->meta))
        die("%s", nb_error());
    for (int k = 0; k < COLUMNS; k++)
        if (has_column(plan, (enum column)k) && nb_bodies_add_known(b, names[k], real))
            die("%s", nb_error());
    tool_record(&b->meta, plan->random ? seed : NULL);
}

/* The centres are found where they are needed: a reader has the header at once, and may refuse so many bodies. */
static int write_columns(struct nb_snap_writer *writer, const struct nb_bodies *b, void *context)
{
    struct gen_plan *plan = context;
    const struct nb_column *c = b->columns;
    for (int k = 0; k < COLUMNS; k++) {
        if (!has_column(plan, (enum column)k))
            continue;
        if (k == POS)
            gen_centre(plan);
        struct pass pass = {plan, (enum column)k, c->type, nb_column_bytes(c, 1), writer};
        c++;
        if (gen_in_order(b->n, sizeof(struct buffer), make, take, &pass))
            return -1;
    }
    return 0;
}

/* A file too large for its disk is refused beforehand. */
static void check_space(const struct tool_output *output, const struct nb_bodies *b)
{
    double size_bytes = 0;
    for (int k = 0; k < b->column_count; k++)
        size_bytes += (double)nb_column_bytes(&b->columns[k], b->n);
    tool_check_space(tool_output_fd(output), tool_output_name(output), size_bytes, tool_many(b->n, "body", "bodies"));
}

void gen_write_frame(const struct nb_bodies *b, gen_columns *columns, void *context)
{
    struct tool_output *output = tool_output_open(tool_options.output, true);
    struct nb_snap_writer *writer = nb_snap_create(tool_output_fd(output), tool_output_name(output));
    if (!writer)
        die("%s", nb_error());
    check_space(output, b);
    if (nb_snap_begin(writer, b) || columns(writer, b, context) || nb_snap_end(writer) || nb_snap_finish(writer))
        tool_output_failed();
    tool_progress_end();
    nb_snap_destroy(writer);
    tool_output_close(output);
}

void gen_write(struct gen_plan *plan)
{
    struct nb_bodies b;
    describe(&b, plan);
    gen_write_frame(&b, write_columns, plan);
    nb_bodies_free(&b);
}
