/* elementary.c - chooses the functions of elementary.h for the instruction set in use. */
#include "simd/elementary.h"

#include "simd/simd.h"

#define SET(name)    nb_elementary_##name
#define SET_OF(name) &SET(name)
extern const struct nb_elementary_set NB_SIMD_EACH(SET);
static const struct nb_elementary_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

const struct nb_elementary_set *nb_elementary(void)
{
    return sets[nb_simd_in_use()];
}
