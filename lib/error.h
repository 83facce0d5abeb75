/* error.h - the one way in which the library reports that the world failed.
 *
 * A function that fails returns -1 (or NULL) after nb_fail("%s: not a snapshot", name); the tool prints nb_error().
 * The text is one line without a newline and without the tool's name. Each thread has its own. */
#ifndef NB_ERROR_H
#define NB_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the formatted message and returns -1, so that a caller can write `return nb_fail(...)`.
 * The arguments may include nb_error() itself, to put context in front of a message. */
int nb_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The message of the last failure in this thread; "" before the first. Valid until the next nb_fail in the thread. */
const char *nb_error(void);

#ifdef __cplusplus
}
#endif
#endif
