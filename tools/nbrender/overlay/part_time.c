#include "nbrender/overlay/overlay.h"

#include <stdio.h>

void part_time(struct canvas *c, const struct overlay_moment *m)
{
    struct shown_unit unit = shown_unit_of_time(&m->units, m->apart);
    char number[ROUNDING_TEXT], line[ROUNDING_TEXT + 16];
    rounding_print(number, m->time * unit.factor, rounding_decimals(m->apart * unit.factor));
    snprintf(line, sizeof line, "t = %s%s%s", number, *unit.name ? " " : "", unit.name);
    double x = c->margin, y = canvas_first_line(c);
    if (canvas_take(c, (struct canvas_box){x, y - text_height(c->text), x + text_width(c->text, line),
                                           y + text_depth(c->text)}))
        canvas_write(c, c->text, x, y, TEXT_LEFT, line);
}
