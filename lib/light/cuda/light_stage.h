/* light_stage.h - declares copies of large arrays by all CPU threads. It is a C function, since CUDA's compiler has no
 * OpenMP here. */
#pragma once

#include "base/extern_c.h"

#include <stddef.h>

NB_C_BEGIN

/* Copies size_bytes with all threads. */
void nb_light_stage(void *to, const void *from, size_t size_bytes);

NB_C_END
