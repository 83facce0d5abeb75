/* Draws antialiased contour lines of a quantity, and smooths the quantity. */
#include "nbrender/map/map.h"

static double at(const struct contour_field *f, int x, int y)
{
    x = x < 0 ? 0 : x >= f->width ? f->width - 1 : x;
    y = y < 0 ? 0 : y >= f->height ? f->height - 1 : y;
    return (double)f->value[(size_t)y * (size_t)f->width + (size_t)x];
}

/* Returns |grad f| per pixel. At the border the difference is one-sided. */
static double steepness(const struct contour_field *f, int x, int y)
{
    const double across = x > 0 && x < f->width - 1 ? 0.5 : 1, down = y > 0 && y < f->height - 1 ? 0.5 : 1;
    const double gx = across * (at(f, x + 1, y) - at(f, x - 1, y)), gy = down * (at(f, x, y + 1) - at(f, x, y - 1));
    return sqrt(gx * gx + gy * gy);
}

/* Returns whether the level lies between the smallest and the largest value within `reach` pixels of (x, y). */
static bool crosses(const struct contour_field *f, int x, int y, int reach, double level)
{
    bool below = false, above = false;
    for (int j = y - reach; j <= y + reach; j++)
        for (int i = x - reach; i <= x + reach; i++) {
            const double v = at(f, i, j);
            below |= v <= level;
            above |= v >= level;
        }
    return below && above;
}

double contours_cover(const struct contours *c, const struct contour_field *f, int x, int y)
{
    const double v = at(f, x, y), reach = 0.5 * c->width + 0.5;
    const int above = first_not_below(c->level, 0, c->count, v);
    double cover = 0, steep = -1;
    for (int k = above - 1; k <= above; k++) {
        if (k < 0 || k >= c->count)
            continue;
        steep = steep < 0 ? steepness(f, x, y) : steep;
        const double distance = fabs(v - c->level[k]) / steep;
        if (distance < reach && crosses(f, x, y, (int)ceil(reach), c->level[k]))
            cover = fmax(cover, fmin(reach - distance, 1));
    }
    /* The sum of `cover` over a row of pixels across the line must be equal to the width of the line. This is so if the
     * width is at least 1. For smaller widths the sum is reach^2, so `cover` is multiplied by width / reach^2. */
    return c->width < 1 ? cover * c->width / (reach * reach) : cover;
}

static bool is_in_label(const struct contours *c, int x, int y)
{
    for (int k = 0; k < c->labels; k++)
        if (fabs(x + 0.5 - c->label[k].x) < c->label[k].half && fabs(y + 0.5 - c->label[k].y) < c->label[k].height)
            return true;
    return false;
}

#define BRIGHT 0.6 /* lines are black on pixels with a luminance (BT.709, 0 to 1) above this, elsewhere white */

static double line_level(const struct picture *p, size_t pixel)
{
    const double ground = 0.2126 * p->plane[0][pixel] + 0.7152 * p->plane[1][pixel] + 0.0722 * p->plane[2][pixel];
    return ground > BRIGHT * PICTURE_FULL ? 0 : PICTURE_FULL;
}

void contours_draw(const struct contours *c, const struct contour_field *f, struct picture *p)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            const double cover = c->opacity * contours_cover(c, f, x, y);
            const size_t pixel = (size_t)y * (size_t)p->width + (size_t)x;
            if (!(cover > 0) || is_in_label(c, x, y))
                continue;
            const double line = line_level(p, pixel);
            for (int d = 0; d < 3; d++) {
                const double level = p->plane[d][pixel];
                p->plane[d][pixel] = (uint16_t)lround(level + cover * (line - level));
            }
        }
}

/* Writes the moving average of the n values of `from` to `to`. Each average is over 2 * radius + 1 values. Successive
 * values in both arrays are `stride` elements apart. Averages ignore NAN, but a NAN in `from` becomes a NAN in `to`. */
static void smooth_line(const float *from, float *to, int n, size_t stride, int radius)
{
    for (int i = 0; i < n; i++) {
        double sum = 0, count = 0;
        for (int k = i - radius; k <= i + radius; k++) {
            const double v = k >= 0 && k < n ? (double)from[(size_t)k * stride] : NAN;
            sum += isnan(v) ? 0 : v;
            count += !isnan(v);
        }
        to[(size_t)i * stride] = isnan(from[(size_t)i * stride]) ? NAN : (float)(sum / count);
    }
}

void contours_smooth(float *value, int width, int height, int radius)
{
    float *other = claimed(malloc((size_t)width * (size_t)height * sizeof *other), "no memory for the contours");
    for (int pass = 0; pass < 3; pass++) {
#pragma omp parallel for schedule(static)
        for (int y = 0; y < height; y++)
            smooth_line(value + (size_t)y * (size_t)width, other + (size_t)y * (size_t)width, width, 1, radius);
#pragma omp parallel for schedule(static)
        for (int x = 0; x < width; x++)
            smooth_line(other + x, value + x, height, (size_t)width, radius);
    }
    free(other);
}
