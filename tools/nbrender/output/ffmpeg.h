/* ffmpeg.h - the one ffmpeg that runs, if any: it ends with the tool. */
#ifndef NBRENDER_FFMPEG_H
#define NBRENDER_FFMPEG_H

#include <stdbool.h>

/* Starts it with these arguments (NULL at the end, the first is its name), its stdin and stdout these descriptors, or
 * nothing for -1. It has a session of its own, so that the terminal's signals leave it alone. Dies where that fails. */
void ffmpeg_start(const char *const *arguments, int in, int out, bool quiet);
/* Waits for its end; its status as of waitpid. Dies where that fails. */
int ffmpeg_wait(void);

#endif
