/* render_ground.h - for tests of overlays: a black picture, and the positions of light in it. */
#pragma once

#include "common/dies.h"
#include "common/tool.h"
#include "nbrender/overlay/overlay.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint16_t white[3] = {PICTURE_FULL, PICTURE_FULL, PICTURE_FULL};

static inline struct picture black(int width, int height)
{
    struct picture p = {.width = width, .height = height};
    for (int k = 0; k < 3; k++)
        assert_non_null(p.plane[k] = calloc((size_t)width * (size_t)height, sizeof *p.plane[k]));
    return p;
}

static inline void free_picture(struct picture *p)
{
    for (int k = 0; k < 3; k++)
        free(p->plane[k]);
}

static inline void fill(struct picture *p, uint16_t level)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < p->width * p->height; i++)
            p->plane[k][i] = level;
}

static inline double level(const struct picture *p, int x, int y)
{
    return p->plane[0][y * p->width + x] / (double)PICTURE_FULL;
}

/* Of all levels, and the mean place of the light. */
static inline double light(const struct picture *p, double middle[2])
{
    double sum = 0;
    middle[0] = middle[1] = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            sum += level(p, x, y);
            middle[0] += (x + 0.5) * level(p, x, y);
            middle[1] += (y + 0.5) * level(p, x, y);
        }
    middle[0] /= sum;
    middle[1] /= sum;
    return sum;
}

struct box {
    int left, top, right, bottom; /* of what is lit; right and bottom are beside it */
};

static inline struct box box_of(const struct picture *p)
{
    struct box b = {p->width, p->height, 0, 0};
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            if (level(p, x, y) > 0) {
                b.left = x < b.left ? x : b.left;
                b.top = y < b.top ? y : b.top;
                b.right = x >= b.right ? x + 1 : b.right;
                b.bottom = y + 1;
            }
    return b;
}
