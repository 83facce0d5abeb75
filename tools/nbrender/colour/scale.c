/* Colour scales, which map numbers to steps of a colour ramp, by a formula or by rank in a sample. */
#include "nbrender/colour/colour.h"

#define EDGES (RAMP_TOP + 1)
/* The array `edge` is divided into this number of buckets, so that the search for a number x reads only one bucket. A
 * bucket is a range of 2^shift consecutive keys. The key of x is an integer that key_of() makes from the bits of x, so
 * all buckets have nearly the same width in log2(x). */
#define BUCKETS 16384

struct colour_scale {
    enum scaling scaling;
    double low, high, soft;
    /* for all scalings except SCALE_RANK: f(low), and 1 / (f(high) - f(low)). f(x) is x, log x or asinh(x / soft),
     * depending on the scaling (image_of) */
    double low_image, inverse_span;
    double edge[EDGES]; /* for SCALE_RANK, ascending: edge[k] is the smallest value that gets colour step k */
    uint64_t first_key; /* key_of(edge[0]); bucket k begins with the key first_key + k * 2^shift */
    int shift;
    uint16_t begin[BUCKETS + 1]; /* begin[k]: number of elements of `edge` before bucket k */
    uint16_t last[EDGES];        /* several edges may be equal; last[k]: index of the last edge equal to edge[k] */
    /* results of raw_step() for `low` and `high`; rank_step() maps them to steps 0 and RAMP_TOP */
    int first_step, last_step;
};

const char *scaling_name(enum scaling scaling)
{
    static const char *const names[] = {"auto", "linear", "log", "asinh", "rank"};
    return names[scaling];
}

enum scaling scale_scaling(const struct colour_scale *scale)
{
    return scale->scaling;
}

static struct colour_scale *create(enum scaling scaling)
{
    struct colour_scale *s = claimed(calloc(1, sizeof *s), "no memory for the colours");
    s->scaling = scaling;
    return s;
}

/* ---- scales by a formula ---- */

static double image_of(const struct colour_scale *s, double x)
{
    if (s->scaling == SCALE_LOG && s->high < 0)
        return -log(fmax(-x, 0));
    if (s->scaling == SCALE_LOG)
        return log(fmax(x, 0));
    return s->scaling == SCALE_ASINH ? asinh(x / s->soft) : x;
}

static void span(struct colour_scale *s)
{
    s->low_image = image_of(s, s->low);
    s->inverse_span = 1 / (image_of(s, s->high) - s->low_image);
}

struct colour_scale *scale_create(enum scaling scaling, double low, double high, double soft)
{
    if (scaling == SCALE_LOG && low <= 0 && high >= 0)
        return nb_null(nb_fail(
            "a logarithmic scale cannot go from %g to %g, since that includes 0 (use asinh or linear)", low, high));
    struct colour_scale *s = create(scaling);
    s->low = low;
    s->high = high;
    s->soft = soft;
    span(s);
    return s;
}

void scale_widen(double *low, double *high)
{
    if (*low < *high)
        return;
    double half = *low != 0 ? 0.5 * fabs(*low) : 1;
    *low -= half;
    *high += half;
}

static double median_size(const struct sample *sorted)
{
    struct sample sizes = {0};
    for (size_t k = 0; k < sorted->count; k++)
        sample_add(&sizes, fabs(sorted->value[k]));
    sample_sort(&sizes);
    double median = sample_quantile(&sizes, 0.5), largest = sizes.value[sizes.count - 1];
    sample_free(&sizes);
    return median > 0 ? median : largest > 0 ? 1e-3 * largest : 1;
}

/* Recomputes the ends of a logarithmic scale, *low and *high, without the zeros of the sample: 0 has no logarithm.
 * Zeros then lie outside the scale and get the colour of the nearer end. Does nothing if *low is negative and *high is
 * positive. */
static void leave_zeros(const struct sample *sorted, double *low, double *high)
{
    size_t begin = 0, end = sorted->count;
    if (*low >= 0)
        while (begin < end && sorted->value[begin] == 0)
            begin++;
    else if (*high <= 0)
        while (begin < end && sorted->value[end - 1] == 0)
            end--;
    if (begin == end || (begin == 0 && end == sorted->count))
        return;
    struct sample rest = {sorted->value + begin, end - begin};
    *low = sample_quantile(&rest, SCALE_LEFT_OUT);
    *high = sample_quantile(&rest, 1 - SCALE_LEFT_OUT);
}

static struct colour_scale *scale_of_ends(enum scaling scaling, const struct sample *sorted)
{
    double low = sample_quantile(sorted, SCALE_LEFT_OUT), high = sample_quantile(sorted, 1 - SCALE_LEFT_OUT);
    if (scaling == SCALE_LOG)
        leave_zeros(sorted, &low, &high);
    scale_widen(&low, &high);
    return scale_create(scaling, low, high, median_size(sorted));
}

/* ---- scales by rank ---- */

/* Returns an integer key for x. Keys have the same order as the numbers, also for negative numbers. */
static inline uint64_t key_of(double x)
{
    uint64_t bits;
    x += 0.0; /* turns -0 into 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static inline unsigned bucket_of(const struct colour_scale *s, double x)
{
    uint64_t key = key_of(x);
    if (key <= s->first_key)
        return 0;
    uint64_t bucket = (key - s->first_key) >> s->shift;
    return bucket < BUCKETS ? (unsigned)bucket : BUCKETS - 1;
}

/* Returns the number of edges that are less than x. Searches only the edges in the bucket of x. */
static inline int edges_below(const struct colour_scale *s, double x)
{
    unsigned bucket = bucket_of(s, x);
    return first_not_below(s->edge, s->begin[bucket], s->begin[bucket + 1], x);
}

static inline int raw_step(const struct colour_scale *s, double x)
{
    int below = edges_below(s, x);
    if (below < EDGES && s->edge[below] == x)
        return (below + s->last[below]) / 2;
    return below > 0 ? below - 1 : 0;
}

static void index_edges(struct colour_scale *s)
{
    unsigned bucket = 0;
    for (int k = 1; k < EDGES; k++) /* rounding may have changed the order of the edges */
        s->edge[k] = fmax(s->edge[k], s->edge[k - 1]);
    s->first_key = key_of(s->edge[0]);
    s->shift = 0;
    while ((key_of(s->edge[RAMP_TOP]) - s->first_key) >> s->shift >= BUCKETS)
        s->shift++;
    for (int k = 0; k < EDGES; k++)
        for (unsigned of = bucket_of(s, s->edge[k]); bucket <= of; bucket++)
            s->begin[bucket] = (uint16_t)k;
    for (; bucket <= BUCKETS; bucket++)
        s->begin[bucket] = EDGES;
    for (int k = EDGES - 1; k >= 0; k--)
        s->last[k] = k < EDGES - 1 && s->edge[k] == s->edge[k + 1] ? s->last[k + 1] : (uint16_t)k;
    s->low = s->edge[0];
    s->high = s->edge[RAMP_TOP];
    s->first_step = raw_step(s, s->low);
    s->last_step = raw_step(s, s->high);
}

static inline uint16_t rank_step(const struct colour_scale *s, double x)
{
    int step = raw_step(s, x), reach = s->last_step - s->first_step;
    if (reach == 0)
        return x < s->low ? 0 : x > s->high ? RAMP_TOP : RAMP_TOP / 2;
    step = (step - s->first_step) * RAMP_TOP / reach;
    return (uint16_t)(step < 0 ? 0 : step > RAMP_TOP ? RAMP_TOP : step);
}

/* a sample of at most this size is smoothed: spread() replaces each number by COPIES numbers around it */
#define FEW 256
/* If (largest - smallest) / max(|largest|, |smallest|) of a sample is at most ALIKE, all numbers are replaced by their
 * median, because such small differences may be rounding errors. */
#define ALIKE  1e-6
#define COPIES 65

static void spread(struct sample *to, const struct sample *from)
{
    double octaves = 1 / sqrt((double)from->count);
    for (size_t k = 0; k < from->count; k++)
        for (int copy = 0; copy < COPIES; copy++)
            sample_add(to, from->value[k] * exp2(octaves * (2.0 * copy / (COPIES - 1) - 1)));
    sample_sort(to);
}

static struct colour_scale *scale_of_rank(const struct sample *all)
{
    struct colour_scale *s = create(SCALE_RANK);
    struct sample wide = {0}, one = {all->value + all->count / 2, 1};
    double low = all->value[0], high = all->value[all->count - 1];
    const struct sample *sorted = high - low <= ALIKE * fmax(fabs(low), fabs(high)) ? &one : all;
    double n = (double)sorted->count, cut = 0;
    if (sorted->count <= FEW) {
        spread(&wide, sorted);
        /* spread() also made copies below the smallest and above the largest number of the sample. These copies are
         * left out, so that the scale begins at the smallest number and ends at the largest number. */
        cut = n > 1 ? 0.5 / n : 0;
    }
    for (int k = 0; k < EDGES; k++)
        s->edge[k] = sample_quantile(wide.count ? &wide : sorted, cut + (1 - 2 * cut) * k / RAMP_TOP);
    sample_free(&wide);
    index_edges(s);
    return s;
}

/* ---- both types of scale ---- */

struct colour_scale *scale_of_sample(enum scaling scaling, const struct sample *sorted)
{
    static double zero[1];
    static const struct sample nothing = {zero, 1};
    const struct sample *s = sorted->count ? sorted : &nothing;
    return scaling == SCALE_RANK ? scale_of_rank(s) : scale_of_ends(scaling, s);
}

void scale_move(struct colour_scale *scale, const struct colour_scale *to, double share)
{
    if (scale->scaling == SCALE_RANK) {
        for (int k = 0; k < EDGES; k++)
            scale->edge[k] += share * (to->edge[k] - scale->edge[k]);
        index_edges(scale);
        return;
    }
    scale->low += share * (to->low - scale->low);
    scale->high += share * (to->high - scale->high);
    scale->soft += share * (to->soft - scale->soft);
    span(scale);
}

size_t scale_steps(const struct colour_scale *s, const double *value, int count, uint16_t *step)
{
    size_t bad = 0;
    for (int k = 0; k < count; k++) {
        double x = value[k];
        if (!isfinite(x)) {
            step[k] = RAMP_NEUTRAL;
            bad++;
        } else if (s->scaling == SCALE_RANK) {
            step[k] = rank_step(s, x);
        } else {
            double place = (image_of(s, x) - s->low_image) * s->inverse_span;
            step[k] = (uint16_t)(RAMP_TOP * fmin(fmax(place, 0), 1) + 0.5);
        }
    }
    return bad;
}

/* a value counts as outside the scale only if it is farther outside than this fraction of the scale's length */
#define BEYOND 1e-6

unsigned scale_beyond(const struct colour_scale *s, const double *value, int count)
{
    unsigned beyond = 0;
    if (s->scaling == SCALE_RANK)
        return 0;
    const double low = scale_value(s, -BEYOND), high = scale_value(s, 1 + BEYOND);
    for (int k = 0; k < count; k++)
        if (value[k] != 0 || s->scaling != SCALE_LOG)
            beyond |= (value[k] < low ? SCALE_BELOW : 0u) | (value[k] > high ? SCALE_ABOVE : 0u);
    return beyond;
}

double scale_value(const struct colour_scale *s, double place)
{
    double image = s->low_image + place / s->inverse_span;
    switch (s->scaling) {
    case SCALE_RANK: return s->edge[(int)(fmin(fmax(place, 0), 1) * RAMP_TOP + 0.5)];
    case SCALE_LOG: return s->high < 0 ? -exp(-image) : exp(image);
    case SCALE_ASINH: return s->soft * sinh(image);
    default: return image;
    }
}
