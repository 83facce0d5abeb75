/* samples.h - converts the levels of a picture (16 bits, for red, green and blue) to samples, the numbers that are
 * stored in a picture or video file. Uses SIMD instructions. */
#pragma once

#include <stdint.h>

#define NB_SAMPLES_CHUNK 32 /* number of dither thresholds; column x uses the threshold with index x % 32 */

/* sample = zero + red * R + green * G + blue * B + threshold, truncated to an integer; R, G, B are the levels */
struct nb_samples_mix {
    float red, green, blue, zero;
};

struct nb_samples_set {
    /* Converts three rows (red, green, blue) of n levels to n samples by the formula at struct nb_samples_mix. bytes:
     * size of a sample, 1 or 2 bytes. threshold[]: NB_SAMPLES_CHUNK dither thresholds. */
    void (*mix)(const struct nb_samples_mix *mix, const uint16_t *const level[3], int n, const float *threshold,
                int bytes, void *samples);
    /* Converts two neighbouring rows of 2 n levels to n samples of each of the two colour-difference planes (4:2:0
     * video). Plane k uses mix[k], threshold[k] and samples[k]. For sample i, R, G and B are sums of the levels in
     * columns 2 i - 1, 2 i and 2 i + 1 of both rows, with the weights 1, 2 and 1. Such a sum is 8 times a mean level,
     * so the factors in mix[k] must be divided by 8. Rows are aligned to 4 bytes. */
    void (*mix_pairs)(const struct nb_samples_mix mix[2], const uint16_t *const upper[3],
                      const uint16_t *const lower[3], int n, const float *const threshold[2], int bytes,
                      void *const samples[2]);
    /* Converts `channels` (3 or 4) rows of n levels to n pixels of `channels` bytes. A byte is the integer part of L +
     * step / 256. L is level / 257 truncated to a multiple of 1/256. step[]: dither thresholds, NB_SAMPLES_CHUNK values
     * from 0 to 255 for each channel. */
    void (*bytes)(const uint16_t *const level[], int channels, int n, const uint16_t *const step[],
                  unsigned char *pixels);
};

/* Returns the functions for the instruction set in use. */
const struct nb_samples_set *nb_samples(void);
