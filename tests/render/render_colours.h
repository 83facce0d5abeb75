/* render_colours.h - for tests of colours, behind the parts of the tool that they compile in: what these want of the
 * rest of it. */
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
