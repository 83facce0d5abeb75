/* Draws axes with ticks in the margins around a picture. */
#include "nbrender/nbrender.h"

/* Margins around the picture, in units of the text size. */
#define LEFT   5.5
#define RIGHT  1.7
#define TOP    1.2
#define BOTTOM 3.6
/* Length and minimum distance of ticks, in units of the text size. */
#define TICK  0.35
#define APART 6.0

struct axes {
    struct text *text, *small;
    double em;
    /* left, top: position of the inner picture (without margins) in the complete picture; height: height of the inner
     * picture; all in pixels */
    int left, top, height;
    struct nb_units units;
    struct picture_info info; /* coordinates of the picture */
};

static const uint16_t paper[3] = {PICTURE_FULL, PICTURE_FULL, PICTURE_FULL}, ink[3];

struct axes *axes_create(struct render_options *o)
{
    if (!o->overlay.axes)
        return NULL;
    struct axes *a = claimed(calloc(1, sizeof *a), "no memory for the axes");
    a->em = overlay_em(o->width, o->height);
    a->left = (int)lround(LEFT * a->em), a->top = (int)lround(TOP * a->em);
    const int width = o->width - a->left - (int)lround(RIGHT * a->em);
    const int height = o->height - a->top - (int)lround(BOTTOM * a->em);
    if (width < a->em || height < a->em)
        die_usage("--axes: %dx%d is too small for axes and a picture", o->width, o->height);
    o->width = width, o->height = a->height = height;
    a->text = text_claim(a->em, "--axes: ");
    a->small = text_claim(0.8 * a->em, "--axes: ");
    return a;
}

void axes_destroy(struct axes *a)
{
    if (!a)
        return;
    text_close(a->text);
    text_close(a->small);
    free(a);
}

void axes_catch(struct axes *a, const struct nb_units *units, const struct panes *panes)
{
    if (!a)
        return;
    a->units = *units;
    panes_note_axes(panes, &a->info);
}

/* ---- one axis ---- */

struct axis {
    double centre, step; /* coordinate at the middle of the axis, and change per pixel, in the unit named in `label` */
    int length;          /* length of the axis, pixels */
    char label[96];
};

/* Returns axis d of the picture. An axis that is not parallel to x, y or z (oblique view) has no name in its label, and
 * has the coordinate 0 in the middle of the picture. */
static struct axis axis_of(const struct axes *a, int d, int length)
{
    const struct picture_axis *from = &a->info.axis[d];
    const bool is_named = !from->name[1];
    const struct shown_unit unit = shown_unit_of_length(&a->units, 0.5 * length * fabs(from->step));
    struct axis axis = {is_named ? from->centre * unit.factor : 0, from->step * unit.factor, length, ""};
    snprintf(axis.label, sizeof axis.label, *unit.name ? "%s%s(%s)" : "%s%s", is_named ? from->name : "",
             is_named && *unit.name ? " " : "", unit.name);
    return axis;
}

/* Calls `draw` for each tick. `place` is the distance in pixels of the tick from the beginning of the axis: the left
 * end of the horizontal axis, or the lower end of the vertical axis. `number` is the text at the tick. */
static void go_over(const struct axes *a, const struct axis *axis,
                    void (*draw)(const struct axes *a, const struct axis *axis, double place, const char *number,
                                 struct picture *p),
                    struct picture *p)
{
    const double half = 0.5 * axis->length * fabs(axis->step);
    const double apart = rounding_up(2 * half / fmax(floor(axis->length / (APART * a->em)), 1));
    const double low = axis->centre - half, high = axis->centre + half;
    for (double k = ceil(low / apart - 1e-9); k * apart <= high + 1e-9 * apart; k++) {
        char number[ROUNDING_TEXT];
        rounding_print(number, k * apart, rounding_decimals(apart));
        draw(a, axis, 0.5 * axis->length + (k * apart - axis->centre) / axis->step, number, p);
    }
}

static double thin_of(const struct axes *a)
{
    return fmax(round(a->em / 16), 1);
}

static void draw_tick_below(const struct axes *a, const struct axis *axis, double place, const char *number,
                            struct picture *p)
{
    (void)axis;
    const double thin = thin_of(a), x = a->left + place, y = a->top + a->height, tick = round(TICK * a->em);
    draw_rectangle(p, round(x - 0.5 * thin), y, round(x - 0.5 * thin) + thin, y + tick, ink, 1);
    text_draw(a->small, p, x, y + tick + 0.3 * a->em + a->small->height, TEXT_CENTRE, ink, 1, number);
}

static void draw_tick_left(const struct axes *a, const struct axis *axis, double place, const char *number,
                           struct picture *p)
{
    const double thin = thin_of(a), x = a->left, y = a->top + axis->length - place, tick = round(TICK * a->em);
    draw_rectangle(p, x - tick, round(y - 0.5 * thin), x, round(y - 0.5 * thin) + thin, ink, 1);
    text_draw(a->small, p, x - tick - 0.3 * a->em, y + 0.5 * a->small->height, TEXT_RIGHT, ink, 1, number);
}

/* Draws text that reads upwards: draws the text into a separate picture and rotates this picture. */
static void draw_upwards(const struct axes *a, double x, double y, const char *label, struct picture *p)
{
    struct picture own;
    const int width = (int)ceil(text_width(a->text, label)) + 2,
              height = (int)ceil(a->text->height + a->text->depth) + 4;
    picture_init(&own, width, height, false);
    draw_rectangle(&own, 0, 0, width, height, paper, 1);
    text_draw(a->text, &own, 1, 2 + a->text->height, TEXT_LEFT, ink, 1, label);
    const int x0 = (int)x, y0 = (int)(y + 0.5 * width);
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            for (int d = 0; d < 3 && x0 + j >= 0 && x0 + j < p->width && y0 - i >= 0 && y0 - i < p->height; d++)
                p->plane[d][(size_t)(y0 - i) * (size_t)p->width + (size_t)(x0 + j)] =
                    own.plane[d][(size_t)j * (size_t)width + (size_t)i];
    picture_free(&own);
}

static void draw_frame(const struct axes *a, const struct picture *inner, struct picture *p)
{
    const double thin = thin_of(a), x0 = a->left, y0 = a->top, x1 = x0 + inner->width, y1 = y0 + inner->height;
    draw_rectangle(p, 0, 0, p->width, p->height, paper, 1);
    draw_rectangle(p, x0 - thin, y0 - thin, x1 + thin, y1 + thin, ink, 1);
    for (int d = 0; d < 3; d++)
        for (int y = 0; y < inner->height; y++)
            memcpy(p->plane[d] + (size_t)(a->top + y) * (size_t)p->width + (size_t)a->left,
                   inner->plane[d] + (size_t)y * (size_t)inner->width, (size_t)inner->width * sizeof *p->plane[d]);
}

void axes_draw(const struct axes *a, const struct picture *inner, struct picture *p)
{
    const struct axis across = axis_of(a, 0, inner->width), up = axis_of(a, 1, inner->height);
    draw_frame(a, inner, p);
    go_over(a, &across, draw_tick_below, p);
    go_over(a, &up, draw_tick_left, p);
    text_draw(a->text, p, a->left + 0.5 * inner->width, p->height - 0.6 * a->em, TEXT_CENTRE, ink, 1, across.label);
    draw_upwards(a, 0.4 * a->em, a->top + 0.5 * inner->height, up.label, p);
}
