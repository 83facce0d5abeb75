/* light.h - pictures of bodies as light, on a CPU or a GPU: project, splat, refine, bloom, tone.
 *
 * The picture is the finest level of a pyramid: cell (i, j) of level k covers the pixels [i 2^k, (i + 1) 2^k) each way,
 * and every level has NB_LIGHT_BORDER cells more on each side, its margin. Levels go from 0 to
 * ceil(log2(height / NB_LIGHT_LARGEST)).
 *
 * In a level a body is a quadratic B-spline of 3 x 3 cells: radius 1.5 * 2^k pixels. The two-scale relation of that
 * spline (Chaikin 1974, CGIP 3, 346) goes both ways: 1/4, 3/4, 3/4, 1/4 of four fine cells each way make a coarse one,
 * and the splines of level k become exactly those of level k + 1 ("restrict"); the same weights, halved, make fine
 * cells of coarse ones, and the footprint stays smooth and as wide as it is ("refine"). Both keep the sum. So:
 *   1. Every body is put into level 0, once.
 *   2. Upwards, k = 0, 1, ...: a cell whose middle has level m keeps the share 1 - (m - k), from 0 to 1, of its light
 *      in level k; the rest is restricted into level k + 1. With one level m everywhere, the level below m has
 *      1 - frac(m) of each body and the one above it the rest. The share `stars` of the light, of points, has the level
 *      log2(height / points) instead, from 0 on, where m is not less.
 *   3. Downwards: each level is refined and added to the one below.
 *   4. Bloom: the picture (with its margin) is restricted upwards; of each of NB_LIGHT_BLOOMS real levels
 *      log2(height / NB_LIGHT_GLOW) + j, taken as 0 at least, `bloom` / NB_LIGHT_BLOOMS of the light is shown, divided
 *      between the two levels beside it as in 2. That is refined downwards, and 1 - `bloom` of the picture added.
 * The work is O(bodies + pixels) for footprints of any size, and all is continuous in a body's place.
 *
 * The level m of a place is that at which a cell holds K bodies: bodies are counted on all levels, and at the nodes of
 * a grid of NB_LIGHT_NODE pixels the counts of each level, means over five cells each way, are
 * interpolated linearly between the middles of its cells, until one is K or more; between that level and the one
 * before, log(count) is taken as linear in the level. Where a pixel holds K or more the level is -log4(count / K),
 * which counts as 0 but for colours. It is at most log2(height / NB_LIGHT_LARGEST). Node (i, j) stands at pixel (i -
 * 1/2, j - 1/2) * NB_LIGHT_NODE; between nodes the level is linear, beyond the outermost as on them. That is the level
 * of bodies and of the cells of levels 0 and 1. From level 2 on a cell has a level of its own: as at a node, but
 * counted at its middle, on its own level and the one above (finer levels are not asked, nor coarser ones, which is all
 * the same to 2.); cells of a margin have the level of the picture's nearest cell. So pictures of all sizes are alike,
 * and light that spreads over the edge of a dense place stays near it. Without smoothing the level is log2(radius
 * / 1.5) everywhere.
 *
 * Perspective: a body that looks `near` times larger puts near^2 times its light; with near > 1 it is put into the two
 * levels about r = log2(near) instead of level 0 (at most the highest), so that its footprint is that of the level
 * max(m, r); only what is in levels up to that of points has stars.
 *
 * Bodies beside the picture count. One whose middle is not in cells -2 ... size + 1 of its level is put into the
 * first level above, j, where it is, with the share 1 - (j - max(m, r)), from 0 to 1, of its light: what would not
 * reach the picture is not put.
 *
 * A body is drawn if its light (times near^2, times share) is above 0 and at most NB_LIGHT_MOST, its value a number
 * with magnitude NB_LIGHT_MOST at most; one behind the camera is not.
 *
 * Backends (struct nb_light_backend), one a device, agree within one level of 8 bits. All int functions: 0, or -1 after
 * nb_fail. */
#pragma once

#include "base/extern_c.h"
#include "device/device.h"
#include "light/tone.h"
#include "light/view.h"

NB_C_BEGIN

#define NB_LIGHT_STEPS   1024 /* of a ramp of colours */
#define NB_LIGHT_NODE    4    /* pixels between nodes of the level map */
#define NB_LIGHT_LARGEST 8    /* picture heights over the largest cells */
#define NB_LIGHT_BORDER  3    /* cells of a level beside the picture */
#define NB_LIGHT_BLOOMS  5    /* scales of bloom */
#define NB_LIGHT_GLOW    270  /* picture heights over the smallest cells of bloom */
#define NB_LIGHT_POINT   540  /* points of a flat picture: its height over their cells */
#define NB_LIGHT_MOST    1e30f

struct nb_light_style { /* of all pictures drawn with it */
    int width, height;  /* pixels */
    double smooth;      /* K, bodies of a footprint's cell, > 0; 0: footprints of one size, `radius` */
    double radius;      /* pixels, with smooth 0: from 1.5 to 1.5 height / NB_LIGHT_LARGEST; 0: by the number of bodies,
                           nb_light_radius */
    double stars;       /* share of a body's light that is a point whatever its level, 0 to 1 */
    double points;      /* the picture's height over their cells; 0: NB_LIGHT_POINT */
    double bloom;       /* share of the light that is spread about bright places, 0 to 1 */
};

struct nb_light_bodies {
    uint64_t n;
    const struct nb_column *pos; /* f32 or f64 */
    const float *light;          /* n, >= 0: what each puts; 0: it is not drawn and does not count; NULL: 1 each */
    /* What the light carries into the three colour channels: the colour ramp[step[i]], */
    const uint16_t *step;   /* n, < steps; NULL: by the body's level, level_step */
    const float (*ramp)[4]; /* colours: red, green, blue from 0 to 1, and the light, 1 or less */
    uint32_t steps;         /* how many colours the ramp has; 0: NB_LIGHT_STEPS */
    /* steps for levels from -NB_LIGHT_LEVEL_LEAST on in sixteenths, NB_LIGHT_LEVEL_STEPS of them, where step is NULL */
    const uint16_t *level_step;
    const float *value; /* n, or NULL: instead of a colour this number, in the first channel (for means over a pixel) */
    double share;       /* of all their light: 1, or less where several moments are put into one picture */
};
#define NB_LIGHT_LEVEL_LEAST 8 /* levels below 0, of pixels that hold up to K * 4^8 bodies */
#define NB_LIGHT_LEVEL_STEPS 384

struct nb_light_sums { /* of the light (the fourth channel) since nb_light_clear, once finished */
    double put;        /* into picture and margins: picture + margins but for rounding */
    double picture;    /* in the picture's pixels */
    double margins;    /* in the margin of level 0, and what higher levels have beyond that */
};

struct nb_light; /* a renderer that was opened: pyramid, work space */

struct nb_light_backend {
    const char *device; /* name of the device's kind */
    void *(*open)(struct nb_device *device, const struct nb_light_style *style);
    void (*close)(void *work);
    struct nb_light_style *(*style)(void *work); /* in force; smooth and stars may be changed between pictures */
    int (*clear)(void *work);
    int (*put)(void *work, const struct nb_view *view, const struct nb_light_bodies *b);
    int (*finish)(void *work);
    int (*measure)(void *work, struct nb_light_histogram *h);
    int (*tone)(void *work, const struct nb_tone *tone, uint16_t *const plane[3]);
    int (*fetch)(void *work, float *pixels);
    int (*sums)(void *work, struct nb_light_sums *sums);
};

extern const struct nb_light_backend *const nb_light_backends[]; /* what is compiled in, NULL at the end: backends.c */

/* Opens a renderer on a device, which stays the caller's and must outlive it. NULL after nb_fail. */
struct nb_light *nb_light_open(struct nb_device *device, const struct nb_light_style *style);
void nb_light_close(struct nb_light *l); /* NULL is allowed */

/* The radius for pictures of n bodies with footprints of one size, pixels: it grows as n^(-1/4) for few bodies. */
double nb_light_radius(int height, uint64_t n);
/* The highest level of a level map, for a put of n bodies. */
double nb_light_largest(const struct nb_light_style *style, uint64_t n);

/* A picture: clear, put once or several times (light adds up, each put having its own level map), finish; then measure,
 * tone and fetch as often as wanted, in any order. Equal calls give equal values for any number of threads. */
/* Other values for the puts to come; smooth is 0 if it was, else > 0. */
void nb_light_restyle(struct nb_light *l, double smooth, double stars);
int nb_light_clear(struct nb_light *l);
int nb_light_put(struct nb_light *l, const struct nb_view *view, const struct nb_light_bodies *b);
int nb_light_finish(struct nb_light *l);
/* Adds the picture's light to the distribution. Its places are cells of height/540 pixels each way, rounded, at least
 * 1, from the upper left corner, cut at the right and lower edge, so that pictures of different sizes have the same
 * distribution; surface brightness is light per (picture height)^2 of area. */
int nb_light_measure(struct nb_light *l, struct nb_light_histogram *h);
/* What is shown, in planes of width * height levels up to NB_TONE_FULL: red, green, blue; row 0 on top. */
int nb_light_tone(struct nb_light *l, const struct nb_tone *tone, uint16_t *const plane[3]);
/* The linear picture: width * height pixels of 4 floats, red, green, blue (or value times light), light; per pixel. */
int nb_light_fetch(struct nb_light *l, float *pixels);
int nb_light_sums(struct nb_light *l, struct nb_light_sums *sums);

NB_C_END
