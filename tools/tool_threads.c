/* OpenMP as the tools want it: threads that wait asleep, a number of them that can be, and errors of one line. */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>

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
