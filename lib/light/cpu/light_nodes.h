/* light_nodes.h - rows of the level map's nodes, for one instruction set: light_nodes_simd.c. */
#pragma once

#include "light/cpu/light_cpu.h"

struct nb_light_nodes_set {
    void (*row)(struct work *w, int j); /* from the counts of all levels and each tile's `about` */
};
