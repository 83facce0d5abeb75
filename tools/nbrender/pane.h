/* pane.h - the panes of a picture: rectangles of it, each with a view and a light of its own. Mostly there is one. */
#ifndef NBRENDER_PANE_H
#define NBRENDER_PANE_H

#include "light/light.h"
#include "nbrender/nbrender.h"
#include "nbrender/view/layout.h"

struct pane {
    struct layout_pane place; /* its rectangle in the picture */
    struct nb_view view;      /* in the pane's own pixels */
    double brightness;        /* of bodies that shine: 1 at the first frame, more as the view narrows */
    struct nb_light *light;   /* of the pane's size */
};

struct panes {
    int count;
    struct pane pane[LAYOUT_PANES_MAX];
    const struct pane *main; /* the one that the camera is for: what all share (colours, a scale) is found there */
    struct picture one;      /* a pane as it is shown, on its way into a picture that has several */
};

/* Opens the light of every pane on a device; dies where that fails. Views are the caller's to set. */
void panes_open(struct panes *p, const struct render_options *o, struct nb_device *device);
void panes_close(struct panes *p);

/* As in light/light.h, for all panes; they die on failure. The light of all is measured as that of one picture, so one
 * exposure serves all and equal brightness means the same in each. */
void panes_clear(struct panes *p);
void panes_put(struct panes *p, const struct nb_light_bodies *b);
/* Puts their light, in every pane times its brightness. */
void panes_shine(struct panes *p, const struct nb_light_bodies *b);
void panes_finish(struct panes *p);
void panes_measure(const struct panes *p, struct nb_light_histogram *h);
/* Fills in the whole picture, the gaps too: `paint` fills in each pane as a picture of its own. */
void panes_paint(const struct panes *p, struct picture *picture,
                 void (*paint)(const struct pane *pane, struct picture *picture, void *context), void *context);
/* Paints the light. */
void panes_tone(const struct panes *p, const struct nb_tone *tone, struct picture *picture);
/* The light of the one pane that there is, with its axes. */
void panes_fetch(const struct panes *p, struct picture *picture);
/* What lies along the sides of the main pane. */
void panes_note_axes(const struct panes *p, struct picture_info *info);

#endif
