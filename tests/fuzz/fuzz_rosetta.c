/* Fuzz target: nbconv --from rosetta. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("rosetta", false, data, size);
    return 0;
}
