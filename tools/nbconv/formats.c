/* What nbconv can read and write. */
#include "formats.h"

const struct conv_format *const conv_formats[] = {&conv_text,  &conv_rosetta, &conv_gadget, &conv_swift,
                                                  &conv_tipsy, &conv_nemo,    NULL};
