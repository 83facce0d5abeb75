#include "memory.h"

#include "error.h"
#include "portable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LARGE_PAGE   ((size_t)1 << 21)
#define WORTH_ASKING 3e7 /* bytes; less comes with every frame of a small system, and fails where it fails */

double nb_memory_free(bool with_swap)
{
    char line[128];
    double kib, sum = 0;
    int found = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1 ||
            (with_swap && sscanf(line, "SwapFree: %lf kB", &kib) == 1)) {
            found |= line[0] == 'M';
            sum += 1024 * kib;
        }
    if (file)
        fclose(file);
    return found ? sum : (double)INFINITY;
}

int nb_memory_check(uint64_t n, double needed_bytes)
{
    if (needed_bytes <= WORTH_ASKING)
        return 0;
    const double free_bytes = nb_memory_free(true);
    if (needed_bytes <= free_bytes)
        return 0;
    return nb_fail("%" PRIu64 " bodies need %.*f GB of memory, of which %.1f GB are free", n, needed_bytes < 1e12,
                   1e-9 * needed_bytes, 1e-9 * free_bytes);
}

/* Of pages that lie in the block as a whole: what is beside it stays as it is. */
void nb_memory_pack(void *block, size_t bytes)
{
    const size_t beside = (LARGE_PAGE - (uintptr_t)block % LARGE_PAGE) % LARGE_PAGE;
    if (block && bytes >= beside + LARGE_PAGE)
        nb_large_pages((char *)block + beside, (bytes - beside) / LARGE_PAGE * LARGE_PAGE);
}
