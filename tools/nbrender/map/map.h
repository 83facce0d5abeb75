/* map.h - pictures of a quantity instead of light: what it is in every pixel, and how that is shown. */
#ifndef NBRENDER_MAP_H
#define NBRENDER_MAP_H

#include "nbrender/colour/legend.h"
#include "nbrender/nbrender.h"
#include "nbrender/pane.h"

struct map;

/* NULL: no map is wanted. Of densities and means the panes' light is the map's. Dies without memory. */
struct map *map_create(const struct render_options *o, const struct panes *panes, struct nb_device *device);
void map_destroy(struct map *m); /* NULL is allowed */

/* Finds the range of the colours from frames of a whole file, where there is one. */
void map_survey(struct map *m, const struct render_options *o);
/* Computes the quantity in every pixel of all panes; the first frame sets the range of the colours unless it is known.
 * A density or a mean is that of the bodies, a field that of `all`. Dies where that fails, or the bodies do not have
 * the column. */
void map_draw(struct map *m, struct panes *panes, const struct nb_bodies *b, const struct nb_bodies *all);
/* Paints a pane: colours, then contours. */
void map_paint(const struct map *m, const struct panes *panes, const struct pane *pane, struct picture *picture);
/* Paints all panes, with the light of the bodies in white over a field. */
void map_show(struct map *m, const struct panes *panes, const struct nb_tone *tone, struct picture *picture);
/* What its colours mean, once a frame was drawn; good as long as the map. */
void map_legend(const struct map *m, struct legend *legend);
/* Fills in a linear picture of one pane: the values, of a density the mass per pixel. */
void map_fetch(const struct map *m, const struct panes *panes, struct picture *picture);

#endif
