/* frame.h - the frame of nbtools.h; private to libnbtools. */
#pragma once

#include "nbtools.h"

#include "base/bodies.h"
#include "base/error.h"

#include <locale.h>
#include <stdbool.h>

struct nbt_frame {
    struct nb_bodies bodies;
};

/* Between plain_numbers and restore_numbers the thread reads and writes numbers with a decimal point, in any locale of
 * the program. */
locale_t plain_numbers(void);
void restore_numbers(locale_t before);
