/* fuzz_stream.h - functions that the fuzz target and its mutator share. */
#pragma once

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#define FUZZ_STREAM_MAX ((size_t)60000) /* bytes: less than any pipe holds */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Computes anew, in place and as far as the parts can be made out, checksums and padding of text blocks; from level 2
 * on footers; from level 3 on trailers and close lines. The new size, at most max. */
size_t fuzz_stream_mend(uint8_t *data, size_t size, size_t max, int level);
