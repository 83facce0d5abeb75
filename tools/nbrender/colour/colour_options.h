/* colour_options.h - what the user says about colours. */
#ifndef NBRENDER_COLOUR_OPTIONS_H
#define NBRENDER_COLOUR_OPTIONS_H

#include "tool_syntax.h"

struct colour_options {
    double speed_slow, speed_fast; /* linear colour range; slow = fast: by rank */
};

extern const struct colour_options colour_defaults;
extern const struct tool_table colour_table;

#endif
