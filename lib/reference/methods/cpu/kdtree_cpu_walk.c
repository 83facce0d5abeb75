/* kdtree_cpu_walk.c - walks of the k-d tree. Declared in kdtree_cpu.h. The tree has two layouts: an array in heap
 * order, and linked nodes. Each layout has three walks: recursive, with a stack, and without a stack. All walks visit
 * the same nodes in the same order. */
#include "reference/methods/cpu/kdtree_cpu.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/* ---- linked nodes ---- */

static struct nb_kdtree_linked *link_node(const struct nb_kdtree *t, uint32_t i, struct nb_kdtree_linked **free_node)
{
    struct nb_kdtree_linked *node = (*free_node)++;
    *node = (struct nb_kdtree_linked){.node = t->node[i], .number = i};
    if (i < t->n) {
        node->left = link_node(t, 2 * i, free_node);
        node->right = link_node(t, 2 * i + 1, free_node);
    }
    node->next = nb_kdtree_next(i) == 1 ? NULL : *free_node;
    return node;
}

struct nb_kdtree_linked *nb_kdtree_link(const struct nb_kdtree *t)
{
    struct nb_kdtree_linked *all = malloc((2 * (size_t)t->n - 1) * sizeof *all), *free_node = all;
    if (!all)
        return nb_null(nb_fail("no memory for the nodes of a k-d tree of %u bodies", t->n));
    return link_node(t, 1, &free_node);
}

/* ---- one node ---- */

struct target {
    const struct nb_kdtree_walk *walk;
    uint32_t leaf;
    double x[3], lambda2;
    struct nb_kdtree_sum sum;
};

static inline void add(struct target *t, const struct nb_kdtree_node *node, double d2)
{
    const double rinv = 1 / sqrt(d2 + t->walk->eps2), phi = node->m * rinv, f = phi * rinv * rinv;
    for (int k = 0; k < 3; k++)
        t->sum.a[k] += f * (node->x[k] - t->x[k]);
    t->sum.phi -= phi;
}

/* Adds the field of node i at the target if the node is a leaf, or so far away that it can act as one mass (kdtree.h).
 * For any other node returns false: the caller must then visit the node's children. Does not add the field of the
 * target's own leaf. */
static inline bool take(struct target *t, uint32_t i, const struct nb_kdtree_node *node)
{
    const double d2 = nb_kdtree_distance2(node, t->x);
    if (i < t->walk->tree->n && (!(d2 > t->lambda2 * node->radius2) || (t->lambda2 < 1 && nb_kdtree_holds(i, t->leaf))))
        return false;
    if (i != t->leaf)
        add(t, node, d2);
    return true;
}

/* ---- walks of the heap ---- */

static void heap_recursive(struct target *t, const struct nb_kdtree_node *node, uint32_t i)
{
    if (take(t, i, &node[i]))
        return;
    heap_recursive(t, node, 2 * i);
    heap_recursive(t, node, 2 * i + 1);
}

static void heap_stack(struct target *t, const struct nb_kdtree_node *node)
{
    uint32_t stack[NB_KDTREE_DEPTH_MAX + 1], count = 0;
    stack[count++] = 1;
    while (count > 0) {
        const uint32_t i = stack[--count];
        if (!take(t, i, &node[i])) {
            stack[count++] = 2 * i + 1;
            stack[count++] = 2 * i;
        }
    }
}

static void heap_stackless(struct target *t, const struct nb_kdtree_node *node)
{
    uint32_t i = 1;
    do
        i = take(t, i, &node[i]) ? nb_kdtree_next(i) : 2 * i;
    while (i != 1);
}

/* ---- walks of linked nodes ---- */

static void linked_recursive(struct target *t, const struct nb_kdtree_linked *p)
{
    if (take(t, p->number, &p->node))
        return;
    linked_recursive(t, p->left);
    linked_recursive(t, p->right);
}

static void linked_stack(struct target *t, const struct nb_kdtree_linked *root)
{
    const struct nb_kdtree_linked *stack[NB_KDTREE_DEPTH_MAX + 1];
    int count = 0;
    stack[count++] = root;
    while (count > 0) {
        const struct nb_kdtree_linked *p = stack[--count];
        if (!take(t, p->number, &p->node)) {
            stack[count++] = p->right;
            stack[count++] = p->left;
        }
    }
}

static void linked_stackless(struct target *t, const struct nb_kdtree_linked *root)
{
    for (const struct nb_kdtree_linked *p = root; p;)
        p = take(t, p->number, &p->node) ? p->next : p->left;
}

struct nb_kdtree_sum nb_kdtree_field(const struct nb_kdtree_walk *w, uint32_t leaf)
{
    const struct nb_kdtree_node *node = w->tree->node, *own = &node[leaf];
    struct target t = {w, leaf, {own->x[0], own->x[1], own->x[2]}, w->lambda * w->lambda, {{0}, 0}};
    switch (w->traverse) {
    case NB_KDTREE_RECURSIVE: w->root ? linked_recursive(&t, w->root) : heap_recursive(&t, node, 1); break;
    case NB_KDTREE_STACK: w->root ? linked_stack(&t, w->root) : heap_stack(&t, node); break;
    default: w->root ? linked_stackless(&t, w->root) : heap_stackless(&t, node);
    }
    return t.sum;
}
