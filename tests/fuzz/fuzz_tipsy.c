/* Fuzz target: nbconv --from tipsy. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("tipsy", false, data, size);
    return 0;
}
