/* The painter of maps: computes the density, the mean of a quantity, the potential or the acceleration in every pixel.
 * Finds the range of the scale. */
#include "nbrender/nbrender.h"

#include <float.h>

static float *allocate(size_t count)
{
    float *p = claimed(malloc(count * sizeof *p), "no memory for the map");
    return p;
}

static void *prepare(struct stage *stage)
{
    const struct render_options *o = stage->options;
    const struct panes *panes = &stage->panes;
    struct map *m = claimed(calloc(1, sizeof *m), "no memory for the map");
    m->stage = stage;
    m->options = &o->map;
    m->colour = &o->colour;
    m->linear = o->output.linear;
    /* The user's colour scale and colour map are for the map. Bodies drawn over the map get the default colour scale
     * and colour map. */
    stage->colours.scaling = SCALE_AUTO;
    stage->colours.low = stage->colours.high = 0;
    stage->colours.colormap = NULL;
    map_paint_open(m);
    for (int k = 0; k < panes->count; k++) {
        m->value[k] = allocate(map_pixels(&panes->pane[k]));
        m->mass[k] = o->map.kind == MAP_MEAN ? allocate(map_pixels(&panes->pane[k])) : NULL;
    }
    if (map_is_of_bodies(&o->map))
        m->pixels = allocate(4 * map_pixels(panes->main));
    return m;
}

static void finish(void *state)
{
    struct map *m = state;
    for (int k = 0; k < LAYOUT_PANES_MAX; k++) {
        free(m->value[k]);
        free(m->mass[k]);
    }
    map_bodies_free(&m->bodies);
    map_contours_close(m);
    free(m->scale);
    map_range_free(&m->range);
    free(m->pixels);
    nb_kept_fields_close(&m->kept);
    free(m);
}

static bool takes_part(const struct render_options *o, const struct nb_bodies *first, double scale)
{
    (void)first, (void)scale;
    return o->map.kind != MAP_NONE;
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

/* Computes a map of the bodies of `count` frames, averaged over the frames. */
static void draw_bodies(struct map *m, const struct nb_bodies *const *frames, int count)
{
    struct panes *panes = &m->stage->panes;
    const char *name = m->options->kind == MAP_DENSITY ? NULL : m->options->what;
    map_bodies_survey(&m->bodies, frames, count, name);
    panes_average(panes, count);
    panes_clear(panes);
    for (int k = 0; k < count; k++) {
        map_bodies_take(&m->bodies, frames[k], name);
        const struct nb_light_bodies light = {.n = frames[k]->n,
                                              .pos = nb_bodies_find(frames[k], "pos"),
                                              .light = m->bodies.light,
                                              .value = m->bodies.value,
                                              .ramp = m->ramp.step,
                                              .share = 1.0 / count};
        panes_put(panes, &light, false);
    }
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

static void draw_frames(struct map *m, const struct motion *motion)
{
    const int count = motion_frames(motion);
    const struct nb_bodies **frames = claimed(malloc((size_t)count * sizeof *frames), "no memory for the map");
    for (int k = 0; k < count; k++)
        frames[k] = motion_frame(motion, k);
    draw_bodies(m, frames, count);
    free(frames);
}

static void draw_field(struct map *m, const struct nb_bodies *b)
{
    const struct panes *panes = &m->stage->panes;
    const struct plane plane = {.device = m->stage->device,
                                .forces = &m->options->forces,
                                .kept = &m->kept,
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

/* Computes the map. Maps of a density or a mean use the selected bodies. Maps of a field (potential, acceleration) use
 * all bodies. */
static void compute(struct map *m, const struct moment *now, const struct motion *motion)
{
    aim_at(m->stage->aim, &m->stage->panes, now);
    if (map_is_field(m->options))
        draw_field(m, now->all);
    else if (motion && m->stage->options->motion.average > 0)
        draw_frames(m, motion);
    else
        draw_bodies(m, &now->bodies, 1);
}

/* Sets pixels with less mass than m->thin to NAN, because their mean comes only from the outer parts of smoothing
 * kernels. If the map is written as numbers, m->thin is 0, so that no pixel becomes NAN. */
static void leave_thin(const struct map *m)
{
    const struct panes *panes = &m->stage->panes;
    for (int p = 0; p < panes->count; p++)
        for (size_t k = 0; k < map_pixels(&panes->pane[p]); k++)
            if ((double)m->mass[p][k] < m->thin)
                m->value[p][k] = NAN;
}

static void draw(void *state, const struct moment *now, struct motion *motion)
{
    struct map *m = state;
    compute(m, now, motion);
    if (!m->scale && m->range.value.count == 0)
        map_range_note(&m->range, m);
    if (!m->scale) {
        map_range_set(m, &m->range);
        note_unit(m, now->bodies);
        map_contours_set(m, &now->bodies->meta.units);
    }
    if (m->options->kind == MAP_MEAN)
        leave_thin(m);
    if (!m->linear)
        map_paint_note(m);
}

static void fetch(void *state, struct picture *picture)
{
    const struct map *m = state;
    const struct panes *panes = &m->stage->panes;
    const struct pane *pane = panes->main;
    const float *value = m->value[pane - panes->pane];
    picture->channels = picture->stride = 1;
    memcpy(picture->linear, value, map_pixels(pane) * sizeof *value);
    panes_note_axes(panes, &picture->info);
    snprintf(picture->info.quantity, sizeof picture->info.quantity, "%s", m->options->what);
    snprintf(picture->info.unit, sizeof picture->info.unit, "%s", m->unit);
}

static struct legend legend(const void *state)
{
    const struct map *m = state;
    return (struct legend){m->options->what, m->unit, m->ramp.plain, m->scale, m->beyond};
}

/* ---- the range of a film, from small maps of frames spread over it ---- */

/* Number of frames and height in pixels of the small maps from which the range of the scale is found. Maps of fields
 * (potential, acceleration) take longer than maps of bodies (density, means). But fields are smooth and change slowly,
 * so fewer and smaller maps are enough. */
#define FIELD_FRAMES 5
#define FIELD_HEIGHT 54
#define BODY_HEIGHT  270

struct notes {
    /* map that computes the small pictures of sampled frames (survey_walk); NULL before the first of them */
    struct map *map;
    struct map_range *range; /* sample of the film's values, for the range of the scale */
};

static void note(void *context, struct stage *small, const struct moment *now)
{
    struct notes *n = context;
    if (!n->map)
        n->map = prepare(small);
    compute(n->map, now, NULL);
    map_range_note(n->range, n->map);
}

static void survey(void *state, bool is_single)
{
    (void)is_single;
    struct map *m = state;
    const bool field = map_is_field(m->options);
    struct notes notes = {.range = &m->range};
    if (m->linear || m->stage->options->light.exposure_mode == EXPOSURE_ADAPT)
        return;
    survey_walk(m->stage, field ? FIELD_HEIGHT : BODY_HEIGHT, field ? FIELD_FRAMES : SURVEY_FRAMES, note, &notes);
    if (!notes.map)
        return;
    m->bodies.warned = notes.map->bodies.warned;
    finish(notes.map);
}

const struct painter map_painter = {.takes_part = takes_part,
                                    .prepare = prepare,
                                    .survey = survey,
                                    .draws_all = true,
                                    .draw = draw,
                                    .paint = map_paint,
                                    .fetch = fetch,
                                    .legend = legend,
                                    .finish = finish};
