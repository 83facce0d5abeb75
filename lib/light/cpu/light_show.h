/* light_show.h - declares the functions that convert rows of pixels for display; one version for each instruction set,
 * see light_show_simd.c. */
#pragma once

#include "light/tone.h"

#include <stdint.h>

struct nb_light_show_set {
    /* Computes the display levels red[k], green[k] and blue[k] of `count` pixels of 4 floats. `scale` is
     * tone->inverse_soft times (picture height)^2. */
    void (*tone)(const struct nb_tone *tone, float scale, const float *pixel, int count, uint16_t *red, uint16_t *green,
                 uint16_t *blue);
    /* Writes to bucket[k] the index of the histogram bucket that contains brightness[k] (nb_light_histogram). */
    void (*buckets)(const float *brightness, int count, uint16_t *bucket);
};
