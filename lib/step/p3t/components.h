/* components.h - connected components of bodies. The caller gives pairs of bodies. Two bodies are in the same component
 * if they are a pair, or if a chain of pairs leads from one to the other. */
#pragma once

#include <stdint.h>

struct nb_components {
    uint32_t count;
    /* component k is body[begin[k]] to body[begin[k + 1] - 1], in ascending order; components are in the order of their
     * first bodies */
    uint32_t *begin;
    uint32_t *body;
    uint32_t *root; /* for each body: first body of its component */
    /* for each body: if i is the first body of component k, size[i] is the end of this component in body[], which is
     * begin[k + 1]; otherwise 0. (While nb_components_find runs, size[i] is first the number of bodies of the
     * component) */
    uint32_t *size;
    uint64_t n; /* number of bodies for which there is memory */
};

/* Finds the components of n bodies. Bodies without a pair are in no component. Returns 0, or -1 after nb_fail. */
int nb_components_find(struct nb_components *o, uint64_t n, uint64_t pairs, const uint32_t (*pair)[2]);
void nb_components_free(struct nb_components *o);
