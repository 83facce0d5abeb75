/* samples.h - from levels of a picture to the samples of its file, in vectors of the instruction set in use. */
#pragma once

#include <stdint.h>

#define NB_SAMPLES_CHUNK 32 /* thresholds, which repeat */

struct nb_samples_mix { /* sample = zero + red R + green G + blue B + threshold, cut off */
    float red, green, blue, zero;
};

struct nb_samples_set {
    /* `n` samples of `bytes` 1 or 2 from rows of n levels: red, green, blue. */
    void (*mix)(const struct nb_samples_mix *mix, const uint16_t *const level[3], int n, const float *threshold,
                int bytes, void *samples);
    /* `n` samples each of two planes from 8 times the means over two rows of 2 n levels and, with weights 1 2 1, over
     * three columns about each even one. Rows begin at multiples of 4 bytes. */
    void (*mix_pairs)(const struct nb_samples_mix mix[2], const uint16_t *const upper[3],
                      const uint16_t *const lower[3], int n, const float *const threshold[2], int bytes,
                      void *const samples[2]);
    /* Of `channels` 3 or 4 rows of n levels pixels of so many bytes: level / 257, with 8 bits of fraction to which
     * `step`, 0 to 255, is added before they are cut off. */
    void (*bytes)(const uint16_t *const level[], int channels, int n, const uint16_t *const step[],
                  unsigned char *pixels);
};

/* For the instruction set in use. */
const struct nb_samples_set *nb_samples(void);
