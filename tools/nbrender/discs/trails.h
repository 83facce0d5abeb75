/* trails.h - where bodies were, and the paths between: cubic Hermite curves from places and velocities, the bodies of
 * two frames matched as motion between frames does (motion/match.h). */
#ifndef NBRENDER_TRAILS_H
#define NBRENDER_TRAILS_H

#include "base/bodies.h"
#include "light/view.h"
#include "nbrender/output/picture.h"

struct trails;

/* For paths of the last `length` time units, > 0. Dies without memory. */
struct trails *trails_create(double length);
void trails_destroy(struct trails *t); /* NULL is allowed */
/* Adds a frame, and forgets what is older than the length by now, or of another stream: before time turned round. */
void trails_note(struct trails *t, const struct nb_bodies *b, const uint16_t *step);
/* Draws them, `radius` pixels to both sides, fading with age, each piece in its body's colour of that time. */
void trails_draw(const struct trails *t, const struct nb_view *view, const float (*ramp)[4], double radius,
                 struct picture *p);

#endif
