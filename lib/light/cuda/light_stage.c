/* light_stage.c - writes the data of bodies to pinned memory, for copies to the GPU. Uses several threads, because one
 * thread is slower than the bus to the GPU. Declared in light_stage.h. */
#include "light/cuda/light_stage.h"

#include <string.h>

#define PIECE ((size_t)1 << 18) /* number of bytes that a thread copies at a time */

void nb_light_stage(void *to, const void *from, size_t size_bytes)
{
#pragma omp parallel for schedule(static) if (size_bytes > 4 * PIECE)
    for (size_t at = 0; at < size_bytes; at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, size_bytes - at < PIECE ? size_bytes - at : PIECE);
}

void nb_light_stage_filled(const struct nb_light_bodies *b, uint64_t i0, uint64_t count, float *light, uint16_t *step)
{
#pragma omp parallel for schedule(static)
    for (uint64_t at = 0; at < count; at += NB_LIGHT_PIECE)
        b->fill(b->context, i0 + at, count - at < NB_LIGHT_PIECE ? (int)(count - at) : NB_LIGHT_PIECE,
                light ? light + at : NULL, step ? step + at : NULL);
}
