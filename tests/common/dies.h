/* dies.h - for tests of parts of a tool, which end the program on an error: the test prints the message and ends. */
#pragma once

#include "common/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}
