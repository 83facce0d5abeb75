/* Draws the walls that a frame's header describes over the picture of the frame. */
#include "nbrender/overlay/overlay.h"

#include "scene/scene.h"

#define LINE       (1.0 / 540) /* (width of a line) / (height of the picture) */
#define LINE_LEAST 1.5         /* minimum width of a line, pixels */
#define FILL_LINES 4
/* A wall that is seen edge-on is not filled: |cos| of the angle between its normal and the line of sight is then below
 * EDGE_ON. */
#define EDGE_ON 1e-3

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

/* Projects the corners of a wall to pixels of the pane; NAN: behind the camera. The caller frees the result. */
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

/* Finds the x coordinates where the polygon crosses the horizontal line at y, in ascending order. A corner exactly on
 * the line is treated as if its y were smaller. Returns the number of crossings. */
static int find_crossings(const double (*at)[2], int count, double y, double *x)
{
    int found = 0;
    for (int k = 0; k < count; k++) {
        const double *p = at[k], *q = at[(k + 1) % count];
        if ((p[1] <= y) != (q[1] <= y))
            x[found++] = p[0] + (q[0] - p[0]) * ((y - p[1]) / (q[1] - p[1]));
    }
    qsort(x, (size_t)found, sizeof *x, compare_numbers);
    return found;
}

static void add_span(double x0, double x1, int width, float *cover)
{
    x0 = fmin(fmax(x0, 0), width);
    x1 = fmin(fmax(x1, 0), width);
    for (int x = (int)x0; x < x1; x++)
        cover[x] += (float)((fmin(x1, x + 1) - fmax(x0, x)) / FILL_LINES);
}

struct filling {
    struct picture *picture;
    const struct layout_pane *place;
    const uint16_t *colour;
    bool outside;
};

static void lay_row(const struct filling *f, int y, const float *cover)
{
    for (int x = 0; x < f->place->width; x++) {
        const float opacity = f->outside ? 1 - cover[x] : cover[x];
        if (opacity > 0)
            draw_pixel(f->picture, f->place->x + x, f->place->y + y, f->colour, fminf(opacity, 1));
    }
}

/* Fills a polygon with `count` corners by the even-odd rule: its inside, or its outside if f->outside is set.
 * FILL_LINES horizontal lines cross each pixel. The opacity of a pixel is the filled fraction of these lines. */
static void fill_polygon(const struct filling *f, const double (*at)[2], int count)
{
    const size_t row_bytes = (size_t)f->place->width * sizeof(float);
    double *x = claimed(malloc((size_t)count * sizeof *x), "no memory for the walls");
    float *cover = claimed(malloc(row_bytes), "no memory for the walls");
    for (int y = 0; y < f->place->height; y++) {
        memset(cover, 0, row_bytes);
        for (int line = 0; line < FILL_LINES; line++) {
            const int found = find_crossings(at, count, y + (line + 0.5) / FILL_LINES, x);
            for (int k = 0; k + 1 < found; k += 2)
                add_span(x[k], x[k + 1], f->place->width, cover);
        }
        lay_row(f, y, cover);
    }
    free(x);
    free(cover);
}

/* Sets seen[] to the colour of a wall in a pane. If the pane is for one eye of a stereo pair, keeps only red (left eye)
 * or only green and blue (right eye). The other channels are 0. Lines in such a pane add light, so they do not
 * change these channels of the picture. */
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
    const struct filling filling = {p, place, fill, wall->area < 0};
    if (w->style == WALLS_FILL && wall->closed && place->eye == 0 && fabs(pane->view.back[2]) > EDGE_ON &&
        is_whole(corner, wall->count))
        fill_polygon(&filling, corner, wall->count - 1);
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
