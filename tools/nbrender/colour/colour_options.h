/* colour_options.h - what the user says about the colour and the light of bodies. */
#ifndef NBRENDER_COLOUR_OPTIONS_H
#define NBRENDER_COLOUR_OPTIONS_H

#include "common/tool_syntax.h"
#include "nbrender/colour/scale.h"

struct colour_options {
    const char *color;    /* speed, density, component or a column */
    const char *colormap; /* a name or a file */
    enum scaling scaling;
    double low, high;   /* of the scale; low = high: from what there is */
    const char *weight; /* mass, count or a column */
};

/* Dies (usage) on what cannot be together; `smooth` is that of the light. */
void colour_options_check(const struct colour_options *o, double smooth, bool is_map);

extern const struct colour_options colour_defaults;
extern const struct tool_table colour_table;

#endif
