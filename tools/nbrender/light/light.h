/* light.h - bodies as light: what the user says of it, and how much of it is white. */
#pragma once

#include "light/tone.h"
#include "nbrender/basis/basis.h"

/* ---- light_options.c: what the user says about light ---- */

enum exposure_mode { EXPOSURE_AUTO, EXPOSURE_FIXED, EXPOSURE_ADAPT };

#define LIGHT_USUAL (-1) /* by the number of bodies */
#define DUST_MOST   0.99

struct light_options {
    double smooth; /* bodies of a footprint's cell; 0: footprints of one size; or LIGHT_USUAL */
    double stars;  /* or LIGHT_USUAL */
    double bloom;
    double dust;     /* the share of blue light that dust absorbs, 0 to DUST_MOST; 0: there is none */
    double exposure; /* a factor */
    enum exposure_mode exposure_mode;
};

extern const struct tool_option light_table[];

/* With values in the place of LIGHT_USUAL, for a film whose first frame has these bodies; NULL: they come. `measured`:
 * the light is the quantity of a map, and no look. */
struct light_options light_for(const struct light_options *o, const struct nb_bodies *first, bool measured);

/* The default K of each of so many frames that are averaged: as many bodies as for one frame, but in all frames no more
 * than LIGHT_AVERAGED, with which a density is known to 3 %. */
#define LIGHT_AVERAGED 360
static inline double light_averaged(double smooth, int frames)
{
    return fmax(fmin(smooth, fmax(LIGHT_AVERAGED, smooth) / frames), 1);
}

/* ---- exposure.c: how much light is white, over a film: found once, or adapting to what is shown ---- */

#define EXPOSURE_ADAPT_S  1.5 /* seconds of film in which an exposure goes 63 % of its way */
#define EXPOSURE_BEHIND   4
#define EXPOSURE_HEADROOM 3

struct exposure {                /* begins as zeros */
    struct nb_light_range range; /* what the curve is chosen for; all 0: no light yet */
    struct nb_light_histogram h; /* of the light that was noted, each frame's share alike */
    int frames;                  /* noted */
};

/* Notes the distribution of one frame among those of a film: none of them is to burn, so white is the brightest of
 * their whites; the other two are geometric means. A frame without light does not count. */
void exposure_note(struct exposure *e, const struct nb_light_histogram *frame);
/* Goes a share (0 to 1) of the way to that frame's, in octaves; all of it from no light. However fast the light grows,
 * white stays within a factor of EXPOSURE_BEHIND of the frame's, so that the shoulder holds it. White is no less than
 * EXPOSURE_HEADROOM times the median, where the share is not all: evenly bright bodies, as before a collapse, are not
 * the brightest that will come. */
void exposure_adapt(struct exposure *e, const struct nb_light_histogram *frame, double share);
/* The share for pictures at that rate. */
double exposure_share(double pictures_s);

/* ---- flight.c: a factor of the light while the camera changes its distance. Without it the picture would become
 * brighter or darker as the bodies become larger or smaller. The factor takes the mean level of each picture most of
 * the way, in octaves, to a level that all pictures share. ---- */

#define FLIGHT_SET  0.75 /* the share of the pictures that are darker than that level: what is near is seen best */
#define FLIGHT_KEPT 0.25 /* of the difference from it, in octaves */
#define FLIGHT_MOST 8    /* times as much light, or as little */

struct flight { /* begins as zeros: none */
    struct flight_frame {
        double frame;
        struct nb_light_histogram h;
    } * at;
    size_t count;
    struct curve factor; /* of the light, over the film */
};

/* Adds a frame behind those before. Dies without memory. */
void flight_note(struct flight *f, double frame, const struct nb_light_histogram *h);
/* After the last one, with the tone of the film. */
void flight_settle(struct flight *f, const struct nb_tone *tone);
/* How many times as much light a picture gets. 1 where no frames were noted. */
double flight_factor(const struct flight *f, double frame);
void flight_free(struct flight *f);
