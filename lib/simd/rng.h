/* rng.h - random numbers as a pure function of what they are for.
 *
 * Philox4x64-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"), a keyed bijection:
 * key = (seed, stream), counter = (body, draw, 0, 0). A stream is one component of a model, so that the bodies of two
 * components, or of two galaxies, share nothing; `draw` counts the groups of four numbers that a body asks for. Any
 * body can be made at any time by any thread. Only +, *, / and sqrt, log, sin, cos, whose last digit may differ between
 * machines, stand between these integers and a model: initial conditions agree to 1e-14. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct nb_rng {
    uint64_t seed, stream;
};

/* Four independent numbers, uniform in the open interval (0, 1): odd multiples of 2^-53. */
void nb_rng_uniforms(const struct nb_rng *rng, uint64_t body, uint64_t draw, double u[4]);
/* Four independent numbers, normal with mean 0 and variance 1 (Box & Muller 1958). */
void nb_rng_normals(const struct nb_rng *rng, uint64_t body, uint64_t draw, double g[4]);

/* The same for n bodies from `first` on, several times as fast: u[k][i] is for body first + i, and bit for bit what
 * nb_rng_uniforms gives as u[k]. The four arrays do not overlap. */
void nb_rng_uniforms_many(const struct nb_rng *rng, uint64_t first, size_t n, uint64_t draw, double *const u[4]);
/* As nb_rng_normals but for rounding (1e-14), and with equal bits on every machine (simd/elementary.h). */
void nb_rng_normals_many(const struct nb_rng *rng, uint64_t first, size_t n, uint64_t draw, double *const g[4]);
