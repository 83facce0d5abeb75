/* type_map.h - --type-map NAME=TYPE,...: the types of particles, as the formats of GADGET and TIPSY number them, that
 * components of a stream become, and back. */
#ifndef NBCONV_TYPE_MAP_H
#define NBCONV_TYPE_MAP_H

#include "nbconv.h"

#define TYPE_MAP_TYPES 6 /* 0 gas, 1 halo, 2 disk, 3 bulge, 4 star, 5 black hole, as GADGET has them */

extern const struct tool_table type_map_options;

/* The type of each component, indexed by enum nb_component, with --type-map's changes to the usual. Dies (usage) on a
 * text that is none. */
void type_map_read(const struct conv_options *o, int types[NB_COMPONENTS]);
/* The component that a type becomes when it is read: the first that the map gives it, else NB_OTHER. */
enum nb_component type_map_component(const int types[NB_COMPONENTS], int type);

#endif
