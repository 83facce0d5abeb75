/* components.h - bodies that pairs connect: sets of bodies such that a chain of pairs leads from each to each. */
#pragma once

#include <stdint.h>

struct nb_components {
    uint32_t count;
    uint32_t *begin; /* of component k: body[begin[k] .. begin[k + 1]), rising; the first bodies rise with k */
    uint32_t *body;
    uint32_t *root; /* of each body: the first body of its component, */
    uint32_t *size; /* and of that one: 0 if it is alone, else where its component ends in body[] */
    uint64_t n;     /* room */
};

/* Finds them among n bodies; a body without a pair is in none. -1 after nb_fail. */
int nb_components_find(struct nb_components *o, uint64_t n, uint64_t pairs, const uint32_t (*pair)[2]);
void nb_components_free(struct nb_components *o);
