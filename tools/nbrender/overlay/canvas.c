/* The canvas for overlays, and the simplest overlays: time, scale bar and title. */
#include "nbrender/overlay/overlay.h"

#define BRIGHT 0.5 /* luminance of the background (BT.709, 0 to 1) above which the text is dark */

const uint16_t canvas_ink[3] = {60000, 60000, 60000};
const uint16_t canvas_dark[3];

const uint16_t *canvas_ink_on(const struct picture *p, struct canvas_box box)
{
    const int x0 = (int)fmax(box.x0, 0), x1 = (int)fmin(ceil(box.x1), p->width);
    double sum = 0, count = 0;
    for (int y = (int)fmax(box.y0, 0); y < box.y1 && y < p->height; y++)
        for (int x = x0; x < x1; x++) {
            const size_t at = (size_t)y * (size_t)p->width + (size_t)x;
            sum += 0.2126 * p->plane[0][at] + 0.7152 * p->plane[1][at] + 0.0722 * p->plane[2][at];
            count++;
        }
    return sum > BRIGHT * PICTURE_FULL * count ? canvas_dark : canvas_ink;
}

const uint16_t *canvas_ink_of(const struct layout_pane *place, const uint16_t ink[3])
{
    static const uint16_t red[3] = {60000, 0, 0}, cyan[3] = {0, 60000, 60000};
    return place->eye < 0 ? red : place->eye > 0 ? cyan : ink;
}

bool canvas_overlap(const struct canvas_box *a, const struct canvas_box *b, double gap)
{
    return a->x0 < b->x1 + gap && b->x0 < a->x1 + gap && a->y0 < b->y1 + gap && b->y0 < a->y1 + gap;
}

bool canvas_take(struct canvas *c, struct canvas_box box)
{
    if (box.x0 < 1 || box.y0 < 1 || !(box.x1 <= c->picture->width - 1) || !(box.y1 <= c->picture->height - 1) ||
        c->count == CANVAS_TAKEN_MAX)
        return false;
    for (int k = 0; k < c->count; k++)
        if (canvas_overlap(&c->taken[k], &box, 0.5 * c->em))
            return false;
    c->taken[c->count++] = box;
    return true;
}

double canvas_first_line(const struct canvas *c)
{
    return round(c->margin + c->large->height);
}

void canvas_write(struct canvas *c, struct text *size, double x, double y, enum text_align align, const char *utf8)
{
    const double width = text_width(size, utf8);
    const double left = x - (align == TEXT_LEFT ? 0 : align == TEXT_CENTRE ? 0.5 * width : width);
    const struct canvas_box box = {left, y - size->height, left + width, y};
    text_draw(size, c->picture, x, y, align, canvas_ink_on(c->picture, box), CANVAS_OPACITY, utf8);
}

/* ---- time ---- */

void part_time(struct canvas *c, const struct overlay_moment *m)
{
    struct shown_unit unit = shown_unit_of_time(&m->units, m->apart);
    char number[ROUNDING_TEXT], line[ROUNDING_TEXT + 16];
    rounding_print(number, m->time * unit.factor, rounding_decimals(m->apart * unit.factor));
    snprintf(line, sizeof line, "t = %s%s%s", number, *unit.name ? " " : "", unit.name);
    double x = c->margin, y = canvas_first_line(c);
    if (canvas_take(c, (struct canvas_box){x, y - c->text->height, x + text_width(c->text, line), y + c->text->depth}))
        canvas_write(c, c->text, x, y, TEXT_LEFT, line);
}

/* ---- scale bar ---- */

#define LONGEST 0.25 /* maximum length of the scale bar, as a fraction of the pane's width */

void part_scale(struct canvas *c, const struct overlay_moment *m, const struct pane *pane)
{
    double longest = LONGEST * pane->place.width / pane->view.scale;
    struct shown_unit unit = shown_unit_of_length(&m->units, longest);
    double length = rounding_down(longest * unit.factor), pixels = length / unit.factor * pane->view.scale;
    char number[ROUNDING_TEXT], line[ROUNDING_TEXT + 16];
    rounding_print_short(number, length);
    snprintf(line, sizeof line, "%s%s%s", number, *unit.name ? " " : "", unit.name);
    double thick = fmax(round(c->em / 10), 1), tick = round(c->em / 3), wide = fmax(pixels, text_width(c->text, line));
    double x = round(pane->place.x + c->margin), y = round(pane->place.y + pane->place.height - c->margin);
    double base = y - tick - round(c->em / 4), x1 = x + pixels;
    if (!isfinite(pixels) || !canvas_take(c, (struct canvas_box){x, base - c->text->height, x + wide, y}))
        return;
    const uint16_t *ink = canvas_ink_on(c->picture, (struct canvas_box){x, y - tick, x1, y});
    draw_rectangle(c->picture, x, y - thick, x1, y, ink, CANVAS_OPACITY);
    draw_rectangle(c->picture, x, y - tick, x + thick, y - thick, ink, CANVAS_OPACITY);
    draw_rectangle(c->picture, x1 - thick, y - tick, x1, y - thick, ink, CANVAS_OPACITY);
    canvas_write(c, c->text, x + 0.5 * wide, base, TEXT_CENTRE, line);
}

/* ---- title ---- */

#define TITLE_BYTES (4 * TEXT_LONGEST)
#define ELLIPSIS    "\xe2\x80\xa6"

/* Writes the first `length` bytes of `text` (UTF-8) and an ellipsis to `line`. If these bytes end inside a character,
 * leaves out that character. */
static void put_head(char line[TITLE_BYTES], const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    snprintf(line, TITLE_BYTES, "%.*s" ELLIPSIS, (int)length, text);
}

/* Writes as much of the title to `line` as fits into `width` pixels. Finds the number of bytes by bisection. */
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

/* Returns the width, in pixels, that is free for the title. The title is centred in the picture, and its lower edge is
 * at y1. Other overlays (the boxes c->taken) on the left and right make the free width smaller. Boxes that begin more
 * than c->em below the title do not. */
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

void part_title(struct canvas *c, const char *title, double opacity)
{
    char line[TITLE_BYTES];
    double y = canvas_first_line(c), bottom = y + c->large->depth;
    put_title(c->large, line, title, room(c, bottom));
    const double middle = 0.5 * c->picture->width, half = 0.5 * text_width(c->large, line);
    const struct canvas_box box = {middle - half, c->margin, middle + half, bottom};
    if (canvas_take(c, box))
        text_draw(c->large, c->picture, middle, y, TEXT_CENTRE, canvas_ink_on(c->picture, box),
                  CANVAS_OPACITY * opacity, line);
}
