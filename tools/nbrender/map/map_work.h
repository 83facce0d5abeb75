/* map_work.h - what the files of map.c share: a map, its range and its colours. */
#ifndef NBRENDER_MAP_WORK_H
#define NBRENDER_MAP_WORK_H

#include "nbrender/colour/scale.h"
#include "nbrender/map/contours.h"
#include "nbrender/map/map.h"
#include "nbrender/map/map_bodies.h"

struct map {
    const struct map_options *options;
    const struct colour_options *colour;
    struct nb_device *device;
    bool linear;                   /* the values are written, and not shown */
    struct colour_ramp ramp;       /* from low to high values */
    uint16_t shown[RAMP_STEPS][3]; /* levels of its steps; black of what is not a number */
    struct map_bodies bodies;
    float *value[LAYOUT_PANES_MAX]; /* of each pane: value[y * width + x], in the stream's units, NAN where there is
                                       none */
    float *mass[LAYOUT_PANES_MAX];  /* of means: of each pixel, over that of all bodies */
    float *pixels;                  /* a pane as lib/light has it, 4 numbers each */
    struct colour_scale *scale;     /* NULL before the first frame */
    double level[MAP_CONTOURS_MAX];
    struct contours contours;
    double thin;          /* of means: a pixel with less mass is black */
    struct picture light; /* of the bodies over a field, a pane; of no size before it is needed */
};

static inline size_t map_pixels(const struct pane *pane)
{
    return (size_t)pane->place.width * (size_t)pane->place.height;
}

/* map_range.c, by what all panes hold: sets thin, from the masses; and scale and contours, from the values. Dies where
 * the scale cannot be. */
void map_range_set_thin(struct map *m, const struct panes *panes);
void map_range_set(struct map *m, const struct panes *panes);
/* map_paint.c: reads the colours; dies where there are none of that name. */
void map_paint_open(struct map *m);

#endif
