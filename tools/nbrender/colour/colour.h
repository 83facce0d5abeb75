/* colour.h - which colour and how much light a body has. */
#pragma once

#include "light/light.h"
#include "nbrender/basis/basis.h"

/* ---- ramp.c: colours in a row: a colour map by its name or from a file, or the palette of components ---- */

#define RAMP_STEPS   NB_LIGHT_STEPS
#define RAMP_TOP     (RAMP_STEPS - 2) /* the last step of a colour map, the first being 0; RAMP_TOP/2 is its middle */
#define RAMP_NEUTRAL (RAMP_STEPS - 1) /* grey: of what has no colour */
#define RAMP_DEFAULT "dusk"           /* the colour map of numbers, */
#define RAMP_SIGNED  "coolwarm"       /* and of those of both signs: its middle is neutral */
#define RAMP_PALETTE 8                /* colours of components, steps 0 to 7 */

/* Colour of a step: red, green, blue, from 0 to 1, and 1. */
struct colour_ramp {
    float plain[RAMP_STEPS][4]; /* of the display, as the map has it */
    /* Light has a hue, its brightness is for the density: the largest channel is 1, unless the colour is black. If the
     * map gets lighter, or darker, from end to end, so does its light: then the fourth channel, and with it the others,
     * are what is left of a light. */
    float step[RAMP_STEPS][4];  /* linear, as light/light.h wants it */
    float shown[RAMP_STEPS][4]; /* of the display: what a full light of that colour is shown as */
};

/* Fills in the map of that name, or that of a file: lines `r g b`, two or more, from 0 to 1 or all of them from 0 to
 * 255; lines that begin with # and empty ones do not count. Dies with one line where it is neither. */
void ramp_fill(struct colour_ramp *ramp, const char *name);
/* Whether a scale of numbers of both signs is symmetric about 0: unless a range is given, or a colour map with another
 * middle. */
struct colour_options;
bool ramp_wants_symmetry(const struct colour_options *o);
/* Planck's colours: of step k for the temperature (K) that scale_value says; */
struct colour_scale;
void ramp_fill_planck(struct colour_ramp *ramp, const struct colour_scale *scale);
/* for ages, from blue (young) to red (old): of temperatures from RAMP_YOUNG to RAMP_OLD, even in their logarithm. */
#define RAMP_YOUNG 30000.0
#define RAMP_OLD   3500.0
void ramp_fill_age(struct colour_ramp *ramp);
/* Steps 0 to 7 are colours that can be told apart, of components; all others are grey. */
void ramp_fill_palette(struct colour_ramp *ramp);
/* The names that there are, with commas. */
const char *ramp_names(void);
/* For completion. */
void ramp_offer(void);

/* ---- tables.c: maps with a colour for each of 256 numbers, 0xRRRRGGGGBBBB ---- */

#define TABLE_COLOURS 256
extern const uint64_t table_viridis[TABLE_COLOURS], table_inferno[TABLE_COLOURS], table_magma[TABLE_COLOURS],
    table_cividis[TABLE_COLOURS];

/* ---- planck.c: the colours of black bodies ---- */

#define PLANCK_LEAST 1000.0  /* K: colder bodies have the colour of this temperature, */
#define PLANCK_MOST  40000.0 /* hotter ones of this one */

/* Tristimulus values of CIE 1931, in any unit: their ratios are the colour. */
void planck_xyz(double kelvin, double xyz[3]);
/* Of the display (sRGB), the largest channel being 1. What sRGB has not is cut off. */
void planck_colour(double kelvin, float channel[3]);

/* ---- scale.c: from a number to a step of a ramp: linear, logarithmic, asinh, or by rank among a sample ---- */

enum scaling { SCALE_AUTO, SCALE_LINEAR, SCALE_LOG, SCALE_ASINH, SCALE_RANK };
const char *scaling_name(enum scaling scaling);

struct colour_scale; /* freed with free() */

/* From low (step 0) to high (RAMP_TOP), low < high. The logarithm is that of |x|, for numbers of one sign: of negative
 * ones -log|x|, so that the order stays. asinh(x / soft) is linear within about `soft` of 0. NULL after nb_fail where
 * the scaling cannot be: the logarithm from or to 0, or of both signs. */
struct colour_scale *scale_create(enum scaling scaling, double low, double high, double soft);
#define SCALE_LEFT_OUT 0.005 /* of a sample's numbers, beyond each end */
/* Makes a range of one number, or none, a range about it. */
void scale_widen(double *low, double *high);
/* The same from what is in the (sorted) sample: all but half a percent at each end is between low and high; soft is the
 * median of |x|.
 *
 * By rank: the smallest at one end, the largest at the other, the median in the middle; numbers that are equal have one
 * colour. Of a few, each counts as spread over 1/sqrt(n) octaves to both sides, so that a few bodies that change their
 * speeds change their colours gradually; that of one body alone is in the middle at its first speed, at one end at half
 * and at the other at twice it. */
struct colour_scale *scale_of_sample(enum scaling scaling, const struct sample *sorted);
/* By rank: moves a share of the way towards another; of the others, their ends and soft. */
void scale_move(struct colour_scale *scale, const struct colour_scale *to, double share);

/* Steps of numbers; RAMP_NEUTRAL of one that is not finite. Returns how many these are. */
size_t scale_steps(const struct colour_scale *scale, const double *value, int count, uint16_t *step);
/* Which ends of the ramp have numbers beyond them, whose colours are those of the end: bits. By rank none has; a 0,
 * which has no logarithm, does not count. */
enum { SCALE_BELOW = 1, SCALE_ABOVE = 2 };
unsigned scale_beyond(const struct colour_scale *scale, const double *value, int count);
/* The number at a place of the ramp, 0 to 1; and the scaling. */
double scale_value(const struct colour_scale *scale, double place);
enum scaling scale_scaling(const struct colour_scale *scale);

/* ---- what the colours of a picture mean, for a colour bar ---- */

struct legend {
    const char *label;        /* "speed"; "component"; a column's name */
    const char *unit;         /* as columns have it ("L/T"); "-": none */
    const float (*colour)[4]; /* of the display, of steps 0 to RAMP_TOP */
    const struct colour_scale
        *scale;      /* scale_value says what is where; NULL: components, steps 0 to RAMP_PALETTE - 1 */
    unsigned beyond; /* ends of the scale that have values beyond them: SCALE_BELOW, SCALE_ABOVE */
};

/* ---- colour_options.c: what the user says about the colour and the light of bodies ---- */

struct colour_options {
    const char *color;    /* auto, speed, density, component or a column */
    const char *colormap; /* a name or a file; NULL: the default of what is shown */
    enum scaling scaling;
    double low, high;   /* of the scale; low = high: from what there is */
    const char *weight; /* mass, count or a column */
};

/* Dies (usage) on what cannot be together; `smooth` is that of the light. */
void colour_options_check(const struct colour_options *o, double smooth, bool is_map);

extern const struct tool_option colour_table[];

/* ---- about.c: the mean of a quantity over the bodies about each, in the plane z = 0. What a disk of a gas has at a
 * moment is chance, and of its contacts mostly 0; the mean of those about it is the gas's. */

/* Whether means of it are wanted of such bodies: of those that touch (scene.h), where it is a speed or comes from their
 * contacts. */
bool about_has(const char *name, const struct nb_meta *meta);

/* To where, in x, such a quantity is not the gas's: in the first tenth of a box with a flow bodies are mixed and get
 * new velocities (nbs(5)), and are pushed apart there. -INFINITY without a flow, and of other quantities. Dies where
 * the header's lines are wrong. */
double about_inlet(const char *name, const struct nb_meta *meta);

struct about {
    double *sum; /* work space: of each cell, of weights and of weighted values in turn */
    double *mean;
    uint64_t cells, bodies; /* for which there is room */
};

/* Fills in mean[i] of each body: of a quantity (quantity.c) with the weights of quadratic B-splines on square cells of
 * which 3 by 3 hold about `count` bodies, where they are as dense as in the header's box, without one as in their own
 * extent. Values that are no finite numbers are left out, and NAN where there is no other. Equal results for any number
 * of threads. Dies without memory, or where the header's lines are wrong. */
void about_fill(struct about *a, const struct nb_bodies *b, const char *name, double count);
void about_free(struct about *a);

/* ---- stars.c: temperatures of the stars of galaxies, which are assumed from what component a body is of.
 *
 * Bulges and halos are old. In a disk the share of its bodies that are nearer to the centre of their galaxy sets the
 * temperature: old inside, young outside. A star keeps its colour, so the radius is that of the first frame; bodies are
 * known by their id, without one by their place in the frame. A body that the first frame has not is in the middle. */

#define STARS_INNER 3500.0  /* K: a disk's centre, */
#define STARS_OUTER 30000.0 /* and its edge */
#define STARS_OLD   3500.0  /* bulge and halo */
#define STARS_GAS   30000.0 /* of gas: that of the stars that it forms */
#define STARS_SUN   5772.0  /* all others */

/* Of a star of a disk that such a share of the disk's bodies is nearer to the centre than, 0 to 1: even in the
 * logarithm. */
static inline double stars_disk(double share)
{
    return STARS_INNER * pow(STARS_OUTER / STARS_INNER, share);
}

struct stars;

/* Whether there is a disk or a bulge. */
bool stars_are_there(const struct nb_bodies *b);
/* Returns whether each body is one star, as of a cluster: bodies of the component star with a temperature. */
bool stars_are_single(const struct nb_bodies *b);
/* Dies without memory. Equal results for any number of threads. */
struct stars *stars_create(const struct nb_bodies *first);
void stars_destroy(struct stars *s); /* NULL is allowed */
/* Temperatures of bodies [i0, i0 + count), K. */
void stars_fill(const struct stars *s, const struct nb_bodies *b, uint64_t i0, int count, double *kelvin);

/* ---- weight.c: how much light each body has.
 *
 * A body's light is its weight over the mean weight of the first frame's bodies, so bodies of equal mass have 1 each.
 * By default the weight is the mass. For single stars it is the mass to the power of SHADE_STAR_POWER, the square root
 * of the luminosity L ~ m^3.5 of dwarf stars: with all of it the brightest star would hide the cluster.
 *
 * No body has more than SHADE_MOST (of single stars SHADE_STAR_MOST) times the light of the first frame's median body:
 * a black hole of a third of the mass is a bright star and leaves the picture as it is. Where all masses are 0, all
 * bodies have the same light. */

#define SHADE_BLOCK      1024 /* bodies at a time */
#define SHADE_MOST       100
#define SHADE_STAR_MOST  1e6
#define SHADE_STAR_POWER 1.75

struct weight {         /* begins as zeros */
    const char *column; /* whose power is the weight, as the first frame has decided; NULL: not yet */
    double power;
    double unit, most; /* light is weight times unit, at most `most`; unit 0: no frame had light yet */
};

/* Chooses the column by what --weight says, once. */
void weight_choose(struct weight *w, const char *given, const struct nb_bodies *first);
/* Dies where the column is missing. */
void weight_check(const struct weight *w, const struct nb_bodies *b);
/* Sets the unit by the first frame that has light at all. */
void weight_settle(struct weight *w, const struct nb_bodies *b);
/* Fills in the lights of bodies [i0, i0 + count), at most SHADE_BLOCK; returns how many have a weight that is not a
 * number from 0 on. */
size_t weight_fill(const struct weight *w, const struct nb_bodies *b, uint64_t i0, int count, float *light);

/* ---- shade.c: what light and which colour each body has: by the options, and by what the bodies are found to be.
 *
 * First survey one frame or several, then settle; then fill for each frame. Until it is settled, all have one colour.
 */

struct shade {
    const struct colour_options *options;
    const char *color;   /* what is shown: with auto, as the first frame has decided */
    struct stars *stars; /* the temperatures that are shown; NULL: a column's */
    bool is_symmetric;   /* the scale, about 0, where the ramp is neutral */
    bool is_planck;      /* the ramp has the colours of the scale's temperatures */
    bool is_sun_white;   /* stars among planets have no colour by their speed */
    struct colour_ramp ramp;
    struct colour_scale *scale;   /* NULL: of components */
    double blend;                 /* bodies over which colours are means, 0: each has its own */
    struct about about;           /* with blend, of the frame at hand */
    bool is_settled, is_touching; /* the latter: colours are of bodies that touch, as about_has says */
    struct weight weight;
    struct sample sample;   /* of what colours show, until settled */
    uint64_t lights, steps; /* for which the arrays have room */
    float *light;           /* of each body, see above; 0: it is not drawn */
    uint16_t *step;         /* of each body */
    uint16_t level_step[NB_LIGHT_LEVEL_STEPS];
    unsigned beyond; /* as in the legend: of the bodies filled in last */
    bool warned_value, warned_weight;
    char unit_name[NB_NAME_MAX];
};

/* What auto shows: temperature or age where the bodies have such a column, the temperatures of stars.c where there is a
 * disk or a bulge of bodies that do not touch, else speed; and speed where a map, a scale or a range is given.
 *
 * Dies where the colour map cannot be read. */
struct shade *shade_create(const struct colour_options *o);
void shade_destroy(struct shade *s);

/* From now on colours of bodies that touch are of means over about so many of them, where these say more (about.c). */
void shade_blend(struct shade *s, double bodies);
/* Adds a frame to what light and colours are found from. Dies where a column is missing. */
void shade_survey(struct shade *s, const struct nb_bodies *b);
/* Chooses the scale. `speed` is where it ends if half of the bodies that were surveyed do not move (0: unknown). Dies
 * where --color-scale cannot be. */
void shade_settle(struct shade *s, double speed);
/* Twice the circular speed about all mass at that radius, for bodies that start at rest. */
double shade_circular_speed(const struct nb_bodies *b, double radius);
/* After that: moves the scale a share of the way to what this frame alone would give, unless it has a range of its own.
 */
void shade_adapt(struct shade *s, const struct nb_bodies *b, double share);
/* Fills in light and step of each body, and what of `to` is not of the view: everything
 * but value and share. The arrays are the shade's until the next call. */
void shade_fill(struct shade *s, const struct nb_bodies *b, struct nb_light_bodies *to);

bool shade_is_density(const struct shade *s);
/* With --color density, else nothing: colours by the distribution of the light. `smooth` is the light's K; `height` the
 * picture's in pixels, and in lengths (in the plane of the centre) for the legend. */
struct shade_picture {
    double smooth, height, height_length;
};
void shade_set_density(struct shade *s, const struct nb_light_histogram *h, const struct shade_picture *p);

struct legend shade_legend(const struct shade *s);
