/* Draws antialiased rectangles and lines over a picture. */
#include "nbrender/overlay/overlay.h"

/* ---- rectangles ---- */

/* Returns the fraction of pixel i (from i to i + 1) that the interval [a, b] covers. */
static double covered(int i, double a, double b)
{
    return fmax(fmin(b, i + 1) - fmax(a, i), 0);
}

void draw_rectangle(struct picture *p, double x0, double y0, double x1, double y1, const uint16_t colour[3],
                    double opacity)
{
    if (!(x0 < x1 && y0 < y1))
        return;
    x0 = fmax(x0, 0);
    y0 = fmax(y0, 0);
    x1 = fmin(x1, p->width);
    y1 = fmin(y1, p->height);
    for (int y = (int)y0; y < y1; y++)
        for (int x = (int)x0; x < x1; x++)
            draw_pixel(p, x, y, colour, (float)(opacity * covered(y, y0, y1) * covered(x, x0, x1)));
}

/* ---- lines: computes the coverage of all pixels first, then blends once ---- */

struct mask {
    struct draw_area area;
    uint16_t *cover; /* opacity of each pixel, in units of 1 / FULL */
    struct span {
        int begin, end;
    } * row; /* for each row: the range of pixels whose opacity is not 0 */
};
#define FULL 65535.0f

static void mask_init(struct mask *m, struct draw_area area)
{
    m->area = area;
    m->cover = calloc((size_t)area.width * (size_t)area.height, sizeof *m->cover);
    m->row = calloc((size_t)area.height, sizeof *m->row);
    if (!m->cover || !m->row)
        die("no memory for a line over a picture of %dx%d", area.width, area.height);
}

static void mask_cover(void *mask, int x, int y, double cover)
{
    struct mask *m = mask;
    uint16_t *at = &m->cover[(size_t)y * (size_t)m->area.width + (size_t)x];
    uint16_t level = (uint16_t)(cover * (double)FULL + 0.5);
    struct span *row = &m->row[y];
    if (*at < level)
        *at = level;
    if (row->end <= row->begin)
        *row = (struct span){x, x + 1};
    if (x < row->begin)
        row->begin = x;
    if (x >= row->end)
        row->end = x + 1;
}

static void lay_behind(struct picture *p, int x, int y, const uint16_t colour[3], float opacity)
{
    size_t at = (size_t)y * (size_t)p->width + (size_t)x;
    for (int k = 0; k < 3; k++) {
        float level = p->plane[k][at];
        p->plane[k][at] = (uint16_t)(level + opacity * (float)colour[k] * (1 - level / PICTURE_FULL) + 0.5f);
    }
}

static void mask_lay(const struct mask *m, struct picture *p, bool behind, const uint16_t colour[3])
{
    for (int y = 0; y < m->area.height; y++)
        for (int x = m->row[y].begin; x < m->row[y].end; x++) {
            float opacity = m->cover[(size_t)y * (size_t)m->area.width + (size_t)x] / FULL;
            (behind ? lay_behind : draw_pixel)(p, m->area.x + x, m->area.y + y, colour, opacity);
        }
}

static void mask_free(struct mask *m)
{
    free(m->cover);
    free(m->row);
}

/* Returns a rectangle inside `area` that contains all pixels within the distance `reach` of the lines between the
 * points at[]. Only this rectangle is processed, which saves time. */
static struct draw_area bound(struct draw_area area, const double (*at)[2], size_t n, double reach)
{
    double x0 = area.width, y0 = area.height, x1 = 0, y1 = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(at[i][0]) || isnan(at[i][1]))
            continue;
        x0 = fmin(x0, floor(at[i][0] - reach));
        y0 = fmin(y0, floor(at[i][1] - reach));
        x1 = fmax(x1, ceil(at[i][0] + reach));
        y1 = fmax(y1, ceil(at[i][1] + reach));
    }
    x0 = fmax(x0, 0);
    y0 = fmax(y0, 0);
    x1 = fmin(x1, area.width);
    y1 = fmin(y1, area.height);
    if (!(x0 < x1 && y0 < y1))
        return (struct draw_area){0};
    return (struct draw_area){area.x + (int)x0, area.y + (int)y0, (int)(x1 - x0), (int)(y1 - y0)};
}

void draw_polyline_in(struct picture *p, struct draw_area area, bool behind, const double (*at)[2],
                      const float *opacity, size_t n, double width, const uint16_t colour[3])
{
    struct mask m;
    struct draw_area part = bound(area, at, n, 0.5 * width + 0.5);
    double x = area.x - part.x, y = area.y - part.y;
    if (!(width > 0) || n < 2 || part.width == 0)
        return;
    mask_init(&m, part);
    for (size_t i = 0; i + 1 < n; i++) {
        const struct segment segment = {
            .begin = {at[i][0] + x, at[i][1] + y},
            .end = {at[i + 1][0] + x, at[i + 1][1] + y},
            .opacity = {opacity ? (double)opacity[i] : 1, opacity ? (double)opacity[i + 1] : 1},
            .width = width};
        segment_cover(&segment, part.width, part.height, mask_cover, &m);
    }
    mask_lay(&m, p, behind, colour);
    mask_free(&m);
}

void draw_polyline(struct picture *p, const double (*at)[2], const float *opacity, size_t n, double width,
                   const uint16_t colour[3])
{
    draw_polyline_in(p, (struct draw_area){0, 0, p->width, p->height}, false, at, opacity, n, width, colour);
}
