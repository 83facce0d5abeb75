/* png.h - the chunks of PNG files, for pictures and for films of them. */
#pragma once

#include "nbrender/output/rows.h"

struct png_file {
    int fd;
    const char *name;
};

struct png_work; /* the memory to pack pictures of one size */

/* NULL without memory. */
struct png_work *png_work_create(const struct output_options *o, int width);
void png_work_destroy(struct png_work *w); /* NULL is allowed */

/* All of these: -1 after nb_fail. */
/* A chunk of up to 48 bytes of data. */
int png_write_small(const struct png_file *f, const char *kind, const void *data, size_t size);
/* The signature and the header of a file. */
int png_write_signature(const struct png_file *f, const struct picture *p, const struct output_options *o);
/* What it says of the picture: its colours, and where it comes from. */
int png_write_notes(const struct png_file *f, const struct picture *p);
/* The pixels, as IDAT; or with a sequence number, which it goes on counting, as fdAT of a film. */
int png_write_pixels(const struct png_file *f, struct png_work *w, const struct picture *p, uint32_t *sequence);
/* A number of 4 bytes, the highest first. */
void png_put_number(unsigned char *to, uint32_t number);
