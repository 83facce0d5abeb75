/* survey.h - a first pass over frames of a file, for one exposure and one range of colours of the whole film. */
#ifndef NBRENDER_SURVEY_H
#define NBRENDER_SURVEY_H

#include "nbrender/colour/exposure.h"
#include "nbrender/colour/shade.h"
#include "nbrender/nbrender.h"

#define SURVEY_FRAMES 16         /* at most, the first and the last among them */
#define SURVEY_BYTES  1073741824 /* and no more than of so many bytes in all, but three */
#define SURVEY_HEIGHT 540        /* pixels of the pictures that are measured, at most */

/* A frame's bodies (with --select those that are selected), all of them, and its number. */
typedef void survey_note(void *context, const struct nb_bodies *b, const struct nb_bodies *all, int64_t frame);

/* Notes `most` frames that are spread over the file, or fewer. None where there is no file to go about in (a pipe, no
 * index, --salvage) or one frame alone. A frame that cannot be drawn ends it; it is for the film to say so. Dies where
 * the file cannot be read or memory fails: a film without this would have another look. Returns how many were noted.
 * Before the film's first frame is read, for stdin is read from where it stands, and left there. */
int survey_walk(const struct render_options *o, int most, survey_note *note, void *context);
/* The same picture with that many pixels in height, or fewer. */
void survey_small(struct render_options *small, const struct render_options *o, int height);

/* Draws frames that are spread over the file, small, with the cameras that the film has: notes their light in `e` and
 * what their colours show in `shade`, by survey_walk. Returns how many were noted. */
int survey_file(const struct render_options *o, struct nb_device *device, struct shade *shade, struct exposure *e);

#endif
