/* Inputs of which one may be bad without keeping the others from being read. */
#include "nbstat.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int stat_complain(const char *format, ...)
{
    va_list args;
    tool_progress_end();
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
    return -1;
}

struct nb_snap_reader *stat_input_open(const char *path)
{
    if (strcmp(path, "-") == 0) /* with the hint for a terminal */
        return tool_input_open(path);
    struct nb_snap_reader *r = nb_snap_open(path, tool_options.salvage);
    if (!r)
        stat_complain("%s", nb_error());
    return r;
}

static int said(struct nb_snap_reader *r, int status)
{
    const char *damage = nb_snap_damage(r);
    if (damage)
        warn("%s", damage);
    return status < 0 ? stat_complain("%s", nb_error()) : status;
}

int stat_input_read(struct nb_snap_reader *r, struct nb_bodies *b)
{
    return said(r, nb_snap_read(r, b));
}

int stat_input_skip(struct nb_snap_reader *r, struct nb_bodies *b)
{
    return said(r, nb_snap_skip(r, b));
}

int stat_input_verify(struct nb_snap_reader *r)
{
    return said(r, nb_snap_verify(r));
}
