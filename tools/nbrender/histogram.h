/* histogram.h - counts of positive numbers in buckets of 1/32 octave over the whole range of double.
 *
 * The bucket of a number is its exponent and the first 5 bits of its mantissa, so it costs a shift, needs no range to
 * be known before, and orders as the numbers do. Counts are whole: the same for any number of threads. */
#ifndef NBRENDER_HISTOGRAM_H
#define NBRENDER_HISTOGRAM_H

#include <stdint.h>
#include <string.h>

#define HISTOGRAM_BUCKETS 65536
#define HISTOGRAM_OCTAVE  32 /* buckets of a factor of two */

struct histogram {
    uint64_t total;
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* All empty; dies without memory. Freed with free(). */
struct histogram *histogram_create(void);

/* x >= 0, infinity included. */
static inline unsigned histogram_bucket(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned)(bits >> 47) & (HISTOGRAM_BUCKETS - 1);
}

static inline void histogram_add(struct histogram *h, double x)
{
    h->total++;
    h->count[histogram_bucket(x)]++;
}

/* Least number of a bucket. */
double histogram_edge(unsigned bucket);
/* The number below which a share q (0 to 1) of what was added lies; 0 of an empty histogram. */
double histogram_quantile(const struct histogram *h, double q);

#endif
