/* picture.h - a picture on its way into a file: as it is shown, or its light before the tone curve. */
#ifndef NBRENDER_PICTURE_H
#define NBRENDER_PICTURE_H

#include "base/bodies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PICTURE_FULL 65535

struct picture_axis { /* of the picture, through its middle */
    char name[16];    /* "x", or what else is measured along it */
    double centre;    /* the coordinate in the picture's middle, length units */
    double step;      /* of one pixel, below 0 where the coordinate falls to the right or upwards */
};

struct picture_info { /* what files say beside the pixels */
    int64_t frame;
    double time;
    struct nb_units units;       /* of the stream */
    struct picture_axis axis[2]; /* to the right, up */
    char quantity[48];           /* of the linear values: "light" */
    char unit[48];               /* theirs, as a column's: "M/L^2"; "" for none */
    char *history;               /* the provenance with this tool's own line, a line each; or NULL */
};

/* Shown: channel k of pixel (x, y) is plane[k][y * width + x], row 0 on top, channels red, green, blue, levels of the
 * display from 0 to PICTURE_FULL. Linear: channel k is linear[(y * width + x) * stride + k]. Of the two, one is there.
 */
struct picture {
    int width, height;
    uint16_t *plane[3];
    float *linear;
    int channels, stride; /* 3 and 4 (the fourth is the light itself); a map sets 1 and its own stride, 4 at most */
    struct picture_info info;
};

/* Black; dies without memory. */
void picture_init(struct picture *p, int width, int height, bool linear);
void picture_free(struct picture *p);
void picture_blacken(struct picture *p);
/* Of two of one size. */
void picture_copy(struct picture *to, const struct picture *from);
/* Bytes that one takes. */
size_t picture_bytes(int width, int height, bool linear);
/* Notes what the stream's header says, and the provenance with this tool's line; dies without memory. */
void picture_note(struct picture *p, const struct nb_meta *meta, int64_t frame);

#endif
