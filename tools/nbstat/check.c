/* check.c - --check verifies all checksums and the completeness of each file. */
#include "nbstat.h"

#include <inttypes.h>
#include <stdlib.h>

static void report(struct stat_output *out, const struct nb_snap_reader *r, uint64_t fewest, uint64_t most)
{
    const int64_t frames = nb_snap_frame(r) + 1;
    char *name = stat_input_name(r);
    fprintf(out->text, "%s: ok, %" PRId64 " frame%s, %" PRIu64, name, frames, frames == 1 ? "" : "s", fewest);
    if (most > fewest)
        fprintf(out->text, " to %" PRIu64, most);
    fprintf(out->text, " %s\n", most == 1 ? "body" : "bodies");
    free(name);
    stat_output_flush(out);
}

static void tell(const struct nb_snap_reader *r)
{
    struct tool_progress p = tool_progress_of("frame");
    p.file = nb_snap_name(r);
    p.frame = nb_snap_frame(r);
    p.done = (double)p.frame + 1;
    tool_progress(&p);
}

static int check(struct stat_output *out, const char *path)
{
    struct nb_snap_reader *r = stat_input_open(path);
    uint64_t fewest = UINT64_MAX, most = 0;
    int status;
    if (!r)
        return -1;
    while ((status = stat_input_verify(r)) > 0) {
        uint64_t n = nb_snap_bodies(r);
        fewest = n < fewest ? n : fewest;
        most = n > most ? n : most;
        tell(r);
    }
    if (status == 0 && !tool_options.quiet)
        report(out, r, fewest, most);
    nb_snap_close(r);
    return status;
}

int stat_check(const struct stat_options *o)
{
    struct stat_output out;
    int failures = 0;
    stat_output_open(&out);
    for (int k = 0; k < o->input_count; k++)
        failures += check(&out, o->inputs[k]) != 0;
    tool_progress_end();
    stat_output_close(&out, true); /* true: the report is complete even if it lists failures */
    return failures ? TOOL_FAILED : TOOL_OK;
}
