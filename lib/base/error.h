/* error.h - error messages of the library.
 *
 * A function that fails returns -1 (or NULL) after nb_fail("%s: not a snapshot", name). The tool then prints
 * nb_error(). The message is one line without a newline and without the tool's name. Each thread has its own
 * message. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>

NB_C_BEGIN

#define NB_ERROR_MAX ((size_t)16 << 10) /* maximum size of a message in bytes, including NUL */

/* Stores the formatted and escaped message and returns -1, so that a caller can write `return nb_fail(...)`. nb_error()
 * may be an argument, to add context to a message. NB_ERROR_MAX bytes are enough for three file names of PATH_MAX
 * bytes. */
int nb_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns -1 if `failed` is true, else 0. Used to combine calls, each of which sets the message if it fails: return
 * nb_status(first() || second()); */
static inline int nb_status(bool failed)
{
    return failed ? -1 : 0;
}

/* Returns NULL, for functions that return NULL on failure: return nb_null(nb_fail(...)); */
static inline void *nb_null(int failed)
{
    (void)failed;
    return NULL;
}

/* Returns the message of the last failure in this thread, "" before the first. Valid until the next nb_fail in the
 * thread. */
const char *nb_error(void);

/* Writes text to out with every control character as \n, \t, \r or \xHH, so that a file name cannot add lines to a
 * message. out has size_bytes >= 32 bytes. If the text does not fit, writes its beginning, "..." and its end. Does not
 * change text that is already escaped. Returns out, which must not overlap text. */
char *nb_error_escape(char *out, size_t size_bytes, const char *text);

NB_C_END
