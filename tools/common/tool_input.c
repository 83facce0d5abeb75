/* tool_input.c - opens an input, and reads one frame from it, for all tools. */
#include "common/tool.h"

#include "base/portable.h"

#include <string.h>
#include <unistd.h>

struct nb_snap_reader *tool_input_open(const char *path)
{
    if (!path)
        path = "-";
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: name a file, or use a pipe such as `nbgen plummer -n 1k | %s ...'",
                  nb_program_name());
    return must_have(nb_snap_open(path, tool_options.salvage));
}

void tool_input_warn(struct nb_snap_reader *r)
{
    const char *damage = nb_snap_damage(r);
    if (damage)
        warn("%s", damage);
}

bool tool_input_read(struct nb_snap_reader *r, struct nb_bodies *b)
{
    int status = nb_snap_read(r, b);
    tool_input_warn(r);
    must(status < 0);
    return status > 0;
}

static noreturn void die_one(void)
{
    die_usage("%s: expected one frame, %s", tool_frame_option(), tool_options.times ? "T" : "K or -1 for the last");
}

/* Returns the number of the frame that was chosen with --frame or --times. Dies if several frames were chosen. */
static int64_t one_frame(struct nb_snap_reader *r)
{
    int64_t count;
    if (tool_options.frame == TOOL_FRAME_ALL || (tool_options.frame == TOOL_FRAME_LIST && !tool_frame_is_one()))
        die_one();
    if (tool_options.frame != TOOL_FRAME_LIST)
        return tool_options.frame;
    must(tool_input_count(r, &count));
    if (tool_options.times_listed && !tool_frame_is_one())
        die("%s: several frames have this time (--frame K selects one)", nb_snap_name(r));
    return tool_list_after(&tool_options.frames, -1, count);
}

/* Stores in b the frame whose time matches --times. Reads all frames, because a pipe cannot be searched in advance. */
static int read_timed(struct nb_snap_reader *r, struct nb_bodies *b)
{
    struct nb_bodies spare;
    int64_t found = 0;
    int status;
    nb_bodies_init(&spare);
    while ((status = nb_snap_read(r, &spare)) > 0) {
        tool_input_warn(r);
        tool_times_note(tool_options.times, nb_snap_frame(r), &spare.meta);
        if (!tool_times_has(tool_options.times, &spare.meta))
            continue;
        nb_bodies_swap(b, &spare);
        found++;
    }
    nb_bodies_free(&spare);
    if (status == 0 && tool_times_check(tool_options.times))
        status = nb_fail("%s: --times: %s", nb_snap_name(r), nb_error());
    return status < 0  ? -1
           : found > 1 ? nb_fail("%s: several frames have this time (--frame K selects one)", nb_snap_name(r))
                       : 1;
}

void tool_input_frame(const char *path, struct nb_bodies *b)
{
    struct nb_snap_reader *r = tool_input_open(path);
    const int64_t frame = one_frame(r);
    const bool timed = tool_options.times && !tool_options.times_listed;
    int status = timed ? read_timed(r, b) : nb_snap_read_frame(r, frame, !tool_options.frame_given, b);
    tool_input_warn(r);
    must(status < 0);
    if (nb_bodies_check(b))
        die("%s: frame %lld: %s", nb_snap_name(r), (long long)nb_snap_frame(r), nb_error());
    nb_snap_close(r);
}
