/* tool_threads.c - sets up OpenMP for the tools: idle threads sleep, the number of threads is limited, and errors are
 * one line. */
#include "common/tool.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Replaces gomp_fatal of GNU's OpenMP, if it is linked statically (the Makefile passes --wrap). It is called when there
 * is no memory or no thread. The original prints an empty line first and does not name the tool. */
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

/* Lets idle OpenMP threads sleep. By default they spin for milliseconds on cores that other programs of a pipeline
 * need, which can halve the pipeline's speed. A value that the user has set stays.
 *
 * GNU's OpenMP reads the variable in a constructor without a priority. A constructor of priority 101 runs earlier if
 * libgomp is linked statically, which the Makefile does if there is a libgomp.a. A shared libgomp is initialised
 * earlier, and users must set OMP_WAIT_POLICY. LLVM's OpenMP reads the variable when it is first used. */
__attribute__((constructor(101))) static void wait_asleep(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

/* libgomp keeps data of each thread on the stack, therefore the number of threads is limited. */
void tool_threads_check(void)
{
    if (omp_get_max_threads() > TOOL_THREADS_MAX)
        die("OMP_NUM_THREADS asks for %d threads; the maximum is %d", omp_get_max_threads(), TOOL_THREADS_MAX);
}
