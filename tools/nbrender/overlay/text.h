/* text.h - text over a finished picture, by FreeType, in a font that fontconfig finds for "sans-serif".
 *
 * Letters are antialiased and have a thin dark rim, so that they can be read on bright ground. Text is UTF-8; control
 * characters are left out, and each byte that is no UTF-8 is shown as a replacement character. Signs that the font
 * lacks come from another font that has them. All digits are equally wide, so that numbers do not jitter from picture
 * to picture. There are no ligatures, and no scripts that run from right to left. One thread at a time. */
#ifndef NBRENDER_TEXT_H
#define NBRENDER_TEXT_H

#include "nbrender/output/picture.h"

#include <signal.h>
#include <stdbool.h>

#define TEXT_SHARE 45 /* picture heights over the usual size of text */

struct text;

enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT }; /* x is the text's left end, middle or right end */

/* From here on looking for a font ends when *signal is not 0, and what fontconfig says of its configuration goes to
 * `warn`, a line. */
void text_hear(const volatile sig_atomic_t *signal, void (*warn)(const char *format, ...));

/* A font, `size_px` pixels from line to line before leading (the em; 4 to 1000, what is beyond is cut to that). NULL
 * after nb_fail: there is no font, or nbrender was built without FreeType and fontconfig. */
struct text *text_open(double size_px);
void text_close(struct text *t); /* NULL is allowed */

/* How far the text goes to the right, pixels. Of text longer than TEXT_LONGEST signs the rest is left out. */
double text_width(struct text *t, const char *utf8);
#define TEXT_LONGEST 1000
/* How high digits stand above the base line, how far letters reach below it, and from line to line; pixels. */
double text_height(const struct text *t);
double text_depth(const struct text *t);
double text_line(const struct text *t);

/* Draws text with its base line at y; places as in draw.h, colour in levels of the display, opacity 0 to 1. What lies
 * outside the picture is cut off. */
void text_draw(struct text *t, struct picture *p, double x, double y, enum text_align align, const uint16_t colour[3],
               double opacity, const char *utf8);

#endif
