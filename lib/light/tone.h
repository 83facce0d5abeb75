/* tone.h - from light to what is shown. One curve for the largest channel of a pixel scales all three, so hue is kept.
 *
 * Levels are of the display, gamma included: what goes into a picture file. */
#ifndef NB_TONE_H
#define NB_TONE_H

#ifdef __cplusplus
extern "C" {
#endif

#define NB_TONE_FULL 65535 /* the brightest level of a picture's channel */

/* shown(s) = factor * asinh(s * inverse_soft) for surface brightness s in light per (picture height)^2 (Lupton et al.
 * 2004, PASP 116, 133): linear for faint light, logarithmic for bright. */
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
/* Chooses the curve for that distribution, then lets `exposure` times the light through. */
void nb_tone_expose(struct nb_tone *tone, const struct nb_light_histogram *h, double exposure);

#ifdef __cplusplus
}
#endif
#endif
