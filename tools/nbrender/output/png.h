/* png.h - writes the chunks of PNG files, for single pictures (png.c) and for animated PNG (apng.c). */
#pragma once

#include "nbrender/output/rows.h"

struct png_file {
    int fd;
    const char *name;
};

struct png_work; /* work space for compressing pictures of one width */

/* Returns work space for pictures `width` pixels wide, or NULL if there is no memory. */
struct png_work *png_work_create(const struct output_options *o, int width);
void png_work_destroy(struct png_work *w); /* w may be NULL */

/* The png_write functions return 0, or -1 after nb_fail. */
/* Writes a chunk with at most 48 bytes of data. */
int png_write_small(const struct png_file *f, const char *kind, const void *data, size_t size);
/* Writes the signature and the header of a file. */
int png_write_signature(const struct png_file *f, const struct picture *p, const struct output_options *o);
/* Writes metadata: the colour space, the program and the provenance. */
int png_write_notes(const struct png_file *f, const struct picture *p);
/* Writes the pixels: as IDAT chunks if `sequence` is NULL, otherwise as fdAT chunks of an animation. Increments
 * *sequence for each fdAT chunk. */
int png_write_pixels(const struct png_file *f, struct png_work *w, const struct picture *p, uint32_t *sequence);
/* Writes a 32-bit number in big-endian order. */
void png_put_number(unsigned char *to, uint32_t number);
