#include "nemo.h"

#include "formats.h"
#include "header.h"

const struct conv_format conv_nemo = {.name = "nemo",
                                      .about = "NEMO's structured binary file",
                                      .from_options = {&header_options},
                                      .to_options = {&endian_options},
                                      .from = nemo_from,
                                      .to = nemo_to,
                                      .several = true,
                                      .binary = true};
