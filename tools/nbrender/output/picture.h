/* picture.h - a picture as it is shown, in planes: channel k of pixel (x, y) is plane[k][y * width + x], row 0 on top,
 * channels red, green, blue, levels of the display from 0 to PICTURE_FULL. */
#ifndef NBRENDER_PICTURE_H
#define NBRENDER_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define PICTURE_FULL 65535

struct picture {
    int width, height;
    uint16_t *plane[3];
};

/* Black; dies without memory. */
void picture_init(struct picture *p, int width, int height);
void picture_free(struct picture *p);
void picture_blacken(struct picture *p);
/* Of two of one size. */
void picture_copy(struct picture *to, const struct picture *from);

/* The nearest of 256 levels. */
static inline unsigned char picture_byte(uint16_t level)
{
    return (unsigned char)((level + 128u) / 257u);
}

#endif
