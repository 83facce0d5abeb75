/* Exposure of a film: combines the brightnesses of its frames. */
#include "nbrender/light/light.h"

double exposure_share(double pictures_s)
{
    return 1 - exp(-1 / (EXPOSURE_ADAPT_S * pictures_s));
}

/* Moves the histogram h towards the histogram of a frame by the fraction `share` of the difference. Both show how much
 * light there is at each surface brightness; the frame's light is normalised to the total 1. If share is 1/n for the
 * n-th frame, h is the mean of all frames. */
static void mix(struct nb_light_histogram *h, const struct nb_light_histogram *frame, double share)
{
    for (int k = 0; k < NB_LIGHT_BUCKETS; k++)
        h->light[k] += share * (frame->light[k] / frame->total - h->light[k]);
    h->total = 1;
}

static double between(double a, double b, double share)
{
    return a * pow(b / a, share);
}

static bool is_first(struct exposure *e, const struct nb_light_histogram *frame, const struct nb_light_range *now)
{
    if (e->frames++ > 0)
        return false;
    e->range = *now;
    mix(&e->h, frame, 1);
    return true;
}

void exposure_adapt(struct exposure *e, const struct nb_light_histogram *frame, double share)
{
    struct nb_light_range now, *r = &e->range;
    nb_light_range_find(&now, frame);
    if (share < 1) /* leave room for brighter frames later in the film; a single picture (share 1) needs none */
        now.white = now.dim = fmax(now.white, EXPOSURE_HEADROOM * now.median);
    if (now.white == 0 || is_first(e, frame, &now))
        return;
    r->white = r->dim = fmax(between(r->white, now.white, share), now.white / EXPOSURE_BEHIND);
    r->median = between(r->median, now.median, share);
    r->faint = between(r->faint, now.faint, share);
    mix(&e->h, frame, share);
}

void exposure_note(struct exposure *e, const struct nb_light_histogram *frame)
{
    struct nb_light_range now, *r = &e->range;
    nb_light_range_find(&now, frame);
    if (now.white == 0 || is_first(e, frame, &now))
        return;
    r->white = fmax(r->white, now.white);
    r->dim = fmin(r->dim, now.white);
    r->median = between(r->median, now.median, 1.0 / e->frames);
    r->faint = between(r->faint, now.faint, 1.0 / e->frames);
    mix(&e->h, frame, 1.0 / e->frames);
}
