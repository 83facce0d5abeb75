/* picture.h - a picture of 8 bits a channel, in planes: channel k of pixel (x, y) is plane[k][y * width + x], row 0 on
 * top, channels red, green, blue. */
#ifndef NBRENDER_PICTURE_H
#define NBRENDER_PICTURE_H

#include <stddef.h>

struct picture {
    int width, height;
    unsigned char *plane[3];
};

/* Black; dies without memory. */
void picture_init(struct picture *p, int width, int height);
void picture_free(struct picture *p);

#endif
