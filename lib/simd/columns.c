/* columns.c - chooses the functions of columns.h for the instruction set in use. */
#include "simd/columns.h"

#include "simd/simd.h"

#define SET(name)    nb_columns_##name
#define SET_OF(name) &SET(name)
extern const struct nb_columns_set NB_SIMD_EACH(SET);
static const struct nb_columns_set *const sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

const struct nb_columns_set *nb_columns(void)
{
    return sets[nb_simd_in_use()];
}
