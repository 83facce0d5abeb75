/* light_options.h - what the user says about light. */
#ifndef NBRENDER_LIGHT_OPTIONS_H
#define NBRENDER_LIGHT_OPTIONS_H

#include "common/tool_syntax.h"

enum exposure_mode { EXPOSURE_AUTO, EXPOSURE_FIXED, EXPOSURE_ADAPT };

struct light_options {
    double smooth; /* bodies of a footprint's cell; 0: footprints of one size */
    double stars, bloom;
    double exposure; /* a factor */
    enum exposure_mode exposure_mode;
};

extern const struct light_options light_defaults;
extern const struct tool_table light_table;

#endif
