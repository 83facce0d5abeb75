/* simd.h - instruction sets for which kernels are compiled (each *_simd.c once for each set, with vectors.h). One set
 * is chosen at run time for all kernels. */
#pragma once

#include <stdbool.h>

/* Expands to what(set), ... for all instruction sets, from the weakest to the best. Every processor has `baseline`:
 * vectors of 128 bits with SSE2 or NEON. Only x86_64 has other sets; the macro NB_SIMD_BASELINE removes them. */
#if defined __x86_64__ && !defined NB_SIMD_BASELINE
#define NB_SIMD_EACH(what) what(baseline), what(avx2), what(avx512)
#define NB_SIMD_ABOUT      "baseline, AVX2, AVX-512"
#else
#define NB_SIMD_EACH(what) what(baseline)
#define NB_SIMD_ABOUT      "baseline"
#endif

#define NB_SIMD_NUMBER(name) NB_SIMD_##name

/* The instruction sets. Each value is the index of the set in a table of kernels {NB_SIMD_EACH(...)}. */
enum nb_simd { NB_SIMD_EACH(NB_SIMD_NUMBER), NB_SIMD_SETS };

/* Returns the name of an instruction set: "baseline", "avx2", "avx512". */
const char *nb_simd_name(enum nb_simd set);
/* Returns whether this processor has the instruction set. */
bool nb_simd_here(enum nb_simd set);
/* Sets the instruction set of the process by name; NULL: the best set of this processor. Must not be called while a
 * force is computed. Returns 0. If the name is unknown or the processor does not have this set, uses the best set and
 * returns -1 after nb_fail. */
int nb_simd_choose(const char *name);
/* Returns the instruction set chosen by nb_simd_choose, by default the best one of this processor. */
enum nb_simd nb_simd_in_use(void);
