/* motion_options.h - what the user says about motion. */
#ifndef NBRENDER_MOTION_OPTIONS_H
#define NBRENDER_MOTION_OPTIONS_H

#include "common/tool_syntax.h"

struct motion_options {
    int interpolate; /* pictures from one frame to the next, 1 or more */
    double shutter;  /* share of the time from picture to picture that it is open, 0 to 1 */
};

extern const struct motion_options motion_defaults;
extern const struct tool_table motion_table;

#endif
