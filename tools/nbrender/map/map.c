#include "nbrender/nbrender.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *allocate(size_t count)
{
    float *p = claimed(malloc(count * sizeof *p), "no memory for the map");
    return p;
}

struct map *map_create(const struct render_options *o, const struct panes *panes, struct nb_device *device)
{
    const struct map_options *options = &o->map;
    if (options->kind == MAP_NONE)
        return NULL;
    struct map *m = claimed(calloc(1, sizeof *m), "no memory for the map");
    m->options = options;
    m->device = device;
    m->colour = &o->colour;
    m->linear = o->output.linear;
    map_paint_open(m);
    for (int k = 0; k < panes->count; k++) {
        m->value[k] = allocate(map_pixels(&panes->pane[k]));
        m->mass[k] = options->kind == MAP_MEAN ? allocate(map_pixels(&panes->pane[k])) : NULL;
    }
    if (map_is_of_bodies(options))
        m->pixels = allocate(4 * map_pixels(panes->main));
    return m;
}

void map_destroy(struct map *m)
{
    if (!m)
        return;
    for (int k = 0; k < LAYOUT_PANES_MAX; k++) {
        free(m->value[k]);
        free(m->mass[k]);
    }
    map_bodies_free(&m->bodies);
    scale_free(m->scale);
    map_range_free(&m->range);
    free(m->pixels);
    if (m->light.width > 0)
        picture_free(&m->light);
    free(m);
}

/* ---- the quantity ---- */

static void take_density(const struct map *m, const struct pane *pane, float *value)
{
    const double factor = m->bodies.total * pane->view.scale * pane->view.scale;
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < map_pixels(pane); k++)
        value[k] = (float)((double)m->pixels[4 * k + 3] * factor);
}

static void take_mean(const struct map *m, const struct pane *pane, float *value, float *mass)
{
    const float per_area = (float)pane->place.height * (float)pane->place.height;
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < map_pixels(pane); k++) {
        const float *p = m->pixels + 4 * k;
        mass[k] = p[3] * per_area;
        value[k] = p[3] > FLT_MIN ? (float)(m->bodies.least + m->bodies.span * ((double)p[0] / (double)p[3])) : NAN;
    }
}

static void draw_bodies(struct map *m, struct panes *panes, const struct nb_bodies *b)
{
    map_bodies_take(&m->bodies, b, m->options->kind == MAP_DENSITY ? NULL : m->options->what);
    const struct nb_light_bodies light = {.n = b->n,
                                          .pos = nb_bodies_find(b, "pos"),
                                          .light = m->bodies.light,
                                          .value = m->bodies.value,
                                          .ramp = m->ramp.step,
                                          .share = 1};
    panes_clear(panes);
    panes_put(panes, &light);
    panes_finish(panes);
    for (int k = 0; k < panes->count; k++) {
        const struct pane *pane = &panes->pane[k];
        must(nb_light_fetch(pane->light, m->pixels));
        if (m->options->kind == MAP_DENSITY)
            take_density(m, pane, m->value[k]);
        else
            take_mean(m, pane, m->value[k], m->mass[k]);
    }
}

static void draw_field(struct map *m, const struct panes *panes, const struct nb_bodies *b)
{
    const struct plane plane = {.device = m->device,
                                .forces = &m->options->forces,
                                .softening = m->options->softening,
                                .what = m->options->kind == MAP_POTENTIAL ? PLANE_POTENTIAL : PLANE_ACCELERATION};
    for (int k = 0; k < panes->count; k++) {
        const struct pane *pane = &panes->pane[k];
        must(plane_compute(&plane, b, &pane->view, pane->place.width, pane->place.height, m->value[k]));
    }
}

static void note_unit(struct map *m, const struct nb_bodies *b)
{
    static const char *const units[] = {
        [MAP_DENSITY] = "M/L^2", [MAP_POTENTIAL] = "L^2/T^2", [MAP_ACCELERATION] = "L/T^2"};
    const char *unit = m->options->kind == MAP_MEAN ? quantity_unit(m->options->what, b) : units[m->options->kind];
    snprintf(m->unit, sizeof m->unit, "%s", unit);
}

void map_compute(struct map *m, struct panes *panes, const struct nb_bodies *b, const struct nb_bodies *all)
{
    if (map_is_field(m->options))
        draw_field(m, panes, all);
    else
        draw_bodies(m, panes, b);
}

/* A mean of the last tails of footprints says nothing; the linear output has it all the same. */
static void leave_thin(const struct map *m, const struct panes *panes)
{
    for (int p = 0; p < panes->count; p++)
        for (size_t k = 0; k < map_pixels(&panes->pane[p]); k++)
            if ((double)m->mass[p][k] < m->thin)
                m->value[p][k] = NAN;
}

void map_draw(struct map *m, struct panes *panes, const struct nb_bodies *b, const struct nb_bodies *all)
{
    map_compute(m, panes, b, all);
    if (!m->scale && m->range.value.count == 0)
        map_range_note(&m->range, m, panes);
    if (!m->scale) {
        map_range_set(m, &m->range, panes);
        note_unit(m, b);
    }
    if (m->options->kind == MAP_MEAN)
        leave_thin(m, panes);
}

void map_fetch(const struct map *m, const struct panes *panes, struct picture *picture)
{
    const struct pane *pane = panes->main;
    const float *value = m->value[pane - panes->pane];
    const bool density = m->options->kind == MAP_DENSITY;
    const double factor = density ? 1 / (pane->view.scale * pane->view.scale) : 1;
    picture->channels = picture->stride = 1;
    for (size_t k = 0; k < map_pixels(pane); k++)
        picture->linear[k] = (float)(factor * (double)value[k]);
    panes_note_axes(panes, &picture->info);
    snprintf(picture->info.quantity, sizeof picture->info.quantity, "%s",
             density ? "mass per pixel" : m->options->what);
    snprintf(picture->info.unit, sizeof picture->info.unit, "%s", density ? "M" : m->unit);
}
