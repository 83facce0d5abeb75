#include "nbrender/output/picture.h"

#include "tool.h"

#include <stdlib.h>

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
