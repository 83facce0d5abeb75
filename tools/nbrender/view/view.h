/* view.h - what the user says about the camera. */
#ifndef NBRENDER_VIEW_H
#define NBRENDER_VIEW_H

#include "nbrender/view/layout.h"
#include "tool_syntax.h"

struct view_options {
    enum layout_kind layout;
    double azimuth_deg, elevation_deg; /* of the camera as seen from the centre */
    double spin_deg;                   /* added to the azimuth from frame to frame */
    double fov_deg;                    /* horizontal angle of view; 0: orthographic */
    double extent;                     /* half the picture's width, length units; 0: from the first frame */
    double center[3];                  /* NAN: the first frame's centre of mass */
};

extern const struct view_options view_defaults;
extern const struct tool_table view_table;
/* Once all options are known: chooses what was not given; dies (usage) on what does not go together. */
void view_options_finish(struct view_options *o, int width, int height);

#endif
