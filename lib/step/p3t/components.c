/* components.c - connected components of bodies by union-find. Declared in components.h. */
#include "step/p3t/components.h"

#include "base/error.h"

#include <stdlib.h>

static int make_room(struct nb_components *o, uint64_t n)
{
    if (o->n >= n)
        return 0;
    nb_components_free(o);
    o->begin = malloc((n / 2 + 2) * sizeof *o->begin);
    o->body = malloc(n * sizeof *o->body);
    o->root = malloc(n * sizeof *o->root);
    o->size = malloc(n * sizeof *o->size);
    o->n = n;
    return o->begin && o->body && o->root && o->size
               ? 0
               : nb_fail("no memory for the close pairs of p3t (%llu bodies)", (unsigned long long)n);
}

/* Returns the first body of the component of body i. The component is formed by the pairs connected so far. Also
 * shortens the path from i to this body through root[], so that later calls are faster. */
static uint32_t root_of(uint32_t *root, uint32_t i)
{
    while (root[i] != i)
        i = root[i] = root[root[i]];
    return i;
}

static void connect(uint32_t *root, uint32_t i, uint32_t j)
{
    i = root_of(root, i);
    j = root_of(root, j);
    root[i > j ? i : j] = i > j ? j : i;
}

int nb_components_find(struct nb_components *o, uint64_t n, uint64_t pairs, const uint32_t (*pair)[2])
{
    if (make_room(o, n))
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        o->root[i] = i;
        o->size[i] = 0;
    }
    for (uint64_t k = 0; k < pairs; k++)
        connect(o->root, pair[k][0], pair[k][1]);
    for (uint32_t i = 0; i < n; i++) {
        o->root[i] = root_of(o->root, i);
        o->size[o->root[i]]++;
    }
    uint32_t bodies = 0;
    o->count = 0;
    o->begin[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t root = o->root[i];
        if (root == i && o->size[i] == 1) {
            o->size[i] = 0;
            continue;
        }
        if (root == i) { /* i is the first body of a component. So far, size[i] is the number of bodies of
                            the component. From now on, it is the index in body[] at which the next body of the
                            component is stored. */
            const uint32_t place = bodies;
            bodies += o->size[i];
            o->begin[++o->count] = bodies;
            o->size[i] = place;
        }
        o->body[o->size[root]++] = i;
    }
    return 0;
}

void nb_components_free(struct nb_components *o)
{
    free(o->begin);
    free(o->body);
    free(o->root);
    free(o->size);
    *o = (struct nb_components){0};
}
