/* ahead.h - a thread that reads and verifies frames while those before are drawn. */
#ifndef NBRENDER_AHEAD_H
#define NBRENDER_AHEAD_H

#include "nbrender/nbrender.h"

struct ahead;

/* Starts to read on behind the frame that s holds, into as many frames as memory is given; NULL where they would be too
 * large, or there is one thread only. The reader is then the thread's until ahead_end. Dies where there are no threads.
 */
struct ahead *ahead_begin(const struct source *s);
/* The next frame, into s as source_read has it, in the same order and with the same warnings. */
bool ahead_next(struct ahead *a, struct source *s);
/* Whether the thread is to stop. */
bool ahead_is_ending(struct ahead *a);
void ahead_end(struct ahead *a); /* NULL is allowed */

#endif
