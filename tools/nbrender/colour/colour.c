#include "nbrender/colour/colour.h"

#include "nbrender/colour/histogram.h"
#include "nbrender/colour/value.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLE ((uint64_t)1 << 18) /* bodies in the sample of speeds */

struct colour_scale {
    uint16_t step[HISTOGRAM_BUCKETS]; /* for each bucket of the squared speed */
};

/* ---- the ramp ---- */

struct stop {
    float at, colour[3]; /* linear light */
};

void colour_ramp_fill(struct colour_ramp *ramp)
{
    static const struct stop stops[] = {{0.00f, {0.05f, 0.16f, 1}},     {0.28f, {0.06f, 0.46f, 0.95f}},
                                        {0.48f, {0.10f, 0.82f, 0.22f}}, {0.68f, {0.95f, 0.80f, 0.16f}},
                                        {0.84f, {1, 0.36f, 0.06f}},     {1.00f, {1, 0.10f, 0.05f}}};
    const struct stop *stop = stops;
    for (int k = 0; k < COLOUR_STEPS; k++) {
        float t = (float)k / (COLOUR_STEPS - 1);
        while (t > stop[1].at)
            stop++;
        float share = (t - stop[0].at) / (stop[1].at - stop[0].at);
        for (int d = 0; d < 4; d++) {
            ramp->step[k][d] = d == 3 ? 1 : stop[0].colour[d] + share * (stop[1].colour[d] - stop[0].colour[d]);
            ramp->shown[k][d] = sqrtf(ramp->step[k][d]);
        }
    }
}

static uint16_t step_at(double t)
{
    return (uint16_t)lround((COLOUR_STEPS - 1) * fmin(fmax(t, 0), 1));
}

/* ---- from speed to a place on it ---- */

static struct colour_scale *create(void)
{
    struct colour_scale *scale = malloc(sizeof *scale);
    if (!scale)
        die("no memory for the colours");
    return scale;
}

struct colour_scale *colour_scale_linear(double slow, double fast)
{
    struct colour_scale *scale = create();
    for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++) {
        double low = histogram_edge(k), high = histogram_edge(k < HISTOGRAM_BUCKETS - 1 ? k + 1 : k);
        double speed = isfinite(high) ? 0.5 * (sqrt(low) + sqrt(high)) : INFINITY;
        scale->step[k] = step_at(isfinite(speed) ? (speed - slow) / (fast - slow) : 1);
    }
    return scale;
}

static double speed2(const struct nb_column *vel, uint64_t i)
{
    double x = value_of(vel, i, 0), y = value_of(vel, i, 1), z = value_of(vel, i, 2);
    return x * x + y * y + z * z;
}

static struct histogram *count_speeds(const struct nb_bodies *b)
{
    const struct nb_column *vel = nb_bodies_find(b, "vel");
    struct histogram *h = histogram_create();
    for (uint64_t i = 0; i < b->n; i += 1 + (b->n - 1) / SAMPLE)
        histogram_add(h, speed2(vel, i));
    return h;
}

double colour_median_speed(const struct nb_bodies *b)
{
    struct histogram *h = count_speeds(b);
    double median = sqrt(histogram_quantile(h, 0.5));
    free(h);
    return median;
}

/* Share of the bodies that are slower than the middle of each bucket. */
static double *shares_below(const struct histogram *h)
{
    double *share = malloc(HISTOGRAM_BUCKETS * sizeof *share), below = 0;
    if (!share)
        die("no memory for the colours");
    for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++) {
        share[k] = (below + 0.5 * (double)h->count[k]) / (double)h->total;
        below += (double)h->count[k];
    }
    return share;
}

struct colour_scale *colour_scale_rank(const struct nb_bodies *b)
{
    struct colour_scale *scale = create();
    struct histogram *h = count_speeds(b);
    double *share = shares_below(h), n = (double)h->total, sum = 0;
    /* An octave of speed is two of its square. */
    int reach = (int)fmax(2 * HISTOGRAM_OCTAVE / sqrt(n), 1), top = HISTOGRAM_BUCKETS - 1;
    for (int k = -reach; k < HISTOGRAM_BUCKETS; k++) {
        int enters = k + reach < top ? k + reach : top, leaves = k - reach - 1;
        sum += share[enters] - (leaves >= 0 ? share[leaves] : 0);
        double rank = sum / (2 * reach + 1);
        if (k >= 0)
            scale->step[k] = step_at(n > 1 ? (rank - 0.5 / n) / (1 - 1 / n) : rank);
    }
    free(share);
    free(h);
    return scale;
}

void colour_scale_free(struct colour_scale *scale)
{
    free(scale);
}

/* Called with `single` constant, so that each type of column gets a loop of its own. */
static inline __attribute__((always_inline)) void look_up(const struct colour_scale *scale, const void *vel,
                                                          bool single, int count, uint16_t *step)
{
    for (int i = 0; i < count; i++) {
        double v2 = 0;
        for (int d = 0; d < 3; d++) {
            double v = single ? (double)((const float *)vel)[3 * i + d] : ((const double *)vel)[3 * i + d];
            v2 += v * v;
        }
        step[i] = scale->step[histogram_bucket(v2)];
    }
}

void colour_of_speed(const struct colour_scale *scale, const struct nb_column *vel, uint64_t i0, int count,
                     uint16_t *step)
{
    if (vel->type == NB_F32)
        look_up(scale, (const float *)vel->data + 3 * i0, true, count, step);
    else
        look_up(scale, (const double *)vel->data + 3 * i0, false, count, step);
}
