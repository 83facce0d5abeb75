#include "nbrender/overlay/overlay.h"

#include <math.h>
#include <stdio.h>

#define LONGEST 0.25 /* of the pane's width */

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
    if (!isfinite(pixels) || !canvas_take(c, (struct canvas_box){x, base - text_height(c->text), x + wide, y}))
        return;
    draw_rectangle(c->picture, x, y - thick, x1, y, canvas_ink, CANVAS_OPACITY);
    draw_rectangle(c->picture, x, y - tick, x + thick, y - thick, canvas_ink, CANVAS_OPACITY);
    draw_rectangle(c->picture, x1 - thick, y - tick, x1, y - thick, canvas_ink, CANVAS_OPACITY);
    canvas_write(c, c->text, x + 0.5 * wide, base, TEXT_CENTRE, line);
}
