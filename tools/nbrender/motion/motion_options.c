#include "nbrender/nbrender.h"

const struct tool_option motion_table[] = {
    {.about = "Motion:"},
    {"interpolate", "K", tool_take_integer, &render_given.motion.interpolate,
     "K pictures from one frame to the next, bodies on curves between them by their positions and velocities, matched by id (default 1)",
     1, 10000, "not from 1 to 10000 pictures"},
    {"shutter", "SHARE", tool_take_not_negative, &render_given.motion.shutter,
     "blur motion: light is gathered for this share, 0 to 1, of the time to the next picture (default 0)", 0, 1,
     "not from 0 to 1"},
    {"average", "T", tool_take_positive, &render_given.motion.average,
     "a picture is the average of the frames of the last T time units: light and maps of a steady flow have less noise, and are sharper (default: of one frame)",
     .excludes = "interpolate|shutter"},
    {0},
};
