/* Light of each body: its weight, divided by the mean weight of the first frame, up to a maximum (see colour.h). The
 * default weight is the mass, or mass^SHADE_STAR_POWER for single stars. */
#include "nbrender/colour/colour.h"

#define SAMPLED  ((uint64_t)1 << 14) /* maximum number of bodies from which the median weight is found */
#define ROUNDING 1e-6                /* a body gets exactly light 1 if |weight / mean weight - 1| is less than this */

void weight_choose(struct weight *w, const char *given, const struct nb_bodies *first)
{
    const bool is_auto = strcmp(given, "auto") == 0;
    if (w->column)
        return;
    w->column = is_auto ? "mass" : given;
    w->power = is_auto && stars_are_single(first) ? SHADE_STAR_POWER : 1;
}

/* Returns whether all bodies have the same light (--weight count). */
static bool counts(const struct weight *w)
{
    return strcmp(w->column, "count") == 0;
}

void weight_check(const struct weight *w, const struct nb_bodies *b)
{
    if (!counts(w))
        quantity_check(w->column, b, "--weight");
}

static void fill_weights(const struct weight *w, const struct nb_bodies *b, uint64_t i0, int count, double *weight)
{
    quantity_fill(w->column, b, i0, count, weight);
    for (int k = 0; w->power != 1 && k < count; k++)
        weight[k] = pow(weight[k], w->power);
}

struct mean { /* the arguments of mean_weight, which passes them to add_weights */
    const struct weight *w;
    const struct nb_bodies *b;
    double most;
};

/* For each body with positive weight, adds min(weight, most) / most to sum[0] and 1 to sum[1]. */
static void add_weights(const void *what, uint64_t begin, uint64_t end, double sum[4])
{
    const struct mean *m = what;
    double weight[SHADE_BLOCK];
    for (uint64_t i0 = begin; i0 < end; i0 += SHADE_BLOCK) {
        const int count = end - i0 < SHADE_BLOCK ? (int)(end - i0) : SHADE_BLOCK;
        fill_weights(m->w, m->b, i0, count, weight);
        for (int k = 0; k < count; k++)
            if (weight[k] > 0 && isfinite(weight[k])) {
                sum[0] += fmin(weight[k], m->most) / m->most;
                sum[1]++;
            }
    }
}

/* Returns the mean weight of all bodies with positive weight. Weights above `most` count as `most`. Returns 0 if no
 * body has positive weight. */
static double mean_weight(const struct weight *w, const struct nb_bodies *b, double most)
{
    const struct mean m = {w, b, most};
    double sum[4];
    sum_bodies(b->n, add_weights, &m, sum);
    return sum[1] > 0 ? most * (sum[0] / sum[1]) : 0;
}

/* Returns the median of the positive weights in a sample of the bodies. Returns 0 if there are none. */
static double median_weight(const struct weight *w, const struct nb_bodies *b)
{
    struct sample lit = {0};
    for (uint64_t i = 0, stride = 1 + (b->n - 1) / SAMPLED; i < b->n; i += stride) {
        double weight;
        fill_weights(w, b, i, 1, &weight);
        if (weight > 0)
            sample_add(&lit, weight);
    }
    sample_sort(&lit);
    const double median = lit.count ? sample_quantile(&lit, 0.5) : 0;
    sample_free(&lit);
    return median;
}

void weight_settle(struct weight *w, const struct nb_bodies *b)
{
    if (counts(w) || w->unit > 0)
        return;
    const double median = median_weight(w, b);
    w->most = 1;
    if (median > 0) {
        const double most = fmin((w->power != 1 ? SHADE_STAR_MOST : SHADE_MOST) * median, 1e300);
        const double mean = mean_weight(w, b, most);
        w->unit = 1 / mean;
        w->most = most / mean;
    }
}

size_t weight_fill(const struct weight *w, const struct nb_bodies *b, uint64_t i0, int count, float *light)
{
    const uint8_t *component = dark_components(b);
    const bool same = counts(w);
    double weight[SHADE_BLOCK];
    size_t bad = 0;
    if (!same)
        fill_weights(w, b, i0, count, weight);
    for (int k = 0; k < count; k++) {
        double here = same || w->unit == 0 ? 1 : fmin(weight[k] * w->unit, w->most);
        if (!same && !(weight[k] >= 0 && isfinite(weight[k]))) {
            here = 0;
            bad++;
        }
        if (fabs(here - 1) < ROUNDING)
            here = 1;
        if (component && component[i0 + (uint64_t)k] == NB_BLACK_HOLE)
            here = 0;
        light[k] = (float)here;
    }
    return bad;
}
