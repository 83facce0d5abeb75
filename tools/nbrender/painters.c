/* The list of painters, from the bottom layer to the top. */
#include "nbrender/nbrender.h"

const struct painter *const painters[] = {&map_painter, &light_painter, &discs_painter, NULL};
