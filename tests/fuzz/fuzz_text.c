/* Fuzz target: nbconv --from text. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("text", false, data, size);
    fuzz_import("text", true, data, size);
    return 0;
}
