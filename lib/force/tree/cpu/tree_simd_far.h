/* The walk of tree_simd.c at one node, and local expansions, in one precision; parameters as tree_simd_vectors.h, and
 * TINY: nodes that are nearer are never far. */

#ifndef FEW
#define FEW 48 /* pairs of bodies of two leaves that cost no more than their expansions */
#endif
#define vec NAME(vec)

/* Takes the place of a source in lanes that are left over: nothing, far away. */
static const ELEMENT NAME(nothing)[NB_TREE_RECORD] = {[NB_MOMENTS] = (ELEMENT)(16 * NB_TREE_BOX)};

static void NAME(shift)(const struct nb_tree *t, uint32_t node, const void *parent_local, void *local)
{
    const double *s = t->ball[t->node[node].parent].c, *to = t->ball[node].c;
    memset(local, 0, NB_LOCALS * sizeof(ELEMENT));
    NAME(one_local_shift)
    (local, parent_local, (ELEMENT)(to[0] - s[0]), (ELEMENT)(to[1] - s[1]), (ELEMENT)(to[2] - s[2]));
}

/* Adds what LANES source nodes do to the local expansion about the centre in record a. */
INLINE void NAME(far_batch)(const ELEMENT *a, const ELEMENT *const *source, vec eps2, bool want_phi, vec *l)
{
    enum { COLUMNS = (NB_MOMENTS + 6 + LANES - 1) / LANES * LANES };
    vec q[COLUMNS];
    UNROLL(24)
    for (int k = 0; k < COLUMNS; k += LANES)
        NAME(transpose)(source, k, q + k);
    const vec *hi = q + NB_MOMENTS, *lo = hi + 3;
    const ELEMENT *a_hi = a + NB_MOMENTS, *a_lo = a_hi + 3;
    NAME(all_local_add)
    (l, q, (a_hi[0] - hi[0]) + (a_lo[0] - lo[0]), (a_hi[1] - hi[1]) + (a_lo[1] - lo[1]),
     (a_hi[2] - hi[2]) + (a_lo[2] - lo[2]), eps2, want_phi);
}

static void NAME(far)(const struct nb_tree_walk *w, uint32_t node, const struct nb_tree_list *far, ELEMENT *local)
{
    const ELEMENT *records = w->t->record;
    const vec eps2 = NAME(splat)((ELEMENT)(w->softening * w->softening));
    vec l[NB_LOCALS];
    memset(l, 0, sizeof l);
    for (size_t k = 0; k < far->count; k += LANES) {
        const ELEMENT *source[LANES];
        for (size_t lane = k + LANES; lane < far->count && lane < k + 2 * LANES; lane++)
            for (size_t line = 0; line < NB_TREE_RECORD * sizeof *records; line += 64)
                __builtin_prefetch((const char *)(records + (size_t)far->id[lane] * NB_TREE_RECORD) + line);
        for (size_t lane = 0; lane < LANES; lane++)
            source[lane] = k + lane < far->count ? records + (size_t)far->id[k + lane] * NB_TREE_RECORD : NAME(nothing);
        NAME(far_batch)(records + (size_t)node * NB_TREE_RECORD, source, eps2, w->want_phi, l);
    }
    for (int k = 0; k < NB_LOCALS; k++)
        local[k] += NAME(sum)(l[k]);
}

/* ---- the opening criterion ---- */

struct NAME(target) { /* a node's */
    uint32_t bodies;
    bool leaf;
    ELEMENT x, y, z, r, share, apart2, target2, tiny2;
};

struct NAME(verdict) { /* a bit for each of LANES sources */
    unsigned far, leaf, larger;
};

INLINE struct NAME(verdict) NAME(judge)(const struct NAME(target) * a, const ELEMENT *const *sphere)
{
    vec s[LANES < NB_TREE_SPHERE ? NB_TREE_SPHERE : LANES];
    UNROLL(4)
    for (int k = 0; k < NB_TREE_SPHERE; k += LANES)
        NAME(transpose)(sphere, k, s + k);
    const vec x = s[0] - a->x, y = s[1] - a->y, z = s[2] - a->z, d2 = x * x + (y * y + z * z);
    const vec r = NAME(magnitude)(s[3]), m = s[4], both = r + a->r, angle2 = both * both / d2;
    return (struct NAME(verdict)){
        .far = NAME(bits)((bits_vec)((angle2 < a->apart2) & (a->r * a->r < a->target2 * d2) & (d2 >= a->tiny2) &
                                     (angle2 * angle2 * angle2 * m <= a->share * d2))),
        .leaf = NAME(bits)((bits_vec)s[3]),
        .larger = NAME(bits)((bits_vec)(r >= a->r)),
    };
}

INLINE uint32_t NAME(word)(const ELEMENT *sphere, int k)
{
    uint32_t word;
    memcpy(&word, sphere + k, sizeof word);
    return word;
}

INLINE void NAME(put)(struct nb_tree_list *list, const uint32_t *id, unsigned bits)
{
    for (; bits; bits &= bits - 1)
        list->id[list->count++] = id[__builtin_ctz(bits)];
}

/* Sorts up to LANES sources into far ones, those to be divided (their children join the queue), and the others. */
INLINE void NAME(judge_some)(const struct nb_tree *t, struct nb_tree_scratch *s, const struct NAME(target) * a,
                             const uint32_t *id, size_t count, struct nb_tree_list *others)
{
    const ELEMENT *spheres = t->sphere, *sphere[LANES];
    const unsigned all = count < LANES ? (1u << count) - 1 : (unsigned)((1ull << LANES) - 1);
    for (size_t lane = 0; lane < LANES; lane++)
        sphere[lane] = spheres + NB_TREE_SPHERE * (size_t)id[lane < count ? lane : 0];
    const struct NAME(verdict) is = NAME(judge)(a, sphere);
    unsigned far = is.far & all;
    for (unsigned leaves = a->leaf ? far & is.leaf : 0; leaves; leaves &= leaves - 1) {
        if (a->bodies * NAME(word)(sphere[__builtin_ctz(leaves)], 7) <= FEW)
            far &= ~(leaves & -leaves);
    }
    unsigned divided = all & ~far & ~is.leaf & (a->leaf ? all : is.larger);
    NAME(put)(&s->far, id, far);
    NAME(put)(others, id, all & ~far & ~divided);
    for (; divided; divided &= divided - 1) {
        const uint32_t child = NAME(word)(sphere[__builtin_ctz(divided)], 6);
        s->queue.id[s->queue.count++] = child;
        s->queue.id[s->queue.count++] = child + 1;
    }
}

INLINE bool NAME(room)(struct nb_tree_scratch *s, struct nb_tree_list *others)
{
    return nb_tree_list_reserve(&s->far, LANES) && nb_tree_list_reserve(others, LANES) &&
           nb_tree_list_reserve(&s->queue, 2 * LANES);
}

static bool NAME(visit)(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t node, size_t begin,
                        size_t end, void *local)
{
    const struct nb_tree *t = w->t;
    const ELEMENT *sphere = (const ELEMENT *)t->sphere + NB_TREE_SPHERE * (size_t)node;
    const struct nb_tree_opening *o = &w->opening;
    const struct NAME(target) a = {.bodies = t->node[node].body_end - t->node[node].body_begin,
                                   .leaf = t->node[node].first_child == 0,
                                   .x = sphere[0],
                                   .y = sphere[1],
                                   .z = sphere[2],
                                   .r = (ELEMENT)fabs((double)sphere[3]),
                                   .share = sphere[5],
                                   .apart2 = (ELEMENT)(o->apart * o->apart),
                                   .target2 = (ELEMENT)(o->target * o->target),
                                   .tiny2 = (ELEMENT)(TINY * TINY - w->softening * w->softening)};
    struct nb_tree_list *others = a.leaf ? &s->near : &s->open;
    s->far.count = s->queue.count = s->near.count = 0;
    s->open.count = end;
    for (size_t k = begin; k < end; k += LANES) {
        if (!NAME(room)(s, others))
            return false;
        NAME(judge_some)(t, s, &a, s->open.id + k, end - k < LANES ? end - k : LANES, others);
    }
    for (size_t k = 0, count; k < s->queue.count; k += count) {
        count = s->queue.count - k < LANES ? s->queue.count - k : LANES;
        if (!NAME(room)(s, others))
            return false;
        NAME(judge_some)(t, s, &a, s->queue.id + k, count, others);
    }
    NAME(far)(w, node, &s->far, local);
    return true;
}

/* ---- a leaf's bodies ---- */

static void NAME(leaf)(const struct nb_tree_walk *w, uint32_t node, const void *local)
{
    const struct nb_tree *t = w->t;
    const uint32_t end = t->node[node].body_end;
    vec l[NB_LOCALS], d[3];
    for (int k = 0; k < NB_LOCALS; k++)
        l[k] = NAME(splat)(((const ELEMENT *)local)[k]);
    for (uint32_t i = t->node[node].body_begin; i < end; i += LANES) {
        const uint32_t count = end - i < LANES ? end - i : LANES;
        vec g[3] = {{0}};
        for (int k = 0; k < 3; k++)
            d[k] = __builtin_convertvector(*(const NAME(loose_wide_vec) *)(t->x[k] + i) - t->ball[node].c[k], vec);
        NAME(all_local_gradient)(l, d[0], d[1], d[2], g);
        for (int k = 0; k < 3; k++)
            for (uint32_t lane = 0; lane < count; lane++)
                t->a[k][i + lane] = (double)g[k][lane];
        if (w->want_phi) {
            const vec value = NAME(all_local_value)(l, d[0], d[1], d[2]);
            for (uint32_t lane = 0; lane < count; lane++)
                t->phi[i + lane] = -(double)value[lane];
        }
    }
}

#undef vec
