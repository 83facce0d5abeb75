/* plain.c - selects the loops of plain.h for the instruction set in use. */
#include "reference/methods/cpu/plain.h"

#include "simd/simd.h"

#define SET(name)    nb_plain_##name
#define SET_OF(name) &SET(name)
extern const struct nb_plain_set NB_SIMD_EACH(SET);
static const struct nb_plain_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

const struct nb_plain_set *nb_plain(void)
{
    return sets[nb_simd_in_use()];
}
