/* sample.h - random samples of the bodies by id: the same bodies in every frame. */
#pragma once

#include "base/bodies.h"

/* Returns how many samples have been drawn, according to the history in the header. This number selects the random
 * numbers of the next sample, so that repeated samples are independent. */
uint64_t nb_sample_count(const struct nb_meta *meta);
/* Returns whether, according to the history in the header, nbsim wrote only a sample of the bodies: it was called with
 * --sample=SHARE and SHARE was below 1. */
bool nb_sample_of_run(const struct nb_meta *meta);
/* Sets mask[i] to 1 for bodies that are kept, with probability `share` each, otherwise to 0. The bodies must have ids.
 * `draw`: the result of nb_sample_count for the frame. Returns the number of bodies kept. */
uint64_t nb_sample_mask(const struct nb_bodies *b, double share, uint64_t seed, uint64_t draw, unsigned char *mask);
