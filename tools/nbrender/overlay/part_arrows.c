/* Draws mean velocities on a grid as arrows. */
#include "nbrender/overlay/overlay.h"

/* The scale of all arrows: an arrow for the speed v has the length LONG * (width of a cell of the grid). v is chosen so
 * that the fraction FAST of the cells have a mean speed below v. */
#define LONG 0.85
#define FAST 0.9
#define MOST 2.0 /* maximum length of an arrow, in units of the cell's width */
#define BARB 0.35
/* The arrowhead has two strokes from the tip, one on each side of the shaft. ASIDE is (distance of a stroke's far end
 * from the shaft) / (length of the stroke, measured along the shaft). */
#define ASIDE  0.45
#define POINTS 6

static int rows_of(const struct arrows *a, const struct layout_pane *place)
{
    return (int)ceil((double)place->height * a->columns / place->width);
}

/* For each cell of pane `number`, adds up three values of its bodies: mass, momentum to the right, momentum upwards. */
static void gather(struct arrows *a, int number, const struct panes *panes, const struct nb_bodies *b)
{
    const struct pane *pane = &panes->pane[number];
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel"),
                           *mass = nb_bodies_find(b, "mass");
    const int rows = rows_of(a, &pane->place);
    const size_t cells = (size_t)a->columns * (size_t)rows;
    const double cell = (double)pane->place.width / a->columns;
    a->sum[number] =
        claimed(remade(a->sum[number], &a->room[number], cells, sizeof *a->sum[number]), "no memory for arrows");
    memset(a->sum[number], 0, cells * sizeof *a->sum[number]);
    for (uint64_t i = 0; i < b->n; i++) {
        double x, y, v[3];
        nb_view_project(&pane->view, pos, i, 1, &x, &y, NULL);
        if (!(x >= 0 && y >= 0 && x < pane->place.width && y < pane->place.height) ||
            !slice_holds(&panes->slice, view_depth(&pane->view, pos, i)))
            continue;
        double *sum = a->sum[number][(size_t)(y / cell) * (size_t)a->columns + (size_t)(x / cell)];
        vector_of(vel, i, v);
        const double m = value_of(mass, i, 0);
        sum[0] += m, sum[1] += m * vector_dot(v, pane->view.right), sum[2] += m * vector_dot(v, pane->view.up);
    }
}

/* Sets the scale of the arrows from the mean speeds in the cells of a pane. sum[k] contains the mass and the momentum
 * in cell k. Does nothing if all bodies are at rest. The scale is set once, for all pictures. */
static void set_scale(struct arrows *a, const struct pane *pane, double (*sum)[3], const struct nb_units *units)
{
    struct sample speeds = {0};
    const size_t cells = (size_t)a->columns * (size_t)rows_of(a, &pane->place);
    for (size_t k = 0; k < cells; k++)
        if (sum[k][0] > 0)
            sample_add(&speeds, hypot(sum[k][1], sum[k][2]) / sum[k][0]);
    sample_sort(&speeds);
    const double fast = speeds.count > 0 ? sample_quantile(&speeds, FAST) : 0;
    sample_free(&speeds);
    if (!(fast > 0))
        return;
    const struct shown_unit unit = shown_unit_of(units, "L/T", fast);
    a->reference = rounding_down(fast * unit.factor) / unit.factor;
    a->stretch = LONG * pane->place.width / a->columns / fast;
}

void arrows_catch(struct arrows *a, const struct panes *panes, const struct nb_bodies *b)
{
    for (int k = 0; k < panes->count; k++)
        gather(a, k, panes, b);
    const int main = (int)(panes->main - panes->pane);
    if (!(a->stretch > 0))
        set_scale(a, panes->main, a->sum[main], &b->meta.units);
}

void arrows_free(struct arrows *a)
{
    for (int k = 0; k < LAYOUT_PANES_MAX; k++)
        free(a->sum[k]);
}

/* Draws an arrow with its middle at (x, y) and the components dx and dy, in pixels. y increases downwards. */
static void draw_arrow(struct canvas *c, struct draw_area area, double x, double y, double dx, double dy)
{
    const double tip[2] = {x + 0.5 * dx, y + 0.5 * dy};
    const double barb = fmin(BARB, 0.6 * c->em / hypot(dx, dy)), bx = barb * dx, by = barb * dy;
    const double at[POINTS][2] = {{x - 0.5 * dx, y - 0.5 * dy},
                                  {tip[0], tip[1]},
                                  {tip[0] - bx - ASIDE * by, tip[1] - by + ASIDE * bx},
                                  {NAN, NAN},
                                  {tip[0], tip[1]},
                                  {tip[0] - bx + ASIDE * by, tip[1] - by - ASIDE * bx}};
    static const float rim[POINTS] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    const double wide = fmax(c->em / 12, 1);
    draw_polyline_in(c->picture, area, false, at, rim, POINTS, wide + 2, canvas_dark);
    draw_polyline_in(c->picture, area, false, at, NULL, POINTS, wide, canvas_ink);
}

/* Returns whether an arrow would not overlap other overlays. */
static bool is_free(const struct canvas *c, double x, double y, double dx, double dy)
{
    const struct canvas_box box = {x - 0.5 * fabs(dx), y - 0.5 * fabs(dy), x + 0.5 * fabs(dx), y + 0.5 * fabs(dy)};
    for (int k = 0; k < c->count; k++)
        if (canvas_overlap(&c->taken[k], &box, 0.3 * c->em))
            return false;
    return true;
}

void part_arrows(struct canvas *c, const struct arrows *a, const struct panes *panes, int number)
{
    const struct layout_pane *place = &panes->pane[number].place;
    const struct draw_area area = {place->x, place->y, place->width, place->height};
    const double cell = (double)place->width / a->columns;
    for (int j = 0; j < rows_of(a, place) && a->stretch > 0 && place->eye <= 0; j++)
        for (int i = 0; i < a->columns; i++) {
            const double *sum = a->sum[number][(size_t)j * (size_t)a->columns + (size_t)i];
            const double dx = a->stretch * sum[1] / sum[0], dy = -a->stretch * sum[2] / sum[0];
            const double length = hypot(dx, dy), cut = fmin(MOST * cell / length, 1);
            const double x = (i + 0.5) * cell, y = (j + 0.5) * cell;
            if (sum[0] > 0 && length > 1 && is_free(c, place->x + x, place->y + y, cut * dx, cut * dy))
                draw_arrow(c, area, x, y, cut * dx, cut * dy);
        }
}

void part_arrow_reference(struct canvas *c, const struct arrows *a, const struct nb_units *units)
{
    const struct shown_unit unit = shown_unit_of(units, "L/T", a->reference);
    char number[ROUNDING_TEXT], line[2 * ROUNDING_TEXT];
    rounding_print_short(number, a->reference * unit.factor);
    snprintf(line, sizeof line, "%s%s%s", number, *unit.name ? " " : "", unit.name);
    const double length = a->stretch * a->reference, half = 0.5 * fmax(length, text_width(c->text, line));
    const double x = 0.5 * c->picture->width, y = round(c->picture->height - c->margin), base = y - round(0.8 * c->em);
    if (!(a->stretch > 0) || !canvas_take(c, (struct canvas_box){x - half, base - c->text->height, x + half, y}))
        return;
    canvas_write(c, c->text, x, base, TEXT_CENTRE, line);
    draw_arrow(c, (struct draw_area){0, 0, c->picture->width, c->picture->height}, x, y - round(0.3 * c->em), length,
               0);
}
