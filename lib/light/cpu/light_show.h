/* light_show.h - rows of pixels as they are shown, for one instruction set: light_show_simd.c. */
#pragma once

#include "light/tone.h"

#include <stdint.h>

struct nb_light_show_set {
    /* Levels of `count` pixels of 4 floats; `scale` as nb_tone_pixel wants it. */
    void (*tone)(const struct nb_tone *tone, float scale, const float *pixel, int count, uint16_t *red, uint16_t *green,
                 uint16_t *blue);
    /* The buckets of nb_light_histogram in which surface brightnesses are. */
    void (*buckets)(const float *brightness, int count, uint16_t *bucket);
};
