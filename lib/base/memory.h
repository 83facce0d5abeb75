/* memory.h - host memory: zeroed, how much is free, asked before long work and not in the middle of it, and its pages.
 */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

/* Zeroed memory, to be freed; NULL after nb_fail. */
void *nb_memory_new(size_t size_bytes);
/* Makes room for one element more behind the first `count` of an array that begins as NULL and has no room but by this:
 * it doubles where the count is a power of two. Returns the array, which may have moved; NULL without memory, and the
 * array stays as it is. */
void *nb_memory_grow(void *array, size_t count, size_t size_bytes);
/* Bytes that the kernel could hand out now to this process, within the limits of its control groups, free swap included
 * or not; infinite where /proc/meminfo does not say. */
double nb_memory_free(bool with_swap);
/* The bytes that the control groups leave, by a file as /proc/self/cgroup and the folder where they are mounted, of
 * version 1 or 2; infinite without a limit. What is cached of files counts as free. */
double nb_memory_left(const char *groups, const char *mount, double free_swap);
/* Writes a number of bytes with a unit: "12.3 MB"; from a gigabyte on in GB. Returns the text. */
#define NB_MEMORY_TEXT 32
const char *nb_memory_text(double bytes, char text[NB_MEMORY_TEXT]);
/* The most memory that this process has had so far. */
double nb_memory_peak(void);
/* 0 where needed_bytes more for n bodies are free, or too few to matter; else -1 after nb_fail with what is needed and
 * what is free. Count only memory that will be written to: pages that are mapped and not touched cost nothing. */
int nb_memory_check(uint64_t n, double needed_bytes);
/* A hint that all of a block that was allocated, and not yet written to, is going to be passed over again and again: in
 * large pages, where the kernel has them, that is faster. NULL is allowed. */
void nb_memory_large_pages(void *block, size_t bytes);

NB_C_END
