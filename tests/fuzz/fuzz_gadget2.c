/* Fuzz target: nbconv --from gadget2. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("gadget2", false, data, size);
    return 0;
}
