#include "nbrender/overlay/overlay.h"

#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>

#define LINE       (1.0 / 540) /* width, picture heights */
#define LINE_LEAST 1.5         /* pixels */
#define EDGE_ON    1e-3        /* seen so, a wall has no inside */

static const uint16_t line_colour[3] = {50000, 50000, 50000}, fill_colour[3] = {13000, 13000, 14000};

struct walls {
    enum wall_style style;
    struct nb_scene scene;
};

struct walls *walls_create(const struct wall_options *o)
{
    if (o->style == WALLS_NONE)
        return NULL;
    struct walls *w = claimed(calloc(1, sizeof *w), "no memory for the walls");
    w->style = o->style;
    return w;
}

void walls_destroy(struct walls *w)
{
    if (w)
        nb_scene_free(&w->scene);
    free(w);
}

void walls_catch(struct walls *w, const struct nb_meta *meta)
{
    struct nb_scene scene;
    if (!w)
        return;
    must(nb_scene_read(meta, &scene));
    nb_scene_free(&w->scene);
    w->scene = scene;
}

/* ---- drawing ---- */

/* In the pane's pixels, to be freed; NAN behind the camera. */
static double (*project(const struct nb_wall *wall, const struct nb_view *view))[2]
{
    double(*at)[2] = claimed(calloc((size_t)wall->count, sizeof *at), "no memory for the walls");
    for (int k = 0; k < wall->count; k++)
        view_project(view, (const double[]){wall->xy[2 * k], wall->xy[2 * k + 1], 0}, at[k]);
    return at;
}

static bool is_whole(const double (*at)[2], int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(at[k][0]) || !isfinite(at[k][1]))
            return false;
    return true;
}

struct filling {
    struct picture *picture;
    const struct layout_pane *place;
    const uint16_t *colour;
    bool outside;
};

static void lay_row(void *context, int y, const float *cover)
{
    const struct filling *f = context;
    for (int x = 0; x < f->place->width; x++) {
        const float opacity = f->outside ? 1 - cover[x] : cover[x];
        if (opacity > 0)
            draw_pixel(f->picture, f->place->x + x, f->place->y + y, f->colour, fminf(opacity, 1));
    }
}

/* As the eye of a pair sees it, whose channels are its own: the other's keep what they have only if that is black. */
static void colour_for(const struct layout_pane *place, const uint16_t colour[3], uint16_t seen[3])
{
    for (int k = 0; k < 3; k++)
        seen[k] = place->eye == 0 || (place->eye < 0) == (k == 0) ? colour[k] : 0;
}

static void draw_wall(const struct walls *w, const struct nb_wall *wall, const struct pane *pane, struct picture *p)
{
    const struct layout_pane *place = &pane->place;
    const struct draw_area area = {place->x, place->y, place->width, place->height};
    uint16_t line[3], fill[3];
    double(*at)[2] = project(wall, &pane->view);
    const double(*corner)[2] = (const double(*)[2])at;
    colour_for(place, line_colour, line);
    colour_for(place, fill_colour, fill);
    struct filling filling = {p, place, fill, wall->area < 0};
    if (w->style == WALLS_FILL && wall->closed && place->eye == 0 && fabs(pane->view.back[2]) > EDGE_ON &&
        is_whole(corner, wall->count) &&
        fill_cover(corner, wall->count - 1, place->width, place->height, lay_row, &filling))
        die("%s", nb_error());
    draw_polyline_in(p, area, place->eye != 0, corner, NULL, (size_t)wall->count, fmax(LINE * p->height, LINE_LEAST),
                     line);
    free(at);
}

void walls_draw(const struct walls *w, const struct panes *panes, struct picture *p)
{
    for (int k = 0; k < panes->count && w; k++)
        for (int i = 0; i < w->scene.wall_count; i++)
            draw_wall(w, &w->scene.walls[i], &panes->pane[k], p);
}
