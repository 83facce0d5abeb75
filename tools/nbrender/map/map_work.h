/* map_work.h - what the files of map.c share: a map, its range and its colours. */
#ifndef NBRENDER_MAP_WORK_H
#define NBRENDER_MAP_WORK_H

#include "nbrender/colour/scale.h"
#include "nbrender/map/contours.h"
#include "nbrender/map/map.h"
#include "nbrender/map/map_bodies.h"
#include "nbrender/sample.h"

struct map_range { /* pixels of frames: */
    struct sample value;
    struct sample mass; /* of means: beside each value, as in map.mass; else 0 */
};

struct map {
    const struct map_options *options;
    const struct colour_options *colour;
    struct nb_device *device;
    bool linear;                   /* the values are written, and not shown */
    struct colour_ramp ramp;       /* from low to high values */
    uint16_t shown[RAMP_STEPS][3]; /* levels of its steps; black of what is not a number */
    struct map_bodies bodies;
    char unit[NB_NAME_MAX];         /* of the values, as columns have it */
    float *value[LAYOUT_PANES_MAX]; /* of each pane: value[y * width + x], in the stream's units, NAN where there is
                                       none */
    float *mass[LAYOUT_PANES_MAX];  /* of means: of a picture height squared, over all */
    float *pixels;                  /* a pane as lib/light has it, 4 numbers each */
    struct map_range range;         /* of frames surveyed */
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

/* map.c: the quantity in all panes, thin places too. */
void map_compute(struct map *m, struct panes *panes, const struct nb_bodies *b, const struct nb_bodies *all);

/* map_range.c: notes what another map or this one holds; sets scale, contours and thin, and empties the range. Dies
 * where the scale cannot be. */
void map_range_note(struct map_range *r, const struct map *m, const struct panes *panes);
void map_range_set(struct map *m, struct map_range *r, const struct panes *panes);
void map_range_free(struct map_range *r);
/* map_paint.c: reads the colours; dies where there are none of that name. */
void map_paint_open(struct map *m);

#endif
