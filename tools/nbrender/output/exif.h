/* exif.h - what JPEG and WebP files say of a picture: Exif (CIPA DC-008), with the program as Software and the
 * provenance as ImageDescription. */
#pragma once

#include "nbrender/output/output.h"

/* Returns the data and their size, `most` bytes or less: if the provenance is longer, its first lines are left out.
 * NULL without memory; to be freed. */
unsigned char *exif_make(const struct picture *p, size_t most, size_t *size);
