/* Draws a cube around the centre of the first picture, with the names of its axes. */
#include "nbrender/overlay/overlay.h"

#define PIECES 16 /* number of pieces into which an edge is divided; pieces behind the camera are not drawn */

struct edge {
    double at[PIECES + 1][2]; /* ends of the pieces of an edge, pixels; NAN: behind the camera */
};

/* Projects one edge of the box. The edge begins at a corner and is parallel to axis d. Bit k of `corner` is 0 if the
 * corner is on the low side of the box along axis k, and 1 if it is on the high side. */
static void project_edge(const struct overlay_box *box, const struct nb_view *view, int corner, int d, struct edge *e)
{
    double pos[PIECES + 1][3], x[PIECES + 1], y[PIECES + 1];
    const struct nb_column column = {.name = "pos", .type = NB_F64, .width = 3, .data = pos};
    for (int i = 0; i <= PIECES; i++)
        for (int k = 0; k < 3; k++) {
            double share = k == d ? (double)i / PIECES : corner >> k & 1;
            pos[i][k] = box->middle[k] + (share - 0.5) * box->side;
        }
    nb_view_project(view, &column, 0, PIECES + 1, x, y, NULL);
    for (int i = 0; i <= PIECES; i++) {
        e->at[i][0] = x[i];
        e->at[i][1] = y[i];
    }
}

/* Returns whether all corners of the box are inside the pane, with a margin of 5 % of the pane's shorter side. */
static bool fits(const struct overlay_box *box, const struct pane *pane)
{
    const double width = pane->place.width, height = pane->place.height, margin = 0.05 * fmin(width, height);
    for (int corner = 0; corner < 4; corner++) {
        struct edge e;
        project_edge(box, &pane->view, corner, 2, &e);
        for (int i = 0; i <= PIECES; i += PIECES)
            if (!(fabs(e.at[i][0] - 0.5 * width) < 0.5 * width - margin &&
                  fabs(e.at[i][1] - 0.5 * height) < 0.5 * height - margin))
                return false;
    }
    return true;
}

void part_box_set(struct overlay_box *box, const struct pane *pane)
{
    static const double mantissa[] = {8, 6, 5, 4, 3, 2, 1.5, 1};
    const double widest = 2 * fmax(pane->place.width, pane->place.height) / pane->view.scale;
    for (int d = 0; d < 3; d++)
        box->middle[d] = pane->view.centre[d];
    for (int power = 0; power > -3; power--)
        for (size_t k = 0; k < sizeof mantissa / sizeof *mantissa; k++) {
            box->side = mantissa[k] * pow(10, floor(log10(widest)) + power);
            if (fits(box, pane))
                return;
        }
    box->side = 0;
}

/* Writes the name of axis d (x, y or z) next to the end of its edge e, which begins at corner 0. Writes nothing if the
 * edge points towards the viewer and is therefore short in the picture. */
static void write_axis(struct canvas *c, const struct layout_pane *place, const struct edge *e, int d)
{
    static const char *const name[] = {"x", "y", "z"};
    double dx = e->at[PIECES][0] - e->at[0][0], dy = e->at[PIECES][1] - e->at[0][1], length = hypot(dx, dy);
    if (!(length > 2 * c->em))
        return;
    double x = e->at[PIECES][0] + 0.8 * c->em * dx / length, y = e->at[PIECES][1] + 0.8 * c->em * dy / length;
    double half = 0.5 * c->small->height;
    if (x < half || y < half || !(x < place->width - half) || !(y < place->height - half))
        return;
    text_draw(c->small, c->picture, place->x + x, place->y + y + 0.7 * half, TEXT_CENTRE, canvas_ink, 0.6, name[d]);
}

void part_box(struct canvas *c, const struct overlay_box *box, const struct pane *pane)
{
    const struct layout_pane *place = &pane->place;
    const struct draw_area area = {place->x, place->y, place->width, place->height};
    if (!(box->side > 0))
        return;
    for (int corner = 0; corner < 8; corner++)
        for (int d = 0; d < 3; d++) {
            struct edge e;
            float opacity[PIECES + 1];
            if (corner >> d & 1)
                continue;
            for (int i = 0; i <= PIECES; i++)
                /* the edges from corner 0 are the axes, which are drawn brighter */
                opacity[i] = corner == 0 ? 0.5f : 0.25f;
            project_edge(box, &pane->view, corner, d, &e);
            draw_polyline_in(c->picture, area, true, (const double(*)[2])e.at, opacity, PIECES + 1, fmax(c->em / 18, 1),
                             canvas_ink_of(place, canvas_ink));
            if (corner == 0 && place->eye == 0)
                write_axis(c, place, &e, d);
        }
}
