/* tool_threads.c - sets up OpenMP for the tools: idle threads sleep, the number of threads is limited, and an error of
 * OpenMP is printed as one line. */
#include "common/tool.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Replaces gomp_fatal, with which GNU's OpenMP library (libgomp) reports fatal errors such as missing memory.
 * gomp_fatal prints an empty line and does not name the tool. This function prints a message like other messages of the
 * tool. Used only if libgomp is linked statically (--wrap in the Makefile). */
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
 * The variable must be set before OpenMP reads it:
 *   - a statically linked libgomp (GNU) reads it in a constructor, which runs after this function (priority 101);
 *   - a shared libgomp reads it before this function runs, so users must set the variable themselves. The Makefile
 *     therefore links libgomp statically if there is a libgomp.a;
 *   - LLVM's OpenMP reads it when OpenMP is first used. */
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
