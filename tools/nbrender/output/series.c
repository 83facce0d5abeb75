/* Opens and closes the files of formats that write each picture to a separate file. The name of a file contains the
 * number of its frame. */
#include "nbrender/nbrender.h"

#include <errno.h>

void *series_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o)
{
    (void)kind, (void)file;
    struct series *s = claimed(calloc(1, sizeof *s), "no memory");
    s->options = &o->output;
    tool_series_parse(path, &s->name);
    if (!s->name.numbered)
        tool_output_check(s->name.prefix, true);
    return s;
}

void series_give(void *state, struct job *job)
{
    const struct series *s = state;
    char *name = tool_series_name(&s->name, (long long)job->picture.info.frame);
    job->file = tool_output_open(name, true);
    if (!tool_series_has_folders(&s->name))
        tool_output_folder_later(job->file);
    free(name);
}

void series_take(void *state, struct job *job)
{
    (void)state;
    tool_output_close(job->file);
}

/* Syncs the folder of the pictures, so that the new names of all files are on disk. The contents of the files were
 * synced before. */
void series_close(void *state)
{
    struct series *s = state;
    if (!tool_series_has_folders(&s->name) && tool_sync_folder(s->name.prefix))
        die("%s: the folder of the pictures cannot be synced: %s", s->name.prefix, strerror(errno));
    tool_series_free(&s->name);
    free(s);
}
