#include "common/tool_utf8.h"
#include "nbrender/overlay/overlay.h"

#include <math.h>
#include <stdio.h>

#define TITLE_BYTES (4 * TEXT_LONGEST)
#define ELLIPSIS    "\xe2\x80\xa6"

/* Writes the first `length` bytes of a text, less what would be half a sign, with an ellipsis. */
static void put_head(char line[TITLE_BYTES], const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    snprintf(line, TITLE_BYTES, "%.*s" ELLIPSIS, (int)length, text);
}

/* As many signs of the title as are not wider than that, by halving. */
static void put_title(struct text *size, char line[TITLE_BYTES], const char *title, double width)
{
    size_t fits = 0, beyond = strnlen(title, TITLE_BYTES - sizeof ELLIPSIS);
    snprintf(line, TITLE_BYTES, "%s", title);
    if (text_width(size, line) <= width)
        return;
    while (beyond - fits > 1) {
        size_t half = (fits + beyond) / 2;
        put_head(line, title, half);
        if (text_width(size, line) <= width)
            fits = half;
        else
            beyond = half;
    }
    put_head(line, title, fits);
}

/* How far the middle is free to both sides at that height. */
static double room(const struct canvas *c, double y1)
{
    double middle = 0.5 * c->picture->width, free = middle - c->margin;
    for (int k = 0; k < c->count; k++) {
        const struct canvas_box *b = &c->taken[k];
        if (b->y0 < y1 + c->em)
            free = fmin(free, fmax(b->x0 - middle, middle - b->x1) - c->em);
    }
    return 2 * free;
}

void part_title(struct canvas *c, const char *title)
{
    char line[TITLE_BYTES];
    double y = canvas_first_line(c), bottom = y + text_depth(c->large);
    put_title(c->large, line, title, room(c, bottom));
    double middle = 0.5 * c->picture->width, half = 0.5 * text_width(c->large, line);
    if (canvas_take(c, (struct canvas_box){middle - half, c->margin, middle + half, bottom}))
        canvas_write(c, c->large, middle, y, TEXT_CENTRE, line);
}
