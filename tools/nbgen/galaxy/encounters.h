/* encounters.h - encounters of galaxies that are known well. */
#ifndef ENCOUNTERS_H
#define ENCOUNTERS_H

#include "nbgen/encounter.h"

#define ENCOUNTERS "antennae|cartwheel|m51|mice|tidal-tails|milkyway-m31"

struct encounter_preset {
    const char *name;
    bool local;             /* the Milky Way and M31; else spirals that are alike */
    bool round;             /* the second is none, but has the same masses without a disk */
    double mass_ratio;      /* of the second's total mass to the first's; 0: that of the presets */
    struct encounter orbit; /* lengths in disk scale lengths of the first */
};

/* In the order of the names. */
extern const struct encounter_preset encounter_presets[];

#endif
