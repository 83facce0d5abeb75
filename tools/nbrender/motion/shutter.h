/* shutter.h - of how many moments a picture is put together while the shutter is open. */
#ifndef NBRENDER_SHUTTER_H
#define NBRENDER_SHUTTER_H

#include "base/bodies.h"
#include "light/view.h"

#define SHUTTER_MOMENTS_MOST 16

/* So many that most bodies, in the view of the moment when it opens and that when it closes `open` time units later,
 * go at most a pixel and a half from one to the next, as far as SHUTTER_MOMENTS_MOST does it. At least 2. */
int shutter_moments(const struct nb_view *opens, const struct nb_view *closes, const struct nb_bodies *b, double open);

#endif
