/* walls.c - --walls: prints the forces of a flow on walls, a line for each frame or, with --mean, one line of means. */
#include "nbstat.h"

#include "base/memory.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FX, FY, CD, CL, QUANTITIES }; /* force on a wall in x and y; drag and lift coefficients of the wall */

static const char *const quantities[QUANTITIES] = {"fx", "fy", "cd", "cl"};

#define BLOCKS     10 /* number of blocks of frames; the error of the mean is computed from the means of the blocks */
#define VALUES_MAX (NB_WALLS_MAX * QUANTITIES + 1) /* maximum number of values: QUANTITIES per wall, and the inflow */

struct line {
    const char *file;
    int64_t frame; /* index of the frame; for --mean, of the last frame */
    uint64_t frames;
    double time, /* time of the frame; for --mean, time of the last frame */
        from;    /* time at which printing or averaging begins (--after) */
    double value[VALUES_MAX], error[VALUES_MAX];
};

struct session {
    const struct stat_options *options;
    struct stat_output out;
    struct stat_columns columns;
    struct stat_print print;
    char names[NB_WALLS_MAX][NB_NAME_MAX]; /* names of the reported walls */
    int wall_count;
    int quantities; /* number of quantities for each wall: QUANTITIES in a flow, otherwise 2 */
    /* for --mean: for each frame, the time since the previous frame, followed by the values line.value[] */
    double *kept;
    uint64_t count; /* number of frames in `kept` */
};

/* ---- columns ---- */

static void add(struct session *s, const char *name, enum stat_type type, size_t offset)
{
    struct stat_column *c = &s->columns.of[s->columns.count++];
    *c = (struct stat_column){.type = type, .offset = offset, .width = 1};
    memcpy(c->name, name, strlen(name));
}

static void add_value(struct session *s, int wall, int q, const char *suffix, size_t offset)
{
    char name[sizeof s->columns.of->name];
    snprintf(name, sizeof name, "%.20s.%s%s", s->names[wall], quantities[q], suffix); /* a longer name is truncated */
    add(s, name, STAT_NUMBER, offset + (size_t)(wall * QUANTITIES + q) * sizeof(double));
}

static void make_columns(struct session *s)
{
    const bool mean = s->options->mean;
    s->columns.of = claimed(calloc(2 * VALUES_MAX + 5, sizeof *s->columns.of), "no memory");
    add(s, "file", STAT_NAME, offsetof(struct line, file));
    if (mean)
        add(s, "frames", STAT_COUNT, offsetof(struct line, frames));
    else
        add(s, "frame", STAT_FRAME, offsetof(struct line, frame));
    if (mean)
        add(s, "from", STAT_NUMBER, offsetof(struct line, from));
    add(s, mean ? "to" : "time", STAT_NUMBER, offsetof(struct line, time));
    for (int w = 0; w < s->wall_count; w++)
        for (int q = 0; q < s->quantities; q++) {
            add_value(s, w, q, "", offsetof(struct line, value));
            if (mean)
                add_value(s, w, q, "_error", offsetof(struct line, error));
        }
    if (s->quantities == QUANTITIES)
        add(s, "inflow", STAT_NUMBER,
            offsetof(struct line, value) + (size_t)s->wall_count * QUANTITIES * sizeof(double));
}

static void print(struct session *s, const struct line *line)
{
    stat_print_line(&s->print, &s->columns, line);
    stat_output_flush(&s->out);
}

/* ---- a frame ---- */

/* Chooses the walls whose forces are printed, from the walls of the first frame: all solids, or all walls if there are
 * no solids. A solid is a closed wall with the disks outside. */
static void choose_walls(struct session *s, const struct nb_scene *scene)
{
    for (int pass = 0; pass < 2 && s->wall_count == 0; pass++)
        for (int k = 0; k < scene->wall_count; k++)
            if (pass == 1 || scene->walls[k].area > 0)
                strcpy(s->names[s->wall_count++], scene->walls[k].name);
    s->quantities = scene->flowing ? QUANTITIES : CD;
    make_columns(s);
}

/* Computes the values of a frame. Returns -1 after a message. */
static int measure(struct session *s, const struct nb_meta *meta, const char *place, struct line *line)
{
    struct nb_scene scene;
    double inflow[3];
    int status = 0;
    if (nb_scene_read(meta, &scene))
        return complain("%s: %s", place, nb_error());
    if (scene.wall_count == 0)
        status = complain("%s: has no walls (--walls needs a stream such as nbgen windtunnel makes)", place);
    else if (!s->columns.of)
        choose_walls(s, &scene);
    if (status == 0 && s->quantities == QUANTITIES && !scene.flowing)
        status = complain("%s: has no flow, unlike earlier frames", place);
    for (int w = 0; w < s->wall_count && status == 0; w++) {
        double *value = line->value + w * QUANTITIES;
        if (!nb_scene_wall_force(meta, s->names[w], value)) {
            status = complain("%s: does not contain the forces on wall %s (nbsim writes them)", place, s->names[w]);
            continue;
        }
        const double unit = scene.density * scene.speed * scene.speed * scene.chord / 2;
        value[CD] = value[FX] / unit;
        value[CL] = value[FY] / unit;
    }
    if (scene.flowing)
        line->value[s->wall_count * QUANTITIES] =
            /* NAN if the header has no line `inflow`, for example in the first frame of a run */
            nb_scene_inflow(meta, inflow) ? inflow[0] / scene.density : NAN;
    nb_scene_free(&scene);
    return status;
}

/* ---- the mean ---- */

static uint64_t width_of(const struct session *s)
{
    return 2 + (uint64_t)s->wall_count * QUANTITIES;
}

static void keep(struct session *s, const struct line *line, double span)
{
    const uint64_t width = width_of(s);
    s->kept = claimed(nb_memory_grow(s->kept, s->count, width * sizeof *s->kept), "no memory");
    double *record = s->kept + s->count++ * width;
    *record = span;
    memcpy(record + 1, line->value, (width - 1) * sizeof *record);
}

/* Returns the mean of value k over frames [i0, i1). Each frame is weighted by the time since the previous frame. */
static double mean_of(const struct session *s, uint64_t i0, uint64_t i1, int k)
{
    const uint64_t width = width_of(s);
    double sum = 0, spans = 0;
    for (uint64_t i = i0; i < i1; i++) {
        sum += s->kept[i * width] * s->kept[i * width + 1 + (uint64_t)k];
        spans += s->kept[i * width];
    }
    return sum / spans;
}

/* Returns the standard error of the mean, computed from the means of blocks of frames. Successive frames may be
 * correlated, but blocks are long enough to be independent (Flyvbjerg & Petersen 1989, J. Chem. Phys. 91, 461). */
static double error_of(const struct session *s, int k)
{
    const uint64_t blocks = s->count < BLOCKS ? s->count : BLOCKS;
    const double mean = mean_of(s, 0, s->count, k);
    double sum = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        const double off = mean_of(s, b * s->count / blocks, (b + 1) * s->count / blocks, k) - mean;
        sum += off * off;
    }
    return blocks < 2 ? NAN : sqrt(sum / (double)(blocks * (blocks - 1)));
}

static int print_mean(struct session *s, struct line *line, const char *file)
{
    if (s->count == 0)
        return complain("%s: no frame is later than %g", file, line->from);
    line->frames = s->count;
    for (int k = 0; k <= s->wall_count * QUANTITIES; k++) {
        line->value[k] = mean_of(s, 0, s->count, k);
        line->error[k] = error_of(s, k);
    }
    print(s, line);
    s->count = 0;
    return 0;
}

/* ---- inputs ---- */

static int go_through(struct session *s, struct nb_snap_reader *r, const char *file)
{
    struct nb_bodies b;
    uint64_t components[256];
    struct line line = {.file = file};
    double before = 0;
    bool first = true, restarted = false;
    int status;
    nb_bodies_init(&b);
    while ((status = stat_input_skip(r, &b, components)) > 0) {
        char place[512];
        snprintf(place, sizeof place, "%s: frame %" PRId64, file, nb_snap_frame(r));
        line.frame = nb_snap_frame(r);
        line.time = b.meta.time;
        if ((status = measure(s, &b.meta, place, &line)))
            break;
        if (first)
            line.from = isnan(s->options->after) ? line.time : s->options->after;
        if (s->options->mean && !first && line.time < before && !restarted) {
            warn("%s: time decreases from %g to %g, so the file has several runs; --mean averages over all of them "
                 "(give each run in its own file)",
                 place, before, line.time);
            restarted = true;
        }
        const double slack = 1e-9 * fabs(line.time - before); /* tolerance, because output times are rounded */
        if (s->options->mean && !first && line.time > before && before >= line.from - slack)
            keep(s, &line, line.time - before);
        else if (!s->options->mean && line.time >= line.from - slack)
            print(s, &line);
        before = line.time;
        first = false;
    }
    nb_bodies_free(&b);
    return status == 0 && s->options->mean ? print_mean(s, &line, file) : status;
}

static int take_input(struct session *s, const char *path)
{
    struct nb_snap_reader *r = stat_input_open(path);
    if (!r)
        return -1;
    const int status = go_through(s, r, nb_snap_name(r));
    nb_snap_close(r);
    s->count = 0;
    return status;
}

int stat_walls(const struct stat_options *o)
{
    struct session s = {.options = o};
    int failures = 0;
    stat_output_open(&s.out);
    stat_print_begin(&s.print, o, &s.out);
    for (int k = 0; k < o->input_count; k++)
        failures += take_input(&s, o->inputs[k]) != 0;
    stat_output_close(&s.out, failures == 0);
    free(s.columns.of);
    free(s.kept);
    return failures ? TOOL_FAILED : TOOL_OK;
}
