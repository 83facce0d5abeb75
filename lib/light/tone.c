#include "light/tone.h"

#include <math.h>

#define WHITE_SHARE  0.97 /* of the light is darker than white */
#define WHITE_SHOWN  0.95
#define MEDIAN_SHOWN 0.45 /* of the light is shown darker than this: half */
#define SOFT_LEAST   1e-5 /* soft / white */
#define SOFT_MOST    3.0

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

/* The share soft / white at which a place of brightness median / white is shown as MEDIAN_SHOWN: by bisection, since
 * the smaller soft is, the brighter it is shown. */
static double choose_soft(double median)
{
    double low = log(SOFT_LEAST), high = log(SOFT_MOST);
    for (int k = 0; k < 50; k++) {
        double soft = exp(0.5 * (low + high));
        if (asinh(median / soft) / asinh(1 / soft) > MEDIAN_SHOWN)
            low = log(soft);
        else
            high = log(soft);
    }
    return exp(high);
}

void nb_tone_expose(struct nb_tone *tone, const struct nb_light_histogram *h, double exposure)
{
    double white = h->total > 0 ? nb_light_quantile(h, WHITE_SHARE) : 1;
    double soft = choose_soft(nb_light_quantile(h, 0.5) / white);
    tone->inverse_soft = (float)(exposure / (white * soft));
    tone->factor = (float)(WHITE_SHOWN / asinh(1 / soft));
}
