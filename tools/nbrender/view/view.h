/* view.h - what the user says about the camera. */
#ifndef NBRENDER_VIEW_H
#define NBRENDER_VIEW_H

#include "common/tool_syntax.h"
#include "nbrender/view/focus.h"
#include "nbrender/view/layout.h"

#define VIEW_FOV_LEAST 0.01
#define VIEW_FOV_MOST  170.0

struct view_options {
    enum layout_kind layout;
    double stereo_base;                /* distance of the eyes over the camera's from the centre; 0: no pair */
    double azimuth_deg, elevation_deg; /* of the camera as seen from the centre */
    double spin_deg;                   /* added to the azimuth from frame to frame */
    double orbit;                      /* turns from the input's first frame to its last */
    double zoom;                       /* magnification from the first to the last */
    int64_t last_frame;                /* that one's number, where orbit or zoom want it */
    double fov_deg;                    /* horizontal angle of view; 0: orthographic */
    double extent;                     /* half the picture's width, length units; 0: from the first frame */
    double center[3];                  /* NAN: `focus` of the first frame */
    struct focus focus;
    bool follow; /* `followed` is in the middle of every picture */
    struct focus followed;
    const char *camera; /* a file of keyframes, view/path.h; NULL: none */
};

extern const struct view_options view_defaults;
extern const struct tool_table view_table;
/* Once all options are known: chooses what was not given; dies (usage) on what does not go together. */
void view_options_finish(struct view_options *o, int width, int height);
void view_options_free(struct view_options *o);
/* Whether it has to be known how many frames the input has; then how many, or -1 where that cannot be: dies. */
bool view_options_need_length(const struct view_options *o);
void view_options_set_length(struct view_options *o, int64_t frames);

#endif
