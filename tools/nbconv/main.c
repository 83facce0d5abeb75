/* main.c - nbconv converts snapshots to and from other formats. */
#include "common/tool_series.h"
#include "nbconv/nbconv.h"
#include "snap/narrow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reports the progress when frame b has been written. total: number of frames to be written, or -1 if it is unknown. */
static void tell(const struct nb_bodies *b, int64_t total)
{
    static double done;
    struct tool_progress p = tool_progress_of("frame");
    p.done = ++done;
    p.total = total > 0 ? (double)total : NAN;
    p.time = b->meta.time;
    tool_progress(&p);
}

static noreturn void die_failed(void)
{
    if (conv_is_misused())
        die_usage("%s", nb_error());
    die("%s", nb_error());
}

/* ---- import: to a stream ---- */

static int store_single(struct nb_column *c, uint64_t n, const char *where)
{
    const struct nb_known *known = nb_column_known(c->name);
    const bool may = c->type == NB_F64 && (!known || nb_known_type(known, NB_F32) == NB_F32);
    return may && nb_column_narrow(c, n) ? nb_fail("%s: %s (--store f64)", where, nb_error()) : 0;
}

int conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where)
{
    if (nb_bodies_check(b))
        return nb_fail("%s: %s", where, nb_error());
    for (int k = 0; k < b->column_count && import->options->store == NB_F32; k++)
        if (store_single(&b->columns[k], b->n, where))
            return -1;
    tool_record(&b->meta, NULL);
    if (nb_snap_write(import->writer, b))
        tool_output_failed();
    tell(b, -1);
    return 0;
}

static void run_import(const struct conv_options *o)
{
    int count;
    const char *const *operands = tool_operands(&count);
    struct conv_import import = {.options = o, .output = tool_output_open(tool_options.output, true)};
    import.writer = must_have(nb_snap_create(tool_output_fd(import.output), tool_output_name(import.output)));
    for (int k = 0; k < count || k == 0; k++)
        if (o->from->from(&import, count ? operands[k] : NULL))
            die_failed();
    if (nb_snap_finish(import.writer))
        tool_output_failed();
    nb_snap_destroy(import.writer);
    tool_output_close(import.output);
}

/* ---- export: from a stream ---- */

struct export
{ /* output of frames: one file, or a file for each frame */
    struct conv_export to;
    struct tool_series name;
    bool each;
};

static void open_export(struct export *e, long long frame)
{
    char *name = e->each ? tool_series_name(&e->name, frame) : NULL;
    e->to.output = tool_output_open(e->each ? name : tool_options.output, e->to.options->to->binary);
    if (e->each && !tool_series_has_folders(&e->name))
        tool_output_folder_later(e->to.output);
    e->to.first = true;
    free(name);
}

/* Returns 0, or -1 after nb_fail if the format cannot store the frame. */
static int export_frame(struct export *e, const struct nb_bodies *b, int64_t frame)
{
    if (e->each)
        open_export(e, (long long)frame);
    e->to.frame = frame;
    if (e->to.options->to->to(&e->to, b))
        return -1;
    e->to.first = false;
    if (e->each)
        tool_output_close(e->to.output);
    return 0;
}

static void export_several(struct export *e)
{
    struct nb_snap_reader *r = tool_input_open(e->to.options->input);
    struct tool_frames frames;
    struct nb_bodies b;
    int64_t count;
    int status;
    nb_bodies_init(&b);
    if (nb_snap_count(r, &count))
        count = -1; /* -1: unknown. Only progress reports use `count`. If the file is damaged, reading a frame fails */
    must(tool_frames_begin(&frames, r));
    while ((status = tool_frames_next(&frames, &b)) > 0) {
        if (nb_bodies_check(&b) || export_frame(e, &b, nb_snap_frame(r))) {
            if (!conv_is_misused())
                nb_fail("%s: frame %lld: %s", nb_snap_name(r), (long long)nb_snap_frame(r), nb_error());
            die_failed();
        }
        tell(&b, tool_options.frame == TOOL_FRAME_ALL ? count : -1);
    }
    must(status);
    nb_bodies_free(&b);
    nb_snap_close(r);
}

static void export_one(struct export *e)
{
    struct nb_bodies b;
    nb_bodies_init(&b);
    tool_input_frame(e->to.options->input, &b);
    if (export_frame(e, &b, -1))
        die_failed();
    tell(&b, 1);
    nb_bodies_free(&b);
}

/* Exports one or several frames. If the name of the output contains %d, and neither --frame nor --times is given,
 * exports all frames. */
static void run_export(const struct conv_options *o)
{
    struct export e = {.to.options = o};
    const bool to_stdout = tool_is_stdout(tool_options.output);
    if (!to_stdout)
        tool_series_parse(tool_options.output, &e.name);
    e.each = e.name.numbered;
    if (e.each && !tool_options.frame_given)
        tool_take_frame(NULL, "all");
    const bool list = tool_options.frame == TOOL_FRAME_LIST && !tool_frame_is_one();
    const bool several = e.each || list || tool_options.frame == TOOL_FRAME_ALL;
    if (o->to->file_alone && (to_stdout || (several && !e.each)))
        die_usage("%s needs one file for each frame: use %s", o->to->name,
                  several ? "a name with a number, such as -o snap_%03d" : "-o FILE");
    if (!e.each)
        open_export(&e, 0);
    if (several)
        export_several(&e);
    else
        export_one(&e);
    if (!e.each)
        tool_output_close(e.to.output);
    else if (!tool_series_has_folders(&e.name) && tool_sync_folder(e.name.prefix))
        die("%s: the folder of the files cannot be synced: %s", e.name.prefix, strerror(errno));
    tool_series_free(&e.name);
}

int main(int argc, char **argv)
{
    struct conv_options options;
    conv_options_parse(&options, argc, argv);
    const struct conv_format *format = options.from ? options.from : options.to;
    if (format->missing)
        die("%s: %s", format->name, format->missing);
    if (options.from)
        run_import(&options);
    else
        run_export(&options);
    tool_progress_end();
    return TOOL_OK;
}
