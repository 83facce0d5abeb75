/* precision.h - the precisions of a run: names and sizes of elements. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum nb_precision {
    NB_SINGLE, /* state and pair forces in single precision */
    NB_MIXED,  /* state and differences of positions in double; the other operations of a pair force in single
                  precision */
    NB_DOUBLE,
    NB_QUAD, /* significand of 113 bits; on the CPU only */
    NB_PRECISIONS
};

/* Parses "single", "mixed", "double" or "quad". Returns -1 after nb_fail for another text. */
int nb_precision_parse(const char *name);
const char *nb_precision_name(enum nb_precision precision);
size_t nb_precision_size(enum nb_precision precision); /* bytes per number */

#ifdef __cplusplus
}
#endif
