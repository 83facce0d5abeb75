/* dies.h - for tests of a tool's parts, which die by it: the test says why, and ends. */
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
