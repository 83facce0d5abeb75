/* raw.h - writes pictures to a file descriptor as raw pixels (rows.h), without headers. */
#pragma once

#include "nbrender/output/rows.h"

struct raw;

/* Returns FFmpeg's name for the pixel format that raw_write writes. */
const char *raw_format(const struct output_options *o);
/* Returns a writer of pictures to the file descriptor. Dies if there is no memory. */
struct raw *raw_create(int fd, const char *name, const struct output_options *o, int width);
/* Writes a picture. Returns 0, or -1 after nb_fail. */
int raw_write(struct raw *raw, const struct picture *p);
void raw_destroy(struct raw *raw); /* raw may be NULL */
