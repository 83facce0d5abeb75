#include "nbrender/basis/basis.h"

#include <stdlib.h>

struct histogram *histogram_create(void)
{
    struct histogram *h = claimed(calloc(1, sizeof *h), "no memory for a histogram");
    return h;
}

double histogram_edge(unsigned bucket)
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
            double low = histogram_edge(k), high = k + 1 < HISTOGRAM_BUCKETS ? histogram_edge(k + 1) : low;
            return low + (high - low) * (wanted - below) / inside;
        }
        below += inside;
    }
    return histogram_edge(last);
}
