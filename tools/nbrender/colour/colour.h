/* colour.h - the colour of a body: its speed, placed on a ramp from blue (slow) through green to red (fast). */
#ifndef NBRENDER_COLOUR_H
#define NBRENDER_COLOUR_H

#include "bodies.h"
#include "light/light.h"

#include <stdint.h>

#define COLOUR_STEPS NB_LIGHT_STEPS

/* Colour of a step: red, green, blue, from 0 to 1, and 1. */
struct colour_ramp {
    float step[COLOUR_STEPS][4];  /* linear, of light */
    float shown[COLOUR_STEPS][4]; /* of the display: what light of that colour alone is shown as (light/tone.h) */
};

void colour_ramp_fill(struct colour_ramp *ramp);

struct colour_scale; /* from speed to a step of the ramp */

/* Slow end at speed `slow`, fast end at `fast`, linear between. */
struct colour_scale *colour_scale_linear(double slow, double fast);
/* By rank among the speeds of these bodies: slowest at one end, fastest at the other, the median in the middle. Each
 * body counts as spread over 1/sqrt(n) octaves to both sides, so that a few bodies that change their speeds change
 * their colours gradually; that of one body alone is green at its first speed, blue at half and red at twice it. */
struct colour_scale *colour_scale_rank(const struct nb_bodies *b);
void colour_scale_free(struct colour_scale *scale);

/* Steps of the ramp for bodies [i0, i0 + count) of a vel column. */
void colour_of_speed(const struct colour_scale *scale, const struct nb_column *vel, uint64_t i0, int count,
                     uint16_t *step);

/* The median speed of the bodies, of a sample where they are many. */
double colour_median_speed(const struct nb_bodies *b);

#endif
