/* light_stage.h - declares two functions that use all CPU threads. One copies a large array, and one calls
 * nb_light_fill to compute light or colour steps. They are in C, because the CUDA files are compiled without OpenMP. */
#pragma once

#include "base/extern_c.h"
#include "light/light.h"

#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

/* Copies size_bytes bytes from `from` to `to`, with all CPU threads. */
void nb_light_stage(void *to, const void *from, size_t size_bytes);
/* Calls b->fill in all threads for bodies [i0, i0 + count). Writes their light to `light`, or their colour steps to
 * `step`. The caller passes one of these two arrays, and NULL for the other. */
void nb_light_stage_filled(const struct nb_light_bodies *b, uint64_t i0, uint64_t count, float *light, uint16_t *step);

NB_C_END
