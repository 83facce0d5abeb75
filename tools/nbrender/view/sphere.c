/* Draws fisheye pictures for a dome, and pictures of all directions. A picture of all directions is blended from three:
 * a band around the horizon, and two caps (fisheye pictures around the upper and the lower pole). */
#include "nbrender/view/view.h"

#include "base/memory.h"

/* angle that the height of each pane covers, degrees */
#define PANE_DEG 110
/* Angle of view, degrees, that sets the size of bodies drawn as points: a point has the same angular size as in a flat
 * picture with this angle of view. */
#define FLAT_DEG   60
#define BLEND_FROM 40 /* latitude at which the blend from the band to the caps begins, degrees */
#define BLEND_TO   50 /* latitude at which the blend ends, degrees */
#define BLOCK      1024
/* Maximum magnification with which `move` places a body in front of plane_camera. A body with the magnification
 * 1 / NB_VIEW_NEAREST or more would be too close to plane_camera and would not be drawn. */
#define LARGEST (0.99 / NB_VIEW_NEAREST)

/* a column of the bodies, followed by copies of the values of those bodies that are drawn twice (copy_ends) */
struct copied {
    void *data;
    uint64_t room;
};

struct sphere {
    int width, height; /* width and height of the picture, pixels */
    struct picture sheet[SPHERE_PANES];
    double (*pos)[3]; /* positions to which the bodies are moved, so that plane_camera sees them at the right pixels */
    uint64_t *twice;  /* indices of the bodies that are drawn at both ends of the band around the horizon */
    uint64_t pos_room;
    struct copied light, step, value;
};

/* ---- panes ---- */

static void place_panes(struct panes *p, int width, int height)
{
    const double radian = width / (2 * M_PI);
    const int wanted = (int)ceil(radian * (PANE_DEG * M_PI / 180)), high = wanted + (height - wanted) % 2;
    for (int k = 0; k < SPHERE_PANES; k++)
        p->pane[k].place = (struct layout_pane){.width = k ? high : width,
                                                .height = high,
                                                .y = k ? 0 : (height - high) / 2,
                                                .projection = k ? NB_VIEW_FISHEYE : NB_VIEW_BAND,
                                                .radian = radian,
                                                .pole = k == 1   ? 1
                                                        : k == 2 ? -1
                                                                 : 0};
    p->count = SPHERE_PANES;
}

void sphere_layout(struct panes *p, enum layout_kind kind, int width, int height)
{
    p->pane[0].place.projection = NB_VIEW_FISHEYE;
    p->pane[0].place.radian = width / M_PI;
    if (kind == LAYOUT_SPHERE)
        place_panes(p, width, height);
}

struct sphere *sphere_create(const struct panes *p, int width, int height, bool linear)
{
    struct sphere *s = claimed(calloc(1, sizeof *s), "no memory for the picture");
    s->width = width;
    s->height = height;
    for (int k = 0; k < p->count; k++)
        picture_init(&s->sheet[k], p->pane[k].place.width, p->pane[k].place.height, linear);
    return s;
}

void sphere_free(struct sphere *s)
{
    if (!s)
        return;
    for (int k = 0; k < SPHERE_PANES; k++)
        if (s->sheet[k].width > 0)
            picture_free(&s->sheet[k]);
    free(s->pos);
    free(s->twice);
    free(s->light.data);
    free(s->step.data);
    free(s->value.data);
    free(s);
}

double sphere_points(const struct pane *pane)
{
    return NB_LIGHT_POINT * (pane->place.height / pane->place.radian) / (FLAT_DEG * M_PI / 180);
}

struct picture *sphere_sheet(struct sphere *s, int k)
{
    return &s->sheet[k];
}

/* ---- bodies ---- */

/* The renderer supports only a plane camera, but the projections of the panes are curved. Therefore the bodies are
 * moved before they are drawn: nb_view_project computes the pixel of each body in the pane, and `move` computes the
 * position that plane_camera sees at this pixel. plane_camera is at (0, 0, 1). In the plane z = 0, one pixel is one
 * length unit. */
static const struct nb_view plane_camera = {
    .right = {1, 0, 0}, .up = {0, 1, 0}, .back = {0, 0, 1}, .scale = 1, .inverse_distance = 1};

/* Sets `to` to the position that plane_camera sees at pixel (x, y) with the magnification `larger` (1 in the plane
 * z = 0). If `larger` is NAN, sets `to` to NAN, so that the body is not drawn. */
static void move(double x, double y, double larger, double to[3])
{
    larger = larger < LARGEST ? larger : larger >= LARGEST ? LARGEST : NAN;
    to[0] = x / larger;
    to[1] = -y / larger;
    to[2] = 1 - 1 / larger;
}

static void move_all(struct sphere *s, const struct nb_view *view, const struct nb_column *pos, uint64_t n)
{
#pragma omp parallel for schedule(static)
    for (uint64_t i0 = 0; i0 < n; i0 += BLOCK) {
        const int count = n - i0 < BLOCK ? (int)(n - i0) : BLOCK;
        double x[BLOCK], y[BLOCK];
        float near[BLOCK];
        nb_view_project(view, pos, i0, count, x, y, near);
        for (int k = 0; k < count; k++)
            move(x[k], y[k], (double)near[k], s->pos[i0 + (uint64_t)k]);
    }
}

/* Returns whether a body must be drawn at both the left and the right end of the band. The band is a full circle, so
 * the light of a body near one end continues at the other end. The light extends over up to a quarter of the band's
 * height. Sets *x to the horizontal position of the body in the pane, pixels. */
static bool is_at_end(const struct layout_pane *place, const double pos[3], double *x)
{
    const double reach = 0.25 * place->height;
    *x = pos[0] / (1 - pos[2]);
    return *x < reach || *x > place->width - reach;
}

/* Appends copies of the bodies near either end of the band to s->pos. The copies are placed beyond the opposite end.
 * Stores the indices of these bodies in s->twice. Returns the number of copies. */
static uint64_t copy_ends(struct sphere *s, const struct layout_pane *place, uint64_t n)
{
    uint64_t count = 0;
    double x;
    for (uint64_t i = 0; i < n; i++)
        if (is_at_end(place, s->pos[i], &x)) {
            s->twice = claimed(nb_memory_grow(s->twice, count, sizeof *s->twice), "no memory for the picture");
            s->twice[count++] = i;
        }
    if (n + count > s->pos_room) {
        s->pos = claimed(realloc(s->pos, (n + count) * sizeof *s->pos), "no memory for %.0f bodies", (double)n);
        s->pos_room = n + count;
    }
    for (uint64_t k = 0; k < count; k++) {
        double *to = s->pos[n + k];
        memcpy(to, s->pos[s->twice[k]], sizeof *s->pos);
        is_at_end(place, to, &x);
        to[0] = (x + (x < 0.5 * place->width ? place->width : -place->width)) * (1 - to[2]);
    }
    return count;
}

/* Returns the column `from` of n bodies, followed by the values of the `count` bodies in s->twice. Elements have `size`
 * bytes. Returns NULL if `from` is NULL. */
static const void *copy_column(struct sphere *s, struct copied *c, const void *from, size_t size, uint64_t n,
                               uint64_t count)
{
    if (!from || count == 0)
        return from;
    c->data = claimed(remade(c->data, &c->room, n + count, size), "no memory for %.0f bodies", (double)n);
    memcpy(c->data, from, n * size);
    for (uint64_t k = 0; k < count; k++)
        memcpy((char *)c->data + (n + k) * size, (const char *)from + s->twice[k] * size, size);
    return c->data;
}

int sphere_put(struct sphere *s, const struct pane *pane, const struct nb_light_bodies *b)
{
    struct nb_light_bodies moved = *b;
    s->pos = claimed(remade(s->pos, &s->pos_room, b->n, sizeof *s->pos), "no memory for %.0f bodies", (double)b->n);
    move_all(s, &pane->view, b->pos, b->n);
    const uint64_t count = pane->view.projection == NB_VIEW_BAND ? copy_ends(s, &pane->place, b->n) : 0;
    const struct nb_column pos = {.name = "pos", .type = NB_F64, .width = 3, .data = s->pos};
    moved.n = b->n + count;
    moved.pos = &pos;
    moved.light = copy_column(s, &s->light, b->light, sizeof *b->light, b->n, count);
    moved.step = copy_column(s, &s->step, b->step, sizeof *b->step, b->n, count);
    moved.value = copy_column(s, &s->value, b->value, sizeof *b->value, b->n, count);
    return nb_light_put(pane->light, &plane_camera, &moved);
}

/* ---- the picture ---- */

struct look { /* the four pixels around a point, and their weights in linear interpolation */
    size_t at[4];
    float weight[4];
};

static struct look look_at(const struct picture *sheet, double x, double y)
{
    const double u = fmin(fmax(x - 0.5, 0), sheet->width - 1), v = fmin(fmax(y - 0.5, 0), sheet->height - 1);
    const int i = (int)u, j = (int)v, right = i + 1 < sheet->width, below = j + 1 < sheet->height ? sheet->width : 0;
    const float a = (float)(u - i), b = (float)(v - j);
    const size_t at = (size_t)j * (size_t)sheet->width + (size_t)i;
    return (struct look){{at, at + (size_t)right, at + (size_t)below, at + (size_t)(right + below)},
                         {(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b}};
}

/* Adds `share` times the interpolated pixel of `sheet` to `sum`: four floats of a linear picture, or red, green and
 * blue of a picture with display colours. */
static void add(const struct picture *sheet, const struct look *look, float share, float sum[4])
{
    for (int k = 0; k < 4; k++)
        for (int d = 0; d < (sheet->linear ? 4 : 3); d++)
            sum[d] +=
                share * look->weight[k] *
                (sheet->linear ? sheet->linear[4 * look->at[k] + (size_t)d] : (float)sheet->plane[d][look->at[k]]);
}

static void set(struct picture *p, size_t at, const float sum[4])
{
    if (p->linear)
        memcpy(p->linear + 4 * at, sum, 4 * sizeof *sum);
    else
        for (int d = 0; d < 3; d++)
            p->plane[d][at] = (uint16_t)(sum[d] + 0.5f);
}

/* Returns the weight of the cap's picture in the blend of cap and band, at a latitude of 0 to 90 degrees. The weight of
 * the band's picture is 1 - (weight of the cap). */
static double share_of_cap(double latitude_deg)
{
    const double share = (latitude_deg - BLEND_FROM) / (BLEND_TO - BLEND_FROM);
    return fmin(fmax(share, 0), 1);
}

static void join_row(const struct sphere *s, const struct panes *p, struct picture *picture, int y)
{
    const struct layout_pane *band = &p->pane[0].place;
    const double latitude = (0.5 * s->height - (y + 0.5)) / band->radian,
                 share = share_of_cap(fabs(latitude) * (180 / M_PI));
    const int cap = latitude > 0 ? 1 : 2, pole = p->pane[cap].place.pole;
    const double middle = 0.5 * p->pane[cap].place.width, away = (M_PI / 2 - fabs(latitude)) * band->radian;
    for (int x = 0; x < s->width; x++) {
        const double azimuth = (x + 0.5 - 0.5 * s->width) / band->radian;
        float sum[4] = {0};
        if (share < 1) {
            const struct look look = look_at(&s->sheet[0], x + 0.5, y + 0.5 - band->y);
            add(&s->sheet[0], &look, (float)(1 - share), sum);
        }
        if (share > 0) {
            const struct look look =
                look_at(&s->sheet[cap], middle + away * sin(azimuth), middle + pole * away * cos(azimuth));
            add(&s->sheet[cap], &look, (float)share, sum);
        }
        set(picture, (size_t)y * (size_t)s->width + (size_t)x, sum);
    }
}

/* Copies row y of a dome into `picture`, with black outside the circle. */
static void cut_row(const struct sphere *s, struct picture *picture, int y)
{
    static const float black[4];
    const size_t row = (size_t)y * (size_t)s->width, width = (size_t)s->width;
    if (picture->linear)
        memcpy(picture->linear + 4 * row, s->sheet[0].linear + 4 * row, 4 * width * sizeof *picture->linear);
    for (int d = 0; d < 3 && !picture->linear; d++)
        memcpy(picture->plane[d] + row, s->sheet[0].plane[d] + row, width * sizeof *picture->plane[d]);
    for (int x = 0; x < s->width; x++)
        if (hypot(x + 0.5 - 0.5 * s->width, y + 0.5 - 0.5 * s->height) > 0.5 * s->width)
            set(picture, row + (size_t)x, black);
}

void sphere_join(const struct sphere *s, const struct panes *p, struct picture *picture)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < s->height; y++)
        if (p->count > 1)
            join_row(s, p, picture, y);
        else
            cut_row(s, picture, y);
}
