/* framing.h - what part of space the pictures show, found from the first frame. */
#ifndef NBRENDER_FRAMING_H
#define NBRENDER_FRAMING_H

#include "base/bodies.h"
#include "nbrender/view/camera.h"

#include <stdbool.h>

/* Centre of mass (of the places alone where all masses are 0) of the bodies with mask[i] != 0, NULL: of all. -1: not a
 * finite number. */
int framing_centre(const struct nb_bodies *b, const unsigned char *mask, double centre[3]);

struct framing_frame {
    double aspect;       /* width / height of the picture */
    double tan_half_fov; /* of the horizontal angle of view; 0: orthographic */
    bool turning;        /* the camera's azimuth changes from frame to frame */
};

/* Half the picture's width in length units, > 0, for a camera whose axes and centre are set: so that nothing that
 * matters leaves the picture. Up to 16 bodies: the Kepler ellipses on which their present acceleration and velocity
 * would take them round the centre. Up to 100: all bodies. More: all, unless 95 % of them need a much smaller picture,
 * so that one far away does not make the others small. With a margin of 12 %. */
double framing_extent(const struct nb_bodies *b, const struct nb_view *camera, struct framing_frame frame);
/* The same for a region of the plane z = 0, without a margin. */
double framing_extent_of_region(const double low[2], const double high[2], const struct nb_view *camera,
                                struct framing_frame frame);

#endif
