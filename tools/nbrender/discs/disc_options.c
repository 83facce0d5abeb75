#include "nbrender/nbrender.h"

const struct tool_option disc_table[] = {
    {"style", "auto|light|discs", tool_take_word, &render_given.discs.style,
     "each body light, or a disc with a size by its mass, of bodies that touch with their radius (default auto: discs where the first frame has at most 200, or shows that radius)"},
    {"point-size", "PIXELS", tool_take_positive, &render_given.discs.point_size,
     "diameter of the disc of the most massive body, those of others in proportion (default 1/27 of the picture's height)",
     0.5, RENDER_SIZE_MAX, "not from 0.5 to 16384"},
    {"trails", "T", tool_take_positive, &render_given.discs.trails,
     "behind each disc its path of the last T time units, fading (default: none)"},
    {"labels", "id|COLUMN|NAMES", tool_take_text, &render_given.discs.labels,
     "beside each disc its id, a value of a column, or its name: A,B,... by increasing id"},
    {0},
};
