#include "select/sample.h"

#include "simd/rng.h"

#include <string.h>

/* Of no model, whose streams are component + 256 * galaxy, so that a sample is independent of what was drawn with the
 * same seed for positions. One draw a sample, of which the first number counts; the unit is a body's id. */
#define STREAM ((uint64_t)1 << 48)

uint64_t nb_sample_count(const struct nb_meta *meta)
{
    static const char option[] = " --sample=";
    uint64_t count = 0;
    for (int k = 0; k < meta->history_count; k++)
        if (strstr(meta->history[k], " nbedit ") || strstr(meta->history[k], " nbsim "))
            for (const char *at = meta->history[k]; (at = strstr(at, option)); at += sizeof option - 1)
                count++;
    return count;
}

uint64_t nb_sample_mask(const struct nb_bodies *b, double share, uint64_t seed, uint64_t draw, unsigned char *mask)
{
    const struct nb_rng rng = {seed, STREAM};
    const uint64_t *id = nb_bodies_find(b, "id")->data;
    uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count) if (b->n > 4096)
    for (uint64_t i = 0; i < b->n; i++) {
        double u[4];
        nb_rng_uniforms(&rng, id[i], draw, u);
        mask[i] = u[0] < share;
        count += mask[i];
    }
    return count;
}
