/* sample.h - a share of the bodies, by chance and by id: the same bodies in every frame. */
#pragma once

#include "base/bodies.h"

/* The number of samples in the header's history. It selects the next sample's random numbers, so that samples of
 * samples are independent. */
uint64_t nb_sample_count(const struct nb_meta *meta);
/* Did a run of nbsim write these bodies with --sample and a share below 1? */
bool nb_sample_of_run(const struct nb_meta *meta);
/* Sets mask[i] to 1 for bodies that are kept, each with the probability `share`, else to 0; they have ids. `draw`:
 * nb_sample_count of the frame. Returns how many are kept. */
uint64_t nb_sample_mask(const struct nb_bodies *b, double share, uint64_t seed, uint64_t draw, unsigned char *mask);
