/* font.h - finds glyphs in the fonts of fontconfig, for text.c. This header is separate from overlay.h because it
 * includes headers of FreeType. */
#pragma once

#include "nbrender/basis/basis.h"

#include <ft2build.h>
#include FT_FREETYPE_H

/* maximum number of faces: the main font, and fonts for characters that are not in the main font */
#define FONT_FACES_MAX 8
/* maximum number of characters for which no font was found; after that, no further fonts are searched for */
#define FONT_MISSING_MAX 64

struct font {
    FT_Library library;
    FT_Face face[FONT_FACES_MAX]; /* opened faces, the main font first */
    int faces;
    double size_px;
    uint32_t missing[FONT_MISSING_MAX];
    int missing_count;
};

/* Opens the font for "sans-serif" with an em of size_px pixels. Returns NULL after nb_fail. */
struct font *font_open(double size_px);
void font_close(struct font *f); /* f may be NULL */

/* Returns a face that has the character and sets *glyph to its glyph. The main face is preferred. If no font is found
 * for the character, returns the main face and sets *glyph to 0. */
FT_Face font_find(struct font *f, uint32_t sign, FT_UInt *glyph);

/* ---- font_match.c: asks fontconfig for a font, in a separate process: fontconfig may read any file as its
 * configuration, and it prints errors itself ---- */

struct font_place {
    int index; /* index of the face in the file */
    char file[4096];
};

/* Finds a font for "sans-serif" that has the character `sign`. If `sign` is 0, finds the main font. Returns 0, or -1
 * after nb_fail: there is no font, fontconfig exceeds the limits of memory and time below, or a signal has arrived.
 * Errors of fontconfig are printed once as a warning. */
int font_match(uint32_t sign, struct font_place *place);

/* Limits of memory and CPU time for fontconfig, in case it reads a file without end. */
#define FONT_MATCH_BYTES   ((size_t)256 << 20)
#define FONT_MATCH_SECONDS 60
