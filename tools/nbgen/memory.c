#include "nbgen.h"

#include <stdlib.h>

void *gen_memory(size_t size_bytes)
{
    void *memory = calloc(1, size_bytes ? size_bytes : 1);
    if (!memory)
        die("no memory");
    return memory;
}
