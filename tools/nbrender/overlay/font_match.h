/* font_match.h - asks fontconfig for a font, in a process of its own: its configuration may be any file, and it prints
 * what is wrong with it. */
#ifndef NBRENDER_FONT_MATCH_H
#define NBRENDER_FONT_MATCH_H

#include <stdint.h>

struct font_place {
    int index; /* of the face in the file */
    char file[4096];
};

/* The font for "sans-serif", with the sign if that is not 0. 0, or -1 after nb_fail: there is none, fontconfig went
 * beyond a limit, or a signal came. What fontconfig has to say goes to text_hear's `warn` once. */
int font_match(uint32_t sign, struct font_place *place);

/* What bounds what is read of a file without end: memory, and time of a processor. */
#define FONT_MATCH_BYTES   ((size_t)256 << 20)
#define FONT_MATCH_SECONDS 60

#endif
