/* light.h - bodies drawn as light: options, exposure, and the brightness while the camera moves. */
#pragma once

#include "light/tone.h"
#include "nbrender/basis/basis.h"

/* ---- light_options.c: options for light ---- */

enum exposure_mode { EXPOSURE_AUTO, EXPOSURE_FIXED, EXPOSURE_ADAPT };

#define LIGHT_USUAL (-1) /* value of an option that the user did not set; light_for replaces it by a default */
#define DUST_MOST   0.99

struct light_options {
    /* number of neighbours that defines a body's smoothing length; 0: all bodies have the same smoothing length;
     * LIGHT_USUAL: the default */
    double smooth;
    double stars; /* share of the light drawn as points, 0 to 1; LIGHT_USUAL: the default */
    double bloom;
    double dust;     /* fraction of blue light absorbed by dust that has the mean column density, 0 to DUST_MOST */
    double exposure; /* factor by which the light is multiplied */
    enum exposure_mode exposure_mode;
};

extern const struct tool_option light_table[];

/* Returns a copy of the options, with defaults in place of LIGHT_USUAL. The defaults depend on `first`, the first frame
 * of the film. `first` may be NULL if this frame is not known yet. If `measured` is true, the picture is a map, and
 * there are no points and no bloom. */
struct light_options light_for(const struct light_options *o, const struct nb_bodies *first, bool measured);

/* Returns the default number of neighbours in each frame, if a picture is the average of `frames` frames. `smooth` is
 * the default for one frame. The result is max(LIGHT_AVERAGED, smooth) / frames, limited to the range from 1 to
 * `smooth`. With LIGHT_AVERAGED neighbours in all frames together, the density has a statistical error of 3 %. */
#define LIGHT_AVERAGED 360
static inline double light_averaged(double smooth, int frames)
{
    return fmax(fmin(smooth, fmax(LIGHT_AVERAGED, smooth) / frames), 1);
}

/* ---- exposure.c: exposure of a film: fixed, or adapted to each picture ---- */

/* time in which an adapting exposure follows 63 % of a change, in seconds of the film */
#define EXPOSURE_ADAPT_S  1.5
#define EXPOSURE_BEHIND   4
#define EXPOSURE_HEADROOM 3

struct exposure {                /* initialise with zeros */
    struct nb_light_range range; /* brightnesses for which the tone curve is chosen; all 0: no light yet */
    struct nb_light_histogram h; /* distribution of the light, averaged over the frames */
    int frames;                  /* number of frames with light */
};

/* Adds the light distribution of one frame to e->h, and combines e->range with the range of this frame
 * (nb_light_range_find). Ignores a frame without light. The members of e->range are, over all frames so far,
 * - white: the largest `white` of a frame, so that no frame is overexposed;
 * - dim: the smallest `white` of a frame;
 * - median and faint: geometric means. */
void exposure_note(struct exposure *e, const struct nb_light_histogram *frame);
/* Moves e->range towards the range of the frame. Each member x of e->range becomes x * (y / x)^share, where y is the
 * same member of the frame's range. `share` is from 0 to 1. The first frame with light sets the range completely.
 * - `white` becomes at least the frame's white divided by EXPOSURE_BEHIND, so it follows fast increases of light. The
 *   shoulder (upper end) of the tone curve shows light above `white`.
 * - If share < 1, the frame's white is raised to at least EXPOSURE_HEADROOM times its median before it is used. This
 *   leaves room for brighter frames later in the film. For example, a cloud has uniform brightness before it
 *   collapses. */
void exposure_adapt(struct exposure *e, const struct nb_light_histogram *frame, double share);
/* Returns the value of `share` for exposure_adapt at `pictures_s` pictures per second of film. */
double exposure_share(double pictures_s);

/* ---- flight.c: multiplies the light of each picture by a factor if the camera moves closer or away. Without this
 * factor, a picture is brighter or darker if bodies appear larger or smaller. The factor brings the mean level of each
 * picture (nb_tone_mean) near a common level. The fraction FLIGHT_KEPT of the difference remains. ---- */

/* All pictures are brought near a common level, which is this quantile of their mean levels. It is above the median,
 * near the level of bright pictures: they are close views, which have most detail. */
#define FLIGHT_SET 0.75
/* remaining fraction of the difference (in octaves) between a picture's mean level and the common level */
#define FLIGHT_KEPT 0.25
#define FLIGHT_MOST 8 /* maximum factor; the minimum factor is 1 / FLIGHT_MOST */

struct flight { /* initialise with zeros: factor 1 */
    struct flight_frame {
        double frame;
        struct nb_light_histogram h;
    } * at;
    size_t count;
    struct curve factor; /* factor of the light as a function of the frame */
};

/* Adds the light distribution h of a frame. Ignores a frame without light. Frames must be added in ascending order.
 * Dies if there is no memory. */
void flight_note(struct flight *f, double frame, const struct nb_light_histogram *h);
/* Computes the factors from the frames passed to flight_note. `tone` is the film's tone curve. */
void flight_settle(struct flight *f, const struct nb_tone *tone);
/* Returns the factor by which the light of the picture at `frame` is multiplied; 1 if no frames were noted. */
double flight_factor(const struct flight *f, double frame);
void flight_free(struct flight *f); /* frees the arrays, not f */
