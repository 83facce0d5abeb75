/* memory.c - host memory: amounts, limits of control groups, large pages. Declared in memory.h. */
#include "base/memory.h"

#include "base/error.h"
#include "base/portable.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LARGE_PAGE   ((size_t)1 << 21)
#define WORTH_ASKING 3e7 /* bytes; smaller requests are not checked against free memory */

void *nb_memory_new(size_t size_bytes)
{
    void *block = calloc(1, size_bytes);
    if (!block)
        nb_fail("no memory for %zu bytes", size_bytes);
    return block;
}

void *nb_memory_grow(void *array, size_t count, size_t size_bytes)
{
    const bool is_full = (count & (count - 1)) == 0;
    return is_full ? nb_realloc_array(array, count ? 2 * count : 1, size_bytes) : array;
}

/* ---- limits of control groups ---- */

static const struct version { /* versions of the kernel's interface to control groups */
    const char *folder;       /* path of the control groups below the mount point */
    const char *other_folder; /* a second path to try, used by systems with both versions; NULL: none */
    const char *limit, *used, *swap_limit, *swap_used, *cached[2];
} versions[] = {
    {"memory",
     NULL,
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     NULL,
     NULL,
     {"total_inactive_file %lf", "total_active_file %lf"}},
    {"",
     "unified",
     "memory.max",
     "memory.current",
     "memory.swap.max",
     "memory.swap.current",
     {"inactive_file %lf", "active_file %lf"}},
};

/* Reads the file `name` in the folder. Returns the number in the first line that matches `format` (of sscanf). Returns
 * `other` if no line matches or there is no file. */
static double number_in(const char *folder, const char *name, const char *format, double other)
{
    char path[PATH_MAX], line[128];
    double number = other;
    snprintf(path, sizeof path, "%s/%s", folder, name ? name : "");
    FILE *file = name ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &number) == 1)
            break;
    if (file)
        fclose(file);
    return number;
}

/* Returns how many more bytes of memory and swap a control group may use. Considers the limits of this group, but not
 * the limits of its parents. free_swap: the free swap of the host; no more swap than this is counted. */
static double left_in(const char *folder, const struct version *v, double free_swap)
{
    const double limit = number_in(folder, v->limit, "%lf", INFINITY), used = number_in(folder, v->used, "%lf", 0);
    const double swap_limit = number_in(folder, v->swap_limit, "%lf", v->swap_limit ? (double)INFINITY : 0);
    const double swap = fmax(swap_limit - number_in(folder, v->swap_used, "%lf", 0), 0);
    double cached = 0;
    for (int k = 0; k < 2; k++)
        cached += number_in(folder, "memory.stat", v->cached[k], 0);
    return fmax(limit - used + cached, 0) + fmin(swap, free_swap);
}

/* Returns the minimum of left_in over the control group with the path mount/folder/group and its parents. A folder that
 * does not exist sets no limit. In a container, `group` may be a path on the host, which does not exist in the
 * container. */
static double left_along(const char *mount, const char *folder, const char *group, const struct version *v,
                         double free_swap)
{
    char path[PATH_MAX];
    const int top = snprintf(path, sizeof path, "%s/%s", mount, folder);
    double least = left_in(path, v, free_swap);
    snprintf(path + top, sizeof path - (size_t)top, "%s", group);
    for (char *end; (end = strrchr(path + top, '/')); *end = '\0')
        least = fmin(least, left_in(path, v, free_swap));
    return least;
}

double nb_memory_left(const char *groups, const char *mount, double free_swap)
{
    char line[PATH_MAX];
    double least = INFINITY;
    FILE *file = fopen(groups, "r");
    while (file && fgets(line, sizeof line, file)) { /* a line has the form NUMBER:CONTROLLERS:PATH */
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group || strlen(mount) > PATH_MAX / 4)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        const bool second = strcmp(controllers, ":") == 0;
        const struct version *v = &versions[second];
        if (!second && strcmp(controllers + 1, "memory") != 0)
            continue;
        least = fmin(least, left_along(mount, v->folder, group, v, free_swap));
        if (v->other_folder)
            least = fmin(least, left_along(mount, v->other_folder, group, v, free_swap));
    }
    if (file)
        fclose(file);
    return least;
}

/* ---- amounts ---- */

double nb_memory_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? NAN : NB_MAXRSS_BYTES * (double)usage.ru_maxrss;
}

double nb_memory_free(bool with_swap)
{
    char line[128];
    double kib, available = INFINITY, swap = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
            available = 1024 * kib;
        else if (with_swap && sscanf(line, "SwapFree: %lf kB", &kib) == 1)
            swap = 1024 * kib;
    if (file)
        fclose(file);
    return fmin(available + swap, nb_memory_left("/proc/self/cgroup", "/sys/fs/cgroup", swap));
}

const char *nb_memory_text(double bytes, char text[NB_MEMORY_TEXT])
{
    if (bytes < 1e9)
        snprintf(text, NB_MEMORY_TEXT, "%.3g %s", bytes < 1e6 ? 1e-3 * bytes : 1e-6 * bytes, bytes < 1e6 ? "kB" : "MB");
    else
        snprintf(text, NB_MEMORY_TEXT, "%.*f GB", bytes < 1e12, 1e-9 * bytes);
    return text;
}

int nb_memory_check(uint64_t n, double needed_bytes)
{
    if (needed_bytes <= WORTH_ASKING)
        return 0;
    const double free_bytes = nb_memory_free(true);
    if (needed_bytes <= free_bytes)
        return 0;
    char needed[NB_MEMORY_TEXT], left[NB_MEMORY_TEXT];
    return nb_fail("%" PRIu64 " bodies need %s of memory; %s are free", n, nb_memory_text(needed_bytes, needed),
                   nb_memory_text(free_bytes, left));
}

/* Requests large pages only for the part of the block that begins and ends at multiples of LARGE_PAGE, because
 * nb_large_pages accepts no other addresses and sizes. The bytes before and after this part stay in small pages. */
void nb_memory_large_pages(void *block, size_t bytes)
{
    const size_t beside = (LARGE_PAGE - (uintptr_t)block % LARGE_PAGE) % LARGE_PAGE;
    if (block && bytes >= beside + LARGE_PAGE)
        nb_large_pages((char *)block + beside, (bytes - beside) / LARGE_PAGE * LARGE_PAGE);
}
