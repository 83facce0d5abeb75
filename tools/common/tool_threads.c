/* tool_threads.c - sets up OpenMP for the tools: idle threads sleep, the number of threads is limited, and an error of
 * OpenMP is printed as one line. */
#include "common/tool.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Replaces gomp_fatal, with which GNU's OpenMP reports errors such as no memory or no thread. Prints the error in the
 * form of the tools' messages, while gomp_fatal prints an empty line and does not name the tool. Used only if libgomp
 * is linked statically (--wrap in the Makefile). */
noreturn void __wrap_gomp_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_gomp_fatal(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    die("OpenMP: %s", text);
}

/* Lets idle OpenMP threads sleep, unless the user has set OMP_WAIT_POLICY. By default they spin for milliseconds on
 * cores that other programs of a pipeline need, which can halve the pipeline's speed.
 *
 * GNU's OpenMP reads OMP_WAIT_POLICY in a constructor of libgomp. If libgomp is linked statically, this function runs
 * earlier because of its priority 101. The Makefile links libgomp statically if there is a libgomp.a. The constructor
 * of a shared libgomp runs before this function, so users must set the variable themselves. LLVM's OpenMP reads the
 * variable when OpenMP is first used. */
__attribute__((constructor(101))) static void wait_asleep(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

/* Limits the number of threads, because libgomp keeps data for each thread on the stack, whose size is limited. */
void tool_threads_check(void)
{
    if (omp_get_max_threads() > TOOL_THREADS_MAX)
        die("OMP_NUM_THREADS asks for %d threads; the maximum is %d", omp_get_max_threads(), TOOL_THREADS_MAX);
}
