/* simd.h - the instruction sets that kernels are compiled for (*_simd.c, once each; vectors.h), and the choice among
 * them at run time, one for all forces. */
#pragma once

#include <stdbool.h>

/* For the compiler's target, what(name) for each, better ones later. baseline is what every processor of its kind has:
 * vectors of 128 bits with SSE2 or NEON; the only one with NB_SIMD_BASELINE. */
#if defined __x86_64__ && !defined NB_SIMD_BASELINE
#define NB_SIMD_EACH(what) what(baseline), what(avx2), what(avx512)
#define NB_SIMD_ABOUT      "baseline, AVX2, AVX-512"
#else
#define NB_SIMD_EACH(what) what(baseline)
#define NB_SIMD_ABOUT      "baseline"
#endif

#define NB_SIMD_NUMBER(name) NB_SIMD_##name

/* The index of a table of kernels: {NB_SIMD_EACH(...)}. */
enum nb_simd { NB_SIMD_EACH(NB_SIMD_NUMBER), NB_SIMD_SETS };

/* Its name: "baseline", "avx2", "avx512". */
const char *nb_simd_name(enum nb_simd set);
/* Whether this processor has it. */
bool nb_simd_here(enum nb_simd set);
/* From now on, in the whole process, the set of that name; NULL: the best one. Not while a force is computed. -1 after
 * nb_fail: not known, or not on this processor; then the best one is in use. */
int nb_simd_choose(const char *name);
/* The set that nb_simd_choose chose, or else the best that this processor has. */
enum nb_simd nb_simd_in_use(void);
