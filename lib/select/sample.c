/* sample.c - draws random samples of the bodies of a frame. Counts the samples that earlier commands have drawn: these
 * commands are listed in the history of the frame. Declared in sample.h. */
#include "select/sample.h"

#include "simd/rng.h"

#include <string.h>

/* Index of the stream of random numbers for samples (simd/rng.h). nbgen uses streams with smaller indices. Therefore a
 * sample is independent of the random positions of a model, even with the same seed. */
#define STREAM ((uint64_t)1 << 48)

static const char option[] = " --sample=";

/* Returns a pointer to the text after the first " --sample=" in `line`, or NULL if `line` does not contain it. */
static const char *next_sample(const char *line)
{
    const char *at = strstr(line, option);
    return at ? at + strlen(option) : NULL;
}

uint64_t nb_sample_count(const struct nb_meta *meta)
{
    uint64_t count = 0;
    for (int k = 0; k < meta->history_count; k++)
        if (strstr(meta->history[k], " nbedit ") || strstr(meta->history[k], " nbsim "))
            for (const char *at = meta->history[k]; (at = next_sample(at));)
                count++;
    return count;
}

bool nb_sample_of_run(const struct nb_meta *meta)
{
    for (int k = 0; k < meta->history_count; k++) {
        const char *share = strstr(meta->history[k], " nbsim ") ? next_sample(meta->history[k]) : NULL;
        if (share && strcmp(share, "1") != 0 && strncmp(share, "1 ", 2) != 0)
            return true;
    }
    return false;
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
