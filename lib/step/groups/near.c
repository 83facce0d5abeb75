/* near.c - chooses the functions of near.h that are compiled for the instruction set in use. */
#include "step/groups/near.h"

#define DECLARE(name) nb_near_##name

extern const struct nb_near_set NB_SIMD_EACH(DECLARE);

#define ADDRESS(name) &nb_near_##name

static const struct nb_near_set *const sets[] = {NB_SIMD_EACH(ADDRESS)};

const struct nb_near_set *nb_near_in_use(void)
{
    return sets[nb_simd_in_use()];
}
