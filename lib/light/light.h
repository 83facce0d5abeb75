/* light.h - pictures of bodies as light, on a CPU or a GPU: project, splat, refine, bloom, tone.
 *
 * The picture is the finest level of a pyramid: cell (i, j) of level k covers the pixels [i 2^k, (i + 1) 2^k) each way.
 * A body is put as a quadratic B-spline of 3 x 3 cells into the two levels next to its own level m, a real number
 * (1 - frac(m) of its light into floor(m), the rest into the one above), so its footprint's radius is 1.5 * 2^m pixels.
 * When all bodies are there, each level is refined into the one below by the two-scale relation of that spline
 * (Chaikin 1974, CGIP 3, 346: weights 3/4 and 1/4 each way), which makes the same smooth footprint and keeps the sum.
 * So the work is O(bodies + pixels) for footprints of any size.
 *
 * The level is that at which a cell holds K bodies: bodies are counted on all levels, and at the nodes of a grid of
 * NB_LIGHT_NODE pixels the counts of each level are interpolated linearly between the middles of its cells, until one
 * is K or more; between that level and the one before, log(count) is taken as linear in the level. Between nodes the
 * level is linear, so it does not jump as a body moves. It is at most log2(height / NB_LIGHT_LARGEST). A body that
 * perspective enlarges by `near` > 1 has its level raised by log2(near), and `near`^2 times the light.
 *
 * Bodies beside the picture count and shine into it as far as the margins reach.
 *
 * Rows (struct nb_light_row), one a device, agree within one level of 8 bits. All int functions: 0, or -1 after
 * nb_fail. */
#ifndef NB_LIGHT_H
#define NB_LIGHT_H

#include "device/device.h"
#include "light/tone.h"
#include "light/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NB_LIGHT_STEPS   1024 /* of a ramp of colours */
#define NB_LIGHT_NODE    4    /* pixels between nodes of the level map */
#define NB_LIGHT_LARGEST 8    /* picture heights over the largest cells */

struct nb_light_style { /* of all pictures drawn with it */
    int width, height;  /* pixels */
    double smooth;      /* K, bodies of a footprint's cell, > 0; 0: footprints of one size, `radius` */
    double radius;      /* pixels, 1.5 at least, with smooth 0 */
    double stars;       /* share of a body's light put into level 0 whatever its level, 0 to 1 */
    double bloom;       /* share of the light that is spread about bright places, 0 to 1 */
};

struct nb_light_bodies {
    uint64_t n;
    const struct nb_column *pos; /* f32 or f64 */
    const float *light;          /* n, >= 0: what each puts; 0: it is not drawn and does not count; NULL: 1 each */
    /* What the light carries into the three colour channels: the colour ramp[step[i]], */
    const uint16_t *step;   /* n, < NB_LIGHT_STEPS; NULL: by the body's level, level_step */
    const float (*ramp)[4]; /* NB_LIGHT_STEPS colours: red, green, blue from 0 to 1, and 1 */
    /* steps for levels from 0 in sixteenths, NB_LIGHT_LEVEL_STEPS of them, where step is NULL */
    const uint16_t *level_step;
    const float *value; /* n, or NULL: instead of a colour this number, in the first channel (for means over a pixel) */
    double share;       /* of all their light: 1, or less where several moments are put into one picture */
};
#define NB_LIGHT_LEVEL_STEPS 256

struct nb_light_sums { /* of the light (the fourth channel) since nb_light_clear */
    double put;        /* into picture and margins */
    double picture;    /* in the picture's pixels, once finished */
    double margins;    /* in the margins, once finished */
};

struct nb_light; /* a renderer that was opened: pyramid, work space */

struct nb_light_row {
    const char *device; /* name of the device's kind */
    void *(*open)(struct nb_device *device, const struct nb_light_style *style);
    void (*close)(void *work);
    int (*clear)(void *work);
    int (*put)(void *work, const struct nb_view *view, const struct nb_light_bodies *b);
    int (*finish)(void *work);
    int (*measure)(void *work, struct nb_light_histogram *h);
    int (*tone)(void *work, const struct nb_tone *tone, uint16_t *const plane[3]);
    int (*fetch)(void *work, float *pixels);
    int (*sums)(void *work, struct nb_light_sums *sums);
};

extern const struct nb_light_row *const nb_light_rows[]; /* what is compiled in, NULL at the end: backends.c */

/* Opens a renderer on a device, which stays the caller's and must outlive it. NULL after nb_fail. */
struct nb_light *nb_light_open(struct nb_device *device, const struct nb_light_style *style);
void nb_light_close(struct nb_light *l); /* NULL is allowed */

/* A picture: clear, put once or several times (light adds up), finish; then measure, tone and fetch as often as wanted,
 * in any order. Equal calls give equal values for any number of threads. */
int nb_light_clear(struct nb_light *l);
int nb_light_put(struct nb_light *l, const struct nb_view *view, const struct nb_light_bodies *b);
int nb_light_finish(struct nb_light *l);
/* Adds the picture's light to the distribution. Its places are cells of about height/540 pixels, so that pictures of
 * different sizes have the same distribution; surface brightness is light per (picture height)^2. */
int nb_light_measure(struct nb_light *l, struct nb_light_histogram *h);
/* What is shown, in planes of width * height levels up to NB_TONE_FULL: red, green, blue; row 0 on top. */
int nb_light_tone(struct nb_light *l, const struct nb_tone *tone, uint16_t *const plane[3]);
/* The linear picture: width * height pixels of 4 floats, red, green, blue (or value times light), light; per pixel. */
int nb_light_fetch(struct nb_light *l, float *pixels);
int nb_light_sums(struct nb_light *l, struct nb_light_sums *sums);

#ifdef __cplusplus
}
#endif
#endif
