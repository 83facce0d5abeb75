/* even.c - quasi-random numbers, which fill a unit cube evenly. */

#include "nbgen.h"

#include <assert.h>
#include <math.h>

/* steps[d]: the numbers 1/g, 1/g^2, ..., 1/g^d for d dimensions, where g > 1 is the solution of g^(d + 1) = g + 1. */
static const double steps[GEN_EVEN_MOST + 1][GEN_EVEN_MOST] = {
    [2] = {0.7548776662466927, 0.5698402909980532},
    [3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703},
    [5] = {0.8812714616335695, 0.7766393890897681, 0.6844301295853425, 0.6031687406857282, 0.5315553977157912},
};

struct gen_even gen_even_begin(const struct nb_rng *rng, int dimensions)
{
    struct gen_even e;
    double begin[8]; /* eight random numbers: four with the argument draw = 0, and four with draw = 1 (rng.h) */
    assert(dimensions > 0 && dimensions <= GEN_EVEN_MOST && steps[dimensions][0] > 0);
    nb_rng_uniforms(rng, UINT64_MAX, 0, begin);
    nb_rng_uniforms(rng, UINT64_MAX, 1, begin + 4);
    for (int k = 0; k < dimensions; k++) {
        e.begin[k] = (uint64_t)ldexp(begin[k], 64);
        e.step[k] = (uint64_t)ldexp(steps[dimensions][k], 64);
    }
    return e;
}

double gen_even_at(const struct gen_even *e, int k, uint64_t i)
{
    uint64_t at = e->begin[k] + e->step[k] * i;
    return ldexp((double)(at >> 12) + 0.5, -52);
}
