/* rng.h - counter-based random numbers: a pure function of seed, stream, body and draw.
 *
 * - The generator is Philox4x64-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3")
 *   with key = (seed, stream), counter = (body, draw, 0, 0).
 * - Each component of each galaxy in a model has its own stream, so that their numbers are independent.
 * - Each `draw` gives four numbers of a body. There is no state, so any thread can compute the numbers of any body.
 * - The integers of Philox are identical on every machine. Models may also use log, sin and cos of the C library,
 *   whose last digits may differ between machines. Initial conditions on two machines therefore agree to 1e-14. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct nb_rng {
    uint64_t seed, stream;
};

/* Computes four independent numbers, uniform in the open interval (0, 1). They are odd multiples of 2^-53. */
void nb_rng_uniforms(const struct nb_rng *rng, uint64_t body, uint64_t draw, double u[4]);
/* Computes four independent normal numbers with mean 0 and variance 1 (Box & Muller 1958). */
void nb_rng_normals(const struct nb_rng *rng, uint64_t body, uint64_t draw, double g[4]);

/* Computes the numbers of nb_rng_uniforms for bodies first .. first + n - 1; faster than n calls. u[k][i] is bitwise
 * identical to u[k] of nb_rng_uniforms for body first + i. The four arrays must not overlap. */
void nb_rng_uniforms_many(const struct nb_rng *rng, uint64_t first, size_t n, uint64_t draw, double *const u[4]);
/* Computes the numbers of nb_rng_normals for bodies first .. first + n - 1. They differ from nb_rng_normals by rounding
 * (1e-14), and are bitwise identical on every machine (simd/elementary.h). */
void nb_rng_normals_many(const struct nb_rng *rng, uint64_t first, size_t n, uint64_t draw, double *const g[4]);
