/* frames.c - the default mode: prints a line for each frame of each file. */
#include "nbstat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct session {
    const struct stat_options *options;
    struct stat_output out;
    struct stat_columns columns;
    struct stat_print print;
    struct stat_params params;
    unsigned needs;
    struct stat_fields fields;
    struct stat_worst worst;
    bool any_printed, warned_of_none, warned_of_distance;
    /* for each error (energy, momentum, angular momentum): last printed reason why the quantity is not conserved */
    const char *said_kept[STAT_ERRORS];
    /* galaxies[k]: true if the output has columns for galaxy k, or if a warning said that these columns are missing */
    bool galaxies[STAT_GALAXIES_MOST];
};

struct input { /* the input that is being read */
    struct nb_snap_reader *reader;
    int number, of; /* index of the input, number of inputs */
    int64_t frames; /* number of frames; -1: unknown */
    struct stat_sample sample;
    struct stat_row first; /* row of the first frame, to which errors are relative */
    bool first_known;
};

static void print(struct session *s, const void *line)
{
    stat_print_line(&s->print, &s->columns, line);
    s->any_printed = true;
}

static int take_bins(struct session *s, struct input *in)
{
    struct nb_profile_bin bins[NB_PROFILE_MOST];
    struct stat_bin line = {
        .file = nb_snap_name(in->reader), .frame = nb_snap_frame(in->reader), .time = in->sample.all.meta.time};
    int count;
    memcpy(line.params, s->params.value, sizeof line.params);
    if (stat_radial_measure(&in->sample, &s->fields.found, s->options, bins, &count))
        return -1;
    for (int k = 0; k < count; k++) {
        line.number = (uint64_t)k;
        line.p = bins[k];
        print(s, &line);
    }
    return 0;
}

static int take_pairs(struct session *s, struct input *in)
{
    const struct nb_bodies *b = in->sample.b;
    struct stat_pair line = {
        .file = nb_snap_name(in->reader), .frame = nb_snap_frame(in->reader), .time = in->sample.all.meta.time};
    struct nb_pairs pairs;
    const int status = stat_cluster_pairs(b, &pairs);
    memcpy(line.params, s->params.value, sizeof line.params);
    stat_print_names(&s->print, &s->columns); /* printed even if the frame has no pairs */
    for (uint64_t k = 0; status == 0 && k < pairs.count; k++) {
        stat_cluster_line(&line, b, &pairs.of[k]);
        print(s, &line);
    }
    nb_pairs_free(&pairs);
    return status;
}

static void warn_of_none(struct session *s, const struct stat_row *row)
{
    if (row->m.n == 0 && !s->warned_of_none)
        warn("%s: frame %" PRId64 ": no body is selected; the sums of such frames are 0", row->file, row->frame);
    s->warned_of_none = s->warned_of_none || row->m.n == 0;
}

/* If no line was printed yet, adds columns for each pair of galaxies in this frame. */
static void choose_pairs(struct session *s, const struct stat_row *row)
{
    if (!s->any_printed)
        stat_columns_add_pairs(&s->columns, row->galaxies);
    for (int k = 0; k < STAT_GALAXIES_MOST && !s->any_printed; k++)
        s->galaxies[k] = row->galaxies[k];
}

static int count_galaxies(const struct stat_row *row)
{
    int count = 0;
    for (int k = 0; k < STAT_GALAXIES_MOST; k++)
        count += row->galaxies[k];
    return count;
}

static void warn_of_new(struct session *s, const struct stat_row *row)
{
    for (int k = 0; k < STAT_GALAXIES_MOST; k++) {
        if (!row->galaxies[k] || s->galaxies[k])
            continue;
        warn("%s: frame %" PRId64
             ": galaxy %d is not in the first frame, so its distances have no columns (name them with --columns)",
             row->file, row->frame, k);
        s->galaxies[k] = true;
    }
}

static void warn_of_distances(struct session *s, const struct stat_row *row)
{
    const char *missing = stat_columns_missing_pair(&s->columns, row);
    if (row->m.n == 0 || s->warned_of_distance)
        return;
    s->warned_of_distance = missing || count_galaxies(row) < 2;
    if (count_galaxies(row) < 2)
        warn("%s: frame %" PRId64 ": all bodies belong to one galaxy, so there are no distances", row->file,
             row->frame);
    else if (missing)
        warn("%s: frame %" PRId64 ": no %s: one of the two galaxies has no mass", row->file, row->frame, missing);
}

static void watch_galaxies(struct session *s, const struct stat_row *row)
{
    choose_pairs(s, row);
    warn_of_distances(s, row);
    if (!s->columns.chosen)
        warn_of_new(s, row);
}

/* Finds which quantities are not conserved. Prints their names if they or the reasons differ from the previous frame.
 * Does nothing with --select, because nbstat then prints changes since the first frame, not errors. */
static int find_kept(struct session *s, const struct input *in, struct stat_row *row)
{
    if (!(s->needs & NEEDS_FIRST) || tool_options.select)
        return 0;
    if (stat_kept_find(&in->sample.all.meta, row->changed_by))
        return -1;
    stat_kept_refuse(row, s->options);
    if (memcmp(s->said_kept, row->changed_by, sizeof s->said_kept))
        stat_kept_say(row, s->worst.with_energy);
    memcpy(s->said_kept, row->changed_by, sizeof s->said_kept);
    return 0;
}

static int take_row(struct session *s, struct input *in, bool show)
{
    struct stat_row row = {
        .file = nb_snap_name(in->reader), .frame = nb_snap_frame(in->reader), .time = in->sample.all.meta.time};
    memcpy(row.params, s->params.value, sizeof row.params);
    if (find_kept(s, in, &row) || stat_row_measure(&row, &in->sample, &s->fields.found, s->options, s->needs))
        return -1;
    if (!in->first_known)
        in->first = row;
    in->first_known = true;
    stat_row_derive(&row, &in->first);
    if (!show)
        return 0;
    warn_of_none(s, &row);
    if (s->options->distance)
        watch_galaxies(s, &row);
    print(s, &row);
    stat_worst_note(&s->worst, &row, row.frame == in->first.frame);
    return 0;
}

static int take_lines(struct session *s, struct input *in, bool show)
{
    switch (s->options->kind) {
    case STAT_ROWS: return take_row(s, in, show);
    case STAT_PAIRS: return take_pairs(s, in);
    default: return take_bins(s, in);
    }
}

static void tell(const struct input *in)
{
    struct tool_progress p = tool_progress_of("frame");
    p.file = nb_snap_name(in->reader);
    p.frame = nb_snap_frame(in->reader);
    p.time = in->sample.all.meta.time;
    p.done = (double)p.frame + 1;
    if (in->frames > 0) {
        p.total = (double)in->frames;
        p.fraction = (in->number + p.done / p.total) / in->of;
    }
    tool_progress(&p);
}

/* Measures the frame in in->sample.all. Prints the line of the frame if `show` is true. On failure prints a message and
 * returns -1. */
static int take(struct session *s, struct input *in, bool show)
{
    const char *file = nb_snap_name(in->reader);
    const int64_t frame = nb_snap_frame(in->reader);
    tell(in);
    stat_params_find(&s->params, s->options, &in->sample.all.meta);
    if (stat_sample_take(&in->sample, &s->fields, s->options, s->needs) || take_lines(s, in, show))
        return complain("%s: frame %" PRId64 ": %s", file, frame, nb_error());
    stat_output_flush(&s->out);
    return 0;
}

/* Reads all remaining frames, and keeps the last one in in->sample.all. Reads each frame into `spare` first: with
 * --salvage, the last frame can be damaged, and must not overwrite the last good frame. */
static int read_last(struct input *in)
{
    struct nb_bodies spare;
    int status;
    nb_bodies_init(&spare);
    while ((status = stat_input_read(in->reader, &spare)) > 0)
        nb_bodies_swap(&in->sample.all, &spare);
    nb_bodies_free(&spare);
    return status;
}

static int measure_last(struct session *s, struct input *in)
{
    int placed = nb_snap_seek(in->reader, NB_FRAME_LAST);
    if (placed < 0)
        return complain("%s", nb_error());
    return (placed ? stat_input_read(in->reader, &in->sample.all) <= 0 : read_last(in)) ? -1 : take(s, in, true);
}

static int measure_list(struct session *s, struct input *in)
{
    struct tool_frames frames;
    int status;
    if (tool_frames_begin(&frames, in->reader))
        return complain("%s", nb_error());
    while ((status = tool_frames_next(&frames, &in->sample.all)) > 0)
        if (take(s, in, true))
            return -1;
    return status < 0 ? complain("%s", nb_error()) : 0;
}

/* Reads the first frame, and measures it if errors relative to it are needed. Then measures the chosen frames. */
static int measure_chosen(struct session *s, struct input *in)
{
    if (stat_input_read(in->reader, &in->sample.all) <= 0 || (s->needs & NEEDS_FIRST && take(s, in, false)))
        return -1;
    return tool_options.frame == NB_FRAME_LAST ? measure_last(s, in) : measure_list(s, in);
}

static int measure_input(struct session *s, int number)
{
    const struct stat_options *o = s->options;
    struct input in = {.reader = stat_input_open(o->inputs[number]), .number = number, .of = o->input_count};
    if (!in.reader)
        return -1;
    if (nb_snap_count(in.reader, &in.frames))
        in.frames = -1; /* unknown; if the stream is damaged, reading it will report the error */
    stat_sample_init(&in.sample);
    int status = tool_options.frame == TOOL_FRAME_ALL ? measure_list(s, &in) : measure_chosen(s, &in);
    stat_sample_free(&in.sample);
    nb_snap_close(in.reader);
    return status;
}

static void begin(struct session *s, const struct stat_options *o)
{
    s->options = o;
    stat_columns_make(&s->columns, o);
    s->needs = s->columns.needs;
    if (!isnan(o->limit[STAT_ENERGY]))
        s->needs |= NEEDS_PHI | NEEDS_FIRST;
    if (!isnan(o->limit[STAT_MOMENTUM]) || !isnan(o->limit[STAT_ANGULAR_MOMENTUM]))
        s->needs |= NEEDS_FIRST;
    if (o->kind != STAT_ROWS || o->percent_count > 0 || o->modes || o->distance)
        s->needs |= NEEDS_CENTRE;
    if (o->escaped)
        s->needs |= NEEDS_PHI | NEEDS_MOTION;
    s->worst.with_energy = s->needs & NEEDS_PHI && o->potential != POTENTIAL_NONE;
    stat_output_open(&s->out);
    stat_print_begin(&s->print, o, &s->out);
}

int stat_measure(const struct stat_options *o)
{
    struct session s = {0};
    int failures = 0, status;
    begin(&s, o);
    for (int k = 0; k < o->input_count; k++)
        failures += measure_input(&s, k) != 0;
    tool_progress_end();
    stat_output_close(&s.out, failures == 0);
    status = stat_worst_judge(&s.worst, o);
    if (failures == 0 && status == TOOL_OK && s.needs & NEEDS_FIRST)
        stat_worst_say(&s.worst, o);
    stat_params_end(&s.params, o);
    stat_fields_free(&s.fields);
    stat_worst_free(&s.worst);
    free(s.columns.of);
    return failures ? TOOL_FAILED : status;
}
