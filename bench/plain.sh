#!/usr/bin/env bash
# Compares direct summation on one core with a plain loop in C, compiled with gcc -Ofast for AVX2 and for this
# processor: billions of pairs a second for 16384 bodies. The programs take turns; the best of ROUNDS runs counts.
#
# usage: plain.sh BUILD
set -euo pipefail
bin=$1/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/plain.c" <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { N = 16384 };
REAL x[N], y[N], z[N], m[N], ax[N], ay[N], az[N];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        x[i] = drand48(), y[i] = drand48(), z[i] = drand48(), m[i] = (REAL)1 / N;
    double least = 1e9;
    for (int k = 0; k < 4; k++) {
        const double begin = now();
        for (int i = 0; i < N; i++) {
            REAL sx = 0, sy = 0, sz = 0;
            for (int j = 0; j < N; j++) {
                const REAL dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                const REAL r = 1 / SQRT(dx * dx + dy * dy + dz * dz + (REAL)1e-4), w = m[j] * r * r * r;
                sx += w * dx, sy += w * dy, sz += w * dz;
            }
            ax[i] = sx, ay[i] = sy, az[i] = sz;
        }
        least = fmin(least, now() - begin);
    }
    double sum = 0; /* every result is used */
    for (int i = 0; i < N; i++)
        sum += ax[i] + ay[i] + az[i];
    printf("%.4g\n", sum == 42 ? 0 : 1e-9 * N * (double)N / least);
}
C
has() { grep -qw "$1" /proc/cpuinfo; }
printf '# instructions\tprecision\tplain\tnbtools\tratio\n'
for kernel in avx2 avx512; do
    has "${kernel/%avx512/avx512dq}" || continue
    arch=native
    [ $kernel = avx512 ] || arch=x86-64-v3
    for precision in single double; do
        [ $precision = single ] && type=(-DREAL=float -DSQRT=sqrtf) || type=(-DREAL=double -DSQRT=sqrt)
        gcc -Ofast -march=$arch -mtune=native "${type[@]}" -o "$work/plain" "$work/plain.c" -lm
        for ((round = 0; round < ${ROUNDS:-3}; round++)); do
            "$work/plain" >>"$work/$kernel.$precision.plain"
            "$bin/nbbench" --device cpu --kernel $kernel --threads 1 --precision $precision -n 16384 2>/dev/null |
                awk '$2 == "direct" && $4 == 16384 { print 1e-9 * $8 }' >>"$work/$kernel.$precision.ours"
        done
        paste <(sort -g "$work/$kernel.$precision.plain" | tail -n 1) <(sort -g "$work/$kernel.$precision.ours" | tail -n 1) |
            awk -v k=$kernel -v p=$precision '{ printf "%s\t%s\t%.2f\t%.2f\t%.2f\n", k, p, $1, $2, $2 / $1 }'
    done
done
