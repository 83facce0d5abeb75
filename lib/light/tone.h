/* tone.h - from light to what is shown. One curve for a pixel's light (its fourth channel) gives its largest channel's
 * level; the others follow by the ratios of the colour, so hue is kept.
 *
 * Levels are of the display, gamma included: what goes into a picture file. Colours of light are linear: a ratio r of
 * two channels is shown as sqrt(r).
 *
 * The curve (tone_curve.h) for surface brightness s, in light per (picture height)^2:
 *     sqrt(factor log2(e) asinh(s inverse_soft)), so as the square root for faint light, which is about the display's
 * own gamma, and nearly flat for bright (asinh: Lupton et al. 2004, PASP 116, 133); a toe, which makes the faintest
 * linear, so that black is black; a shoulder, which no light takes to the full level, where colours go half the way to
 * white. */
#pragma once

#include "base/extern_c.h"

NB_C_BEGIN

#define NB_TONE_FULL 65535 /* the brightest level of a picture's channel */

struct nb_tone {
    float inverse_soft;
    float factor;
};

/* The distribution of a picture's light over its surface brightness: bucket k holds the light in places whose surface
 * brightness is from 2^((k - NB_LIGHT_ZERO) / NB_LIGHT_OCTAVE) to the next. */
#define NB_LIGHT_BUCKETS 4096
#define NB_LIGHT_OCTAVE  16
#define NB_LIGHT_ZERO    2048
struct nb_light_histogram {
    double total;
    double light[NB_LIGHT_BUCKETS];
};

/* The surface brightness below which a share q (0 to 1) of the light is; 0 where there is none. */
double nb_light_quantile(const struct nb_light_histogram *h, double q);

/* What an exposure is found from: surface brightnesses below which 97 %, half, and 1 % of the light are; of several
 * pictures, `dim` is white in the dimmest of them. */
struct nb_light_range {
    double white, median, faint, dim; /* all 0: there is no light */
};
void nb_light_range_find(struct nb_light_range *range, const struct nb_light_histogram *h);

/* Chooses the curve: white is shown at NB_TONE_WHITE, the others at their levels or brighter, within what the curve can
 * do. Then lets `exposure` times the light through. */
#define NB_TONE_WHITE  0.93
#define NB_TONE_MEDIAN 0.42
#define NB_TONE_FAINT  0.08
#define NB_TONE_DIM    0.36
void nb_tone_set(struct nb_tone *tone, const struct nb_light_range *range, double exposure);
/* Both: for the distribution of one picture. */
void nb_tone_expose(struct nb_tone *tone, const struct nb_light_histogram *h, double exposure);

/* The mean of the levels, 0 to 1, at which a picture's light is shown, times the picture's area in (picture height)^2.
 */
double nb_tone_mean(const struct nb_tone *tone, const struct nb_light_histogram *h);
/* How many times as much light, from 1/most to most, it takes to make that mean `wanted`. */
double nb_tone_factor(const struct nb_tone *tone, const struct nb_light_histogram *h, double wanted, double most);

NB_C_END
