/* The usual mode: a line for each frame of each file. */
#include "nbstat.h"

#include "error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct session {
    const struct stat_options *options;
    struct stat_output out;
    struct stat_fields fields;
    struct stat_excess worst;
    bool header_printed;
};

struct input { /* one of them, being read */
    struct nb_snap_reader *reader;
    struct nb_bodies bodies;
    struct nb_bodies selected; /* of them, with --select */
    struct stat_row first;     /* what errors are against */
    bool first_known;
};

/* Sums over nothing. */
static void measure_none(struct stat_row *row, bool without_potential)
{
    struct nb_measures *m = &row->m;
    row->virial = NAN;
    *m = (struct nb_measures){.half_mass_radius = NAN, .potential = without_potential ? (double)NAN : 0};
    m->energies.potential = m->potential;
    for (int k = 0; k < 3; k++)
        m->com[k] = m->com_velocity[k] = NAN;
}

static int measure_bodies(struct session *s, const struct nb_bodies *b, struct stat_row *row)
{
    struct nb_fields *found = &s->fields.found;
    row->virial = NAN;
    *found = (struct nb_fields){0};
    if (s->options->potential != POTENTIAL_NONE && stat_fields_find(&s->fields, s->options, b))
        return -1;
    if (nb_measure(b, found, &row->m))
        return -1;
    return found->acc ? nb_measure_virial(b, found->acc, &row->m, &row->virial) : 0;
}

/* What follows from all bodies says nothing of the selected ones alone. */
static int measure_selected(struct session *s, struct input *in, struct stat_row *row)
{
    if (tool_select(&in->bodies, &in->selected))
        return -1;
    nb_bodies_drop(&in->selected, "phi");
    nb_bodies_drop(&in->selected, "acc");
    if (in->selected.n > 0)
        return measure_bodies(s, &in->selected, row);
    measure_none(row, s->options->potential == POTENTIAL_NONE);
    return 0;
}

/* Measures the frame in the input's bodies. -1: it was said why not. */
static int measure(struct session *s, struct input *in, struct stat_row *row)
{
    *row = (struct stat_row){
        .file = nb_snap_name(in->reader), .frame = nb_snap_frame(in->reader), .time = in->bodies.meta.time};
    if (!isatty(STDOUT_FILENO))
        tool_progress("%s: frame %" PRId64 ", t = %g", row->file, row->frame, row->time);
    if (nb_bodies_check(&in->bodies) ||
        (tool_options.select ? measure_selected(s, in, row) : measure_bodies(s, &in->bodies, row)))
        return complain("%s: frame %" PRId64 ": %s", row->file, row->frame, nb_error());
    stat_row_derive(row, in->first_known ? &in->first : row);
    if (!in->first_known)
        in->first = *row;
    in->first_known = true;
    return 0;
}

static void print(struct session *s, const struct stat_row *row)
{
    bool json = s->options->json;
    if (!s->header_printed && !json)
        stat_print_header(s->out.text);
    s->header_printed = true;
    (json ? stat_print_json : stat_print_tsv)(s->out.text, row);
    stat_output_flush(&s->out);
    stat_excess_note(&s->worst, s->options, row);
}

static int measure_all(struct session *s, struct input *in)
{
    struct stat_row row;
    int status;
    while ((status = stat_input_read(in->reader, &in->bodies)) > 0) {
        if (measure(s, in, &row))
            return -1;
        print(s, &row);
    }
    return status;
}

/* Reads on to the last frame. One that salvage passes over while it looks for the next must not spoil the one kept,
 * hence the spare. */
static int read_last(struct input *in)
{
    struct nb_bodies spare;
    int status;
    nb_bodies_init(&spare);
    while ((status = stat_input_read(in->reader, &spare)) > 0) {
        struct nb_bodies other = in->bodies;
        in->bodies = spare;
        spare = other;
    }
    nb_bodies_free(&spare);
    return status;
}

static int measure_last(struct session *s, struct input *in)
{
    struct stat_row row;
    int placed = nb_snap_seek(in->reader, NB_FRAME_LAST);
    if (placed < 0)
        return complain("%s", nb_error());
    if ((placed ? stat_input_read(in->reader, &in->bodies) <= 0 : read_last(in)) || measure(s, in, &row))
        return -1;
    print(s, &row);
    return 0;
}

static int measure_list(struct session *s, struct input *in)
{
    struct tool_frames frames;
    struct stat_row row;
    int status;
    if (tool_frames_begin(&frames, in->reader))
        return complain("%s", nb_error());
    while ((status = tool_frames_next(&frames, &in->bodies)) > 0) {
        if (measure(s, in, &row))
            return -1;
        print(s, &row);
    }
    return status < 0 ? complain("%s", nb_error()) : 0;
}

/* The first frame, which the errors are against, and then those asked for. */
static int measure_chosen(struct session *s, struct input *in)
{
    struct stat_row row;
    if (stat_input_read(in->reader, &in->bodies) <= 0 || measure(s, in, &row))
        return -1;
    return tool_options.frame == NB_FRAME_LAST ? measure_last(s, in) : measure_list(s, in);
}

static int measure_input(struct session *s, const char *path)
{
    struct input in = {.reader = stat_input_open(path)};
    if (!in.reader)
        return -1;
    nb_bodies_init(&in.bodies);
    nb_bodies_init(&in.selected);
    int status = tool_options.frame == TOOL_FRAME_ALL ? measure_all(s, &in) : measure_chosen(s, &in);
    nb_bodies_free(&in.bodies);
    nb_bodies_free(&in.selected);
    nb_snap_close(in.reader);
    return status;
}

static int report_excess(const struct stat_excess *e)
{
    if (!e->option)
        return TOOL_OK;
    if (isfinite(e->value))
        complain("%s: frame %" PRId64 ": %s error %.3g, more than %s %g", e->file, e->frame, e->what, e->value,
                 e->option, e->limit);
    else
        complain("%s: frame %" PRId64 ": %s error is not a finite number (%s %g)", e->file, e->frame, e->what,
                 e->option, e->limit);
    return TOOL_CHECK_FAILED;
}

int stat_measure(const struct stat_options *o)
{
    struct session s = {.options = o};
    int failures = 0;
    stat_output_open(&s.out);
    for (int k = 0; k < o->input_count; k++)
        failures += measure_input(&s, o->inputs[k]) != 0;
    tool_progress_end();
    stat_output_close(&s.out, failures == 0);
    stat_fields_free(&s.fields);
    int status = report_excess(&s.worst);
    free(s.worst.file);
    return failures ? TOOL_FAILED : status;
}
