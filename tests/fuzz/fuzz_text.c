/* Fuzz target: nbconv --from text, its dialects and the other line-based formats. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"text", "csv", "g1", "si", "adk", "zeno"};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        fuzz_import(formats[k], false, data, size);
    fuzz_import("text", true, data, size);
    return 0;
}
