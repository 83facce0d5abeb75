/* philox.c - chooses the functions of philox.h for the instruction set in use. */
#include "simd/philox.h"

#include "simd/simd.h"

#define SET(name)    nb_philox_##name
#define SET_OF(name) &SET(name)
extern const struct nb_philox_set NB_SIMD_EACH(SET);
static const struct nb_philox_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

const struct nb_philox_set *nb_philox(void)
{
    return sets[nb_simd_in_use()];
}
