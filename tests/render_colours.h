/* render_colours.h - for tests of colours, behind the parts of the tool that they compile in: what these want of the
 * rest of it. */
#ifndef RENDER_COLOURS_H
#define RENDER_COLOURS_H

#include "no_offers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static int warnings; /* that were given */

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}

void warn(const char *format, ...)
{
    (void)format;
    warnings++;
}

const struct colour_options colour_defaults = {.color = "speed", .colormap = "spectrum", .weight = "mass"};

static inline double uniform01(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
