/* exif.h - metadata of JPEG and WebP files in Exif (CIPA DC-008). The field Software contains the name of the program.
 * The field ImageDescription contains the provenance (the history lines of the stream and a line about this run). */
#pragma once

#include "nbrender/output/output.h"

/* Returns the Exif data, at most `most` bytes, and sets *size. If the provenance is too long, its first lines are
 * removed. Returns NULL if there is no memory. The caller frees the data. */
unsigned char *exif_make(const struct picture *p, size_t most, size_t *size);
