/* cloud.h - the bodies of a galaxy, or so many of them that another one feels no difference. */
#ifndef CLOUD_H
#define CLOUD_H

#include <stddef.h>
#include <stdint.h>

#define CLOUD_MOST 8192 /* bodies: pairs of two clouds then take some tenths of a second */

struct cloud { /* about its centre of mass */
    size_t n;
    double mass; /* of all bodies */
    double *m, *x, *y, *z;
};

/* Puts masses and places of bodies [i0, i1), at most GEN_BLOCK (nbgen.h), where they are not NULL. */
typedef void cloud_read(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos);

/* Of n bodies with a mass above 0 in all. Of more than `most` there are so many of equal mass in their place: one
 * from each of as many equal shares of the mass, in the order of their distances from the centre, by chance, but the
 * same in each run. Dies without memory. */
struct cloud cloud_make(uint64_t n, size_t most, cloud_read *read, const void *context);
/* The same of a cloud's bodies. */
struct cloud cloud_thinned(const struct cloud *cloud, size_t most);
void cloud_free(struct cloud *cloud);

/* The potential energy of two clouds in each other's pull, - sum m_i m_j / sqrt(r^2 + softening^2) with G = 1, the
 * second's centre being at `from` of the first's. Exact but for rounding where no body is missing: each row is summed
 * in order, the rows by compensated sums, so that the number of threads does not matter. Of larger sets that overlap
 * the error is some thousandths. Bodies in one place without softening do not count. */
double cloud_potential(const struct cloud *a, const struct cloud *b, const double from[3], double softening);

#endif
