/* tone.h - converts light to display levels of red, green and blue: numbers from 0 to 1, as stored in a picture file
 * (with gamma).
 *
 * A curve gives the level of a pixel's brightest channel from the pixel's light. The other two channels get levels that
 * preserve the hue: if the colour values of two channels have the ratio r, their levels have the ratio sqrt(r).
 *
 * The curve (tone_curve.h) for surface brightness s, in light per (picture height)^2, is
 *     sqrt(factor * asinh(s * inverse_soft) / ln 2).
 * For faint light it is a square root, which is close to the display's own gamma. For bright light it is nearly flat
 * (asinh: Lupton et al. 2004, PASP 116, 133). The curve is then changed at both ends: it becomes linear for the
 * faintest light (toe), so that black stays black, and flatter for the brightest light (shoulder), so that all levels
 * are below 1. Bright pixels are mixed with white, up to the fraction NB_TONE_PALEST. */
#pragma once

#include "base/extern_c.h"

NB_C_BEGIN

#define NB_TONE_FULL 65535 /* brightest level of a channel */

/* Parameters of the curve sqrt(factor * asinh(s * inverse_soft) / ln 2), where s is the surface brightness. */
struct nb_tone {
    float inverse_soft;
    float factor;
};

/* Histogram: how much light of a picture has which surface brightness. nb_light_measure divides the picture into square
 * blocks of pixels. A block with the surface brightness b adds its light to light[k], where k is floor(log2(b) *
 * NB_LIGHT_OCTAVE) + NB_LIGHT_ZERO. */
#define NB_LIGHT_BUCKETS 4096
#define NB_LIGHT_OCTAVE  16
#define NB_LIGHT_ZERO    2048
struct nb_light_histogram {
    double total;
    double light[NB_LIGHT_BUCKETS];
};

/* Returns the quantile q (0 to 1): the surface brightness below which the fraction q of the light lies. Returns 0 if
 * there is no light. */
double nb_light_quantile(const struct nb_light_histogram *h, double q);

/* Surface brightnesses from which an exposure is chosen: about 97 % of the light has a surface brightness below
 * `white`, 50 % below `median`, and 1 % below `faint`. If one exposure is chosen for several pictures, `dim` is the
 * `white` of the dimmest picture. */
struct nb_light_range {
    double white, median, faint, dim; /* all are 0 if there is no light */
};
/* Computes *range from one histogram, and sets range->dim to range->white. */
void nb_light_range_find(struct nb_light_range *range, const struct nb_light_histogram *h);

/* Chooses a curve that displays range->white at the level NB_TONE_WHITE. If possible, the curve displays range->median,
 * faint and dim at least at the levels NB_TONE_MEDIAN, NB_TONE_FAINT and NB_TONE_DIM. Light is multiplied by `exposure`
 * before the curve is applied; `tone` includes this factor. */
#define NB_TONE_WHITE  0.93
#define NB_TONE_MEDIAN 0.42
#define NB_TONE_FAINT  0.08
#define NB_TONE_DIM    0.36
void nb_tone_set(struct nb_tone *tone, const struct nb_light_range *range, double exposure);
/* Calls nb_light_range_find and nb_tone_set for the histogram of one picture. */
void nb_tone_expose(struct nb_tone *tone, const struct nb_light_histogram *h, double exposure);

/* Returns the integral of the displayed level (0 to 1) over the area of the picture. The unit of area is the square of
 * the picture height. */
double nb_tone_mean(const struct nb_tone *tone, const struct nb_light_histogram *h);
/* Returns the factor by which all light must be multiplied to make nb_tone_mean equal to `wanted`. If this factor is
 * outside the range from 1/most to most, returns the nearest value in this range. */
double nb_tone_factor(const struct nb_tone *tone, const struct nb_light_histogram *h, double wanted, double most);

NB_C_END
