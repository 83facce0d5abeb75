/* frame.h - the frame of nbtools.h, for the other files here. */
#pragma once

#include "nbtools.h"

#include "base/bodies.h"
#include "base/error.h"

#include <locale.h>
#include <stdbool.h>

struct nbt_frame {
    struct nb_bodies bodies;
};

/* From plain_numbers to restore_numbers the thread reads and writes numbers with a point, whatever the language of the
 * program. */
locale_t plain_numbers(void);
void restore_numbers(locale_t before);
