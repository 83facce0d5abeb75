/* narrow.c - conversion of columns to single precision. Declared in narrow.h. */
#include "snap/narrow.h"

#include "base/error.h"
#include "simd/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096 /* number of values that are converted together */

static bool is_lost(double value, float rounded, bool mass)
{
    return (isinf(rounded) && isfinite(value)) || (mass && rounded == 0 && value != 0);
}

size_t nb_narrow(const double *from, float *to, size_t count, bool mass)
{
    if (nb_columns()->narrow(count, from, mass, to))
        return count;
    size_t k = 0;
    while (!is_lost(from[k], to[k], mass))
        k++;
    return k;
}

int nb_column_narrow(struct nb_column *c, uint64_t n)
{
    const double *from = c->data;
    const size_t count = (size_t)n * (size_t)c->width, blocks = count / BLOCK + (count % BLOCK > 0);
    const bool mass = strcmp(c->name, "mass") == 0;
    struct nb_column narrow = *c;
    size_t first = count;
    narrow.type = NB_F32;
    const size_t padded = nb_column_bytes_padded(&narrow, n);
    float *to = aligned_alloc(NB_ALIGN, padded ? padded : NB_ALIGN);
    if (!to)
        return nb_fail("no memory for column '%s' of %" PRIu64 " bodies", c->name, n);
#pragma omp parallel for reduction(min : first) schedule(static) if (blocks > 4)
    for (size_t block = 0; block < blocks; block++) {
        const size_t begin = block * BLOCK, size = count - begin < BLOCK ? count - begin : BLOCK;
        const size_t lost = nb_narrow(from + begin, to + begin, size, mass);
        if (lost < size && begin + lost < first)
            first = begin + lost;
    }
    if (first < count) {
        free(to);
        return nb_fail("body %" PRIu64 ": %s %.9g does not fit f32", (uint64_t)first / (uint64_t)c->width, c->name,
                       from[first]);
    }
    memset(to + count, 0, padded - count * sizeof *to);
    narrow.data = to;
    free(c->data);
    *c = narrow;
    return 0;
}
