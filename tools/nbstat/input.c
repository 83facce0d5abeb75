/* input.c - opens and reads inputs. After an invalid input, the next input is read. */
#include "nbstat.h"

#include <stdlib.h>
#include <string.h>

struct nb_snap_reader *stat_input_open(const char *path)
{
    if (strcmp(path, "-") == 0) /* tool_input_open prints a hint if stdin is a terminal */
        return tool_input_open(path);
    struct nb_snap_reader *r = nb_snap_open(path, tool_options.salvage);
    if (!r)
        complain("%s", nb_error());
    return r;
}

char *stat_input_name(const struct nb_snap_reader *r)
{
    const size_t size = 4 * strlen(nb_snap_name(r)) + 32;
    char *name = claimed(malloc(size), "no memory");
    return nb_error_escape(name, size, nb_snap_name(r));
}

static int said(struct nb_snap_reader *r, int status)
{
    tool_input_warn(r);
    return status < 0 ? complain("%s", nb_error()) : status;
}

int stat_input_read(struct nb_snap_reader *r, struct nb_bodies *b)
{
    return said(r, nb_snap_read(r, b));
}

int stat_input_skip(struct nb_snap_reader *r, struct nb_bodies *b, uint64_t components[256])
{
    return said(r, nb_snap_tally(r, b, "component", components));
}

int stat_input_verify(struct nb_snap_reader *r)
{
    return said(r, nb_snap_verify(r));
}
