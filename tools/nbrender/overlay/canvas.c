#include "nbrender/overlay/overlay.h"

#include <math.h>

const uint16_t canvas_ink[3] = {60000, 60000, 60000};

static bool overlap(const struct canvas_box *a, const struct canvas_box *b, double gap)
{
    return a->x0 < b->x1 + gap && b->x0 < a->x1 + gap && a->y0 < b->y1 + gap && b->y0 < a->y1 + gap;
}

bool canvas_take(struct canvas *c, struct canvas_box box)
{
    if (box.x0 < 1 || box.y0 < 1 || !(box.x1 <= c->picture->width - 1) || !(box.y1 <= c->picture->height - 1) ||
        c->count == CANVAS_TAKEN_MAX)
        return false;
    for (int k = 0; k < c->count; k++)
        if (overlap(&c->taken[k], &box, 0.5 * c->em))
            return false;
    c->taken[c->count++] = box;
    return true;
}

double canvas_first_line(const struct canvas *c)
{
    return round(c->margin + text_height(c->large));
}

void canvas_write(struct canvas *c, struct text *size, double x, double y, enum text_align align, const char *utf8)
{
    text_draw(size, c->picture, x, y, align, canvas_ink, CANVAS_OPACITY, utf8);
}
