/* Draws the colour bar: a strip of colours with ticks, or the names of components. */
#include "nbrender/overlay/overlay.h"

#define HIGH      0.375 /* height of the bar, as a fraction of the height of the picture */
#define APART     1.5   /* minimum distance of labels, in units of the text size */
#define ARROW     0.5   /* height of the triangle that marks clipped values, in units of the text size */
#define TICKS_MAX 16
#define ENOUGH    4

struct strip {
    const struct legend *legend;
    double factor;            /* value in the shown unit = factor * value in the stream's unit */
    double x0, y0, x1, y1;    /* the strip's rectangle, pixels; y1 is the lower end, with the first colour */
    double low, high;         /* values at the lower and the upper end, in the shown unit */
    double tick[TICKS_MAX];   /* values of the ticks, in the shown unit */
    double height[TICKS_MAX]; /* y coordinates of the ticks, pixels */
    int ticks;
};

static void colour_at(const struct legend *l, int step, uint16_t colour[3])
{
    for (int k = 0; k < 3; k++)
        colour[k] = (uint16_t)(fminf(fmaxf(l->colour[step][k], 0), 1) * PICTURE_FULL + 0.5f);
}

/* ---- ticks ---- */

static double value_at(const struct strip *s, double place)
{
    return s->factor * scale_value(s->legend->scale, place);
}

/* Returns the position of a value on the ramp, 0 to 1, by bisection. Values increase along the ramp. */
static double place_of(const struct strip *s, double value)
{
    double below = 0, above = 1;
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (below + above);
        if (value_at(s, middle) < value)
            below = middle;
        else
            above = middle;
    }
    return 0.5 * (below + above);
}

/* Adds a tick, unless the value is beyond the ends of the strip or its label would be closer than `apart` pixels to
 * another label. */
static void add_tick(struct strip *s, double value, double apart)
{
    /* tolerance for rounding errors, so that ticks at the ends are included */
    const double slack = 1e-9 * (s->high - s->low);
    if (!(value >= s->low - slack && value <= s->high + slack) || s->ticks == TICKS_MAX)
        return;
    double y = s->y1 - place_of(s, value) * (s->y1 - s->y0);
    for (int k = 0; k < s->ticks; k++)
        if (fabs(s->height[k] - y) < apart)
            return;
    s->tick[s->ticks] = value;
    s->height[s->ticks++] = y;
}

/* Adds ticks at the multiples of a round step. Used for linear scales, and for other scales if add_round_ticks or
 * add_rank_ticks gives fewer than two ticks. */
static void add_even_ticks(struct strip *s, double apart)
{
    double most = fmax(floor((s->y1 - s->y0) / apart), 1), step = rounding_up((s->high - s->low) / fmin(most, 5));
    double first = ceil(s->low / step - 1e-9);
    for (int k = 0; k < TICKS_MAX; k++)
        add_tick(s, (first + k) * step, apart);
}

/* Adds ticks at 0, and at 10^k and -10^k for integers k. If there are fewer than ENOUGH ticks, adds 5 * 10^k and
 * -5 * 10^k. If there are still too few, adds 2 * 10^k and -2 * 10^k. */
static void add_round_ticks(struct strip *s, double apart)
{
    static const double mantissa[] = {1, 5, 2};
    /* most: largest absolute value on the strip. least: smallest absolute value on the strip; but if the strip contains
     * the value 0, `least` is 0 or negative. */
    double most = fmax(fabs(s->low), fabs(s->high)), least = fmax(s->low, -s->high);
    double top = floor(log10(most)), span = least > 0 ? top - floor(log10(least)) : 4;
    double every = fmax(ceil(span * 1.2 * apart / (s->y1 - s->y0)), 1);
    add_tick(s, 0, apart);
    for (int m = 0; m < 3 && s->ticks < ENOUGH; m++)
        for (double power = top; power >= top - span - 1; power -= every) {
            add_tick(s, mantissa[m] * pow(10, power), apart);
            add_tick(s, -mantissa[m] * pow(10, power), apart);
        }
}

/* Adds ticks at five quantiles of the values (median, 5 %, 95 %, 27.5 %, 72.5 %), rounded to two significant digits. */
static void add_rank_ticks(struct strip *s, double apart)
{
    static const double place[] = {0.5, 0.05, 0.95, 0.275, 0.725};
    for (int k = 0; k < 5; k++) {
        double value = value_at(s, place[k]);
        double digit = value != 0 ? pow(10, floor(log10(fabs(value))) - 1) : 1;
        add_tick(s, round(value / digit) * digit, apart);
    }
}

static void find_ticks(struct strip *s, double apart)
{
    s->low = value_at(s, 0);
    s->high = value_at(s, 1);
    if (!(s->low < s->high) || !isfinite(s->low) || !isfinite(s->high))
        return;
    enum scaling scaling = scale_scaling(s->legend->scale);
    if (scaling == SCALE_RANK)
        add_rank_ticks(s, apart);
    else if (scaling != SCALE_LINEAR)
        add_round_ticks(s, apart);
    if (s->ticks < 2) {
        s->ticks = 0;
        add_even_ticks(s, apart);
    }
}

/* ---- drawing ---- */

/* Draws the rim of a rectangle: a grey line around the rectangle, and a dark line around the grey line. The rectangle
 * is then visible on any picture. */
static void draw_rim(struct canvas *c, double x0, double y0, double x1, double y1)
{
    static const uint16_t dark[3], grey[3] = {22000, 22000, 22000};
    double thin = fmax(round(c->em / 20), 1);
    draw_rectangle(c->picture, x0 - 2 * thin, y0 - 2 * thin, x1 + 2 * thin, y1 + 2 * thin, dark, 0.6);
    draw_rectangle(c->picture, x0 - thin, y0 - thin, x1 + thin, y1 + thin, grey, 1);
}

static void draw_strip(struct canvas *c, const struct strip *s)
{
    draw_rim(c, s->x0, s->y0, s->x1, s->y1);
    for (double y = s->y0; y < s->y1; y++) {
        uint16_t colour[3];
        colour_at(s->legend, (int)lround((s->y1 - y - 0.5) / (s->y1 - s->y0) * RAMP_TOP), colour);
        draw_rectangle(c->picture, s->x0, y, s->x1, y + 1, colour, 1);
    }
}

/* Draws a triangle above or below the strip, with its base at y0 and its tip at y1. The base extends `wider` pixels
 * beyond the strip on the left and on the right. */
static void draw_triangle(struct canvas *c, const struct strip *s, double y0, double y1, double wider,
                          const uint16_t colour[3])
{
    const double middle = 0.5 * (s->x0 + s->x1), half = 0.5 * (s->x1 - s->x0) + wider, step = y1 < y0 ? -1 : 1;
    for (double y = y0; step * (y1 - y) > 0; y += step) {
        const double reach = half * (1 - (y + 0.5 * step - y0) / (y1 - y0));
        if (reach > 0)
            draw_rectangle(c->picture, middle - reach, fmin(y, y + step), middle + reach, fmax(y, y + step), colour, 1);
    }
}

/* Draws a triangle at an end of the strip. The triangle means that values beyond this end are clipped. `end` is the y
 * coordinate of this end. `way` is -1 at the upper end and 1 at the lower end. `step` is the index of the triangle's
 * colour on the colour scale. */
static void draw_arrow(struct canvas *c, const struct strip *s, double end, double way, int step)
{
    static const uint16_t grey[3] = {22000, 22000, 22000};
    const double thin = fmax(round(c->em / 20), 1), high = round(ARROW * c->em);
    uint16_t colour[3];
    colour_at(s->legend, step, colour);
    draw_triangle(c, s, end + way * thin, end + way * (high + 2 * thin), thin, grey);
    draw_triangle(c, s, end + way * thin, end + way * high, -thin, colour);
}

static void draw_arrows(struct canvas *c, const struct strip *s)
{
    if (s->legend->beyond & SCALE_ABOVE)
        draw_arrow(c, s, s->y0, -1, RAMP_TOP);
    if (s->legend->beyond & SCALE_BELOW)
        draw_arrow(c, s, s->y1, 1, 0);
}

static void draw_ticks(struct canvas *c, const struct strip *s)
{
    double thin = fmax(round(c->em / 16), 1), length = round(0.3 * c->em);
    for (int k = 0; k < s->ticks; k++) {
        char number[ROUNDING_TEXT];
        double y = round(s->height[k] - 0.5 * thin);
        rounding_print_short(number, s->tick[k]);
        const struct canvas_box line = {s->x0 - length, y, s->x0, y + thin};
        draw_rectangle(c->picture, line.x0, line.y0, line.x1, line.y1, canvas_ink_on(c->picture, line), CANVAS_OPACITY);
        canvas_write(c, c->small, s->x0 - length - 0.3 * c->em, s->height[k] + 0.5 * c->small->height, TEXT_RIGHT,
                     number);
    }
}

static double widest_tick(struct canvas *c, const struct strip *s)
{
    double widest = 0;
    for (int k = 0; k < s->ticks; k++) {
        char number[ROUNDING_TEXT];
        rounding_print_short(number, s->tick[k]);
        widest = fmax(widest, text_width(c->small, number));
    }
    return widest + 0.6 * c->em;
}

/* ---- components ---- */

static void draw_components(struct canvas *c, const struct overlay_moment *m)
{
    double side = round(0.7 * c->em), line = round(1.5 * c->em), right = round(c->picture->width - c->margin);
    int count = 0;
    double widest = 0;
    for (unsigned k = 0; k < RAMP_PALETTE; k++)
        if (m->components >> k & 1) {
            widest = fmax(widest, text_width(c->text, nb_component_name(k)));
            count++;
        }
    double y = round(0.5 * (c->picture->height - count * line));
    if (count == 0 ||
        !canvas_take(c, (struct canvas_box){right - side - 0.5 * c->em - widest, y, right, y + count * line}))
        return;
    for (unsigned k = 0; k < RAMP_PALETTE; k++)
        if (m->components >> k & 1) {
            uint16_t colour[3];
            colour_at(m->legend, (int)k, colour);
            draw_rim(c, right - side, y, right, y + side);
            draw_rectangle(c->picture, right - side, y, right, y + side, colour, 1);
            canvas_write(c, c->text, right - side - 0.5 * c->em, round(y + 0.5 * (side + c->text->height)), TEXT_RIGHT,
                         nb_component_name(k));
            y += line;
        }
}

void part_colorbar(struct canvas *c, const struct overlay_moment *m)
{
    if (!m->legend->scale) {
        draw_components(c, m);
        return;
    }
    char label[2 * NB_NAME_MAX + 8];
    double right = round(c->picture->width - c->margin), high = round(HIGH * c->picture->height);
    double top = round(0.5 * (c->picture->height - high) - c->em), wide = round(0.8 * c->em);
    double typical = fmax(fabs(scale_value(m->legend->scale, 0)), fabs(scale_value(m->legend->scale, 1)));
    struct shown_unit unit = shown_unit_of(&m->units, m->legend->unit, typical);
    struct strip s = {m->legend, unit.factor, .x0 = right - wide, .y0 = top, .x1 = right, .y1 = top + high};
    snprintf(label, sizeof label, *unit.name ? "%s [%s]" : "%s", m->legend->label, unit.name);
    find_ticks(&s, APART * c->em);
    double left = fmin(right - text_width(c->text, label), s.x0 - widest_tick(c, &s));
    double above = s.y0 - 1.05 * c->em, half = fmax(0.5 * c->small->height, (ARROW + 0.2) * c->em);
    if (!canvas_take(c, (struct canvas_box){left, above - c->text->height, right, s.y1 + half}))
        return;
    draw_strip(c, &s);
    draw_arrows(c, &s);
    draw_ticks(c, &s);
    canvas_write(c, c->text, right, above, TEXT_RIGHT, label);
}
