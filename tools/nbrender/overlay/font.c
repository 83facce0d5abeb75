#ifdef NB_HAVE_TEXT /* by the Makefile, for this folder */
#include "nbrender/overlay/font.h"

#include "error.h"

#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdlib.h>

#define FACES_MAX   8  /* fonts for signs that the main one lacks, and that one */
#define MISSING_MAX 64 /* signs that no font has: so often one is looked for */

struct font {
    FT_Library library;
    FT_Face face[FACES_MAX];
    int faces;
    double size_px;
    uint32_t missing[MISSING_MAX];
    int missing_count;
};

/* The font that fontconfig thinks best for sans-serif, with the sign if that is not 0; NULL: none. */
static FcPattern *match(FcConfig *config, uint32_t sign)
{
    FcPattern *wanted = FcPatternBuild(NULL, FC_FAMILY, FcTypeString, "sans-serif", FC_SCALABLE, FcTypeBool, FcTrue,
                                       FC_OUTLINE, FcTypeBool, FcTrue, FC_COLOR, FcTypeBool, FcFalse, NULL);
    FcCharSet *signs = sign ? FcCharSetCreate() : NULL;
    FcPattern *found = NULL;
    FcResult result;
    if (wanted && (!signs || (FcCharSetAddChar(signs, sign) && FcPatternAddCharSet(wanted, FC_CHARSET, signs))) &&
        FcConfigSubstitute(config, wanted, FcMatchPattern)) {
        FcDefaultSubstitute(wanted);
        found = FcFontMatch(config, wanted, &result);
    }
    if (signs)
        FcCharSetDestroy(signs);
    if (wanted)
        FcPatternDestroy(wanted);
    return found;
}

/* A face that can be drawn at that size, or NULL. */
static FT_Face open_face(const struct font *f, FcPattern *pattern)
{
    FcChar8 *file = NULL;
    int index = 0;
    FT_Face face = NULL;
    if (FcPatternGetString(pattern, FC_FILE, 0, &file) != FcResultMatch)
        return NULL;
    FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    if (FT_New_Face(f->library, (const char *)file, index, &face))
        return NULL;
    if (FT_IS_SCALABLE(face) && !FT_Select_Charmap(face, FT_ENCODING_UNICODE) &&
        !FT_Set_Char_Size(face, 0, lround(64 * f->size_px), 72, 72))
        return face;
    FT_Done_Face(face);
    return NULL;
}

/* Adds the face that fontconfig finds. False: none. Its configuration is kept no longer than that. */
static bool add_face(struct font *f, uint32_t sign)
{
    FcConfig *config = f->faces < FACES_MAX ? FcInitLoadConfigAndFonts() : NULL;
    FcPattern *found = config ? match(config, sign) : NULL;
    FT_Face face = found ? open_face(f, found) : NULL;
    if (found)
        FcPatternDestroy(found);
    if (config)
        FcConfigDestroy(config);
    if (face)
        f->face[f->faces++] = face;
    return face;
}

struct font *font_open(double size_px)
{
    struct font *f = calloc(1, sizeof *f);
    if (!f || FT_Init_FreeType(&f->library)) {
        free(f);
        nb_fail("no memory for a font");
        return NULL;
    }
    f->size_px = size_px;
    if (add_face(f, 0))
        return f;
    font_close(f);
    nb_fail("text needs a font, and fontconfig finds none (package fonts-dejavu-core has some)");
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

FT_Face font_face(const struct font *f)
{
    return f->face[0];
}

FT_Library font_library(const struct font *f)
{
    return f->library;
}

/* Known to be in no font; when too many were looked for, any is taken to be. */
static bool is_missing(const struct font *f, uint32_t sign)
{
    for (int i = 0; i < f->missing_count; i++)
        if (f->missing[i] == sign)
            return true;
    return f->missing_count == MISSING_MAX;
}

FT_Face font_find(struct font *f, uint32_t sign, FT_UInt *glyph)
{
    for (int i = 0; i < f->faces; i++)
        if ((*glyph = FT_Get_Char_Index(f->face[i], sign)))
            return f->face[i];
    if (!is_missing(f, sign) && add_face(f, sign)) {
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
typedef int font_is_empty; /* C wants something in every file */
#endif
