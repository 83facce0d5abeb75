/* What nbconv can read and write. */
#include "formats.h"

const struct conv_format *const conv_formats[] = {&conv_text,  &conv_csv,   &conv_g1,      &conv_si,
                                                  &conv_adk,   &conv_zeno,  &conv_rosetta, &conv_gadget,
                                                  &conv_swift, &conv_tipsy, &conv_nemo,    NULL};
