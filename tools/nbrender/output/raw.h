/* raw.h - pictures on a descriptor as rows.h has their pixels, one behind the other, without a header. */
#pragma once

#include "nbrender/output/rows.h"

struct raw;

/* The pixel format in FFmpeg's words. */
const char *raw_format(const struct output_options *o);
/* Dies without memory. */
struct raw *raw_create(int fd, const char *name, const struct output_options *o, int width);
/* -1 after nb_fail. */
int raw_write(struct raw *raw, const struct picture *p);
void raw_destroy(struct raw *raw); /* NULL is allowed */
