#include "nbrender/discs/stroke.h"

#include <math.h>
#include <stdbool.h>

#define LIMB 0.35f /* how much darker the limb is */

struct box { /* pixels [x0, x1) x [y0, y1) */
    int x0, y0, x1, y1;
};

static int clamp(double x, int most)
{
    return x > 0 ? x < most ? (int)x : most : 0;
}

/* False: nothing of it is in the picture. */
static bool find_box(const struct picture *p, const double a[2], const double b[2], double reach, struct box *box)
{
    box->x0 = clamp(floor(fmin(a[0], b[0]) - reach), p->width);
    box->x1 = clamp(ceil(fmax(a[0], b[0]) + reach), p->width);
    box->y0 = clamp(floor(fmin(a[1], b[1]) - reach), p->height);
    box->y1 = clamp(ceil(fmax(a[1], b[1]) + reach), p->height);
    return isfinite(a[0] + a[1] + b[0] + b[1]) && box->x0 < box->x1 && box->y0 < box->y1;
}

/* How much of a pixel whose middle is so far outside the edge (inside: negative) is covered: as if the edge were
 * straight and parallel to the pixel's side. */
static float coverage(double outside)
{
    return (float)fmin(fmax(0.5 - outside, 0), 1);
}

static double distance(const double at[2], const double from[2], const double to[2])
{
    double along[2] = {to[0] - from[0], to[1] - from[1]}, r[2] = {at[0] - from[0], at[1] - from[1]};
    double length2 = along[0] * along[0] + along[1] * along[1];
    double t = length2 > 0 ? fmin(fmax((r[0] * along[0] + r[1] * along[1]) / length2, 0), 1) : 0;
    return hypot(r[0] - t * along[0], r[1] - t * along[1]);
}

void stroke_line(struct picture *p, const double from[2], const double to[2], double radius, const float colour[3])
{
    struct box box;
    if (!find_box(p, from, to, radius + 1, &box))
        return;
    for (int y = box.y0; y < box.y1; y++)
        for (int x = box.x0; x < box.x1; x++) {
            const double at[2] = {x + 0.5, y + 0.5};
            float inside = coverage(distance(at, from, to) - radius) * PICTURE_FULL;
            for (int k = 0; k < 3; k++) {
                uint16_t *level = p->plane[k] + (size_t)y * (size_t)p->width + (size_t)x, shown;
                shown = (uint16_t)(inside * colour[k] + 0.5f);
                *level = shown > *level ? shown : *level;
            }
        }
}

void stroke_disc(struct picture *p, double x, double y, double radius, const float colour[3])
{
    struct box box;
    const double middle[2] = {x, y};
    if (!find_box(p, middle, middle, radius + 1, &box))
        return;
    for (int row = box.y0; row < box.y1; row++)
        for (int column = box.x0; column < box.x1; column++) {
            double r = hypot(column + 0.5 - x, row + 0.5 - y);
            float inside = coverage(r - radius), limb = 1 - LIMB * (float)fmin(r * r / (radius * radius), 1);
            for (int k = 0; k < 3; k++) {
                uint16_t *level = p->plane[k] + (size_t)row * (size_t)p->width + (size_t)column;
                *level = (uint16_t)((1 - inside) * *level + inside * limb * colour[k] * PICTURE_FULL + 0.5f);
            }
        }
}
