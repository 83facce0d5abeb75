/* OpenMP as the tools want it: threads that wait asleep, a number of them that can be, and errors of one line. */
#include "common/tool.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Where GNU's OpenMP is linked statically, the Makefile has the linker call this in place of its own: it is out of
 * memory or gets no threads. Its own text begins with an empty line and has not the tool's name. */
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

/* Idle threads of OpenMP spin for milliseconds by default, on cores that the other stages of a pipeline want; it costs
 * them half their speed and more. GNU's OpenMP reads how to wait in a constructor without a priority, so that one of
 * the first priority is heard where libgomp is linked statically (the Makefile does so where there is a libgomp.a; a
 * shared one is older than anything of ours, and there users set OMP_WAIT_POLICY themselves). LLVM's reads it when it
 * is first used. What a user has set stays. */
__attribute__((constructor(101))) static void wait_asleep(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

/* libgomp keeps what it notes of each thread on the stack. */
void tool_threads_check(void)
{
    if (omp_get_max_threads() > TOOL_THREADS_MAX)
        die("OMP_NUM_THREADS asks for %d threads; the maximum is %d", omp_get_max_threads(), TOOL_THREADS_MAX);
}
