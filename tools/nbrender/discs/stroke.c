/* Antialiased lines and discs in pictures. */
#include "nbrender/discs/discs.h"

#include "nbrender/overlay/overlay.h"

#define LIMB 0.35 /* a disc's brightness at its edge is reduced by this fraction (limb darkening) */

struct stroke {
    struct picture *picture;
    const float *colour;
    double x, y, radius; /* used for discs: centre and radius, pixels */
};

static void brighten(void *context, int x, int y, double cover)
{
    const struct stroke *s = context;
    for (int k = 0; k < 3; k++) {
        uint16_t *level = s->picture->plane[k] + (size_t)y * (size_t)s->picture->width + (size_t)x;
        const uint16_t shown = (uint16_t)(cover * PICTURE_FULL * (double)s->colour[k] + 0.5);
        *level = shown > *level ? shown : *level;
    }
}

void stroke_line(struct picture *p, const double from[2], const double to[2], double radius, const float colour[3])
{
    const struct segment line = {{from[0], from[1]}, {to[0], to[1]}, {1, 1}, 2 * radius};
    struct stroke s = {.picture = p, .colour = colour};
    segment_cover(&line, p->width, p->height, brighten, &s);
}

static void lay_disc(void *context, int x, int y, double cover)
{
    const struct stroke *s = context;
    const double r = hypot(x + 0.5 - s->x, y + 0.5 - s->y) / s->radius, limb = 1 - LIMB * fmin(r * r, 1);
    for (int k = 0; k < 3; k++) {
        uint16_t *level = s->picture->plane[k] + (size_t)y * (size_t)s->picture->width + (size_t)x;
        *level = (uint16_t)((1 - cover) * *level + cover * limb * (double)s->colour[k] * PICTURE_FULL + 0.5);
    }
}

void stroke_disc(struct picture *p, double x, double y, double radius, const float colour[3])
{
    const struct segment point = {{x, y}, {x, y}, {1, 1}, 2 * radius};
    struct stroke s = {p, colour, x, y, radius};
    segment_cover(&point, p->width, p->height, lay_disc, &s);
}
