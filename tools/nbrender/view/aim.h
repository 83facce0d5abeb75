/* aim.h - where the camera of each pane stands. */
#ifndef NBRENDER_AIM_H
#define NBRENDER_AIM_H

#include "nbrender/pane.h"

/* What the first frame's bodies set: the centre and the extent of all panes. Dies where there is no centre. */
void aim_first(struct panes *p, const struct render_options *o, const struct nb_bodies *b);
/* Turns the cameras for a moment, counted in frames. */
void aim_turn(struct panes *p, const struct view_options *o, double frame);

#endif
