/* Paints maps: turns values into colours and adds contours (map_contours.c). */
#include "nbrender/nbrender.h"

#define ROW_BLOCK 256 /* number of pixels that are processed at a time */

/* Fills in the colour ramp of the map. For a potential the ramp is reversed. Regions of deep potential are then bright,
 * like dense regions in a map of density. */
void map_paint_open(struct map *m)
{
    struct colour_ramp ramp;
    const char *given = m->colour->colormap;
    ramp_fill(&ramp, given                          ? given
                     : m->is_symmetric              ? RAMP_SIGNED
                     : m->options->kind == MAP_MEAN ? "viridis"
                                                    : "inferno");
    m->ramp = ramp;
    for (int k = 0; k <= RAMP_TOP; k++) {
        const int from = m->options->kind == MAP_POTENTIAL ? RAMP_TOP - k : k;
        memcpy(m->ramp.plain[k], ramp.plain[from], sizeof ramp.plain[k]);
        memcpy(m->ramp.shown[k], ramp.plain[from], sizeof ramp.plain[k]);
        for (int d = 0; d < 3; d++)
            m->shown[k][d] = (uint16_t)lround(PICTURE_FULL * (double)m->ramp.plain[k][d]);
    }
}

static unsigned beyond_of(const struct map *m, const float *value, size_t count)
{
    double number[ROW_BLOCK];
    unsigned beyond = 0;
    for (size_t i = 0; i < count; i += ROW_BLOCK) {
        const int n = count - i < ROW_BLOCK ? (int)(count - i) : ROW_BLOCK;
        for (int k = 0; k < n; k++)
            number[k] = (double)value[i + (size_t)k];
        beyond |= scale_beyond(m->scale, number, n);
    }
    return beyond;
}

void map_paint_note(struct map *m)
{
    const struct panes *panes = &m->stage->panes;
    unsigned beyond = 0;
    for (int p = 0; p < panes->count; p++) {
        const struct layout_pane *place = &panes->pane[p].place;
        const size_t width = (size_t)place->width;
#pragma omp parallel for schedule(static) reduction(| : beyond)
        for (int y = 0; y < place->height; y++)
            beyond |= beyond_of(m, m->value[p] + (size_t)y * width, width);
    }
    m->beyond = beyond;
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

void map_paint(void *state, const struct pane *pane, struct picture *picture, bool over)
{
    (void)over;
    const struct map *m = state;
    const int number = (int)(pane - m->stage->panes.pane);
    const size_t width = (size_t)pane->place.width;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < pane->place.height; y++)
        paint_row(m, number, (size_t)y * width, width, picture);
    map_contours_draw(m, number, picture);
}
