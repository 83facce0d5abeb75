/* shade.h - what light and which colour each body has: by the options, and by what the bodies are found to be.
 *
 * First survey one frame or several, then settle; then fill for each frame. Until it is settled, all have one colour.
 *
 * A body's light is its weight over the mean weight of the first frame's bodies, so bodies of equal mass have 1 each.
 * No body has more than SHADE_MOST times the light of the first frame's median body: a black hole of a third of the
 * mass is a bright star and leaves the picture as it is. Where all masses are 0, all bodies have the same light. */
#ifndef NBRENDER_SHADE_H
#define NBRENDER_SHADE_H

#include "base/bodies.h"
#include "nbrender/colour/about.h"
#include "nbrender/colour/colour_options.h"
#include "nbrender/colour/legend.h"

#define SHADE_MOST 100

struct shade {
    const struct colour_options *options;
    struct colour_ramp ramp;
    struct colour_scale *scale;   /* NULL: of components */
    double blend;                 /* bodies over which colours are means, 0: each has its own */
    struct about about;           /* with blend, of the frame at hand */
    bool is_settled, is_touching; /* the latter: colours are of bodies that touch, as about_has says */
    double unit, most;            /* light is weight times unit, at most `most` */
    struct sample sample;         /* of what colours show, until settled */
    uint64_t capacity;            /* of the arrays */
    float *light;                 /* of each body, see above; 0: it is not drawn */
    uint16_t *step;               /* of each body */
    uint16_t level_step[NB_LIGHT_LEVEL_STEPS];
    bool warned_value, warned_weight;
    char unit_name[NB_NAME_MAX];
};

/* Dies where the colour map cannot be read. */
struct shade *shade_create(const struct colour_options *o);
void shade_destroy(struct shade *s);

/* From now on colours of bodies that touch are of means over about so many of them, where these say more (about.h). */
void shade_blend(struct shade *s, double bodies);
/* Adds a frame to what light and colours are found from. Dies where a column is missing. `mask` may be NULL: all
 * bodies; else only those with mask[i] != 0. */
void shade_survey(struct shade *s, const struct nb_bodies *b, const unsigned char *mask);
/* Chooses the scale. `speed` is where it ends if half of the bodies that were surveyed do not move (0: unknown). Dies
 * where --color-scale cannot be. */
void shade_settle(struct shade *s, double speed);
/* Twice the circular speed about all mass at that radius, for bodies that start at rest. */
double shade_circular_speed(const struct nb_bodies *b, double radius);
/* After that: moves the scale a share of the way to what this frame alone would give, unless it has a range of its own.
 */
void shade_adapt(struct shade *s, const struct nb_bodies *b, const unsigned char *mask, double share);
/* Fills in light and step of each body (those without mask: light 0), and what of `to` is not of the view: everything
 * but value and share. The arrays are the shade's until the next call. */
void shade_fill(struct shade *s, const struct nb_bodies *b, const unsigned char *mask, struct nb_light_bodies *to);

bool shade_is_density(const struct shade *s);
/* With --color density, else nothing: colours by the distribution of the light. `smooth` is the light's K; `height` the
 * picture's in pixels, and in lengths (in the plane of the centre) for the legend. */
struct shade_picture {
    double smooth, height, height_length;
};
void shade_set_density(struct shade *s, const struct nb_light_histogram *h, const struct shade_picture *p);

void shade_legend(const struct shade *s, struct legend *legend);

#endif
