/* light_options.h - what the user says about light. */
#ifndef NBRENDER_LIGHT_OPTIONS_H
#define NBRENDER_LIGHT_OPTIONS_H

#include "tool_syntax.h"

struct light_options {
    double smooth; /* bodies of a footprint's cell; 0: footprints of one size */
    double stars, bloom;
    double exposure;
};

extern const struct light_options light_defaults;
extern const struct tool_table light_table;

#endif
