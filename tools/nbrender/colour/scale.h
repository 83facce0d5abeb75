/* scale.h - from a number to a step of a ramp: linear, logarithmic, asinh, or by rank among a sample. */
#ifndef NBRENDER_SCALE_H
#define NBRENDER_SCALE_H

#include "nbrender/colour/ramp.h"
#include "nbrender/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scaling { SCALE_AUTO, SCALE_LINEAR, SCALE_LOG, SCALE_ASINH, SCALE_RANK };
const char *scaling_name(enum scaling scaling);

struct colour_scale;

/* From low (step 0) to high (RAMP_TOP), low < high. The logarithm is that of |x|, for numbers of one sign: of negative
 * ones -log|x|, so that the order stays. asinh(x / soft) is linear within about `soft` of 0. NULL after nb_fail where
 * the scaling cannot be: the logarithm from or to 0, or of both signs. */
struct colour_scale *scale_create(enum scaling scaling, double low, double high, double soft);
/* The same from what is in the (sorted) sample: all but half a percent at each end is between low and high; soft is the
 * median of |x|.
 *
 * By rank: the smallest at one end, the largest at the other, the median in the middle; numbers that are equal have one
 * colour. Of a few, each counts as spread over 1/sqrt(n) octaves to both sides, so that a few bodies that change their
 * speeds change their colours gradually; that of one body alone is in the middle at its first speed, at one end at half
 * and at the other at twice it. */
struct colour_scale *scale_of_sample(enum scaling scaling, const struct sample *sorted);
/* By rank: moves a share of the way towards another; of the others, their ends and soft. */
void scale_move(struct colour_scale *scale, const struct colour_scale *to, double share);
void scale_free(struct colour_scale *scale);

/* Steps of numbers; RAMP_NEUTRAL of one that is not finite. Returns how many these are. */
size_t scale_steps(const struct colour_scale *scale, const double *value, int count, uint16_t *step);
/* The number at a place of the ramp, 0 to 1; and the scaling. */
double scale_value(const struct colour_scale *scale, double place);
enum scaling scale_scaling(const struct colour_scale *scale);

#endif
