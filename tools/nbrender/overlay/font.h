/* font.h - glyphs of the fonts that fontconfig finds. Only where nbrender is built with FreeType. */
#ifndef NBRENDER_FONT_H
#define NBRENDER_FONT_H

#include <stdbool.h>
#include <stdint.h>

#include <ft2build.h>
#include FT_FREETYPE_H

struct font;

/* The font for "sans-serif" with an em of size_px pixels. NULL after nb_fail. */
struct font *font_open(double size_px);
void font_close(struct font *f); /* NULL is allowed */

/* The main face, and the library it belongs to. */
FT_Face font_face(const struct font *f);
FT_Library font_library(const struct font *f);
/* The face and the glyph of a sign: of the main face, of another one where that lacks it, or else glyph 0 of the main
 * one. */
FT_Face font_find(struct font *f, uint32_t sign, FT_UInt *glyph);

#endif
