/* Preloaded library: the allocating functions, which can fail as fault.h describes. They share one
 * counter, "malloc". */
#define _GNU_SOURCE
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NEXT(function) ((__typeof__(&function))(next_##function ? next_##function : find(&next_##function, #function)))
static void *next_malloc, *next_calloc, *next_realloc, *next_aligned_alloc, *next_posix_memalign;

/* The function behind this one: libc's, or a sanitizer's. */
static void *find(void **function, const char *name)
{
    return *function = dlsym(RTLD_NEXT, name);
}

static bool fails(size_t size)
{
    static struct fault_counter counter = {.name = "malloc"};
    int why = size >= fault_least() ? fault_at(&counter) : 0;
    if (why)
        errno = why;
    return why != 0;
}

void *malloc(size_t size)
{
    return fails(size) ? NULL : NEXT(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(count * size) ? NULL : NEXT(calloc)(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(size) ? NULL : NEXT(realloc)(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return fails(bytes) ? NULL : NEXT(realloc)(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(size) ? NULL : NEXT(aligned_alloc)(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
    return fails(size) ? ENOMEM : NEXT(posix_memalign)(to, alignment, size);
}

/* A sanitizer's strdup would not come by here for its memory. */
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
