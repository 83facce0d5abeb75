/* fuzz_import.h - gives bytes to the reader of one of nbconv's formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With --store quad, or without. Aborts where a frame comes out that physics could not use, or that a stream does not
 * give back, or where the reader fails and does not say why. */
void fuzz_import(const char *format, bool quad, const uint8_t *data, size_t size);
