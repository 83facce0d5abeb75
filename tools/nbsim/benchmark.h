/* benchmark.h - nbsim --benchmark. */
#ifndef NBSIM_BENCHMARK_H
#define NBSIM_BENCHMARK_H

#include "nbsim.h"

#include <stdnoreturn.h>

/* Prints the standard table of a device to stdout, with --json as one object, and ends the tool. Obeys --device,
 * --precision, --threads and --kernel. */
noreturn void sim_benchmark(const struct sim_options *o);

#endif
