/* Independent chains of multiplications and additions, for each instruction set: measures the peak of one core. */
#include "bench.h"

#include "peak.h"
#include "simd/vectors.h"

#define CHAINS 12 /* hide the latency of 4 cycles on two pipes */
#define ROUNDS 2000000

/* Returns operations a second. `keep` prevents that the compiler removes the work. */
#define FMA_LOOP(name, type)                                                              \
    static __attribute__((noinline)) double name(double *keep)                            \
    {                                                                                     \
        typedef VECTOR(type, LANES_##type) vector;                                        \
        vector a[CHAINS], m = (vector){0} + (type)0.999999, c = (vector){0} + (type)1e-6; \
        for (int k = 0; k < CHAINS; k++)                                                  \
            a[k] = (vector){0} + (type)k;                                                 \
        const double begin_s = bench_clock();                                             \
        for (int round = 0; round < ROUNDS; round++) {                                    \
            UNROLL(CHAINS) for (int k = 0; k < CHAINS; k++) a[k] = a[k] * m + c;          \
        }                                                                                 \
        const double took_s = bench_clock() - begin_s;                                    \
        for (int k = 0; k < CHAINS; k++)                                                  \
            *keep += (double)a[k][0];                                                     \
        return 2.0 * CHAINS * ROUNDS * LANES_##type / took_s;                             \
    }

#define LANES_float LANES_single
FMA_LOOP(of_single, float)
FMA_LOOP(of_double, double)

double PASTE(bench_peak_, SET_WORD)(bool single, double *keep)
{
    return (single ? of_single : of_double)(keep);
}
