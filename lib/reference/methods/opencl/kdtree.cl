/* kdtree.cl - traversals of the k-d tree (kdtree.h). A work-item owns one body; in leaf order a work-group has
 * neighbours. With or without a stack a body adds the same nodes in the same order with the same operations. */
typedef state states;
typedef real reals;
#define CONVERT_STATES (state)
#include "reference/opencl/field.clh"

#pragma OPENCL FP_CONTRACT OFF
#if PRECISION == 2 ? defined(FP_FAST_FMA) : defined(FP_FAST_FMAF)
#define MUL_ADD(a, b, c) fma(a, b, c)
#else
#define MUL_ADD(a, b, c) ((a) * (b) + (c))
#endif

#define DEPTH_MAX 32 /* maximum depth of the tree, equal to NB_KDTREE_DEPTH_MAX */
#define FLUSH     256 /* partial sums are added to the totals at each node whose number is below FLUSH */

#if PRECISION == 2
typedef double4 real4;
#else
typedef float4 real4;
#endif

struct tree {
    uint n;
    global const real *node;  /* four numbers each: centre of mass, mass */
    global const real *limit; /* of an inner node: squared distance up to which it is opened */
    real eps2;
};

struct target {
    uint leaf;
    real4 at;
    real4 part; /* acceleration and potential without the factor G */
    struct total total[4];
};

static void flush(struct target *t)
{
    add_part(&t->total[0], t->part.x);
    add_part(&t->total[1], t->part.y);
    add_part(&t->total[2], t->part.z);
    add_part(&t->total[3], t->part.w);
    t->part = 0;
}

/* Returns the node after i and its descendants; 1 after the last. */
static uint next_node(uint i)
{
    return (i + 1) >> popcount(i & ~(i + 1)); /* popcount: number of trailing zeros of i + 1 */
}

/* Returns whether node k is node i or a descendant of it. */
static bool holds(uint i, uint k)
{
    return k >= i && k >> (clz(i) - clz(k)) == i;
}

/* Adds node i if it acts as one mass or is a leaf, and returns true; otherwise returns false. The centre is rounded to
 * the pair's type, so its distance alone does not determine whether the node contains the body. */
static bool take(struct target *t, const struct tree *tree, uint i)
{
    const real4 node = vload4(i, tree->node);
    const real dx = node.x - t->at.x, dy = node.y - t->at.y, dz = node.z - t->at.z;
    const real d2 = MUL_ADD(dx, dx, MUL_ADD(dy, dy, dz * dz));
    if (i < FLUSH)
        flush(t);
    if (i < tree->n && (!(d2 > tree->limit[i]) || holds(i, t->leaf)))
        return false;
    if (i != t->leaf) {
        const real rinv = rsqrt(d2 + tree->eps2), p = node.w * rinv, w = p * (rinv * rinv);
        t->part.x = MUL_ADD(w, dx, t->part.x);
        t->part.y = MUL_ADD(w, dy, t->part.y);
        t->part.z = MUL_ADD(w, dz, t->part.z);
        t->part.w -= p;
    }
    return true;
}

static void walk_stackless(struct target *t, const struct tree *tree)
{
    uint i = 1;
    do
        i = take(t, tree, i) ? next_node(i) : 2 * i;
    while (i != 1);
}

static void walk_stack(struct target *t, const struct tree *tree)
{
    uint stack[DEPTH_MAX + 1], count = 0;
    stack[count++] = 1;
    while (count > 0) {
        const uint i = stack[--count];
        if (!take(t, tree, i)) {
            stack[count++] = 2 * i + 1;
            stack[count++] = 2 * i;
        }
    }
}

/* Work-item k owns body k, or the body of leaf k from the left if leaf_of is NULL. Reads node[2n][4], limit[n], body[n]
 * (body of each leaf), leaf_of[n] (leaf of each body). Writes a[3][out_stride] and phi[out_stride] if not NULL, or adds
 * to them. */
KERNEL kdtree(ulong n, PLACE(const real, node), PLACE(const real, limit), PLACE(const uint, body),
              PLACE(const uint, leaf_of), int with_stack, real eps2, state G, ulong out_stride, PLACE(state, a),
              PLACE(state, phi), int add)
{
    const ulong k = get_global_id(0);
    const struct tree tree = {(uint)n, AT(node), AT(limit), eps2};
    struct target t;
    if (k >= n)
        return;
    t.leaf = leaf_of_buffer ? AT(leaf_of)[k] : (uint)(n + k);
    t.at = vload4(t.leaf, tree.node);
    t.part = 0;
    for (int c = 0; c < 4; c++)
        t.total[c].sum = t.total[c].carry = 0;
    if (with_stack)
        walk_stack(&t, &tree);
    else
        walk_stackless(&t, &tree);
    flush(&t);
    const uint i = AT(body)[t.leaf - n];
    for (int axis = 0; axis < 3 && a_buffer; axis++)
        put(AT(a) + axis * out_stride, i, G * t.total[axis].sum, add);
    if (phi_buffer)
        put(AT(phi), i, G * t.total[3].sum, add);
}
