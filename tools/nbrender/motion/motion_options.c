/* Options for motion: interpolation, motion blur and averages. */
#include "nbrender/nbrender.h"

const struct tool_option motion_table[] = {
    {.about = "Motion:"},
    {"interpolate", "K", tool_take_integer, &render_given.motion.interpolate,
     "make K pictures from one frame to the next. Bodies move on cubic curves through positions and velocities "
     "(default 1)",
     1, 10000, "must be from 1 to 10000 pictures"},
    {"shutter", "SHARE", tool_take_not_negative, &render_given.motion.shutter,
     "motion blur: gather light over this fraction, 0 to 1, of the time to the next picture (default 0)", 0, 1,
     "must be from 0 to 1"},
    {"average", "T", tool_take_positive, &render_given.motion.average,
     "average each picture over the frames of the last T time units, which reduces the noise of steady flows "
     "(default: one frame)",
     .excludes = "interpolate|shutter"},
    {0},
};
