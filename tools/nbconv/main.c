/* nbconv - translates snapshots to and from what others read. */
#include "nbconv.h"

#include "error.h"

/* ---- into a stream ---- */

void conv_import_meta(const struct conv_import *import, struct nb_meta *meta)
{
    if (nb_meta_copy(meta, &import->options->meta))
        die("%s", nb_error());
}

static void store_single(struct nb_column *c, uint64_t n, const char *where)
{
    const struct nb_known *known = nb_column_known(c->name);
    const bool may = c->type == NB_F64 && (!known || nb_known_type(known, NB_F32) == NB_F32);
    if (may && nb_column_narrow(c, n))
        die("%s: %s (--store f64)", where, nb_error());
}

void conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where)
{
    if (nb_bodies_check(b))
        die("%s: %s", where, nb_error());
    for (int k = 0; k < b->column_count && import->options->store == NB_F32; k++)
        store_single(&b->columns[k], b->n, where);
    tool_record(&b->meta, NULL);
    if (nb_snap_write(import->writer, b))
        tool_output_failed();
}

static void run_import(const struct conv_options *o)
{
    struct conv_import import = {.options = o, .output = tool_output_open(tool_options.output, true)};
    import.writer = nb_snap_create(tool_output_fd(import.output), tool_output_name(import.output));
    if (!import.writer)
        die("%s", nb_error());
    o->from->from(&import, o->input);
    if (nb_snap_finish(import.writer))
        tool_output_failed();
    nb_snap_destroy(import.writer);
    tool_output_close(import.output);
}

/* ---- out of a stream ---- */

static bool next_frame(struct nb_snap_reader *r, struct tool_frames *f, struct nb_bodies *b)
{
    if (tool_options.frame == TOOL_FRAME_ALL)
        return tool_input_read(r, b);
    int status = tool_frames_next(f, b);
    if (status < 0)
        die("%s", nb_error());
    return status > 0;
}

static void export_several(const struct conv_options *o, struct tool_output *output)
{
    struct nb_snap_reader *r = tool_input_open(o->input);
    struct tool_frames frames;
    struct nb_bodies b;
    nb_bodies_init(&b);
    if (tool_options.frame == TOOL_FRAME_LIST && tool_frames_begin(&frames, r))
        die("%s", nb_error());
    for (bool first = true; next_frame(r, &frames, &b); first = false) {
        if (nb_bodies_check(&b))
            die("%s: frame %lld: %s", nb_snap_name(r), (long long)nb_snap_frame(r), nb_error());
        o->to->to(o, &b, nb_snap_frame(r), first, output);
    }
    nb_bodies_free(&b);
    nb_snap_close(r);
}

static void export_one(const struct conv_options *o, struct tool_output *output)
{
    struct nb_bodies b;
    nb_bodies_init(&b);
    tool_input_frame(o->input, &b);
    o->to->to(o, &b, -1, true, output);
    nb_bodies_free(&b);
}

static void run_export(const struct conv_options *o)
{
    struct tool_output *output = tool_output_open(tool_options.output, false);
    const bool list = tool_options.frame == TOOL_FRAME_LIST && !tool_list_is_one(&tool_options.frames);
    if (list || tool_options.frame == TOOL_FRAME_ALL)
        export_several(o, output);
    else
        export_one(o, output);
    tool_output_close(output);
}

int main(int argc, char **argv)
{
    struct conv_options options;
    conv_options_parse(&options, argc, argv);
    if (options.from)
        run_import(&options);
    else
        run_export(&options);
    return TOOL_OK;
}
