/* light_nodes.h - declares the function that computes one row of nodes of the level map (the level of footprints at
 * each point, light.h). light_nodes_simd.c defines it, once for each instruction set. */
#pragma once

#include "light/cpu/light_cpu.h"

struct nb_light_nodes_set {
    /* Computes the level of footprints (level map) at the nodes of row j, from the numbers of bodies in the cells of
     * all levels. */
    void (*row)(struct work *w, int j);
};
