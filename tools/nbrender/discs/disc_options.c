/* Options for discs, trails and labels. */
#include "nbrender/nbrender.h"

#include <errno.h>

/* Reads the value of --trails: LENGTH or LENGTH:CONDITION. LENGTH is a time, and CONDITION selects the bodies with
 * trails. */
static void take_trails(const struct tool_option *o, const char *text)
{
    struct disc_options *to = o->to;
    const char *colon = strchr(text, ':');
    char *length = claimed(strndup(text, colon ? (size_t)(colon - text) : strlen(text)), "no memory");
    to->trails = tool_positive(o->name, length);
    free(length);
    nb_select_free(to->trailed);
    errno = 0;
    to->trailed = colon ? tool_select_checked(o->name, colon + 1, nb_select_parse(colon + 1)) : NULL;
}

const struct tool_option disc_table[] = {
    {"style", "auto|light|discs", tool_take_word, &render_given.discs.style,
     "draw bodies as light, or as discs with a size from their mass or radius (default auto: discs if the first "
     "frame has at most 200 bodies or shows their radius)"},
    {"point-size", "PIXELS", tool_take_positive, &render_given.discs.point_size,
     "diameter of the disc of the most massive body (default 1/27 of the picture's height)", 0.5, RENDER_SIZE_MAX,
     "must be from 0.5 to 16384"},
    {"trails", "T[:COND]", take_trails, &render_given.discs,
     "draw the path of each body over the last T time units, or only of bodies that satisfy a condition, such as "
     "hole (default: none)"},
    {"labels", "id|COLUMN|NAMES", tool_take_text, &render_given.discs.labels,
     "label of each disc: its id, the value of a column, or a name: A,B,... by increasing id"},
    {0},
};
