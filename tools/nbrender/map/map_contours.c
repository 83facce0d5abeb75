/* Chooses the contours of a map and draws them. */
#include "nbrender/nbrender.h"

#define CONTOURS_OF_FIELDS 12  /* default maximum number of contours for potential and acceleration */
#define LINE_HEIGHTS       900 /* picture height divided by the width of a contour line */
#define SMOOTH_HEIGHTS     180 /* picture height divided by the smoothing radius, for contours in maps of bodies */
#define NUMBER_LEAST       9   /* minimum size of the labels' text, pixels */

/* Opens the font of the labels. If there is no font, the contours have no labels. This is no error, because the user
 * did not ask for labels. Exits if a signal interrupted the search for the font. */
static void open_text(struct map *m)
{
    const struct render_options *o = m->stage->options;
    if (!m->text)
        m->text = text_open(fmax(0.7 * fmin(o->width, o->height) / TEXT_SHARE, NUMBER_LEAST));
    if (!m->text && tool_signal)
        exit(128 + tool_signal);
}

void map_contours_set(struct map *m, const struct nb_units *units)
{
    const int given = m->options->contours;
    const int most = given >= 0 ? given : map_is_field(m->options) ? CONTOURS_OF_FIELDS : 0;
    const double typical = fmax(fabs(scale_value(m->scale, 0)), fabs(scale_value(m->scale, 1)));
    m->unit_factor = shown_unit_of(units, m->unit, typical).factor;
    m->contours.level = m->level;
    m->contours.count = contour_levels(m->scale, m->unit_factor, most, m->level);
    m->contours.width = fmax((double)m->stage->panes.main->place.height / LINE_HEIGHTS, 1);
    m->contours.opacity = 0.5;
    if (m->contours.count > 0 && !m->linear)
        open_text(m);
}

/* Returns a smoothed copy of the values in a pane. Maps of bodies have noise, which would make contours ragged. */
static float *smoothed(const struct map *m, int pane)
{
    const struct layout_pane *place = &m->stage->panes.pane[pane].place;
    const size_t bytes = map_pixels(&m->stage->panes.pane[pane]) * sizeof(float);
    float *value = claimed(malloc(bytes), "no memory for the contours");
    memcpy(value, m->value[pane], bytes);
    contours_smooth(value, place->width, place->height, (int)lround((double)place->height / SMOOTH_HEIGHTS));
    return value;
}

void map_contours_draw(const struct map *m, int pane, struct picture *picture)
{
    if (m->contours.count == 0)
        return;
    const struct layout_pane *place = &m->stage->panes.pane[pane].place;
    struct contours lines = m->contours;
    float *own = map_is_of_bodies(m->options) ? smoothed(m, pane) : NULL;
    const struct contour_field field = {own ? own : m->value[pane], place->width, place->height};
    contour_labels_place(&lines, &field, m->text, m->unit_factor);
    contours_draw(&lines, &field, picture);
    contour_labels_draw(&lines, m->text, picture);
    free(own);
}

void map_contours_close(struct map *m)
{
    text_close(m->text);
}
