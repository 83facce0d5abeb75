/* header.h - options for what a file without a header lacks: --G --softening --time --units, in conv_options.meta. */
#ifndef NBCONV_HEADER_H
#define NBCONV_HEADER_H

#include "nbconv.h"

extern const struct tool_table header_options;

#endif
