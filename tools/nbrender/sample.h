/* sample.h - some of the numbers that there are, to be sorted. */
#ifndef NBRENDER_SAMPLE_H
#define NBRENDER_SAMPLE_H

#include <stddef.h>

struct sample {
    double *value;
    size_t count, capacity;
};

void sample_add(struct sample *s, double value); /* one that is not finite is left out; dies without memory */
void sample_sort(struct sample *s);
/* Of a sorted sample that is not empty: the number below which a share q of it is. */
double sample_quantile(const struct sample *s, double q);
void sample_free(struct sample *s);

#endif
