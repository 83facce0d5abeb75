/* discs.h - pictures of few bodies: a disc for each, its size by its mass, with the paths they came along; and of
 * bodies that touch, each as large as it is. */
#ifndef NBRENDER_DISCS_H
#define NBRENDER_DISCS_H

#include "base/bodies.h"
#include "common/tool_syntax.h"
#include "light/view.h"
#include "nbrender/output/picture.h"

#include <stdbool.h>

#define DISCS_FEW   200   /* bodies up to which discs are drawn unless --style says otherwise */
#define TRAILS_MOST 10000 /* bodies with trails */

enum style { STYLE_AUTO, STYLE_LIGHT, STYLE_DISCS };

struct disc_options {
    enum style style;
    const char *labels; /* what stands beside the discs (labels.h); NULL: nothing */
    double trails;      /* length of the paths, time units; 0: none */
};

extern const struct disc_options disc_defaults;
extern const struct tool_table disc_table;

/* Whether the bodies of a film are drawn as discs: where its first frame, seen with `scale` pixels a length unit, has
 * few, or bodies with a radius (scene.h) that is seen. Dies where the header's lines are wrong. */
bool discs_wanted(const struct disc_options *o, const struct nb_bodies *first, double scale);

struct discs;

/* Dies where the first frame's header has lines that are wrong. */
struct discs *discs_create(const struct disc_options *o, const struct nb_meta *first);
void discs_destroy(struct discs *d); /* NULL is allowed */

/* Remembers where the bodies of a frame are, for the trails of this and later ones; with the step of the ramp of each.
 * Frames come in the order of their times, forwards or backwards. Dies where they are too many. */
void discs_note(struct discs *d, const struct nb_bodies *b, const uint16_t *step);
/* Draws trails, bodies and labels over what is in the picture; what was noted last is the present. Dies where labels
 * are wanted and there is no font. */
void discs_draw(struct discs *d, const struct nb_bodies *b, const struct nb_view *view, const uint16_t *step,
                const float (*ramp)[4], struct picture *p);

#endif
