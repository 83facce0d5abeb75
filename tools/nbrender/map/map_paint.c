/* How a map is shown: colours, contours, the bodies over a field. Declared in map.h. */
#include "nbrender/map/map.h"

#include <math.h>

#define ROW_BLOCK 256 /* pixels at a time */

/* The potential is the brighter the deeper it is, as are the masses that make it. */
void map_paint_open(struct map *m)
{
    struct colour_ramp ramp;
    const bool given = m->colour->colormap != colour_defaults.colormap;
    ramp_fill(&ramp, given ? m->colour->colormap : m->options->kind == MAP_MEAN ? "viridis" : "inferno");
    m->ramp = ramp;
    for (int k = 0; k <= RAMP_TOP; k++) {
        const int from = m->options->kind == MAP_POTENTIAL ? RAMP_TOP - k : k;
        memcpy(m->ramp.plain[k], ramp.plain[from], sizeof ramp.plain[k]);
        memcpy(m->ramp.shown[k], ramp.plain[from], sizeof ramp.plain[k]);
        for (int d = 0; d < 3; d++)
            m->shown[k][d] = (uint16_t)lround(PICTURE_FULL * (double)m->ramp.plain[k][d]);
    }
}

static void paint_row(const struct map *m, int pane, size_t begin, size_t count, struct picture *picture)
{
    const float *value = m->value[pane];
    double number[ROW_BLOCK];
    uint16_t step[ROW_BLOCK];
    for (size_t i = begin; i < begin + count; i += ROW_BLOCK) {
        const int n = begin + count - i < ROW_BLOCK ? (int)(begin + count - i) : ROW_BLOCK;
        for (int k = 0; k < n; k++)
            number[k] = (double)value[i + (size_t)k];
        scale_steps(m->scale, number, n, step);
        for (int k = 0; k < n; k++)
            for (int d = 0; d < 3; d++)
                picture->plane[d][i + (size_t)k] = m->shown[step[k]][d];
    }
}

void map_paint(const struct map *m, const struct panes *panes, const struct pane *pane, struct picture *picture)
{
    const int number = (int)(pane - panes->pane);
    const size_t width = (size_t)pane->place.width;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < pane->place.height; y++)
        paint_row(m, number, (size_t)y * width, width, picture);
    if (m->contours.count > 0)
        contours_draw(&m->contours, m->value[number], picture);
}

/* Lays the bodies' light over it, in white: as opaque as it is bright. */
static void lay_light(double opacity, const struct picture *light, struct picture *picture)
{
    const float factor = (float)opacity / PICTURE_FULL;
    const size_t pixels = (size_t)picture->width * (size_t)picture->height;
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < pixels; k++) {
        uint16_t most = 0;
        for (int d = 0; d < 3; d++)
            most = light->plane[d][k] > most ? light->plane[d][k] : most;
        for (int d = 0; d < 3; d++) {
            const float level = picture->plane[d][k];
            picture->plane[d][k] = (uint16_t)(level + factor * most * (PICTURE_FULL - level) + 0.5f);
        }
    }
}

struct shown { /* what paint_pane needs */
    struct map *map;
    const struct panes *panes;
    const struct nb_tone *tone;
};

static void paint_pane(const struct pane *pane, struct picture *picture, void *context)
{
    const struct shown *shown = context;
    struct map *m = shown->map;
    map_paint(m, shown->panes, pane, picture);
    if (!map_has_bodies(m->options))
        return;
    if (m->light.width == 0)
        picture_init(&m->light, pane->place.width, pane->place.height, false);
    must(nb_light_tone(pane->light, shown->tone, m->light.plane));
    lay_light(m->options->bodies, &m->light, picture);
}

void map_show(struct map *m, const struct panes *panes, const struct nb_tone *tone, struct picture *picture)
{
    struct shown shown = {m, panes, tone};
    panes_paint(panes, picture, paint_pane, &shown);
}

void map_legend(const struct map *m, struct legend *legend)
{
    *legend = (struct legend){m->options->what, m->unit, m->ramp.plain, m->scale};
}
