/* Inputs as every tool treats them. */
#include "tool.h"

#include "error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct nb_snap_reader *tool_input_open(const char *path)
{
    if (!path)
        path = "-";
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: give a file, or a pipe such as `nbgen plummer -n 1k | %s ...'",
                  program_invocation_short_name);
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

void tool_input_frame(const char *path, struct nb_bodies *b)
{
    struct nb_snap_reader *r = tool_input_open(path);
    if (tool_options.frame == TOOL_FRAME_ALL)
        die_usage("--frame all: one frame is wanted, K or last");
    int status = nb_snap_read_frame(r, tool_options.frame, !tool_options.frame_given, b);
    warn_of_damage(r);
    if (status < 0)
        die("%s", nb_error());
    if (nb_bodies_check(b))
        die("%s: frame %lld: %s", nb_snap_name(r), (long long)nb_snap_frame(r), nb_error());
    nb_snap_close(r);
}
