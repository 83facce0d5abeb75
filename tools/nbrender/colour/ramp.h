/* ramp.h - colours in a row: a colour map by its name or from a file, or the palette of components. */
#ifndef NBRENDER_RAMP_H
#define NBRENDER_RAMP_H

#include "light/light.h"

#define RAMP_STEPS   NB_LIGHT_STEPS
#define RAMP_TOP     (RAMP_STEPS - 2) /* the last step of a colour map, the first being 0; RAMP_TOP/2 is its middle */
#define RAMP_NEUTRAL (RAMP_STEPS - 1) /* grey: of what has no colour */
#define RAMP_PALETTE 8                /* colours of components, steps 0 to 7 */

/* Colour of a step: red, green, blue, from 0 to 1, and 1. */
struct colour_ramp {
    float plain[RAMP_STEPS][4]; /* of the display, as the map has it */
    /* Light has a hue, its brightness is for the density: the largest channel is 1, unless the colour is black. */
    float step[RAMP_STEPS][4];  /* linear, as light/light.h wants it */
    float shown[RAMP_STEPS][4]; /* of the display: what a full light of that colour is shown as */
};

/* Fills in the map of that name, or that of a file: lines `r g b`, two or more, from 0 to 1 or all of them from 0 to
 * 255; lines that begin with # and empty ones do not count. Dies with one line where it is neither. */
void ramp_fill(struct colour_ramp *ramp, const char *name);
/* Steps 0 to 7 are colours that can be told apart, of components; all others are grey. */
void ramp_fill_palette(struct colour_ramp *ramp);
/* The names that there are, with commas. */
const char *ramp_names(void);
/* For completion. */
void ramp_offer(const char *typed);

#endif
