/* Finds a factor for the light of each frame, so that the film's brightness changes little while the camera comes near
 * or moves away. */
#include "base/memory.h"
#include "nbrender/light/light.h"

void flight_note(struct flight *f, double frame, const struct nb_light_histogram *h)
{
    if (!(h->total > 0))
        return;
    f->at = claimed(nb_memory_grow(f->at, f->count, sizeof *f->at), "no memory for the light of a film's frames");
    f->at[f->count++] = (struct flight_frame){frame, *h};
}

void flight_settle(struct flight *f, const struct nb_tone *tone)
{
    struct sample means = {0};
    for (size_t k = 0; k < f->count; k++)
        sample_add(&means, nb_tone_mean(tone, &f->at[k].h));
    sample_sort(&means);
    const double set = f->count ? sample_quantile(&means, FLIGHT_SET) : 0;
    for (size_t k = 0; k < f->count; k++) {
        const double mean = nb_tone_mean(tone, &f->at[k].h), wanted = set * pow(mean / set, FLIGHT_KEPT);
        curve_add(&f->factor, f->at[k].frame, nb_tone_factor(tone, &f->at[k].h, wanted, FLIGHT_MOST));
    }
    sample_free(&means);
    free(f->at);
    f->at = NULL;
    f->count = 0;
}

double flight_factor(const struct flight *f, double frame)
{
    return f->factor.count ? curve_at(&f->factor, frame) : 1;
}

void flight_free(struct flight *f)
{
    free(f->at);
    curve_free(&f->factor);
}
