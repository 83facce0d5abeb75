/* light_stage.c - copies between the bodies' memory and pinned memory with several threads, since one thread is slower
 * than the bus. Declared in light_stage.h. */
#include "light/cuda/light_stage.h"

#include <string.h>

#define PIECE ((size_t)1 << 18) /* number of bytes that a thread copies at a time */

void nb_light_stage(void *to, const void *from, size_t size_bytes)
{
#pragma omp parallel for schedule(static) if (size_bytes > 4 * PIECE)
    for (size_t at = 0; at < size_bytes; at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, size_bytes - at < PIECE ? size_bytes - at : PIECE);
}
