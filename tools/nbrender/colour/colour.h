/* colour.h - the colour and the amount of light of each body: colour maps, scales, temperatures, weights. */
#pragma once

#include "light/light.h"
#include "nbrender/basis/basis.h"

#include <stdatomic.h>

/* ---- ramp.c: a colour ramp: RAMP_STEPS colours of a named map, of a file, or of the palette of components ---- */

#define RAMP_STEPS NB_LIGHT_STEPS
/* Each colour of a ramp is called a step. Steps 0 to RAMP_TOP are the colour map; step RAMP_TOP/2 is its middle. */
#define RAMP_TOP     (RAMP_STEPS - 2)
#define RAMP_NEUTRAL (RAMP_STEPS - 1) /* this step is grey, for bodies without a colour */
#define RAMP_DEFAULT "dusk"           /* default colour map */
#define RAMP_SIGNED  "coolwarm"       /* default colour map if values have both signs; its middle colour is grey */
#define RAMP_PALETTE 8                /* components 0 to RAMP_PALETTE - 1 have a separate colour each */

/* The colours of a ramp in three versions: `plain`, `step` and `shown`. Channels 0 to 2 are red, green and blue from 0
 * to 1. Channel 3 is 1 in `plain` and `shown`, and a factor in `step` (see below). */
struct colour_ramp {
    float plain[RAMP_STEPS][4]; /* colours of the map as they are defined, in the display's encoding */
    /* `step` and `shown` contain brightened colours: each colour is multiplied so that its largest channel is 1. Black
     * stays black. Reason: the brightness of a pixel shows density, and a body's colour sets only the hue.
     *
     * If the luminance of `plain` always increases or always decreases along the map, the brightened colours must keep
     * this order. Some of them are therefore darkened again by a factor below 1. Channel 3 of `step` contains this
     * factor, or 1 for the other colours. */
    float step[RAMP_STEPS][4];  /* colours in linear light, as input of light/light.h */
    float shown[RAMP_STEPS][4]; /* colours in the display's encoding, as a pixel shows them at full brightness */
};

/* Fills in the ramp from a named map or from a file. A file has two or more lines `r g b`, all from 0 to 1 or all from
 * 0 to 255. Empty lines and lines that begin with # are ignored. Dies with an error message if the name is neither a
 * map nor a readable file. */
void ramp_fill(struct colour_ramp *ramp, const char *name);
/* Returns whether a scale for values of both signs must be symmetric about 0. Returns false if the user gave a range, a
 * logarithmic scale, or a colour map other than RAMP_SIGNED. */
struct colour_options;
bool ramp_wants_symmetry(const struct colour_options *o);
/* Fills the ramp with the colours of black bodies. Step k has the temperature scale_value(scale, (double)k / RAMP_TOP),
 * in K. */
struct colour_scale;
void ramp_fill_planck(struct colour_ramp *ramp, const struct colour_scale *scale);
/* Fills in colours of ages from blue (young) to red (old). They are the colours of black bodies with temperatures from
 * RAMP_YOUNG to RAMP_OLD (K). The logarithms of the temperatures are equally spaced. */
#define RAMP_YOUNG 30000.0
#define RAMP_OLD   3500.0
void ramp_fill_age(struct colour_ramp *ramp);
/* Fills in the colours of components: steps 0 to RAMP_PALETTE - 1 are distinct colours, all other steps are grey. */
void ramp_fill_palette(struct colour_ramp *ramp);
/* Returns the names of all maps, separated by commas. The text is static. */
const char *ramp_names(void);
/* Offers the names of the maps, and file names, to shell completion. */
void ramp_offer(void);

/* ---- tables.c: colour maps with TABLE_COLOURS entries of the form 0xRRRRGGGGBBBB ---- */

#define TABLE_COLOURS 256
extern const uint64_t table_viridis[TABLE_COLOURS], table_inferno[TABLE_COLOURS], table_magma[TABLE_COLOURS],
    table_cividis[TABLE_COLOURS];

/* ---- planck.c: colours of black bodies ---- */

#define PLANCK_LEAST 1000.0  /* minimum temperature, K; colder bodies get this temperature */
#define PLANCK_MOST  40000.0 /* maximum temperature, K; hotter bodies get this temperature */

/* Computes the CIE 1931 tristimulus values of a black body. Only their ratios have a meaning. */
void planck_xyz(double kelvin, double xyz[3]);
/* Computes the sRGB colour of a black body in the display's encoding, with the largest channel 1. Negative channels
 * (colours outside sRGB) become 0. The temperature is limited to PLANCK_LEAST ... PLANCK_MOST. */
void planck_colour(double kelvin, float channel[3]);

/* ---- scale.c: maps a number to a step of a ramp: linear, logarithmic, asinh, or by rank in a sample ---- */

enum scaling { SCALE_AUTO, SCALE_LINEAR, SCALE_LOG, SCALE_ASINH, SCALE_RANK };
/* Returns the name of a scaling as in --color-scale. */
const char *scaling_name(enum scaling scaling);

struct colour_scale; /* free it with free() */

/* Returns a scale from `low` (step 0) to `high` (step RAMP_TOP); `low` must be less than `high`. Dies if there is no
 * memory.
 * - SCALE_LOG is linear in log(x). If `low` and `high` are negative, the scale is linear in -log(-x), so larger
 *   numbers get higher steps. If the range contains 0, calls nb_fail and returns NULL.
 * - SCALE_ASINH is linear in asinh(x / soft), which is nearly linear in x for |x| below `soft`. */
struct colour_scale *scale_create(enum scaling scaling, double low, double high, double soft);
/* The fraction of the numbers of a sample that are below the low end of the scale. The same fraction is above the high
 * end. */
#define SCALE_LEFT_OUT 0.005
/* If low >= high, replaces both by the ends of a range around `low`: 0.5 to 1.5 times `low`, or -1 to 1 if `low` is 0.
 */
void scale_widen(double *low, double *high);
/* Returns a scale found from a sorted sample. An empty sample counts as the single number 0.
 *
 * SCALE_RANK: the smallest number of the sample has step 0, the median has the middle step, and the largest number has
 * the last step. Equal numbers have the same step. In a sample of n <= 256 numbers, each number x is first replaced by
 * many numbers between x / 2^w and x * 2^w, with w = 1/sqrt(n). So the colours of a few bodies change gradually. For
 * example, if the sample is one number x, then x has the middle step, x / 2 the first step, and 2 x the last step.
 *
 * Other scalings: the ends are the quantiles SCALE_LEFT_OUT and 1 - SCALE_LEFT_OUT, and `soft` is the median of |x|. If
 * the scaling is SCALE_LOG and the range contains 0, calls nb_fail and returns NULL. */
struct colour_scale *scale_of_sample(enum scaling scaling, const struct sample *sorted);
/* Moves the scale towards `to` by the fraction `share` (0 to 1) of the difference. For SCALE_RANK this changes the
 * boundaries between steps. For other scalings this changes `low`, `high` and `soft`. */
void scale_move(struct colour_scale *scale, const struct colour_scale *to, double share);

/* Sets step[k] to the step of value[k] (the index of its colour in the ramp), for k from 0 to count - 1. Values that
 * are not finite get RAMP_NEUTRAL. Returns the number of these values. */
size_t scale_steps(const struct colour_scale *scale, const double *value, int count, uint16_t *step);
/* Returns the bit SCALE_BELOW if any value is below the scale, and the bit SCALE_ABOVE if any value is above it. Such
 * values get the colour of the nearest end. SCALE_LOG: ignores values that are 0. SCALE_RANK: returns 0. */
enum { SCALE_BELOW = 1, SCALE_ABOVE = 2 };
unsigned scale_beyond(const struct colour_scale *scale, const double *value, int count);
/* Returns the number whose colour is at the position `place` on the ramp, from 0 (first step) to 1 (last step). */
double scale_value(const struct colour_scale *scale, double place);
/* Returns the scaling (linear, log ...) of the scale. */
enum scaling scale_scaling(const struct colour_scale *scale);

/* ---- the meaning of a picture's colours, for a colour bar ---- */

struct legend {
    const char *label; /* "speed", "component" or the name of a column */
    /* unit of the numbers next to the bar, such as "L/T" (a column's unit in the header); "-": none */
    const char *unit;
    const float (*colour)[4]; /* colours of the bar: RAMP_TOP + 1 steps in the display's encoding */
    /* Scale of the bar, for the numbers next to it. NULL: the bar shows components; their colours are steps 0 to
     * RAMP_PALETTE - 1. */
    const struct colour_scale *scale;
    unsigned beyond; /* whether values are below or above the scale: bits SCALE_BELOW, SCALE_ABOVE */
};

/* ---- colour_options.c: options for the colour and the light of bodies ---- */

struct colour_options {
    const char *color;    /* quantity that sets the colour: auto, speed, density, component or a column */
    const char *colormap; /* name or file of the colour map; NULL: default of the quantity */
    enum scaling scaling;
    double low, high;   /* ends of the scale; if low = high, the ends are found from the bodies */
    const char *weight; /* quantity that sets the amount of light: auto, mass, count or a column */
};

/* Dies with a usage error if options contradict each other. `smooth` is the number of neighbours from --smooth.
 * `is_map` is true if --map was given. */
void colour_options_check(const struct colour_options *o, double smooth, bool is_map);

extern const struct tool_option colour_table[];

/* ---- about.c: mean of a quantity over the neighbours of each body, in the plane z = 0. In a gas of disks the velocity
 * of a single disk is random, and its contact forces are mostly 0. The mean over neighbours is the velocity or pressure
 * of the gas. ---- */

/* Returns whether the quantity `name` may be averaged over a body's neighbours before it sets the body's colour. True
 * for colliding disks (scene.h) if the quantity is read from the column vel, pressure, acc or phi. */
bool about_has(const char *name, const struct nb_meta *meta);

/* Returns the x coordinate of the end of the inlet. The inlet is the first tenth of a box with a flow. Bodies in the
 * inlet get random places and new velocities (nbs(5)), so their values do not describe the gas. Returns -INFINITY if
 * there is no flow, or if about_has(name, meta) is false. Dies if the header's lines about the scene (scene/scene.h)
 * are invalid. */
double about_inlet(const char *name, const struct nb_meta *meta);

struct about {
    double *sum; /* work space, two numbers for each cell: the sum of the weights, and the sum of weight * value */
    double *mean;
    uint64_t cells, bodies; /* capacity of `sum` and of `mean`, in elements */
};

/* Sets a->mean[i] for each body i to the mean of a quantity (quantity.c) over the body's neighbours.
 * - Weights are quadratic B-splines on a grid of square cells. The grid covers the box of the header, or the extent of
 *   the bodies if there is no box. The cell size is such that 3 x 3 cells hold `count` bodies on average.
 * - Values that are not finite, and values of bodies in the inlet (about_inlet), are ignored. If no other value is near
 *   body i, mean[i] is NAN, or 0 if body i is in the inlet.
 * - Results are the same for any number of threads.
 * - Dies if there is no memory, or if the header's lines about the scene (scene/scene.h) are invalid. */
void about_fill(struct about *a, const struct nb_bodies *b, const char *name, double count);
void about_free(struct about *a); /* frees the arrays, not a */

/* ---- stars.c: temperatures of stars in galaxies, assumed from the component of each body.
 *
 * Bulges and halos are old (red). The stars of a disk are old near its centre and young far from it: the temperature
 * depends on the fraction of the disk's bodies that are nearer to the centre (stars_disk). The distance from the centre
 * is taken from the first frame, so a star keeps its colour. Bodies are identified by id, or by index if there is no
 * id. A body that is not in the first frame gets the temperature stars_disk(0.5). */

#define STARS_INNER 3500.0  /* temperature at the centre of a disk, K */
#define STARS_OUTER 30000.0 /* temperature at the edge of a disk, K */
#define STARS_OLD   3500.0  /* temperature of bulge and halo, K */
#define STARS_GAS   30000.0 /* temperature of gas, K: it has the colour of the young stars that form in it */
#define STARS_SUN   5772.0  /* temperature of all other components, K */

/* Returns the temperature (K) of a star of a disk. `share` (0 to 1) is the fraction of the disk's bodies that are
 * nearer to the centre. The logarithm of the temperature is linear in `share`. */
static inline double stars_disk(double share)
{
    return STARS_INNER * pow(STARS_OUTER / STARS_INNER, share);
}

struct stars;

/* Returns whether at least one body of the frame belongs to a disk or a bulge. */
bool stars_are_there(const struct nb_bodies *b);
/* Returns whether bodies are single stars, as in a star cluster. This is assumed if the first body has the component
 * star and the frame has a column temperature. */
bool stars_are_single(const struct nb_bodies *b);
/* Computes the temperatures of the bodies of the first frame. Dies if there is no memory. Results are the same for any
 * number of threads. */
struct stars *stars_create(const struct nb_bodies *first);
void stars_destroy(struct stars *s); /* s may be NULL */
/* Fills in kelvin[0..count) with the temperatures (K) of bodies [i0, i0 + count). */
void stars_fill(const struct stars *s, const struct nb_bodies *b, uint64_t i0, int count, double *kelvin);

/* ---- weight.c: the amount of light of each body.
 *
 * - The light of a body is its weight divided by the mean weight in the first frame. So bodies of equal mass have light
 *   1. If all masses are 0, all bodies have light 1. Black holes have light 0 (dark_components).
 * - The default weight is the mass. The default for single stars is mass^SHADE_STAR_POWER, the square root of the
 *   luminosity of dwarf stars (about m^3.5). With the luminosity itself, the brightest star would hide the cluster.
 * - The light of a body is limited to SHADE_MOST (single stars: SHADE_STAR_MOST) times the light of the median body of
 *   the first frame. So a body with a third of the total mass is drawn as a bright star and does not change the
 *   exposure. */

#define SHADE_BLOCK      NB_LIGHT_PIECE /* number of bodies in a block of a parallel loop */
#define SHADE_MOST       100
#define SHADE_STAR_MOST  1e6
#define SHADE_STAR_POWER 1.75

struct weight {         /* initialise with zeros */
    const char *column; /* weight of a body = column^power; NULL until weight_choose sets it */
    double power;
    /* light of a body = min(weight * unit, most). weight_settle sets both; until then `unit` is 0 */
    double unit, most;
};

/* Sets `column` and `power` from --weight (`given`) and the first frame. Later calls do nothing. */
void weight_choose(struct weight *w, const char *given, const struct nb_bodies *first);
/* Dies if `b` has no column from which the weights can be computed (w->column). */
void weight_check(const struct weight *w, const struct nb_bodies *b);
/* Sets `unit` and `most` from the first frame in which a body has positive weight. Calls after that frame do nothing.
 */
void weight_settle(struct weight *w, const struct nb_bodies *b);
/* Sets light[k] to the light of body i0 + k, for 0 <= k < count; `count` must be at most SHADE_BLOCK. Returns the
 * number of weights that are negative or not finite. Bodies with such weights get light 0. */
size_t weight_fill(const struct weight *w, const struct nb_bodies *b, uint64_t i0, int count, float *light);

/* ---- shade.c: light and colour of each body, from the options and from the bodies.
 *
 * Order of calls: shade_survey for one or more frames, shade_settle once, then shade_lend or shade_fill for each frame.
 * Before shade_settle all bodies have the same colour. */

enum { SHADE_BAD_VALUE = 4, SHADE_BAD_WEIGHT = 8 }; /* bits of shade.found, in addition to SCALE_BELOW, SCALE_ABOVE */

struct shade {
    const struct colour_options *options;
    /* name of the quantity that sets the colour; if --color is auto, this is "auto" until the first frame with
     * bodies */
    const char *color;
    struct stars *stars; /* temperatures of stars.c, if they set the colour; otherwise NULL */
    bool is_symmetric;   /* the scale is symmetric about 0, and 0 has the grey middle colour of the ramp */
    /* the quantity that sets the colour is a temperature (K), and the ramp has the colours of black bodies
     * (ramp_fill_planck) */
    bool is_planck;
    /* the frame has stars and planets; its stars get the grey RAMP_NEUTRAL, not the colour of their speed */
    bool is_sun_white;
    struct colour_ramp ramp;
    struct colour_scale *scale; /* NULL: the colour shows the component */
    /* before the quantity sets a body's colour, it is averaged over this number of neighbours; 0: no averaging */
    double blend;
    struct about about; /* used if blend > 0: means over the neighbours of each body in the current frame */
    /* is_settled: shade_settle was called.
     * is_touching: the bodies are colliding disks, and the quantity may be averaged over neighbours (about_has). */
    bool is_settled, is_touching;
    struct weight weight;
    /* values, in surveyed frames, of the quantity that sets the colour; freed by shade_settle */
    struct sample sample;
    uint64_t lights, steps; /* capacity of `light` and `step` */
    float *light;           /* light of each body (weight.c); 0: not drawn */
    uint16_t *step;         /* index of each body's colour in the ramp */
    uint16_t level_step[NB_LIGHT_LEVEL_STEPS];
    const struct nb_bodies *bodies; /* bodies from the last call of shade_lend */
    double inlet;                   /* x coordinate of the end of the inlet in the frame of `bodies` (about_inlet) */
    /* bits for problems found in `bodies` so far: SCALE_BELOW, SCALE_ABOVE, SHADE_BAD_VALUE, SHADE_BAD_WEIGHT */
    atomic_uint found;
    bool warned_value, warned_weight;
    char unit_name[NB_NAME_MAX];
};

/* Returns a shade, which computes the colours and the light of bodies. The options must exist as long as the shade.
 * Dies if the colour map cannot be read. With --color auto, the colour shows the speed if the user gave a colour map, a
 * scaling or a range. Otherwise it shows the first available quantity of this list:
 * - the column temperature;
 * - the column age;
 * - the temperatures that stars.c assigns, if there is a disk or a bulge but no contact forces;
 * - the speed. */
struct shade *shade_create(const struct colour_options *o);
void shade_destroy(struct shade *s); /* s must not be NULL */

/* For colliding disks only: sets the number of neighbours over which the quantity is averaged before it sets the colour
 * (about.c). 0: no averaging. */
void shade_blend(struct shade *s, double bodies);
/* Adds the bodies' values of the quantity that sets the colour to a sample. shade_settle chooses the scale from this
 * sample. The first frame with bodies also decides which quantity sets the colour and which weight sets the light. Dies
 * if a column is missing. */
void shade_survey(struct shade *s, const struct nb_bodies *b);
/* Chooses the scale from the surveyed frames. Dies if --color-scale is log and the scale would contain 0. If the colour
 * shows the speed, and the median speed in these frames is 0, the scale goes from 0 to `speed`. `speed` is ignored if
 * it is 0 or if the user gave a scaling or a range. */
void shade_settle(struct shade *s, double speed);
/* Returns 2 sqrt(G M / radius), twice the speed of a circular orbit of this radius. M is the total mass of the bodies.
 * Callers pass the result to shade_settle. */
double shade_circular_speed(const struct nb_bodies *b, double radius);
/* Moves the scale towards the scale that is best for frame `b`, by the fraction `share` (0 to 1) of the difference
 * (scale_move). Does nothing if the scale has a fixed range. Call it after shade_settle. */
void shade_adapt(struct shade *s, const struct nb_bodies *b, double share);
/* Prepares the bodies for drawing: fills in all members of `to` except `value` and `share`. The drawing code then calls
 * to->fill (an nb_light_fill), which computes the light of each body and the index of its colour in the ramp. `to` is
 * valid until the next call, and only while the bodies are unchanged. Call shade_warn after the drawing. */
void shade_lend(struct shade *s, const struct nb_bodies *b, struct nb_light_bodies *to);
/* Warns once if bodies that were drawn have values or weights that are not numbers. */
void shade_warn(struct shade *s);
/* Computes arrays with the light of each body and the index of its colour in the ramp, and warns as shade_warn does.
 * Fills in all members of `to` except `value` and `share`. The arrays belong to the shade and are valid until the next
 * call. */
void shade_fill(struct shade *s, const struct nb_bodies *b, struct nb_light_bodies *to);

/* Returns whether colours show the density (--color density). */
bool shade_is_density(const struct shade *s);
/* The properties of a picture that shade_set_density needs:
 * - smooth: the number of neighbours that defines the smoothing length of a body (nb_light_style.smooth);
 * - height: the height of the picture in pixels;
 * - height_length: the height of the region that the picture shows at the view's centre, in length units. */
struct shade_picture {
    double smooth, height, height_length;
};
/* Chooses the scale of densities and the colour of each density. Does nothing unless the colour shows the density
 * (--color density). h is a histogram: how much light the picture has at each surface brightness (light/tone.h). The
 * densities (bodies per square length unit) are computed from the surface brightnesses. Each level k of the level map
 * (light/light.h) stands for a density: sets s->level_step[k] to the index of its colour in the ramp. */
void shade_set_density(struct shade *s, const struct nb_light_histogram *h, const struct shade_picture *p);

/* Returns the legend of the colours. Its texts and colours belong to the shade. */
struct legend shade_legend(const struct shade *s);
