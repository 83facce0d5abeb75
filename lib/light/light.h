/* light.h - draws bodies as light on a CPU or a GPU: projects, splats, refines, adds bloom, and converts light to
 * displayed levels.
 *
 * The picture is the finest level of a pyramid. Cell (i, j) of level k covers the pixels [i 2^k, (i + 1) 2^k) in x and
 * [j 2^k, (j + 1) 2^k) in y. Every level has NB_LIGHT_BORDER more cells on each side, its margin. Levels go from 0 to
 * ceil(log2(height / NB_LIGHT_LARGEST)).
 *
 * In a level the footprint of a body is a quadratic B-spline of 3 x 3 cells: its radius is 1.5 * 2^k pixels. The
 * two-scale relation of this spline (Chaikin 1974, CGIP 3, 346) is used in both directions. "Restrict": in x and in y,
 * four fine cells with the weights 1/4, 3/4, 3/4, 1/4 give one coarse cell. Splines of level k become exactly splines
 * of level k + 1. "Refine": with half of these weights, coarse cells give fine cells. The footprint keeps its width and
 * stays smooth. Neither operation changes the sum of the light. The steps are:
 *   1. Every body is put into level 0, once.
 *   2. Upwards, k = 0, 1, ...: m is the level map (below) at the middle of a cell. The share 1 - (m - k) of the cell's
 *      light, limited to 0 ... 1, stays in level k. The rest is restricted to level k + 1. If m is the same everywhere,
 *      the light of each body is then in the two integer levels next to m: the share 1 - frac(m) in the lower level,
 *      and the rest in the upper level. The share `stars` of the light is drawn as points: in level
 *      log2(height / points), at least 0, or in level m if m is lower.
 *   3. Downwards: each level is refined and added to the level below.
 *   4. Bloom: the picture (with its margin) is restricted to all levels. It is drawn again in NB_LIGHT_BLOOMS levels:
 *      log2(height / NB_LIGHT_GLOW) + j, at least 0, for j = 0, 1, ... Each of them gets the share `bloom` /
 *      NB_LIGHT_BLOOMS of the light, divided between two integer levels as in step 2. The levels are added up from the
 *      coarsest down, and (1 - `bloom`) times the picture is added to this sum.
 *
 * The work is O(bodies + pixels) for footprints of any size, and the picture depends continuously on the positions.
 *
 * The level map gives a level m for each point: the level at which a cell around the point would hold K bodies. Bodies
 * are counted in the cells of all levels. m is computed at nodes, a grid with a spacing of NB_LIGHT_NODE pixels. At a
 * node, the counts of a level (means over five cells in x and y) are interpolated linearly. The lowest level with a
 * count of at least K is searched. Between this level and the next lower level, log(count) is assumed to be linear in
 * the level. If a pixel holds K bodies or more, m is -log4(count / K), which is used only for colours; footprints then
 * have level 0. The largest m is log2(height / NB_LIGHT_LARGEST).
 *
 * Node (i, j) is at pixel (i - 1/2, j - 1/2) * NB_LIGHT_NODE. Between nodes m is linear, and beyond the outermost nodes
 * constant. These values are used for bodies and for the cells of levels 0 and 1. From level 2 on, each cell has its
 * own value of m. It is computed as at a node, but at the middle of the cell, and only from the counts of the cell's
 * level and of the next higher level. The counts of other levels would not change the result of step 2. Cells of a
 * margin have the m of the nearest cell of the picture. Therefore pictures of all sizes look alike, and light that
 * spreads over the edge of a dense region stays near it. Without smoothing, m is log2(radius / 1.5) everywhere.
 *
 * Perspective: a body that appears `near` times larger puts near^2 times its light. With near > 1 it is put into the
 * two levels next to r = log2(near), at most the highest, instead of level 0. Its footprint is then the footprint of
 * level max(m, r). If r is above the level of points, none of its light is drawn as a point.
 *
 * Bodies outside the picture contribute too. If a body's spline is not completely inside its level with the margin, the
 * body is put into level j, the first higher level that contains the whole spline. Only the share 1 - (j - max(m, r))
 * of its light, limited to 0 ... 1, is put there. Light that would not reach the picture is not put.
 *
 * A body is drawn if its light (times near^2, times share) is above 0 and at most NB_LIGHT_MOST, and its value is a
 * number of magnitude at most NB_LIGHT_MOST. A body behind the camera is not drawn.
 *
 * There is one backend (struct nb_light_backend) for each type of device. Their pictures agree within one level of 8
 * bits. All functions that return int return 0, or -1 after nb_fail. */
#pragma once

#include "base/extern_c.h"
#include "device/device.h"
#include "light/tone.h"
#include "light/view.h"

NB_C_BEGIN

#define NB_LIGHT_STEPS   1024 /* default number of colours of a ramp */
#define NB_LIGHT_NODE    4    /* distance between nodes of the level map, pixels */
#define NB_LIGHT_LARGEST 8    /* picture height divided by the size of the largest cells */
#define NB_LIGHT_BORDER  3    /* number of additional cells of a level on each side of the picture */
#define NB_LIGHT_BLOOMS  5    /* number of levels that display bloom */
#define NB_LIGHT_GLOW    270  /* picture height divided by the size of the smallest cells used for bloom */
#define NB_LIGHT_POINT   540  /* default of nb_light_style.points */
/* Bodies with a larger light or a larger |value| are not drawn. */
#define NB_LIGHT_MOST 1e30f

struct nb_light_style { /* properties of all pictures of one renderer */
    int width, height;  /* size of the picture, pixels */
    /* number K: the footprint of a body has the level of the pyramid at which a cell around the body holds K bodies. If
     * K is 0, all footprints have the size `radius` */
    double smooth;
    /* used if smooth is 0: radius of all footprints in pixels, from 1.5 to 1.5 * height / NB_LIGHT_LARGEST. 0:
     * nb_light_radius computes the radius from the number of bodies */
    double radius;
    /* share of each body's light that is drawn as a point, 0 to 1; the rest is drawn with the body's footprint */
    double stars;
    /* (picture height) / (size of a body drawn as a point), see `stars`; a point has a size of at least one pixel. 0:
     * the default NB_LIGHT_POINT */
    double points;
    double bloom; /* share of the light that is spread around bright places, 0 to 1 */
};

#define NB_LIGHT_PIECE 1024 /* maximum number of bodies of one call of nb_light_fill */

/* Writes the light and the colour steps (indices in `ramp`) of bodies [i0, i0 + count). An array that is not wanted is
 * NULL. Called by several threads, and more than once for each body; the results must be the same each time. */
typedef void nb_light_fill(void *context, uint64_t i0, int count, float *light, uint16_t *step);

/* The bodies of one call of nb_light_put; the caller owns all arrays. */
struct nb_light_bodies {
    uint64_t n;
    const struct nb_column *pos; /* [n][3], f32 or f64 */
    const float *light;          /* [n], >= 0: light of each body; 0: the body is ignored; NULL: light 1 for all */
    /* A body adds its light times the colour ramp[step[i]] to the three colour channels of pixels. */
    const uint16_t *step;   /* [n], index of the body's colour in `ramp`, < steps; NULL: level_step gives this index */
    const float (*ramp)[4]; /* [steps][4] colours: red, green and blue from 0 to 1; the fourth number is not used */
    uint32_t steps;         /* number of colours in the ramp; 0: NB_LIGHT_STEPS */
    /* [NB_LIGHT_LEVEL_STEPS], used if `step` is NULL. A body at which the level map has the value m gets the colour
     * ramp[level_step[j]], where j is 16 (m + NB_LIGHT_LEVEL_LEAST), rounded down */
    const uint16_t *level_step;
    /* [n]: a value for each body; NULL: bodies have colours. With values, the first channel of a pixel is the sum of
     * light times value. This sum divided by the light of the pixel is the mean value of the pixel */
    const float *value;
    /* If `fill` is not NULL, it computes light and steps piece by piece, and the arrays `light` and `step` are not used
     * and need no memory. */
    nb_light_fill *fill;
    void *context;
    /* fills_light: `fill` computes the light; if false, each body has light 1
     * fills_step: `fill` computes the colour steps; if false, level_step gives them */
    bool fills_light, fills_step;
    double share; /* all light is multiplied by `share`: 1, or less if several frames are drawn into one picture */
};
/* level_step[0] is for the value -NB_LIGHT_LEVEL_LEAST of the level map and for all smaller values. The smaller the
 * value, the denser the bodies: at -8, a pixel holds K * 4^8 bodies (K: nb_light_style.smooth). */
#define NB_LIGHT_LEVEL_LEAST 8
#define NB_LIGHT_LEVEL_STEPS 384

/* nb_light_has_light returns whether each body has its own light (otherwise all have light 1). nb_light_has_step
 * returns whether each body has its own colour step. */
static inline bool nb_light_has_light(const struct nb_light_bodies *b)
{
    return b->fill ? b->fills_light : b->light != NULL;
}
static inline bool nb_light_has_step(const struct nb_light_bodies *b)
{
    return b->fill ? b->fills_step : b->step != NULL;
}

struct nb_light_sums { /* sums of the light (fourth channel) since nb_light_clear; valid after nb_light_finish */
    double put;        /* light of the bodies; equals picture + margins except for rounding */
    double picture;    /* light in the pixels of the picture */
    /* light outside the picture: in the margin of level 0, and in higher levels where they extend beyond level 0 */
    double margins;
};

struct nb_light; /* an open renderer: pyramid and working space */

/* Table of one backend. Its functions implement the functions nb_light_* of the same names. */
struct nb_light_backend {
    const char *device; /* name of the type of device */
    void *(*open)(struct nb_device *device, const struct nb_light_style *style);
    void (*close)(void *work);
    /* returns the style; the caller may change the members `smooth` and `stars` */
    struct nb_light_style *(*style)(void *work);
    int (*clear)(void *work);
    int (*put)(void *work, const struct nb_view *view, const struct nb_light_bodies *b);
    int (*finish)(void *work);
    int (*measure)(void *work, struct nb_light_histogram *h);
    int (*tone)(void *work, const struct nb_tone *tone, uint16_t *const plane[3]);
    int (*fetch)(void *work, float *pixels);
    int (*sums)(void *work, struct nb_light_sums *sums);
};

/* all compiled backends, NULL at the end: backends.c */
extern const struct nb_light_backend *const nb_light_backends[];

/* Opens a renderer on a device. Close the renderer (nb_light_close) before the device. Returns NULL after nb_fail. */
struct nb_light *nb_light_open(struct nb_device *device, const struct nb_light_style *style);
void nb_light_close(struct nb_light *l); /* Frees the renderer; l may be NULL. */

/* Returns the default radius of footprints in pixels, if all n footprints have the same size: height / (38 n^(1/4)),
 * limited to the range from 1.5 to height / 70. */
double nb_light_radius(int height, uint64_t n);
/* Returns the maximum of the level map for a call of nb_light_put with n bodies. The number n matters only if all
 * footprints have the default radius. */
double nb_light_largest(const struct nb_light_style *style, uint64_t n);

/* To draw a picture, call nb_light_clear, then nb_light_put once or several times, then nb_light_finish. The light of
 * several calls of nb_light_put adds up, and each call has its own level map. After nb_light_finish, call
 * nb_light_measure, nb_light_tone and nb_light_fetch as often as wanted, in any order. The results do not depend on the
 * number of threads. */

/* Changes the style for the next calls of nb_light_put. If style.smooth was 0, it must stay 0. If it was positive, it
 * must stay positive. */
void nb_light_restyle(struct nb_light *l, double smooth, double stars);
/* Begins a new picture without light. */
int nb_light_clear(struct nb_light *l);
/* Adds the light of the bodies b, projected by `view`. */
int nb_light_put(struct nb_light *l, const struct nb_view *view, const struct nb_light_bodies *b);
/* Completes the picture: refinement and bloom. */
int nb_light_finish(struct nb_light *l);
/* Adds the light of the picture to the histogram. Divides the picture into square blocks of pixels, from its upper left
 * corner on, and adds the light of each block to the bucket for its surface brightness: light / area, with the picture
 * height as the unit of length. The side of a block is height / 540 pixels, rounded, at least 1. Blocks at the right
 * and lower edges may be smaller. */
int nb_light_measure(struct nb_light *l, struct nb_light_histogram *h);
/* Writes the displayed picture: three planes (red, green, blue) of width * height integers from 0 to NB_TONE_FULL. Row
 * 0 is at the top. */
int nb_light_tone(struct nb_light *l, const struct nb_tone *tone, uint16_t *const plane[3]);
/* Writes the linear picture: width * height pixels of 4 floats, which are red, green, blue and the light of the pixel.
 * For bodies with `value`, the first float is the sum of value times light, and the next two floats are 0. */
int nb_light_fetch(struct nb_light *l, float *pixels);
/* Writes the sums of light since nb_light_clear to *sums. */
int nb_light_sums(struct nb_light *l, struct nb_light_sums *sums);

NB_C_END
