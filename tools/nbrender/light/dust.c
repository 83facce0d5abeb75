/* Draws a map of the dust for each pane and dims and reddens the bodies behind the dust. */
#include "nbrender/light/dust.h"

#include "nbrender/nbrender.h"

#include <inttypes.h>

#define BLOCK 1024
#define REDS  64 /* number of reddened versions of each colour */
/* Optical depth in the V band of the most reddened version of a colour. Behind more dust, bodies are so dim that their
 * colour hardly matters. */
#define REDDEST 4.0
/* The positions of dust particles along the line of sight are limited to their mean plus or minus this number of
 * standard deviations. */
#define WIDEST 4
/* minimum factor by which dust multiplies the light of a body; not 0, because a body without light would not count as a
 * neighbour of other bodies */
#define LEAST 1e-9
#define STEPS (REDS * NB_LIGHT_STEPS)

struct depth { /* range of positions along the line of sight, in length units; larger is nearer to the camera */
    double low, range;
};

struct pane_dust {
    struct nb_light *light; /* draws the map of the dust, with half the pane's width and height */
    int width, height;
    /* The map of the dust. Each pixel has four numbers: the sums of tau * depth and of tau * depth^2 over the dust
     * particles, 0 (not used), and the sum of tau. tau: optical depth of a particle in V; depth: position of the
     * particle along the line of sight, from 0 (farthest) to 1 (nearest). */
    float (*pixel)[4];
};

struct dust {
    enum nb_component kind;
    double opacity; /* absorption cross-section in the V band, per unit of mass */
    struct dust_places places;
    int panes;
    struct pane_dust pane[LAYOUT_PANES_MAX];
    /* Ramp for drawing the map of the dust. The channels of step k are depth, depth^2 and 0 instead of red, green and
     * blue, with depth = k / (NB_LIGHT_STEPS - 1). */
    float moments[NB_LIGHT_STEPS][4];
    /* Two values for each dust particle, passed to the functions that draw light. put: the optical depth, drawn as if
     * it were light. at: the position along the line of sight, as an index in the ramp `moments`. */
    float *put;
    uint16_t *at;
    uint64_t puts, ats;
    float *light; /* dimmed light of each body */
    uint16_t *step;
    uint64_t lights, steps;
    /* `ramp` has STEPS reddened colours. Each colour is scaled so that its largest channel is the same as without
     * reddening. To compensate for this, the light of a body with colour k is multiplied by left[k]. */
    float (*ramp)[4], *left;
};

/* ---- first frame ---- */

static void choose_dust(struct dust *d, double share, const struct nb_bodies *first)
{
    d->kind = dust_has(first, NB_GAS) ? NB_GAS : NB_DISK;
    if (d->kind == NB_DISK && !dust_has(first, NB_DISK))
        die("--dust: the first frame has neither gas nor a disk, which contain the dust (see components)");
    const double column = dust_column(first, d->kind);
    if (!(column > 0))
        die("--dust: the dust follows the %s, but its mass or radius is 0 in the first frame",
            d->kind == NB_GAS ? "gas" : "disk");
    d->opacity = -log1p(-share) / DUST_BLUE / column;
}

static void open_pane(struct pane_dust *p, struct nb_device *device, const struct layout_pane *place, double smooth)
{
    p->width = (place->width + 1) / 2;
    p->height = (place->height + 1) / 2;
    const struct nb_light_style style = {.width = p->width, .height = p->height, .smooth = smooth};
    p->light = must_have(nb_light_open(device, &style));
    p->pixel = claimed(malloc((size_t)p->width * (size_t)p->height * sizeof *p->pixel), "no memory for the dust");
}

struct dust *dust_create(const struct render_options *o, struct nb_device *device, const struct panes *p,
                         const struct nb_bodies *first)
{
    if (o->light.dust == 0)
        return NULL;
    struct dust *d = claimed(calloc(1, sizeof *d), "no memory for the dust");
    choose_dust(d, o->light.dust, first);
    for (int k = 0; k < NB_LIGHT_STEPS; k++) {
        const float depth = (float)k / (NB_LIGHT_STEPS - 1);
        d->moments[k][0] = depth;
        d->moments[k][1] = depth * depth;
    }
    d->panes = p->count;
    for (int k = 0; k < p->count; k++)
        open_pane(&d->pane[k], device, &p->pane[k].place, light_for(&o->light, first, false).smooth);
    d->ramp = claimed(malloc(STEPS * sizeof *d->ramp), "no memory for the dust");
    d->left = claimed(malloc(STEPS * sizeof *d->left), "no memory for the dust");
    return d;
}

void dust_destroy(struct dust *d)
{
    if (!d)
        return;
    for (int k = 0; k < d->panes; k++) {
        nb_light_close(d->pane[k].light);
        free(d->pane[k].pixel);
    }
    dust_places_free(&d->places);
    free(d->put);
    free(d->at);
    free(d->light);
    free(d->step);
    free(d->ramp);
    free(d->left);
    free(d);
}

/* ---- map of a view ---- */

void dust_take(struct dust *d, const struct nb_bodies *b)
{
    dust_places_fill(&d->places, b, d->kind);
}

static double depth_of(const struct nb_view *view, const double x[3])
{
    double w = 0;
    for (int k = 0; k < 3; k++)
        w += view->back[k] * (x[k] - view->centre[k]);
    return w;
}

static struct depth depths_of(const struct dust_places *p, const struct nb_view *view)
{
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    const double n = (double)p->n, about = p->n ? depth_of(view, p->x[0]) : 0;
    for (uint64_t k = 0; k < p->n; k++) {
        const double w = depth_of(view, p->x[k]);
        low = fmin(low, w);
        high = fmax(high, w);
        sum += w - about;
        squares += (w - about) * (w - about);
    }
    const double mean = about + sum / n, wide = WIDEST * sqrt(fmax(squares / n - (sum / n) * (sum / n), 0));
    low = fmax(low, mean - wide);
    high = fmin(high, mean + wide);
    return (struct depth){low, fmax(high - low, 1e-6 / view->scale)};
}

/* Computes d->put and d->at for each dust particle. d->put: optical depth in V if the particle covers exactly one pixel
 * of the map. d->at: position of the particle along the line of sight, as an index in the ramp d->moments. */
static void fill_puts(struct dust *d, const struct nb_view *view, struct depth depth)
{
    const struct dust_places *p = &d->places;
    d->put = claimed(remade(d->put, &d->puts, p->n, sizeof *d->put), "no memory for the dust");
    d->at = claimed(remade(d->at, &d->ats, p->n, sizeof *d->at), "no memory for the dust");
    const double unit = d->opacity * view->scale * view->scale;
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < p->n; k++) {
        const double w = (depth_of(view, p->x[k]) - depth.low) / depth.range;
        d->put[k] = (float)(unit * p->mass[k]);
        d->at[k] = (uint16_t)(fmin(fmax(w, 0), 1) * (NB_LIGHT_STEPS - 1) + 0.5);
    }
}

static void draw_map(struct dust *d, struct pane_dust *p, const struct nb_view *half)
{
    const struct nb_column pos = {.type = NB_F64, .width = 3, .data = d->places.x};
    const struct nb_light_bodies put = {
        .n = d->places.n, .pos = &pos, .light = d->put, .step = d->at, .ramp = d->moments, .share = 1};
    must(nb_light_clear(p->light));
    must(nb_light_put(p->light, half, &put));
    must(nb_light_finish(p->light));
    must(nb_light_fetch(p->light, (float *)p->pixel));
}

/* ---- bodies ---- */

/* Sets found[] to the four numbers of the map (pane_dust.pixel) at the point (x, y), in pixels. Interpolates linearly.
 * Beyond the outermost pixel centres the map is constant. */
static void look_up(const struct pane_dust *p, double x, double y, double found[4])
{
    const double u = fmin(fmax(x - 0.5, 0), p->width - 1), v = fmin(fmax(y - 0.5, 0), p->height - 1);
    const int i = (int)u, j = (int)v, right = i + 1 < p->width, down = j + 1 < p->height ? p->width : 0;
    const float(*at)[4] = (const float(*)[4])p->pixel + (size_t)j * (size_t)p->width + (size_t)i;
    for (int k = 0; k < 4; k++) {
        const double above = (double)at[0][k] + (u - i) * (double)(at[right][k] - at[0][k]);
        const double below = (double)at[down][k] + (u - i) * (double)(at[down + right][k] - at[down][k]);
        found[k] = above + (v - j) * (below - above);
    }
}

/* Returns the optical depth in V of the dust in front of a body, or 0 if x is NaN (the body is behind the camera).
 * (x, y) is the position of the body on the map in pixels. w is the depth of the body, from 0 to 1, increasing towards
 * the camera. */
static double depth_before(const struct pane_dust *p, double x, double y, double w)
{
    double found[4];
    if (isnan(x))
        return 0;
    look_up(p, x, y, found);
    if (!(found[3] > 0))
        return 0;
    const double mean = found[0] / found[3], variance = found[1] / found[3] - mean * mean;
    const double spread = fmax(sqrt(fmax(variance, 0)), 1.0 / NB_LIGHT_STEPS);
    return found[3] * 0.5 * erfc((w - mean) / (spread * M_SQRT2));
}

static void fill_ramp(struct dust *d, const float (*plain)[4])
{
    for (int t = 0; t < REDS; t++) {
        const double tau = t * REDDEST / (REDS - 1);
        const float through[3] = {1, (float)exp(-(1 - DUST_RED) * tau), (float)exp(-(DUST_BLUE - DUST_RED) * tau)};
        for (int k = 0; k < NB_LIGHT_STEPS; k++) {
            float *colour = d->ramp[t * NB_LIGHT_STEPS + k], before = 0, after = 0;
            for (int c = 0; c < 3; c++) {
                colour[c] = plain[k][c] * through[c];
                before = fmaxf(before, plain[k][c]);
                after = fmaxf(after, colour[c]);
            }
            const float left = before > 0 ? after / before : 1;
            for (int c = 0; c < 3; c++)
                colour[c] /= left;
            colour[3] = plain[k][3];
            d->left[t * NB_LIGHT_STEPS + k] = left;
        }
    }
}

static void dim_body(struct dust *d, uint64_t i, double tau)
{
    const int red = (int)(fmin(tau / REDDEST, 1) * (REDS - 1) + 0.5);
    d->step[i] = (uint16_t)(d->step[i] + red * NB_LIGHT_STEPS);
    d->light[i] *= fmaxf((float)exp(-DUST_RED * tau) * d->left[d->step[i]], (float)LEAST);
}

static void dim_block(struct dust *d, const struct pane_dust *p, const struct nb_view *half, struct depth depth,
                      const struct nb_light_bodies *to, uint64_t i0)
{
    const int count = to->n - i0 < BLOCK ? (int)(to->n - i0) : BLOCK;
    double x[BLOCK], y[BLOCK], place[3];
    nb_view_project(half, to->pos, i0, count, x, y, NULL);
    for (int k = 0; k < count; k++) {
        const uint64_t i = i0 + (uint64_t)k;
        vector_of(to->pos, i, place);
        d->light[i] = to->light ? to->light[i] : 1;
        d->step[i] = to->step[i];
        dim_body(d, i, depth_before(p, x[k], y[k], (depth_of(half, place) - depth.low) / depth.range));
    }
}

void dust_dim(struct dust *d, int k, const struct nb_view *view, struct nb_light_bodies *to)
{
    struct nb_view half = *view;
    half.scale *= 0.5;
    half.middle_x *= 0.5;
    half.middle_y *= 0.5;
    if (d->places.n == 0)
        return;
    const struct depth depth = depths_of(&d->places, &half);
    fill_puts(d, &half, depth);
    draw_map(d, &d->pane[k], &half);
    fill_ramp(d, to->ramp);
    d->light = claimed(remade(d->light, &d->lights, to->n, sizeof *d->light), "no memory for the dust");
    d->step = claimed(remade(d->step, &d->steps, to->n, sizeof *d->step), "no memory for the dust");
#pragma omp parallel for schedule(static)
    for (uint64_t i0 = 0; i0 < to->n; i0 += BLOCK)
        dim_block(d, &d->pane[k], &half, depth, to, i0);
    to->light = d->light;
    to->step = d->step;
    to->ramp = (const float(*)[4])d->ramp;
    to->steps = STEPS;
}
