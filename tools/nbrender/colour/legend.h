/* legend.h - what the colours of a picture mean, for a colour bar. */
#ifndef NBRENDER_LEGEND_H
#define NBRENDER_LEGEND_H

#include "nbrender/colour/scale.h"

struct legend {
    const char *label;        /* "speed"; "component"; a column's name */
    const char *unit;         /* as columns have it ("L/T"); "-": none */
    const float (*colour)[4]; /* of the display, of steps 0 to RAMP_TOP */
    const struct colour_scale
        *scale; /* scale_value says what is where; NULL: components, steps 0 to RAMP_PALETTE - 1 */
};

#endif
