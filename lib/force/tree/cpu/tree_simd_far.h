/* tree_simd_far.h - walks the tree for one target node and computes local expansions, in one precision. The lanes of a
 * vector process different source nodes. Included by tree_simd.c, with the macros of tree_simd_vectors.h. The macro
 * TINY is the minimum distance of well-separated nodes. */

#ifndef FEW_PAIRS
/* If two leaves have at most this number of pairs of bodies, direct summation is as cheap as expansions. */
#define FEW_PAIRS 48
#endif
#define vec NAME(vec)

/* Multipole data for lanes without a source: all moments are 0, and the centre is far away. */
static const ELEMENT NAME(nothing)[NB_TREE_MULTIPOLE] = {[NB_MOMENTS] = (ELEMENT)(16 * NB_TREE_BOX)};

static void NAME(shift)(const struct nb_tree *t, uint32_t node, const void *parent_local, void *local)
{
    const double *s = t->ball[t->node[node].parent].c, *to = t->ball[node].c;
    memset(local, 0, NB_TREE_LOCAL * sizeof(ELEMENT));
    NAME(one_local_shift)
    (local, parent_local, (ELEMENT)(to[0] - s[0]), (ELEMENT)(to[1] - s[1]), (ELEMENT)(to[2] - s[2]));
}

/* M2L: adds the contributions of LANES source nodes to the local expansion of a target node. a: multipole data of the
 * target node, of which only the centre is used. Lane i of l[k] is the contribution of source i to element k of the
 * expansion. */
INLINE void NAME(m2l_batch)(const ELEMENT *a, const ELEMENT *const *source, vec eps2, bool want_phi, vec *l)
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

static void NAME(m2l)(const struct nb_tree_walk *w, uint32_t node, const struct nb_tree_list *m2l, ELEMENT *local)
{
    const ELEMENT *multipoles = w->t->multipole;
    const vec eps2 = NAME(splat)((ELEMENT)(w->softening * w->softening));
    vec l[(NB_LOCALS + LANES - 1) / LANES * LANES];
    if (m2l->count == 0)
        return;
    memset(l, 0, sizeof l);
    for (size_t k = 0; k < m2l->count; k += LANES) {
        const ELEMENT *source[LANES];
        for (size_t lane = k + LANES; lane < m2l->count && lane < k + 2 * LANES; lane++)
            for (size_t line = 0; line < NB_TREE_MULTIPOLE * sizeof *multipoles; line += 64)
                __builtin_prefetch((const char *)(multipoles + (size_t)m2l->id[lane] * NB_TREE_MULTIPOLE) + line);
        for (size_t lane = 0; lane < LANES; lane++)
            source[lane] =
                k + lane < m2l->count ? multipoles + (size_t)m2l->id[k + lane] * NB_TREE_MULTIPOLE : NAME(nothing);
        NAME(m2l_batch)(multipoles + (size_t)node * NB_TREE_MULTIPOLE, source, eps2, w->want_phi, l);
    }
    for (int k = 0; k < NB_LOCALS; k += LANES) /* a local expansion is padded to whole vectors */
        *(NAME(unaligned_vec) *)(local + k) += NAME(sums)(l + k);
}

/* ---- the opening criterion ---- */

struct NAME(target) { /* data of the target node */
    uint32_t bodies;
    bool leaf;
    ELEMENT x, y, z, r, max_error, separation2, target2, tiny2;
    ELEMENT apart; /* r plus the distance within which bodies must interact directly, not by expansions */
};

/* bit masks over LANES sources. m2l: the source is accepted for M2L; leaf: the source is a leaf; larger: the source's
 * radius is at least the target's radius */
struct NAME(decision) {
    unsigned m2l, leaf, larger;
};

INLINE struct NAME(decision) NAME(classify)(const struct NAME(target) * a, const ELEMENT *const *criterion)
{
    vec s[LANES < NB_TREE_CRITERION ? NB_TREE_CRITERION : LANES];
    UNROLL(4)
    for (int k = 0; k < NB_TREE_CRITERION; k += LANES)
        NAME(transpose)(criterion, k, s + k);
    const vec x = s[0] - a->x, y = s[1] - a->y, z = s[2] - a->z, d2 = x * x + (y * y + z * z);
    const vec r = NAME(magnitude)(s[3]), m = s[4], both = r + a->r, angle2 = both * both / d2;
    const vec apart = r + a->apart;
    return (struct NAME(decision)){
        .m2l = NAME(bits)((bits_vec)((apart * apart < a->separation2 * d2) & (a->r * a->r < a->target2 * d2) &
                                     (d2 >= a->tiny2) & (angle2 * angle2 * angle2 * m <= a->max_error * d2))),
        .leaf = NAME(bits)((bits_vec)s[3]),
        .larger = NAME(bits)((bits_vec)(r >= a->r)),
    };
}

INLINE uint32_t NAME(word)(const ELEMENT *criterion, int k)
{
    uint32_t word;
    memcpy(&word, criterion + k, sizeof word);
    return word;
}

/* Appends id[lane] to the list for each lane whose bit is set. May overwrite up to LANES elements after the end of the
 * list. */
INLINE void NAME(put)(struct nb_tree_list *list, const uint32_t *id, unsigned bits)
{
    uint32_t *to = list->id + list->count;
#if defined __AVX512F__ && LANES == 16
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(id)));
#else
    for (unsigned lane = 0, count = 0; lane < LANES; lane++) { /* branch-free, because branches would be mispredicted */
        to[count] = id[lane];
        count += bits >> lane & 1;
    }
#endif
    list->count += (size_t)__builtin_popcount(bits);
}

/* For each lane whose bit is set, appends the two nodes child[lane] and child[lane] + 1 to the queue. */
INLINE void NAME(put_children)(struct nb_tree_list *queue, const uint32_t *child, unsigned bits)
{
    uint32_t *to = queue->id + queue->count;
    for (unsigned lane = 0, count = 0; lane < LANES; lane++) {
        to[count] = child[lane];
        to[count + 1] = child[lane] + 1;
        count += 2 * (bits >> lane & 1);
    }
    queue->count += 2 * (size_t)__builtin_popcount(bits);
}

/* Applies the opening criterion to up to LANES sources. Appends sources for M2L to s->m2l, the children of opened
 * sources to s->queue, and all other sources to `others`. */
INLINE void NAME(classify_some)(const struct nb_tree *t, struct nb_tree_scratch *s, const struct NAME(target) * a,
                                const uint32_t *id, size_t count, struct nb_tree_list *others)
{
    const ELEMENT *criteria = t->criterion, *criterion[LANES];
    const unsigned all = count < LANES ? (1u << count) - 1 : (unsigned)((1ull << LANES) - 1);
    uint32_t ids[LANES], children[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        ids[lane] = id[lane < count ? lane : 0];
        criterion[lane] = criteria + NB_TREE_CRITERION * (size_t)ids[lane];
        children[lane] = NAME(word)(criterion[lane], 6);
    }
    const struct NAME(decision) is = NAME(classify)(a, criterion);
    unsigned m2l = is.m2l & all;
    for (unsigned leaves = a->leaf ? m2l & is.leaf : 0; leaves; leaves &= leaves - 1) {
        if (a->bodies * NAME(word)(criterion[__builtin_ctz(leaves)], 7) <= FEW_PAIRS)
            m2l &= ~(leaves & -leaves);
    }
    const unsigned opened = all & ~m2l & ~is.leaf & (a->leaf ? all : is.larger);
    NAME(put)(&s->m2l, ids, m2l);
    NAME(put)(others, ids, all & ~m2l & ~opened);
    NAME(put_children)(&s->queue, children, opened);
}

INLINE bool NAME(reserve)(struct nb_tree_scratch *s, struct nb_tree_list *others)
{
    return nb_tree_list_reserve(&s->m2l, LANES) && nb_tree_list_reserve(others, LANES) &&
           nb_tree_list_reserve(&s->queue, 2 * LANES);
}

static bool NAME(visit)(const struct nb_tree_walk *w, struct nb_tree_scratch *s, uint32_t node, size_t begin,
                        size_t end, void *local)
{
    const struct nb_tree *t = w->t;
    const ELEMENT *criterion = (const ELEMENT *)t->criterion + NB_TREE_CRITERION * (size_t)node;
    const struct nb_tree_opening *o = &w->opening;
    /* distance within which bodies must interact pair by pair, plus the rounding error of the centres */
    const double reach = o->reach > 0 ? o->reach + NB_TREE_BOX * EPSILON : 0;
    const struct NAME(target) a = {.bodies = t->node[node].body_end - t->node[node].body_begin,
                                   .leaf = t->node[node].first_child == 0,
                                   .x = criterion[0],
                                   .y = criterion[1],
                                   .z = criterion[2],
                                   .r = (ELEMENT)fabs((double)criterion[3]),
                                   .apart = (ELEMENT)(fabs((double)criterion[3]) + reach),
                                   .max_error = criterion[5],
                                   .separation2 = (ELEMENT)(o->separation * o->separation),
                                   .target2 = (ELEMENT)(o->target * o->target),
                                   .tiny2 = (ELEMENT)(TINY * TINY - w->softening * w->softening)};
    struct nb_tree_list *others = a.leaf ? &s->near : &s->open;
    s->m2l.count = s->queue.count = s->near.count = 0;
    s->open.count = end;
    for (size_t k = begin; k < end; k += LANES) {
        if (!NAME(reserve)(s, others))
            return false;
        NAME(classify_some)(t, s, &a, s->open.id + k, end - k < LANES ? end - k : LANES, others);
    }
    for (size_t k = 0, count; k < s->queue.count; k += count) {
        count = s->queue.count - k < LANES ? s->queue.count - k : LANES;
        if (!NAME(reserve)(s, others))
            return false;
        NAME(classify_some)(t, s, &a, s->queue.id + k, count, others);
    }
    NAME(m2l)(w, node, &s->m2l, local);
    return true;
}

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
        for (int k = 0; k < 3; k++) {
            NAME(double_vec) x;
            if (t->single)
                x = __builtin_convertvector(*(const NAME(unaligned_float_vec) *)(t->xs[k] + i), NAME(double_vec));
            else
                x = *(const NAME(unaligned_double_vec) *)(t->x[k] + i);
            d[k] = __builtin_convertvector(x - t->ball[node].c[k], vec);
        }
        NAME(all_local_gradient)(l, d[0], d[1], d[2], g);
        for (int k = 0; k < 3; k++)
            for (uint32_t lane = 0; lane < count; lane++)
                nb_tree_sum_set(t, t->a[k], i + lane, (double)g[k][lane]);
        if (w->want_phi) {
            const vec value = NAME(all_local_value)(l, d[0], d[1], d[2]);
            for (uint32_t lane = 0; lane < count; lane++)
                nb_tree_sum_set(t, t->phi, i + lane, -(double)value[lane]);
        }
    }
}

#undef vec
