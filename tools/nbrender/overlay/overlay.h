/* overlay.h - what is written and drawn over a finished picture: time, scale bar, colour bar, title, energy, a box.
 *
 * Text is 1/45 of the picture's smaller side, at least 11 pixels, the margins are 1/40 of it. What would leave the
 * picture or overlap something that is there already is left out, in the order of the flags below. */
#ifndef NBRENDER_OVERLAY_H
#define NBRENDER_OVERLAY_H

#include "base/bodies.h"
#include "common/tool_syntax.h"
#include "light/view.h"
#include "nbrender/colour/legend.h"
#include "nbrender/output/picture.h"
#include "nbrender/view/layout.h"

#include <stdbool.h>

enum {
    OVERLAY_BOX = 1,      /* a cube about the first frame's centre, in every pane */
    OVERLAY_TIME = 2,     /* top left */
    OVERLAY_SCALE = 4,    /* bottom left of every pane */
    OVERLAY_COLORBAR = 8, /* right */
    OVERLAY_ENERGY = 16,  /* bottom right */
    OVERLAY_TITLE = 32,   /* top middle */
};

struct overlay_options {
    unsigned shown;
    bool given; /* --overlay was; else a map may choose */
    const char *title;
};

extern const struct overlay_options overlay_defaults;
extern const struct tool_table overlay_table;
/* Once all options are known: of a map the colour bar is shown unless --overlay says otherwise; dies (usage) on what
 * does not go together. */
void overlay_options_finish(struct overlay_options *o, bool is_map);

/* What a picture's overlays say, kept until it is drawn: several may be on their way. */
struct overlay_moment {
    double time, apart; /* apart: from picture to picture */
    struct nb_units units;
    int panes;
    struct overlay_pane {
        struct layout_pane place;
        struct nb_view view; /* in the pane's own pixels */
    } pane[LAYOUT_PANES_MAX];
    struct {
        double middle[3], side; /* length units */
    } box;
    size_t energies;      /* of those noted, as many as there were */
    struct legend legend; /* what it points to lasts until the picture is drawn; colour NULL: there is none */
    unsigned components;  /* bits of those that the bodies have, for their legend */
};

struct overlay;
struct panes;

/* Dies where there is no font, or with a warning shows nothing if nobody asked for text. Between two frames of the
 * input lie per_frame - 1 pictures. NULL: nothing is to be shown. */
struct overlay *overlay_create(const struct overlay_options *o, int width, int height, int per_frame);
void overlay_destroy(struct overlay *v); /* NULL is allowed */

/* A frame of the input with all its bodies, in their order: its energy is noted, once for each time. Dies where energy
 * is wanted and there is no potential. */
void overlay_note(struct overlay *v, const struct nb_bodies *b);
/* Fills in what the next picture is to say, but for its legend; the first one sets the box. */
void overlay_catch(struct overlay *v, const struct nb_meta *meta, const struct panes *panes, struct overlay_moment *m);
/* Draws over a picture that is to be shown; a linear one is left as it is. One thread at a time, and none that notes or
 * catches meanwhile. */
void overlay_draw(struct overlay *v, const struct overlay_moment *m, struct picture *p);

#endif
