/* tone.h - from light on the canvas to what is shown.
 *
 * Brightness, the largest channel m of a pixel, becomes  shown(m) = asinh(m / soft) / asinh(white / soft) *
 * WHITE_SHOWN, linear for faint light and logarithmic for bright (Lupton et al. 2004, PASP 116, 133). One factor
 * shown(m) / m scales all channels, so hue is kept, also where shown(m) > 1 is cut. */
#ifndef NBRENDER_TONE_H
#define NBRENDER_TONE_H

#include "picture.h"
#include "splat.h"

struct tone {
    float inverse_soft;
    float factor; /* shown = factor * log2(y + sqrt(y2 + 1)), y = m / soft */
};

/* Chooses soft and white for this canvas, then lets `exposure` times the light through. White is reached by one lit
 * pixel in a thousand, and the median lit pixel is well above black. */
void tone_expose(struct tone *tone, const struct canvas *c, double exposure);
/* Fills in the picture; black where there is no light. */
void tone_develop(const struct tone *tone, const struct canvas *c, struct picture *p);

#endif
