/* map_options.h - what the user says about maps. */
#ifndef NBRENDER_MAP_OPTIONS_H
#define NBRENDER_MAP_OPTIONS_H

#include "common/tool_forces.h"
#include "common/tool_syntax.h"

enum map_kind {
    MAP_NONE,         /* light */
    MAP_DENSITY,      /* mass per area of the picture */
    MAP_MEAN,         /* of a column, by mass, along the line of sight */
    MAP_POTENTIAL,    /* on the plane through the centre */
    MAP_ACCELERATION, /* its magnitude there */
};

#define MAP_CONTOURS_MAX 200

struct map_options {
    enum map_kind kind;
    const char *what; /* as given: the name of a column, or speed */
    int contours;     /* -1: not given */
    double bodies;    /* opacity of the bodies over a field, 0 to 1 */
    struct tool_forces forces;
    double softening; /* NAN: the input's */
};

extern const struct map_options map_defaults;
extern const struct tool_table map_table;
/* Once all options are known; dies (usage) on what does not go together. */
struct render_options;
void map_options_finish(const struct render_options *o);

/* The potential or the acceleration: of a plane, with the bodies over it. Else their light is the map. */
static inline bool map_is_field(const struct map_options *o)
{
    return o->kind == MAP_POTENTIAL || o->kind == MAP_ACCELERATION;
}

static inline bool map_is_of_bodies(const struct map_options *o)
{
    return o->kind == MAP_DENSITY || o->kind == MAP_MEAN;
}

static inline bool map_has_bodies(const struct map_options *o)
{
    return map_is_field(o) && o->bodies > 0;
}

#endif
