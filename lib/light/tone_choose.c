/* tone_choose.c - chooses the curve that converts light to displayed levels, from a histogram of surface brightnesses.
 * Declared in tone.h. */
#include "light/tone.h"

#include "light/tone_curve.h"

#include <math.h>

/* Limits of the ratio soft / white. soft is 1 / nb_tone.inverse_soft: for surface brightnesses below `soft`, the curve
 * is nearly a square root. white is nb_light_range.white: about 97 % of the light has a lower surface brightness.
 * - SOFT_LEAST: minimum. With a smaller ratio, faint light would be displayed nearly as bright as bright light.
 * - SOFT_DIM: minimum if range->dim, the `white` of the dimmest of several pictures, determines the ratio.
 * - SOFT_MOST: maximum. The curve is then nearly a square root up to `white`. */
#define SOFT_LEAST 0.05
#define SOFT_DIM   0.01
#define SOFT_MOST  1.0

double nb_light_quantile(const struct nb_light_histogram *h, double q)
{
    double below = 0, wanted = q * h->total;
    for (int k = 0; k < NB_LIGHT_BUCKETS; k++) {
        if (h->light[k] > 0 && below + h->light[k] >= wanted)
            return exp2((k - NB_LIGHT_ZERO + (wanted - below) / h->light[k]) / NB_LIGHT_OCTAVE);
        below += h->light[k];
    }
    return 0;
}

/* Returns the geometric mean of five quantiles: the brightnesses below which 96, 96.5, 97, 97.5 and 98 % of the light
 * lies. Returns 0 if there is no light. A single quantile could depend on one block of pixels (tone.h), because few
 * blocks have the brightest light. */
static double white_of(const struct nb_light_histogram *h)
{
    double sum = 0;
    for (int k = -2; k <= 2; k++)
        sum += log(nb_light_quantile(h, 0.97 + 0.005 * k));
    return h->total > 0 ? exp(sum / 5) : 0;
}

void nb_light_range_find(struct nb_light_range *range, const struct nb_light_histogram *h)
{
    range->white = white_of(h);
    range->median = nb_light_quantile(h, 0.5);
    range->faint = nb_light_quantile(h, 0.01);
    range->dim = range->white;
}

/* The displayed level is computed from r = sqrt(factor * asinh(s * inverse_soft) / ln 2), where s is the surface
 * brightness: a toe and a shoulder (tone.h) change r. Returns the value of r for which the level is NB_TONE_WHITE. */
static double white_root(void)
{
    double over = (NB_TONE_WHITE - (double)NB_TONE_KNEE) / (1 - (double)NB_TONE_KNEE), toe = (double)NB_TONE_TOE;
    double shown = (double)NB_TONE_KNEE + (1 - (double)NB_TONE_KNEE) * over / sqrt(1 - over * over);
    return 0.5 * (shown + sqrt(shown * shown + 4 * toe * shown));
}

/* Returns the curve that displays light of surface brightness 1 at the level NB_TONE_WHITE. Here, surface brightness is
 * in units of range->white, and so is `soft`, which is 1 / inverse_soft of the curve. */
static struct nb_tone curve_of(double soft)
{
    double root = white_root();
    return (struct nb_tone){(float)(1 / soft), (float)(root * root * M_LN2 / asinh(1 / soft))};
}

/* Returns the value of `soft` for which light of this brightness is displayed at `level`, limited to the range from
 * `least` to SOFT_MOST. `soft` and `brightness` are in units of range->white. Uses bisection: a smaller `soft` gives a
 * higher level. */
static double choose_soft(double brightness, double level, double least)
{
    double low = log(least), high = log(SOFT_MOST);
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (low + high);
        struct nb_tone tone = curve_of(exp(middle));
        if ((double)nb_tone_level(&tone, (float)brightness * tone.inverse_soft) > level)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

void nb_tone_set(struct nb_tone *tone, const struct nb_light_range *range, double exposure)
{
    double white = range->white > 0 ? range->white : 1;
    double soft = fmin(choose_soft(range->median / white, NB_TONE_MEDIAN, SOFT_LEAST),
                       choose_soft(range->faint / white, NB_TONE_FAINT, SOFT_LEAST));
    soft = fmin(soft, choose_soft(range->dim / white, NB_TONE_DIM, SOFT_DIM));
    *tone = curve_of(soft);
    tone->inverse_soft = (float)(exposure / (white * soft));
}

void nb_tone_expose(struct nb_tone *tone, const struct nb_light_histogram *h, double exposure)
{
    struct nb_light_range range;
    nb_light_range_find(&range, h);
    nb_tone_set(tone, &range, exposure);
}

double nb_tone_mean(const struct nb_tone *tone, const struct nb_light_histogram *h)
{
    double sum = 0;
    for (int k = 0; k < NB_LIGHT_BUCKETS; k++) {
        const double brightness = exp2((k + 0.5 - NB_LIGHT_ZERO) / NB_LIGHT_OCTAVE);
        if (h->light[k] > 0)
            sum += h->light[k] / brightness * (double)nb_tone_level(tone, (float)brightness * tone->inverse_soft);
    }
    return sum;
}

/* Uses bisection, because nb_tone_mean increases with the factor. */
double nb_tone_factor(const struct nb_tone *tone, const struct nb_light_histogram *h, double wanted, double most)
{
    double low = -log(most), high = log(most);
    for (int k = 0; k < 30; k++) {
        const double middle = 0.5 * (low + high);
        struct nb_tone brighter = *tone;
        brighter.inverse_soft *= (float)exp(middle);
        if (nb_tone_mean(&brighter, h) < wanted)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}
