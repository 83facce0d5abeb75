/* aim.h - where the camera of each pane stands at a moment. */
#ifndef NBRENDER_AIM_H
#define NBRENDER_AIM_H

#include "nbrender/pane.h"

struct aim;

/* Reads --camera's file; dies where it cannot. The options stay the caller's. */
struct aim *aim_create(const struct render_options *o);
void aim_destroy(struct aim *a);

/* What the first frame's bodies set: the centre and the extent of all panes. Dies where there is no centre. */
void aim_first(struct aim *a, struct panes *p, const struct nb_bodies *b);
/* Sets the views of all panes for a moment, and how bright they are: as magnification grows, so does the light of a
 * body with its square, as if the camera came nearer. */
void aim_at(struct aim *a, struct panes *p, const struct moment *now);

#endif
