/* append.c - adds a stream to a file that ends with a complete stream. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens the file to which a stream will be added, and stores data of its last frame in *last. Dies if the last stream
 * of the file is truncated, because readers would stop there and not find the added stream. */
struct tool_output *sim_append_open(const char *path, struct sim_last_frame *last)
{
    struct tool_output *output = tool_output_append(path); /* locks the file */
    struct nb_snap_reader *r = must_have(nb_snap_open(path, false));
    struct nb_bodies b;
    nb_bodies_init(&b);
    if (nb_snap_seek(r, NB_FRAME_LAST) != 1 || nb_snap_skip(r, &b) != 1)
        die("%s: does not end with a complete stream, so nothing can be appended (nbstat --check)", path);
    *last = (struct sim_last_frame){b.n, b.meta.step, b.meta.time};
    nb_bodies_free(&b);
    nb_snap_close(r);
    return output;
}

/* Compares two texts NAME@CHECKSUM (nb_force_spec.file). Returns whether only the checksums differ. */
static bool has_changed(const char *before, const char *now)
{
    const char *a = strrchr(before, '@'), *b = strrchr(now, '@');
    return a && b && a - before == b - now && strncmp(before, now, (size_t)(b - now)) == 0 && strcmp(a, b) != 0;
}

void sim_append_check_files(const struct run *r)
{
    struct nb_force_spec before;
    for (int j = 0; j < r->bodies.meta.force_count; j++)
        for (int k = 0; k < r->forces.count && nb_force_parse(r->bodies.meta.forces[j], &before) == 0; k++)
            for (int f = 0; f < NB_FORCE_FILES; f++)
                if (has_changed(before.file[f], r->forces.force[k].spec.file[f]))
                    die("%s: the file %s of the external field has changed since these frames were written, and no "
                        "program could read both (use another -o)",
                        tool_options.output, r->forces.force[k].spec.file[f]);
}

/* Returns whether the input of the run is the last frame of the output file. If so, the run does not write this frame
 * again. */
static bool continues(const struct run *r, const struct sim_last_frame *last)
{
    const char *path = r->options->input;
    const bool from_stdin = !path || strcmp(path, "-") == 0;
    struct stat input, output;
    return (from_stdin ? fstat(STDIN_FILENO, &input) : stat(path, &input)) == 0 &&
           stat(tool_options.output, &output) == 0 && tool_same_file(&input, &output) && r->bodies.n == last->n &&
           r->bodies.meta.step == last->step && r->bodies.meta.time == last->time;
}

/* Returns whether the force uses an order of the bodies that was computed in an earlier evaluation: a tree that is not
 * rebuilt at each evaluation. */
static bool keeps_order(const struct nb_opened_force *f)
{
    return !(f->flags & NB_EXACT) && nb_force_value(&f->spec, "rebuild") > 1;
}

/* Returns the reason why the appended frames will differ from the frames of an uninterrupted run, as part of a message.
 * Returns NULL if they will not differ, because a frame contains the entire state of the run. */
static const char *what_is_lost(const struct run *r)
{
    const enum nb_precision precision = r->stepper.state->precision;
    if (nb_scheme_carries(r->stepper.scheme))
        return "its steps use values of earlier steps, which are not in the file";
    if (nb_force_set_flags(&r->forces) & NB_NEEDS_VELOCITY)
        return "a force depends on the velocity, and is computed anew";
    for (int k = 0; k < r->forces.count; k++)
        if (keeps_order(&r->forces.force[k]))
            return "a force keeps an order of the bodies, which is not in the file";
    if (precision != NB_SINGLE && nb_bodies_find(&r->bodies, "pos")->type == NB_F32)
        return "f32 columns have fewer digits than the state";
    if (precision == NB_QUAD && !(nb_bodies_find(&r->bodies, "pos_lo") && nb_bodies_find(&r->bodies, "vel_lo")))
        return "f64 columns have fewer digits than the state";
    return NULL;
}

bool sim_append_begin(const struct run *r, const struct sim_last_frame *last)
{
    const bool skips = continues(r, last);
    const char *lost = what_is_lost(r);
    if (skips && sim_schedule_intervals(&r->schedule) == 0) {
        say("%s: the run would end at the time of the last frame, so nothing is appended", tool_options.output);
        exit(TOOL_OK);
    }
    if (skips && !lost)
        say("%s: %s continues as one run would if that run had the same options and its last frame was at a multiple "
            "of --every",
            tool_options.output, r->stepper.scheme->name);
    else if (skips)
        say("%s: %s does not continue bitwise identical to one run: %s (--checkpoint would)", tool_options.output,
            r->stepper.scheme->name, lost);
    return skips;
}
