/* memory.c - allocates memory filled with zeros, or ends the program. */

#include "nbgen.h"

#include <stdlib.h>

void *gen_memory(size_t size_bytes)
{
    return claimed(calloc(1, size_bytes ? size_bytes : 1), "no memory");
}
