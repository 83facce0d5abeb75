#include "nbrender/map/map.h"

struct field {
    const float *value;
    int width, height;
};

static double at(const struct field *f, int x, int y)
{
    x = x < 0 ? 0 : x >= f->width ? f->width - 1 : x;
    y = y < 0 ? 0 : y >= f->height ? f->height - 1 : y;
    return (double)f->value[(size_t)y * (size_t)f->width + (size_t)x];
}

/* How steep it is, per pixel; at the border of the picture by the one neighbour that there is. */
static double steepness(const struct field *f, int x, int y)
{
    const double across = x > 0 && x < f->width - 1 ? 0.5 : 1, down = y > 0 && y < f->height - 1 ? 0.5 : 1;
    const double gx = across * (at(f, x + 1, y) - at(f, x - 1, y)), gy = down * (at(f, x, y + 1) - at(f, x, y - 1));
    return sqrt(gx * gx + gy * gy);
}

/* Whether values within `reach` pixels are on both sides of the level. */
static bool crosses(const struct field *f, int x, int y, int reach, double level)
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

double contours_cover(const struct contours *c, const float *value, int width, int height, int x, int y)
{
    const struct field f = {value, width, height};
    const double v = at(&f, x, y), reach = 0.5 * c->width + 0.5;
    const int above = first_not_below(c->level, 0, c->count, v);
    double cover = 0, steep = -1;
    for (int k = above - 1; k <= above; k++) {
        if (k < 0 || k >= c->count)
            continue;
        steep = steep < 0 ? steepness(&f, x, y) : steep;
        const double distance = fabs(v - c->level[k]) / steep;
        if (distance < reach && crosses(&f, x, y, (int)ceil(reach), c->level[k]))
            cover = fmax(cover, fmin(reach - distance, 1));
    }
    return c->width < 1 ? cover * c->width / (reach * reach) : cover; /* as much as a line of that width covers */
}

void contours_draw(const struct contours *c, const float *value, struct picture *p)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            const double cover = c->opacity * contours_cover(c, value, p->width, p->height, x, y);
            const size_t pixel = (size_t)y * (size_t)p->width + (size_t)x;
            for (int d = 0; d < 3 && cover > 0; d++) {
                const double level = p->plane[d][pixel];
                p->plane[d][pixel] = (uint16_t)lround(level + cover * (c->colour[d] - level));
            }
        }
}
