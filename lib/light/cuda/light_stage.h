/* light_stage.h - copies of large arrays by all threads: CUDA's compiler knows no OpenMP. */
#pragma once

#include "base/extern_c.h"

#include <stddef.h>

NB_C_BEGIN

void nb_light_stage(void *to, const void *from, size_t size_bytes);

NB_C_END
