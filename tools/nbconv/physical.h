/* physical.h - a stream's units as sizes in cgs, for formats that want physical ones: --length-unit, --mass-unit.
 *
 * A stream whose header has sizes needs no option, and takes none that differs. One without (code units) needs both;
 * the unit of time then follows from its G: T^2 = L^3 / M * G_stream / G_cgs. */
#ifndef NBCONV_PHYSICAL_H
#define NBCONV_PHYSICAL_H

#include "nbconv.h"

struct physical { /* one unit of the stream, in cgs */
    double length, mass, time;
};

/* --length-unit LENGTH, --mass-unit MASS: a number with a unit, as 3.5kpc or 1e10Msun, or a unit alone. */
extern const struct tool_table physical_options;

/* The units of a frame. Dies (usage) where the options are needed and missing, or contradict the header. */
struct physical physical_units(const struct conv_options *o, const struct nb_meta *meta);

#endif
