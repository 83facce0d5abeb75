/* simd.c - detects the instruction sets of this processor and stores the one in use. Declared in simd.h. */
#include "simd/simd.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define NAME(set) #set
static const char *const names[NB_SIMD_SETS] = {NB_SIMD_EACH(NAME)};

static bool forced;
static enum nb_simd chosen;

const char *nb_simd_name(enum nb_simd set)
{
    return names[set];
}

bool nb_simd_here(enum nb_simd set)
{
#if defined __x86_64__ && !defined NB_SIMD_BASELINE
    __builtin_cpu_init();
    if (set == NB_SIMD_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
    if (set == NB_SIMD_avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return set == NB_SIMD_baseline;
}

/* Returns the best instruction set of this processor. Stores the result, because each operation on vectors calls this
 * function, even for a few bodies. Concurrent threads store the same result. */
static enum nb_simd best(void)
{
    static _Atomic int found = -1;
    int set = found;
    if (set >= 0)
        return (enum nb_simd)set;
    set = NB_SIMD_SETS - 1;
    while (!nb_simd_here((enum nb_simd)set))
        set--;
    found = set;
    return (enum nb_simd)set;
}

enum nb_simd nb_simd_in_use(void)
{
    return forced ? chosen : best();
}

static int not_known(const char *name)
{
    char known[64] = "";
    for (int set = 0; set < NB_SIMD_SETS; set++) {
        const size_t end = strlen(known);
        snprintf(known + end, sizeof known - end, "%s%s",
                 set == 0                  ? ""
                 : set == NB_SIMD_SETS - 1 ? " or "
                                           : ", ",
                 names[set]);
    }
    return nb_fail("unknown kernel '%s': expected %s", name, known);
}

int nb_simd_choose(const char *name)
{
    forced = false;
    if (!name)
        return 0;
    for (int set = 0; set < NB_SIMD_SETS; set++)
        if (strcmp(name, names[set]) == 0) {
            chosen = (enum nb_simd)set;
            forced = nb_simd_here(chosen);
            return forced ? 0 : nb_fail("this processor has no %s", name);
        }
    return not_known(name);
}
