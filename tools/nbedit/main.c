/* main.c - nbedit changes the bodies of snapshots, frame by frame. */
#include "nbedit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct input {
    struct nb_snap_reader *reader;
    struct tool_frames frames;
};

/* ---- failures ---- */

static struct tool_output *output;
static bool some_written; /* true: `output` contains complete frames */

static noreturn __attribute__((format(printf, 1, 2))) void stop(const char *format, ...)
{
    char text[NB_ERROR_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (some_written)
        tool_output_keep(output, true);
    die("%s", text);
}

/* Returns whether any input is a pipe. Ctrl-C also interrupts the program that writes to the pipe. That program then
 * completes its stream, so nbedit must read to the end of the stream. */
static bool reads_pipe(void)
{
    for (int k = 0; k < edit_options.input_count; k++) {
        const char *path = edit_options.inputs[k];
        struct stat st;
        if (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) == 0 : stat(path, &st) == 0)
            if (!S_ISREG(st.st_mode))
                return true;
    }
    return false;
}

/* ---- frames in ---- */

static void open_inputs(struct input *in)
{
    for (int k = 0; k < edit_options.input_count; k++) {
        in[k].reader = tool_input_open(edit_options.inputs[k]);
        must(tool_frames_begin(&in[k].frames, in[k].reader));
    }
}

static void close_inputs(struct input *in)
{
    for (int k = 0; k < edit_options.input_count; k++)
        nb_snap_close(in[k].reader);
}

static noreturn void stop_at(const struct input *in)
{
    stop("%s: frame %" PRId64 ": %s", nb_snap_name(in->reader), nb_snap_frame(in->reader), nb_error());
}

/* Checks a frame, which may have no bodies. */
static int check(const struct nb_bodies *b)
{
    return b->n ? nb_bodies_check(b) : nb_bodies_check_columns(b);
}

static bool read_one(struct input *in, struct nb_bodies *b)
{
    const int status = tool_frames_next(&in->frames, b);
    if (status < 0)
        stop("%s", nb_error());
    if (status > 0 && check(b))
        stop_at(in);
    return status > 0;
}

/* Reads one frame of each input. Returns false at the end of the inputs. Ends the program with an error if the inputs
 * have different numbers of frames. */
static bool read_frames(struct input *in, struct nb_bodies *b)
{
    const bool more = read_one(&in[0], &b[0]);
    for (int k = 1; k < edit_options.input_count; k++)
        if (read_one(&in[k], &b[k]) != more)
            stop("%s has more frames than %s: --stack needs equally many frames (--frame takes some)",
                 nb_snap_name(in[more ? 0 : k].reader), nb_snap_name(in[more ? k : 0].reader));
    return more;
}

/* ---- operations ---- */

struct session {
    struct input *in;
    struct nb_bodies *b; /* one frame of each input */
    struct nb_bodies all;
    const char **names;
    int *parents;
};

static void apply(const struct input *in, int first, int last, struct nb_bodies *b)
{
    for (int k = first; k < last; k++) {
        struct edit_op *op = &edit_options.ops[k];
        if (op->apply(op, b))
            stop("%s: frame %" PRId64 ": --%s: %s", nb_snap_name(in->reader), nb_snap_frame(in->reader), op->name,
                 nb_error());
    }
}

static void stack(struct session *s)
{
    for (int k = 0; k < edit_options.input_count; k++) {
        edit_options.input = k;
        apply(&s->in[k], 0, edit_options.stack, &s->b[k]);
        s->names[k] = nb_snap_name(s->in[k].reader);
    }
    if (edit_stack(s->b, s->names, edit_options.input_count, &s->all, s->parents))
        stop("frame %" PRId64 ": --stack: %s", nb_snap_frame(s->in->reader), nb_error());
    edit_options.input = 0;
    apply(s->in, edit_options.stack, edit_options.count, &s->all);
}

static void record(const struct session *s, struct nb_meta *meta)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, edit_options.seed);
    const char *given = edit_options.samples ? seed : NULL;
    if (edit_options.stack >= 0)
        tool_record_joined(meta, s->parents, edit_options.input_count, given);
    else
        tool_record(meta, given);
}

static void warn_of_none(const struct input *in, const struct nb_bodies *b)
{
    static bool warned;
    if (b->n == 0 && !warned)
        warn("%s: frame %" PRId64 ": no body is left; such frames are written without bodies", nb_snap_name(in->reader),
             nb_snap_frame(in->reader));
    warned |= b->n == 0;
}

/* Applies the operations to one frame of each input. Returns the edited frame. */
static struct nb_bodies *edit(struct session *s)
{
    struct nb_bodies *b = edit_options.stack >= 0 ? &s->all : s->b;
    if (edit_options.stack >= 0)
        stack(s);
    else
        apply(s->in, 0, edit_options.count, b);
    if (check(b))
        stop_at(s->in);
    warn_of_none(s->in, b);
    record(s, &b->meta);
    return b;
}

static void tell(const struct session *s)
{
    struct tool_progress p = tool_progress_of("frame");
    p.file = nb_snap_name(s->in->reader);
    p.frame = (int64_t)edit_options.frame;
    p.time = s->b->meta.time;
    p.done = (double)p.frame + 1;
    tool_progress(&p);
}

static void run(struct session *s)
{
    output = tool_output_open(tool_options.output, true);
    struct nb_snap_writer *writer = must_have(nb_snap_create(tool_output_fd(output), tool_output_name(output)));
    for (; read_frames(s->in, s->b); edit_options.frame++) {
        tell(s);
        if (nb_snap_hand_over(writer, edit(s)))
            tool_output_failed();
        some_written = true;
    }
    tool_progress_end();
    if (nb_snap_finish(writer))
        tool_output_failed();
    nb_snap_destroy(writer);
    tool_output_close(output);
}

/* ---- main ---- */

static void make_session(struct session *s)
{
    const size_t count = (size_t)edit_options.input_count;
    s->in = claimed(calloc(count, sizeof *s->in), "no memory");
    s->b = claimed(calloc(count, sizeof *s->b), "no memory");
    s->names = claimed(calloc(count, sizeof *s->names), "no memory");
    s->parents = claimed(calloc(count, sizeof *s->parents), "no memory");
    nb_bodies_init(&s->all);
    for (size_t k = 0; k < count; k++)
        nb_bodies_init(&s->b[k]);
}

static void free_session(struct session *s)
{
    nb_bodies_free(&s->all);
    for (int k = 0; k < edit_options.input_count; k++)
        nb_bodies_free(&s->b[k]);
    free(s->in);
    free(s->b);
    free(s->names);
    free(s->parents);
}

int main(int argc, char **argv)
{
    struct session s;
    edit_options_parse(argc, argv);
    tool_output_check(tool_options.output, true);
    make_session(&s);
    open_inputs(s.in);
    if (reads_pipe()) /* read the pipe to its end, even after a signal */
        tool_catch_signals();
    run(&s);
    close_inputs(s.in);
    free_session(&s);
    edit_options_free();
    return tool_signal ? 128 + tool_signal : TOOL_OK;
}
