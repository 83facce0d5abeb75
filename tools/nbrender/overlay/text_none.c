/* What stands in for text.c where there is no FreeType or no fontconfig. */
#ifndef NB_HAVE_TEXT
#include "nbrender/overlay/text.h"

#include "base/error.h"

void text_hear(const volatile sig_atomic_t *signal, void (*warn)(const char *format, ...))
{
    (void)signal, (void)warn;
}

struct text *text_open(double size_px)
{
    (void)size_px;
    nb_fail("text needs FreeType and fontconfig, and this nbrender was built without");
    return NULL;
}

/* ---- there is never a text to call these with ---- */

void text_close(struct text *t)
{
    (void)t;
}

double text_width(struct text *t, const char *utf8)
{
    (void)t, (void)utf8;
    return 0;
}

double text_height(const struct text *t)
{
    (void)t;
    return 0;
}

double text_depth(const struct text *t)
{
    (void)t;
    return 0;
}

double text_line(const struct text *t)
{
    (void)t;
    return 0;
}

void text_draw(struct text *t, struct picture *p, double x, double y, enum text_align align, const uint16_t colour[3],
               double opacity, const char *utf8)
{
    (void)t, (void)p, (void)x, (void)y, (void)align, (void)colour, (void)opacity, (void)utf8;
}

#else
typedef int text_none_is_empty; /* C wants something in every file */
#endif
