/* samples.h - converts levels of a picture to samples of its file with SIMD instructions. */
#pragma once

#include <stdint.h>

#define NB_SAMPLES_CHUNK 32 /* number of dither thresholds, which then repeat along a row */

/* sample = zero + red * R + green * G + blue * B + threshold, truncated to an integer; R, G, B are the levels */
struct nb_samples_mix {
    float red, green, blue, zero;
};

struct nb_samples_set {
    /* Converts three rows (red, green, blue) of n levels to `n` samples of 1 or 2 `bytes` each. threshold:
     * NB_SAMPLES_CHUNK values. */
    void (*mix)(const struct nb_samples_mix *mix, const uint16_t *const level[3], int n, const float *threshold,
                int bytes, void *samples);
    /* Converts two rows (upper, lower) of 2 n levels to `n` samples of each of two planes, for chroma subsampling.
     * Plane k uses mix[k], threshold[k] and samples[k]. R, G and B of a sample are sums of 2 x 3 levels around an even
     * column: 8 times the mean with weights 1 2 1 along the rows and 1 1 across them. Rows are aligned to 4 bytes. */
    void (*mix_pairs)(const struct nb_samples_mix mix[2], const uint16_t *const upper[3],
                      const uint16_t *const lower[3], int n, const float *const threshold[2], int bytes,
                      void *const samples[2]);
    /* Converts `channels` (3 or 4) rows of n levels to n pixels of `channels` bytes. A byte is level / 257 + step /
     * 256, truncated to an integer; level / 257 is first truncated to 8 fractional bits. step[]: NB_SAMPLES_CHUNK
     * values from 0 to 255 for each channel. */
    void (*bytes)(const uint16_t *const level[], int channels, int n, const uint16_t *const step[],
                  unsigned char *pixels);
};

/* Returns the functions for the instruction set in use. */
const struct nb_samples_set *nb_samples(void);
