/* formats.h - the formats that formats.c lists, each in a file of its name. */
#ifndef NBCONV_FORMATS_H
#define NBCONV_FORMATS_H

#include "nbconv.h"

extern const struct conv_format conv_text; /* a line a body, names in a # line */
extern const struct conv_format conv_csv;  /* its dialects, in dialects.c */
extern const struct conv_format conv_g1;
extern const struct conv_format conv_si;
extern const struct conv_format conv_adk;
extern const struct conv_format conv_zeno;    /* the treecode's text */
extern const struct conv_format conv_rosetta; /* `G n steps`, then mass / position / velocity lines */
extern const struct conv_format conv_gadget;  /* GADGET's HDF5, and AREPO's */
extern const struct conv_format conv_swift;   /* SWIFT's */
extern const struct conv_format conv_tipsy;   /* TIPSY's binary file, a frame a file */
extern const struct conv_format conv_nemo;    /* NEMO's structured binary file */

#endif
