/* sample.h - random samples of bodies. Whether a body is in a sample depends on its id and not on the frame, so that
 * the sample has the same bodies in every frame. */
#pragma once

#include "base/bodies.h"

/* Returns the number of samples that have been drawn, from the history in the frame header. This number selects the
 * random numbers of the next sample, so that repeated samples are independent. */
uint64_t nb_sample_count(const struct nb_meta *meta);
/* Returns whether nbsim wrote only a sample of the bodies. The history in the frame header then contains --sample=SHARE
 * with a SHARE below 1. */
bool nb_sample_of_run(const struct nb_meta *meta);
/* Keeps each body with probability `share`. Sets mask[i] to 1 if body i is kept, otherwise to 0. The bodies must have
 * ids. `draw`: the result of nb_sample_count for the frame. Returns the number of bodies kept. */
uint64_t nb_sample_mask(const struct nb_bodies *b, double share, uint64_t seed, uint64_t draw, unsigned char *mask);
