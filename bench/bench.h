/* bench.h - functions that the benchmark programs share. */
#pragma once

#include "force/force.h"

#include <stdbool.h>

/* Opens a single force from its text ("tree:theta=0.5"). Exits on an error. Close with nb_force_set_close. */
struct nb_force_set bench_force(struct nb_device *device, enum nb_precision precision, const char *text, uint64_t n);

/* Seconds of a monotonic clock. */
double bench_clock(void);
void bench_sort(double *values, size_t n);
/* A Plummer sphere of n bodies of equal mass, scale length 1, out to 99.9 % of its mass, rounded to single precision so
 * that every precision starts from the same numbers; the caller frees it. Exits when memory is short. */
void bench_plummer(struct nb_bodies *b, uint64_t n);
/* Reads the last frame of a stream, "-" for stdin; the caller frees it. Returns -1 after nb_fail. */
int bench_input(const char *path, struct nb_bodies *b);
/* Returns the processor's name, as in portable.h. */
const char *bench_cpu_name(void);
/* Returns the operations a second of one core with independent fused multiplications and additions, in its widest
 * vectors; the best of several runs. */
double bench_fma_peak(bool single);
