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

/* plain_numbers makes the calling thread read and write numbers with a decimal point, in any locale, and returns the
 * thread's locale. restore_numbers sets this locale (`before`) again. */
locale_t plain_numbers(void);
void restore_numbers(locale_t before);
