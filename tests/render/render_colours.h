/* render_colours.h - for tests of colours: dummies of the functions of the tool that the compiled-in parts call.
 * Include it after these parts. */
#pragma once

#include "common/dies.h"
#include "common/uniform.h"
#include "no_offers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static int warnings; /* that were given */

void warn(const char *format, ...)
{
    (void)format;
    warnings++;
}

bool tool_select_asked(void)
{
    return false;
}

static const struct colour_options colour_defaults = {.color = "speed", .colormap = "spectrum", .weight = "mass"};
