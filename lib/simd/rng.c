/* rng.c - random numbers for one body or for many bodies. Declared in rng.h. */
#include "simd/rng.h"

#include "simd/elementary.h"
#include "simd/philox.h"

#include <math.h>
#include <Random123/philox.h>

void nb_rng_uniforms(const struct nb_rng *rng, uint64_t body, uint64_t draw, double u[4])
{
    philox4x64_key_t key = {{rng->seed, rng->stream}};
    philox4x64_ctr_t counter = {{body, draw, 0, 0}};
    philox4x64_ctr_t random = philox4x64(counter, key);
    for (int k = 0; k < 4; k++)
        u[k] = nb_philox_number(random.v[k]);
}

void nb_rng_normals(const struct nb_rng *rng, uint64_t body, uint64_t draw, double g[4])
{
    double u[4];
    nb_rng_uniforms(rng, body, draw, u);
    for (int k = 0; k < 4; k += 2) {
        double radius = sqrt(-2 * log(u[k])), angle = 2 * M_PI * u[k + 1];
        g[k] = radius * cos(angle);
        g[k + 1] = radius * sin(angle);
    }
}

void nb_rng_uniforms_many(const struct nb_rng *rng, uint64_t first, size_t n, uint64_t draw, double *const u[4])
{
    nb_philox()->uniforms((const uint64_t[2]){rng->seed, rng->stream}, first, n, draw, u);
}

#define TOGETHER 256 /* size of the blocks in which numbers are computed; a block fits the first-level cache */

/* Replaces the pairs of uniform random numbers u[i], v[i] by pairs of normal random numbers, for i < n <= TOGETHER. */
static void box_muller(size_t n, double *u, double *v)
{
    double cosine[TOGETHER];
    nb_elementary()->log(n, u, u);
    nb_elementary()->turn(n, v, v, cosine);
    for (size_t i = 0; i < n; i++) {
        double radius = sqrt(-2 * u[i]);
        u[i] = radius * cosine[i];
        v[i] *= radius;
    }
}

void nb_rng_normals_many(const struct nb_rng *rng, uint64_t first, size_t n, uint64_t draw, double *const g[4])
{
    nb_rng_uniforms_many(rng, first, n, draw, g);
    for (size_t i = 0; i < n; i += TOGETHER)
        for (int k = 0; k < 4; k += 2)
            box_muller(n - i < TOGETHER ? n - i : TOGETHER, g[k] + i, g[k + 1] + i);
}
