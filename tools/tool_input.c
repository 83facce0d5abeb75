/* Inputs as every tool treats them. */
#include "tool.h"

#include "error.h"
#include "portable.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct nb_snap_reader *tool_input_open(const char *path)
{
    if (!path)
        path = "-";
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: give a file, or a pipe such as `nbgen plummer -n 1k | %s ...'",
                  nb_program_name());
    struct nb_snap_reader *r = nb_snap_open(path, tool_options.salvage);
    if (!r)
        die("%s", nb_error());
    return r;
}

static void warn_of_damage(struct nb_snap_reader *r)
{
    const char *damage = nb_snap_damage(r);
    if (damage)
        warn("%s", damage);
}

bool tool_input_read(struct nb_snap_reader *r, struct nb_bodies *b)
{
    int status = nb_snap_read(r, b);
    warn_of_damage(r);
    if (status < 0)
        die("%s", nb_error());
    return status > 0;
}

/* The number of the one frame that is asked for. */
static int64_t one_frame(struct nb_snap_reader *r)
{
    int64_t count;
    if (tool_options.frame == TOOL_FRAME_ALL ||
        (tool_options.frame == TOOL_FRAME_LIST && !tool_list_is_one(&tool_options.frames)))
        die_usage("--frame: one frame is wanted, K or -1 for the last");
    if (tool_options.frame != TOOL_FRAME_LIST)
        return tool_options.frame;
    if (tool_input_count(r, &count))
        die("%s", nb_error());
    return tool_list_after(&tool_options.frames, -1, count);
}

void tool_input_frame(const char *path, struct nb_bodies *b)
{
    struct nb_snap_reader *r = tool_input_open(path);
    int status = nb_snap_read_frame(r, one_frame(r), !tool_options.frame_given, b);
    warn_of_damage(r);
    if (status < 0)
        die("%s", nb_error());
    if (nb_bodies_check(b))
        die("%s: frame %lld: %s", nb_snap_name(r), (long long)nb_snap_frame(r), nb_error());
    nb_snap_close(r);
}
