#include "nbrender/output/picture.h"

#include "tool.h"

#include <stdlib.h>
#include <string.h>

void picture_init(struct picture *p, int width, int height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *p = (struct picture){.width = width, .height = height};
    for (int k = 0; k < 3; k++) {
        p->plane[k] = calloc(pixels, sizeof *p->plane[k]);
        if (!p->plane[k])
            die("no memory for a picture of %dx%d", width, height);
    }
}

void picture_free(struct picture *p)
{
    for (int k = 0; k < 3; k++)
        free(p->plane[k]);
}

static size_t plane_bytes(const struct picture *p)
{
    return (size_t)p->width * (size_t)p->height * sizeof *p->plane[0];
}

void picture_blacken(struct picture *p)
{
    for (int k = 0; k < 3; k++)
        memset(p->plane[k], 0, plane_bytes(p));
}

void picture_copy(struct picture *to, const struct picture *from)
{
    for (int k = 0; k < 3; k++)
        memcpy(to->plane[k], from->plane[k], plane_bytes(to));
}
