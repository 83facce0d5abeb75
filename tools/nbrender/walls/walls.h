/* walls.h - the walls of a frame's header (scene.h), drawn over its picture: they are in the plane z = 0. */
#ifndef NBRENDER_WALLS_H
#define NBRENDER_WALLS_H

#include "base/bodies.h"
#include "common/tool_syntax.h"
#include "nbrender/output/picture.h"

enum wall_style {
    WALLS_FILL, /* what is solid is filled: the inside of a solid, the outside of a container; with its line */
    WALLS_LINES,
    WALLS_NONE,
};

struct wall_options {
    enum wall_style style;
};

extern const struct wall_options wall_defaults;
extern const struct tool_table wall_table;

struct walls;
struct panes;

/* Dies without memory. NULL: none are to be drawn. */
struct walls *walls_create(const struct wall_options *o);
void walls_destroy(struct walls *w); /* NULL is allowed */

/* Takes the walls of the header, where each pane sees them; those taken before are forgotten. Dies where the header's
 * lines are wrong. */
void walls_catch(struct walls *w, const struct nb_meta *meta, const struct panes *panes);
/* Draws what was caught last over a picture that is to be shown; a linear one is left as it is. Where the camera is
 * beside a part of a wall none of it is filled. Dies without memory. */
void walls_draw(const struct walls *w, struct picture *p);

#endif
