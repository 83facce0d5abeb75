/* memory.h - host memory: allocates it, finds how much is free, and requests large pages. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

/* Returns zeroed memory, to be freed with free; NULL after nb_fail. */
void *nb_memory_new(size_t size_bytes);
/* Makes room for one more element in an array of `count` elements. Only this function may allocate the array, which is
 * initially NULL. The capacity doubles when count is a power of two. Returns the array, which may have moved. If there
 * is no memory, returns NULL and leaves the array unchanged. */
void *nb_memory_grow(void *array, size_t count, size_t size_bytes);
/* Returns the number of free bytes that this process may allocate, within the limits of its control groups
 * (nb_memory_left). Returns infinity if /proc/meminfo does not exist. with_swap: include free swap. */
double nb_memory_free(bool with_swap);
/* Returns the number of bytes that the limits of control groups (version 1 or 2) still allow the process to allocate,
 * or infinity if there is no limit. groups: a file like /proc/self/cgroup; mount: the folder where the control groups
 * are mounted; free_swap: free swap of the host in bytes. Memory used for cached files counts as free. */
double nb_memory_left(const char *groups, const char *mount, double free_swap);
/* Writes `bytes` to `text` in kB, MB or GB, for example "12.3 MB". Returns text. */
#define NB_MEMORY_TEXT 32
const char *nb_memory_text(double bytes, char text[NB_MEMORY_TEXT]);
/* Returns the peak resident memory of this process in bytes, NaN if unknown. */
double nb_memory_peak(void);
/* Returns 0 if needed_bytes of memory are free, or if needed_bytes is at most 30 MB. Otherwise returns -1 after
 * nb_fail. The message contains the number n of bodies. needed_bytes must not include allocated memory that will never
 * be written, because the system provides a page only when it is written. */
int nb_memory_check(uint64_t n, double needed_bytes);
/* Requests large pages for a block that was allocated and not yet written. Large pages make repeated passes over the
 * block faster. NULL is allowed. */
void nb_memory_large_pages(void *block, size_t bytes);

NB_C_END
