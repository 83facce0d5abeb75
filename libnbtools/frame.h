/* frame.h - defines struct nbt_frame of nbtools.h, for the files of libnbtools only. */
#pragma once

#include "nbtools.h"

#include "base/bodies.h"
#include "base/error.h"

#include <locale.h>
#include <stdbool.h>

struct nbt_frame {
    struct nb_bodies bodies;
};

/* plain_numbers switches the calling thread to a locale in which numbers have a decimal point, and returns the thread's
 * previous locale. restore_numbers(before) switches back to this previous locale. */
locale_t plain_numbers(void);
void restore_numbers(locale_t before);
