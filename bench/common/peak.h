/* peak.h - one run of bench_fma_peak with one instruction set's vectors. */
#pragma once

#include "simd/simd.h"

typedef double bench_peak(bool single, double *keep);
#define BENCH_PEAK(set) bench_peak_##set
extern bench_peak NB_SIMD_EACH(BENCH_PEAK);
