/* splat.h - light on a canvas: each body is a small smooth spot of light 1 in its colour.
 *
 * Bodies are taken in chunks of a fixed size; each chunk sorts its bodies by the strip of rows they fall on, then every
 * strip takes its bodies from the chunks in their order, one thread a strip. A spot reaches into the next strip at
 * most, so first all even strips are drawn at the same time, then all odd ones: no pixel is written by two threads, and
 * its sum has the same order, hence the same value, for any number of threads. */
#ifndef NBRENDER_SPLAT_H
#define NBRENDER_SPLAT_H

#include "camera.h"
#include "colour.h"

#include <stddef.h>

/* The picture's pixels with a border of `border` pixels on all sides, where spots may end. Pixel (x, y) of the picture
 * is light[4 * ((y + border) * stride + x + border)]: red, green, blue, unused. */
struct canvas {
    int width, height; /* of the picture */
    int border;
    int rows;      /* height + 2 border */
    size_t stride; /* width + 2 border */
    float *light;
};

/* Dies without memory. */
struct canvas *canvas_create(int width, int height);
void canvas_destroy(struct canvas *c);
void canvas_clear(struct canvas *c);

struct splat; /* work space */

struct splat *splat_create(const struct canvas *c);
void splat_destroy(struct splat *s);

/* Radius of a body's spot in pixels for a picture with n bodies: 1.5, the quadratic spline on 3 x 3 pixels (the
 * triangular-shaped cloud of Hockney and Eastwood 1981, section 5-2), where they are many. Fewer than
 * some 100 000 on 1080 rows are disks that grow as n^(-1/4), up to a seventieth of the picture's height. */
double splat_radius(const struct canvas *c, uint64_t n);
/* Adds all bodies. A spot's light is 1, wherever within a pixel its centre is. */
void splat_bodies(struct splat *s, struct canvas *c, const struct nb_bodies *b, const struct camera *camera,
                  const struct colour_scale *scale);

#endif
