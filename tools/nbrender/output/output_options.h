/* output_options.h - what the user says about files and films. */
#ifndef NBRENDER_OUTPUT_OPTIONS_H
#define NBRENDER_OUTPUT_OPTIONS_H

#include "common/tool_syntax.h"

#include <stdbool.h>

struct output_options {
    unsigned fps_num, fps_den;
    int depth;         /* bits a channel; 0: the kind's own */
    int chroma;        /* 420 or 444; 0: the kind's own */
    const char *codec; /* NULL: the kind's own */
    int crf;           /* -1: the codec's own */
    bool alpha, dither;
    bool linear;       /* the output takes light before the tone curve: set by output_open */
    bool keep_partial; /* a film of an input that breaks off gets its name */
};

extern const struct output_options output_defaults;
extern const struct tool_table output_table;

#endif
