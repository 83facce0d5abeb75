/* Samples and histograms of numbers, with their quantiles; sums over bodies. */
#include "base/memory.h"
#include "nbrender/basis/basis.h"

void sample_add(struct sample *s, double value)
{
    if (!isfinite(value))
        return;
    s->value = claimed(nb_memory_grow(s->value, s->count, sizeof *s->value), "no memory for the colours");
    s->value[s->count++] = value;
}

void sample_sort(struct sample *s)
{
    if (s->count)
        qsort(s->value, s->count, sizeof *s->value, compare_numbers);
}

double sample_quantile(const struct sample *s, double q)
{
    double at = q * (double)(s->count - 1);
    size_t k = (size_t)at;
    if (k + 1 >= s->count)
        return s->value[s->count - 1];
    double low = s->value[k], high = s->value[k + 1], share = at - (double)k;
    /* not low + share * (high - low), because the difference may overflow */
    return low == high ? low : (1 - share) * low + share * high;
}

bool sample_has_both_signs(const struct sample *sorted, double share)
{
    return sorted->count > 0 && sample_quantile(sorted, share) < 0 && sample_quantile(sorted, 1 - share) > 0;
}

void sample_mirror(struct sample *sorted)
{
    for (size_t k = 0, count = sorted->count; k < count; k++)
        sample_add(sorted, -sorted->value[k]);
    sample_sort(sorted);
}

void sample_free(struct sample *s)
{
    free(s->value);
    *s = (struct sample){0};
}

/* ---- histograms ---- */

static double edge_of(unsigned bucket)
{
    uint64_t bits = (uint64_t)bucket << 47;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double histogram_quantile(const struct histogram *h, double q)
{
    double wanted = q * (double)h->total, below = 0;
    unsigned last = 0;
    for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++) {
        if (!h->count[k])
            continue;
        double inside = (double)h->count[k];
        last = k;
        if (below + inside >= wanted) {
            double low = edge_of(k), high = k + 1 < HISTOGRAM_BUCKETS ? edge_of(k + 1) : low;
            return low + (high - low) * (wanted - below) / inside;
        }
        below += inside;
    }
    return edge_of(last);
}

/* ---- sums ---- */

#define CHUNK ((uint64_t)1 << 16) /* number of bodies of a partial sum */

void sum_bodies(uint64_t n, body_sums *add, const void *what, double sum[4])
{
    const uint64_t chunks = (n + CHUNK - 1) / CHUNK;
    double(*partial)[4] = claimed(calloc(chunks, sizeof *partial), "no memory for %llu bodies", (unsigned long long)n);
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < chunks; k++)
        add(what, k * CHUNK, n < (k + 1) * CHUNK ? n : (k + 1) * CHUNK, partial[k]);
    for (int d = 0; d < 4; d++)
        sum[d] = 0;
    for (uint64_t k = 0; k < chunks; k++)
        for (int d = 0; d < 4; d++)
            sum[d] += partial[k][d];
    free(partial);
}
