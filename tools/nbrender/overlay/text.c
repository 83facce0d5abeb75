/* Draws text over a picture with FreeType. */
#include "nbrender/overlay/overlay.h"

#ifdef NB_HAVE_TEXT /* defined by mk/flags.mk if FreeType and fontconfig are installed */
#include "common/tool_utf8.h"
#include "nbrender/overlay/font.h"

#include FT_ADVANCES_H
#include FT_GLYPH_H
#include FT_STROKER_H

#define LOAD        (FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP)
#define RIM         (1.0 / 14) /* (width of the rim around letters) / (size of text); the width is at least one pixel */
#define RIM_OPACITY 0.6f       /* opacity of the rim / opacity of the text */

/* ---- from characters to glyphs and positions ---- */

struct pen {
    struct text *text;
    const char *next;
    double x;
    FT_Face face; /* face of the previous glyph, for kerning */
    FT_UInt glyph;
    bool after_digit;
    int count;
};

struct glyph {
    FT_Face face;
    FT_UInt index;
    double x;
};

static bool is_digit(uint32_t sign)
{
    return sign >= '0' && sign <= '9';
}

/* Returns whether the character is invisible: control characters, direction marks, variation selectors. */
static bool is_invisible(uint32_t sign)
{
    return sign < ' ' || (sign >= 0x7f && sign < 0xa0) || (sign >= 0x200b && sign <= 0x200f) ||
           (sign >= 0x2028 && sign <= 0x202e) || (sign >= 0x2060 && sign <= 0x206f) ||
           (sign >= 0xfe00 && sign <= 0xfe0f) || sign == 0xfeff;
}

static double advance_of(FT_Face face, FT_UInt glyph)
{
    FT_Fixed advance;
    return FT_Get_Advance(face, glyph, LOAD, &advance) ? 0 : (double)advance / 65536;
}

static double kerning(const struct pen *pen, FT_Face face, FT_UInt glyph)
{
    FT_Vector shift = {0, 0};
    if (face == pen->face && FT_HAS_KERNING(face))
        FT_Get_Kerning(face, pen->glyph, glyph, FT_KERNING_UNFITTED, &shift);
    return (double)shift.x / 64;
}

/* Computes the next glyph of a text. Returns false at the end. Digits are centred in fields of equal width. */
static bool pen_next(struct pen *pen, struct glyph *g)
{
    uint32_t sign;
    do
        sign = utf8_next(&pen->next);
    while (sign && is_invisible(sign));
    if (!sign || ++pen->count > TEXT_LONGEST)
        return false;
    g->face = font_find(pen->text->font, sign, &g->index);
    double advance = advance_of(g->face, g->index), field = is_digit(sign) ? pen->text->digit : advance;
    if (!(is_digit(sign) && pen->after_digit))
        pen->x += kerning(pen, g->face, g->index);
    g->x = pen->x + 0.5 * (field - advance);
    pen->x += field;
    pen->face = g->face;
    pen->glyph = g->index;
    pen->after_digit = is_digit(sign);
    return true;
}

/* ---- dimensions ---- */

static void measure(struct text *t, double size_px)
{
    FT_Face face = t->font->face[0];
    t->height = 0.7 * size_px;
    for (char c = '0'; c <= '9'; c++) {
        FT_UInt glyph = FT_Get_Char_Index(face, (FT_ULong)c);
        t->digit = fmax(t->digit, advance_of(face, glyph));
        if (c == '0' && glyph && !FT_Load_Glyph(face, glyph, LOAD))
            t->height = (double)face->glyph->metrics.horiBearingY / 64;
    }
    t->depth = fmax(-(double)face->size->metrics.descender / 64, 0);
    t->line = fmax((double)face->size->metrics.height / 64, size_px);
}

struct text *text_open(double size_px)
{
    struct text *t = calloc(1, sizeof *t);
    size_px = fmax(fmin(size_px, 1000), 4);
    if (!t)
        return nb_null(nb_fail("no memory for a font"));
    t->font = font_open(size_px);
    if (t->font && FT_Stroker_New(t->font->library, &t->stroker))
        nb_fail("no memory for a font");
    if (!t->stroker) {
        text_close(t);
        return NULL;
    }
    FT_Stroker_Set(t->stroker, lround(64 * fmax(RIM * size_px, 1)), FT_STROKER_LINECAP_ROUND, FT_STROKER_LINEJOIN_ROUND,
                   0);
    measure(t, size_px);
    return t;
}

void text_close(struct text *t)
{
    if (!t)
        return;
    FT_Stroker_Done(t->stroker);
    font_close(t->font);
    free(t);
}

double text_width(struct text *t, const char *utf8)
{
    struct pen pen = {.text = t, .next = utf8};
    struct glyph g;
    while (pen_next(&pen, &g))
        ;
    return pen.x;
}

/* ---- drawing ---- */

/* Draws a glyph over the picture. cover: coverage of the glyph's pixels, 0 to 255. (left, top): position of the glyph's
 * first pixel in the picture. */
static void lay(struct picture *p, const FT_Bitmap *cover, int64_t left, int64_t top, const uint16_t colour[3],
                float opacity)
{
    for (int64_t row = 0; row < cover->rows; row++)
        for (int64_t column = 0; column < cover->width; column++) {
            int64_t x = left + column, y = top + row;
            unsigned char level = cover->buffer[row * cover->pitch + column];
            if (level && x >= 0 && y >= 0 && x < p->width && y < p->height)
                draw_pixel(p, (int)x, (int)y, colour, opacity * (float)level / 255);
        }
}

/* Draws a glyph or its rim. Does nothing if FreeType reports an error. */
static void draw_glyph(struct text *t, struct picture *p, const struct glyph *g, double y, bool rim,
                       const uint16_t colour[3], float opacity)
{
    FT_Glyph glyph;
    FT_Vector shift = {lround(64 * (g->x - floor(g->x))), lround(64 * (ceil(y) - y))};
    if (FT_Load_Glyph(g->face, g->index, LOAD) || FT_Get_Glyph(g->face->glyph, &glyph))
        return;
    if ((!rim || !FT_Glyph_StrokeBorder(&glyph, t->stroker, 0, 1)) &&
        !FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, &shift, 1)) {
        FT_BitmapGlyph drawn = (FT_BitmapGlyph)glyph;
        lay(p, &drawn->bitmap, (int64_t)floor(g->x) + drawn->left, (int64_t)ceil(y) - drawn->top, colour, opacity);
    }
    FT_Done_Glyph(glyph);
}

/* Returns whether a glyph at (x, y) may be visible in the picture. Glyphs far outside are not drawn, so that
 * coordinates do not overflow an integer. */
static bool is_near(const struct text *t, const struct picture *p, double x, double y)
{
    double reach = 4 * t->line;
    return x > -reach && x < p->width + reach && y > -reach && y < p->height + reach;
}

void text_draw(struct text *t, struct picture *p, double x, double y, enum text_align align, const uint16_t colour[3],
               double opacity, const char *utf8)
{
    static const uint16_t dark[3], pale[3] = {65535, 65535, 65535};
    const uint16_t *rim_colour = colour[0] + colour[1] + colour[2] < 3 * 32768 ? pale : dark;
    if (align != TEXT_LEFT)
        x -= text_width(t, utf8) * (align == TEXT_CENTRE ? 0.5 : 1);
    for (int rim = 1; rim >= 0; rim--) { /* all rims are drawn below all letters */
        struct pen pen = {.text = t, .next = utf8, .x = x};
        struct glyph g;
        while (pen_next(&pen, &g))
            if (is_near(t, p, g.x, y))
                draw_glyph(t, p, &g, y, rim, rim ? rim_colour : colour, (float)opacity * (rim ? RIM_OPACITY : 1));
    }
}

#else /* without FreeType or fontconfig */

struct text *text_open(double size_px)
{
    (void)size_px;
    return nb_null(nb_fail("text needs FreeType and fontconfig, but this nbrender was built without them"));
}

/* ---- these are never called, because text_open fails ---- */

void text_close(struct text *t)
{
    (void)t;
}

double text_width(struct text *t, const char *utf8)
{
    (void)t, (void)utf8;
    return 0;
}

void text_draw(struct text *t, struct picture *p, double x, double y, enum text_align align, const uint16_t colour[3],
               double opacity, const char *utf8)
{
    (void)t, (void)p, (void)x, (void)y, (void)align, (void)colour, (void)opacity, (void)utf8;
}

#endif
