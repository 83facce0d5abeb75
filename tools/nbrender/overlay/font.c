/* Opens fonts with FreeType and finds the glyph of a character. */
#ifdef NB_HAVE_TEXT /* defined by mk/flags.mk if FreeType and fontconfig are installed */
#include "nbrender/overlay/font.h"

/* Opens the face in the file place->file with glyphs of size f->size_px. Returns NULL if this fails, or if the face
 * is not scalable or has no Unicode table. */
static FT_Face open_face(const struct font *f, const struct font_place *place)
{
    FT_Face face = NULL;
    if (FT_New_Face(f->library, place->file, place->index, &face))
        return NULL;
    if (FT_IS_SCALABLE(face) && !FT_Select_Charmap(face, FT_ENCODING_UNICODE) &&
        !FT_Set_Char_Size(face, 0, lround(64 * f->size_px), 72, 72))
        return face;
    FT_Done_Face(face);
    return NULL;
}

/* Opens a face and adds it to the font. Returns false if the face cannot be used. */
static bool add_face(struct font *f, const struct font_place *place)
{
    FT_Face face = open_face(f, place);
    if (face)
        f->face[f->faces++] = face;
    return face;
}

/* Finds the file of the main font, and keeps the result for later calls. Returns 0, or -1 after nb_fail. */
static int find_main(struct font_place *place)
{
    static struct font_place found;
    if (!*found.file && font_match(0, &found)) {
        *found.file = '\0';
        return -1;
    }
    *place = found;
    return 0;
}

/* Adds the face that fontconfig finds for a character. Returns false if there is no such face, or if there are
 * already FONT_FACES_MAX faces. */
static bool add_other(struct font *f, uint32_t sign)
{
    struct font_place place;
    return f->faces < FONT_FACES_MAX && font_match(sign, &place) == 0 && add_face(f, &place);
}

struct font *font_open(double size_px)
{
    struct font *f = calloc(1, sizeof *f);
    if (!f || FT_Init_FreeType(&f->library)) {
        free(f);
        return nb_null(nb_fail("no memory for a font"));
    }
    f->size_px = size_px;
    struct font_place place;
    if (find_main(&place) == 0) {
        if (add_face(f, &place))
            return f;
        nb_fail("text needs a font, but %s cannot be drawn", place.file);
    }
    font_close(f);
    return NULL;
}

void font_close(struct font *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->faces; i++)
        FT_Done_Face(f->face[i]);
    FT_Done_FreeType(f->library);
    free(f);
}

/* Returns whether an earlier search found no font for the character. If the list of such characters is full, returns
 * true for every character, so that no more searches are made. */
static bool is_missing(const struct font *f, uint32_t sign)
{
    for (int i = 0; i < f->missing_count; i++)
        if (f->missing[i] == sign)
            return true;
    return f->missing_count == FONT_MISSING_MAX;
}

FT_Face font_find(struct font *f, uint32_t sign, FT_UInt *glyph)
{
    for (int i = 0; i < f->faces; i++)
        if ((*glyph = FT_Get_Char_Index(f->face[i], sign)))
            return f->face[i];
    if (!is_missing(f, sign) && add_other(f, sign)) {
        FT_Face face = f->face[f->faces - 1];
        if ((*glyph = FT_Get_Char_Index(face, sign)))
            return face;
        FT_Done_Face(face);
        f->faces--;
    }
    if (!is_missing(f, sign))
        f->missing[f->missing_count++] = sign;
    *glyph = 0;
    return f->face[0];
}

#else
typedef int font_is_empty; /* a C file must not be empty */
#endif
