/* contact_simd.c - contact forces compiled for the instruction set that the compiler's flags select. */
#include "force/contact/cpu/contact_simd.h"

#include "simd/vectors.h"

#define SET PASTE(nb_contact_, SET_WORD)

#define PRECISION single
#define STATE     float
#include "force/contact/cpu/contact_simd_kernel.h"

#define PRECISION double
#define STATE     double
#include "force/contact/cpu/contact_simd_kernel.h"

extern const struct nb_contact_set SET;
const struct nb_contact_set SET = {.sum = {sum_single, sum_double},
                                   .reflect = {reflect_single, reflect_double},
                                   .spread = {spread_single, spread_double}};
