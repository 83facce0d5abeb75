/* tone.h - converts light to levels of display: the brightness of red, green and blue, 0 to 1, with gamma, as stored in
 * a picture file. A curve gives the level of a pixel's brightest channel from the pixel's light (the fourth float). The
 * other two levels are chosen so that the hue does not change: if the colour of the light has a ratio r of two
 * channels, the ratio of their levels is sqrt(r).
 *
 * The curve (tone_curve.h) for surface brightness s, in light per (picture height)^2, is
 *     sqrt(factor log2(e) asinh(s inverse_soft)).
 * It is a square root for faint light, which is close to the display's own gamma, and nearly flat for bright light
 * (asinh: Lupton et al. 2004, PASP 116, 133). A toe makes the faintest part linear, so that black stays black. A
 * shoulder keeps all levels below 1. Bright pixels are mixed with white, up to NB_TONE_PALEST. */
#pragma once

#include "base/extern_c.h"

NB_C_BEGIN

#define NB_TONE_FULL 65535 /* brightest level of a channel */

/* Parameters of the curve (see above). */
struct nb_tone {
    float inverse_soft;
    float factor;
};

/* Histogram of a picture's light over surface brightness. Bucket k holds the sum of the light in squares of pixels
 * (nb_light_measure) with surface brightness from 2^((k - NB_LIGHT_ZERO) / NB_LIGHT_OCTAVE) to the lower limit of
 * bucket k + 1. */
#define NB_LIGHT_BUCKETS 4096
#define NB_LIGHT_OCTAVE  16
#define NB_LIGHT_ZERO    2048
struct nb_light_histogram {
    double total;
    double light[NB_LIGHT_BUCKETS];
};

/* Returns the surface brightness below which the share q (0 to 1) of the light lies, or 0 if there is no light. */
double nb_light_quantile(const struct nb_light_histogram *h, double q);

/* Surface brightnesses from which an exposure is chosen: 97 % of the light has a surface brightness below `white`, 50 %
 * below `median`, and 1 % below `faint`. If one exposure is chosen for several pictures, `dim` is the `white` of the
 * dimmest picture. */
struct nb_light_range {
    double white, median, faint, dim; /* all are 0 if there is no light */
};
/* Computes the range of one histogram, with `dim` equal to `white`. */
void nb_light_range_find(struct nb_light_range *range, const struct nb_light_histogram *h);

/* Sets `tone` to a curve that displays range->white at level NB_TONE_WHITE. If possible, it displays range->median,
 * faint and dim at least at the levels NB_TONE_MEDIAN, NB_TONE_FAINT and NB_TONE_DIM. Then changes the curve as if all
 * light were multiplied by `exposure`. */
#define NB_TONE_WHITE  0.93
#define NB_TONE_MEDIAN 0.42
#define NB_TONE_FAINT  0.08
#define NB_TONE_DIM    0.36
void nb_tone_set(struct nb_tone *tone, const struct nb_light_range *range, double exposure);
/* Calls nb_light_range_find and nb_tone_set for the histogram of one picture. */
void nb_tone_expose(struct nb_tone *tone, const struct nb_light_histogram *h, double exposure);

/* Returns the integral of the displayed level (0 to 1) over the picture's area, in units of (picture height)^2. */
double nb_tone_mean(const struct nb_tone *tone, const struct nb_light_histogram *h);
/* Returns the factor of the light, from 1/most to most, that makes nb_tone_mean equal to `wanted`. */
double nb_tone_factor(const struct nb_tone *tone, const struct nb_light_histogram *h, double wanted, double most);

NB_C_END
