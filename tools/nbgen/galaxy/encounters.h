/* encounters.h - encounters of galaxies that are known well. */
#ifndef ENCOUNTERS_H
#define ENCOUNTERS_H

#include "nbgen/encounter.h"

#define ENCOUNTERS "antennae|cartwheel|m51|mice|tidal-tails|milkyway-m31"

struct encounter_preset {
    const char *name;
    const char *galaxies[2]; /* presets of galaxy; NULL: the spiral of all those that name none */
    bool round;              /* the second is none, but has the same masses without a disk */
    double mass_ratio;       /* of the second's total mass to the first's; 0: that of the presets */
    struct encounter orbit;  /* lengths in disk scale lengths of the first */
};

/* By name; die_usage where there is none. */
const struct encounter_preset *encounter_preset(const char *name);

#endif
