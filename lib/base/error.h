/* error.h - the one way in which the library reports that the world failed.
 *
 * A function that fails returns -1 (or NULL) after nb_fail("%s: not a snapshot", name); the tool prints nb_error().
 * The text is one line without a newline and without the tool's name. Each thread has its own. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>

NB_C_BEGIN

#define NB_ERROR_MAX ((size_t)16 << 10) /* bytes of a message, with its NUL */

/* Keeps the formatted message, escaped as below, and returns -1, so that a caller can write `return nb_fail(...)`.
 * The arguments may include nb_error() itself, to put context in front of a message. Three names of PATH_MAX bytes fit.
 */
int nb_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -1 where a call has failed, and said why, else 0: return nb_status(first() || second()); */
static inline int nb_status(bool failed)
{
    return failed ? -1 : 0;
}

/* NULL, for a function whose NULL is a failure: return nb_null(nb_fail(...)). */
static inline void *nb_null(int failed)
{
    (void)failed;
    return NULL;
}

/* The message of the last failure in this thread; "" before the first. Valid until the next nb_fail in the thread. */
const char *nb_error(void);

/* Writes text into out, of at least 32 bytes, with every control character as \n, \t, \r or \xHH: what is printed then
 * is one line and cannot pass for another, whatever a file is called. A text that does not fit keeps its beginning and
 * its end around "...". What was escaped stays as it is. Returns out, which may not overlap text. */
char *nb_error_escape(char *out, size_t size_bytes, const char *text);

NB_C_END
