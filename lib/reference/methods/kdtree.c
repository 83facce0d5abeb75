/* kdtree.c - parameters of the force kdtree, and checks of the number of bodies and of the parameters. Used on all
 * types of device. Declared in kdtree.h. */
#include "reference/methods/kdtree.h"

#include "base/error.h"
#include "reference/methods/methods.h"

static const char *const traverse[] = {"recursive", "stack", "stackless", NULL};
static const char *const visit[] = {"input", "leaf", NULL};
static const char *const layout[] = {"nodes", "heap", NULL};

static const struct nb_parameter parameters[] = {
    [NB_KDTREE_LAMBDA] = {"lambda", "a node acts as one mass beyond so many of its radii", 4, .least = 0.1,
                          .most = 1e6},
    [NB_KDTREE_TRAVERSE] = {"traverse", "how a body walks the tree: recursive (CPU), stack, stackless",
                            NB_KDTREE_STACKLESS, .words = traverse},
    [NB_KDTREE_VISIT] = {"visit", "order in which bodies walk it: input, leaf (neighbours together)", NB_KDTREE_LEAF,
                         .words = visit},
    [NB_KDTREE_LAYOUT] = {"layout", "nodes that point to one another (CPU), or the arrays of a heap", NB_KDTREE_HEAP,
                          .words = layout},
    [NB_KDTREE_BLOCK] = {"block", "threads of a block of the walk's kernel on a GPU; autotune tries them",
                         NB_BLOCK_256_OF_WARPS, .words = NB_BLOCK_WORDS_OF_WARPS},
    {0},
};

const struct nb_force_kind nb_kdtree_kinds[] = {
    {.name = "", .about = "opened by distance over radius, monopoles", .parameters = parameters}, {0}};

int nb_kdtree_check(uint64_t n)
{
    return n <= NB_KDTREE_BODIES_MAX
               ? 0
               : nb_fail("force kdtree supports fewer than 2^31 bodies, not %llu", (unsigned long long)n);
}

int nb_kdtree_check_spec(const struct nb_force_spec *spec)
{
    const bool recursive = (int)spec->value[NB_KDTREE_TRAVERSE] == NB_KDTREE_RECURSIVE;
    return recursive || (int)spec->value[NB_KDTREE_LAYOUT] == NB_KDTREE_NODES
               ? nb_fail("force kdtree: traverse=recursive and layout=nodes work on the CPU only (--device cpu)")
               : 0;
}
