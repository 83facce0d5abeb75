/* light_stage.h - copies of large arrays by all threads: CUDA's compiler knows no OpenMP. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void nb_light_stage(void *to, const void *from, size_t size_bytes);

#ifdef __cplusplus
}
#endif
