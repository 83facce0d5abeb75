/* font.h - glyphs of the fonts that fontconfig finds, behind text.c. Apart from overlay.h, because it needs FreeType.
 */
#pragma once

#include "nbrender/basis/basis.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#define FONT_FACES_MAX   8  /* fonts for signs that the main one lacks, and that one */
#define FONT_MISSING_MAX 64 /* signs that no font has: so often one is looked for */

struct font {
    FT_Library library;
    FT_Face face[FONT_FACES_MAX]; /* the main one, then others */
    int faces;
    double size_px;
    uint32_t missing[FONT_MISSING_MAX];
    int missing_count;
};

/* The font for "sans-serif" with an em of size_px pixels. NULL after nb_fail. */
struct font *font_open(double size_px);
void font_close(struct font *f); /* NULL is allowed */

/* The face and the glyph of a sign: of the main face, of another one where that lacks it, or else glyph 0 of the main
 * one. */
FT_Face font_find(struct font *f, uint32_t sign, FT_UInt *glyph);

/* ---- font_match.c: asks fontconfig for a font, in a process of its own: its configuration may be any file, and it
 * prints what is wrong with it. ---- */

struct font_place {
    int index; /* of the face in the file */
    char file[4096];
};

/* The font for "sans-serif", with the sign if that is not 0. 0, or -1 after nb_fail: there is none, fontconfig went
 * beyond a limit, or a signal came. What fontconfig has to say is warned of once. */
int font_match(uint32_t sign, struct font_place *place);

/* What bounds what is read of a file without end: memory, and time of a processor. */
#define FONT_MATCH_BYTES   ((size_t)256 << 20)
#define FONT_MATCH_SECONDS 60
