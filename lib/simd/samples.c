/* samples.c - chooses the functions of samples.h for the instruction set in use. */
#include "simd/samples.h"

#include "simd/simd.h"

#define SET(name)    nb_samples_##name
#define SET_OF(name) &SET(name)
extern const struct nb_samples_set NB_SIMD_EACH(SET);
static const struct nb_samples_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

const struct nb_samples_set *nb_samples(void)
{
    return sets[nb_simd_in_use()];
}
