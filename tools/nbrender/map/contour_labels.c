/* Chooses positions for the labels of contours, and draws the labels. */
#include "nbrender/nbrender.h"

#define COLUMNS 4   /* places for labels are searched in every fourth column of pixels */
#define GAP     0.3 /* margin at each side of a label, in units of the text's height */
/* A label fits if, at both of its ends, the contour is at most this far above or below the middle line of the text.
 * Unit: height of the text */
#define FLAT  0.6
#define STEEP 0.4 /* maximum slope of the contour under its label */

struct place {
    double x, y, score; /* x, y: centre of a possible label; score: the lowest is best */
};

static double value_at(const struct contour_field *f, double x, double y)
{
    const int i = (int)fmin(fmax(x, 0), f->width - 1), j = (int)fmin(fmax(y, 0), f->height - 1);
    return (double)f->value[(size_t)j * (size_t)f->width + (size_t)i];
}

/* Returns whether the contour crosses the vertical line from (x, y - reach) to (x, y + reach). */
static bool passes(const struct contour_field *f, double level, double x, double y, double reach)
{
    const double above = value_at(f, x, y - reach), below = value_at(f, x, y + reach);
    return (above - level) * (below - level) <= 0;
}

static bool is_free(const struct contours *c, double x, double y, double half, double height)
{
    for (int k = 0; k < c->labels; k++)
        if (fabs(x - c->label[k].x) < half + c->label[k].half && fabs(y - c->label[k].y) < 1.5 * height)
            return false;
    return true;
}

/* Searches the pixel column x for points where the contour crosses the column and a label fits. Sets *best to the point
 * with the lowest score if this score is below best->score. The score is low if the contour is flat and the column is
 * near the middle of the picture. `half` is half the width of the label, `height` the height of the text. */
static void look_in_column(const struct contours *c, const struct contour_field *f, double level, int x, double half,
                           double height, struct place *best)
{
    for (int y = (int)(2 * height); y < f->height - 2 * height; y++) {
        const double up = value_at(f, x, y), down = value_at(f, x, y + 1);
        if (!((up - level) * (down - level) < 0))
            continue;
        const double slope = fabs(value_at(f, x + 1, y) - value_at(f, x - 1, y)) / fabs(2 * (down - up));
        const double score = slope + fabs(x - 0.5 * f->width) / f->width;
        if (slope < STEEP && score < best->score && passes(f, level, x - half, y + 0.5, FLAT * height) &&
            passes(f, level, x + half, y + 0.5, FLAT * height) && is_free(c, x, y + 0.5, half, height))
            *best = (struct place){x + 0.5, y + (level - up) / (down - up) + 0.5, score};
    }
}

void contour_labels_place(struct contours *c, const struct contour_field *f, struct text *text, double factor)
{
    c->labels = 0;
    for (int k = 0; k < c->count && text; k++) {
        struct contour_label *label = &c->label[c->labels];
        rounding_print_short(label->text, factor * c->level[k]);
        struct place best = {.score = INFINITY};
        const double half = 0.5 * text_width(text, label->text) + GAP * text->height;
        for (int x = (int)(half + text->height); x < f->width - half - text->height; x += COLUMNS)
            look_in_column(c, f, c->level[k], x, half, text->height, &best);
        if (best.score < INFINITY) {
            label->x = best.x, label->y = best.y, label->half = half, label->height = text->height;
            c->labels++;
        }
    }
}

void contour_labels_draw(const struct contours *c, struct text *text, struct picture *p)
{
    for (int k = 0; k < c->labels; k++) {
        const struct contour_label *l = &c->label[k];
        const struct canvas_box box = {l->x - l->half, l->y - 0.5 * l->height, l->x + l->half, l->y + 0.5 * l->height};
        text_draw(text, p, l->x, box.y1, TEXT_CENTRE, canvas_ink_on(p, box), 1, l->text);
    }
}
