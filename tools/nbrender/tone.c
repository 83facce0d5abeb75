#include "tone.h"

#include "histogram.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define WHITE_SHARE  0.999 /* of the lit pixels are darker than white */
#define WHITE_SHOWN  0.93  /* how bright white is: brighter pixels of later frames can still be told from it */
#define MEDIAN_SHOWN 0.45  /* how bright the median lit pixel should be */
#define SOFT_LEAST   3e-4  /* soft / white: below, noise would be lifted */
#define SOFT_MOST    2.0   /* linear as good as */

static const float *row_of(const struct canvas *c, int y)
{
    return c->light + 4 * ((size_t)(y + c->border) * c->stride + (size_t)c->border);
}

/* The share soft / white at which a pixel of median / white is shown as MEDIAN_SHOWN: by bisection, since the smaller
 * soft is, the brighter it is shown. */
static double choose_soft(double median)
{
    double low = log(SOFT_LEAST), high = log(SOFT_MOST);
    for (int k = 0; k < 40; k++) {
        double soft = exp(0.5 * (low + high));
        if (asinh(median / soft) / asinh(1 / soft) > MEDIAN_SHOWN)
            low = log(soft);
        else
            high = log(soft);
    }
    return exp(high);
}

void tone_expose(struct tone *tone, const struct canvas *c, double exposure)
{
    struct histogram *h = histogram_create();
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            const float *pixel = row_of(c, y) + 4 * x;
            float m = fmaxf(fmaxf(pixel[0], pixel[1]), pixel[2]);
            if (m > 0)
                histogram_add(h, (double)m);
        }
    double white = h->total ? histogram_quantile(h, WHITE_SHARE) : 1;
    double soft = choose_soft(histogram_quantile(h, 0.5) / white);
    free(h);
    tone->inverse_soft = (float)(exposure / (white * soft));
    tone->factor = (float)(WHITE_SHOWN * M_LN2 / asinh(1 / soft));
}

/* log2 of a positive normal number to 1e-5: the exponent, and a polynomial for the mantissa from sqrt(1/2) to sqrt(2)
 * (the series of 2 atanh((m - 1)/(m + 1)) to its fourth term). Without calls or branches, so that loops become SIMD. */
static inline float log2_of(float x)
{
    union {
        float f;
        int32_t i;
    } bits = {x};
    int32_t exponent = (bits.i - 0x3f3504f3) >> 23;
    bits.i -= exponent * (1 << 23);
    float s = (bits.f - 1) / (bits.f + 1), s2 = s * s;
    return (float)exponent + s * (2.885390082f + s2 * (0.961796694f + s2 * (0.577078016f + s2 * 0.412198583f)));
}

static inline unsigned char byte_of(float x)
{
    return (unsigned char)(int)(255 * x + 0.5f);
}

static void develop_row(const struct tone *tone, const float *restrict light, int width, unsigned char *restrict red,
                        unsigned char *restrict green, unsigned char *restrict blue)
{
    const float inverse_soft = tone->inverse_soft, factor = tone->factor;
    for (int x = 0; x < width; x++) {
        float r = light[4 * x], g = light[4 * x + 1], b = light[4 * x + 2];
        float m = r > g ? r : g;
        m = m > b ? m : b;
        m = m > 1e-20f ? m : 1e-20f;
        float y = m * inverse_soft, shown = factor * log2_of(y + sqrtf(y * y + 1));
        float gain = (shown < 1 ? shown : 1) / m;
        red[x] = byte_of(gain * r);
        green[x] = byte_of(gain * g);
        blue[x] = byte_of(gain * b);
    }
}

void tone_develop(const struct tone *tone, const struct canvas *c, struct picture *p)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < c->height; y++) {
        size_t at = (size_t)y * (size_t)p->width;
        develop_row(tone, row_of(c, y), c->width, p->plane[0] + at, p->plane[1] + at, p->plane[2] + at);
    }
}
