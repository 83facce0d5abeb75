/* Smooths a positive number over the frames of a film. */
#include "base/memory.h"
#include "nbrender/basis/basis.h"

#define FAR 6 /* the kernel is cut off: frames at a distance of FAR kernel widths or more have weight 0 */

void curve_add(struct curve *c, double frame, double value)
{
    if (!(value > 0 && isfinite(value)))
        return;
    c->frame = claimed(nb_memory_grow(c->frame, c->count, sizeof *c->frame), "no memory for a film's frames");
    c->log_value =
        claimed(nb_memory_grow(c->log_value, c->count, sizeof *c->log_value), "no memory for a film's frames");
    c->frame[c->count] = frame;
    c->log_value[c->count++] = log(value);
}

/* Nadaraya-Watson regression of log(value) with a Gaussian kernel. */
double curve_at(const struct curve *c, double frame)
{
    double sum = 0, weights = 0;
    if (c->count < 2)
        return c->count ? exp(c->log_value[0]) : 0;
    const double length = c->frame[c->count - 1] - c->frame[0];
    const double width = fmax(CURVE_WIDTH * length, length / (double)(c->count - 1));
    frame = fmin(fmax(frame, c->frame[0]), c->frame[c->count - 1]);
    for (size_t k = 0; k < c->count; k++) {
        const double away = (c->frame[k] - frame) / width;
        const double weight = fabs(away) < FAR ? exp(-0.5 * away * away) : 0;
        sum += weight * c->log_value[k];
        weights += weight;
    }
    return exp(sum / weights);
}

double curve_median(const struct curve *c)
{
    struct sample sample = {0};
    for (size_t k = 0; k < c->count; k++)
        sample_add(&sample, exp(c->log_value[k]));
    sample_sort(&sample);
    const double median = c->count ? sample_quantile(&sample, 0.5) : 0;
    sample_free(&sample);
    return median;
}

void curve_free(struct curve *c)
{
    free(c->frame);
    free(c->log_value);
    *c = (struct curve){0};
}
