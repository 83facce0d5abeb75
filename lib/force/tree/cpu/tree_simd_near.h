/* tree_simd_near.h - P2P: forces of near pairs (tree.h) in one precision. Included once for each precision. These
 * macros must be defined before; this file removes them (#undef) at its end:
 * - PRECISION: name of the precision; PAIR: type in which pairs are computed; INDEX: integer type of the size of PAIR;
 *   LANES: number of values of type PAIR in a vector.
 * - ROW(t, k), MASS(t): coordinates and masses of the bodies of tree t; ROW_TYPE: type of their elements.
 * - PARTS: 1 if a position is one value of type PAIR, 2 if it is the sum of two values.
 * - ESTIMATE, TERMS: see weight.h; BITS: see vectors.h.
 *
 * For each target leaf, the bodies of the leaf and of its near leaves are copied to rows (gathered). The bodies of the
 * target leaf come first. Then LANES sources and NB_VECTORS targets are processed together, with one source per
 * lane. */

#define pair_vec NAME(pair_vec)
#define mask_vec NAME(mask_vec)
#define sum_vec  NAME(sum_vec)
#define row_vec  NAME(row_vec)
#define gathered NAME(gathered)
#define group    NAME(group)
#define hit      NAME(hit)
#define hits     NAME(hits)
#define ROWS     (1 + 3 * PARTS)
/* Maximum number of sources whose forces are summed in the type PAIR. This partial sum is then added to a sum in
 * double. */
#define SUM_BLOCK 1024
#define ELSEWHERE ((PAIR)(16 * NB_TREE_BOX))

typedef VECTOR(PAIR, LANES) pair_vec;
typedef VECTOR(INDEX, LANES) mask_vec;
typedef VECTOR(double, LANES) sum_vec;
typedef VECTOR(ROW_TYPE, LANES) row_vec;
typedef row_vec NAME(unaligned_row) UNALIGNED(ROW_TYPE);
typedef pair_vec NAME(unaligned_pair) UNALIGNED(PAIR);

#include "simd/weight.h"

struct gathered {            /* copies of the sources of a target leaf; the length of the rows is a multiple of LANES */
    PAIR *m, *x[3], *low[3]; /* the position is x if PARTS is 1, and x + low if PARTS is 2 */
    double middle[3];        /* if PARTS is 2, positions are relative to this point: the leaf's centre of mass */
    /* count: number of sources. own: the first `own` sources are from the target leaf itself, including padding.
     * own_begin: index of the leaf's first body among the sorted bodies. */
    uint32_t count, own, own_begin;
    /* index of each source among the sorted bodies; NULL: close pairs are not listed */
    uint32_t *body;
};

struct group { /* NB_VECTORS targets, which are processed together */
    pair_vec x[NB_VECTORS][3], low[NB_VECTORS][3];
    mask_vec self[NB_VECTORS]; /* index of the target among the sources, equal in all lanes; -1: not a source */
    sum_vec a[NB_VECTORS][3], phi[NB_VECTORS];
    /* target[]: indices of the targets among the sorted bodies; elements from `count` on repeat the last target */
    uint32_t target[NB_VECTORS], count;
};

struct hit { /* bit k of `bits` is 1 if target u of the group and source j + k are closer than sqrt(hits.reach2) */
    uint32_t u, j, bits;
};

/* hits found in a block of sources; reach2: squared distance below which a pair is a hit */
struct hits {
    PAIR reach2;
    size_t count;
    struct hit hit[NB_VECTORS * SUM_BLOCK / LANES + 1];
};

/* Appends the sorted bodies [i, i + count) to the gathered sources. Writes whole vectors, so it also writes some
 * elements after the last body; the next call overwrites them. */
INLINE void NAME(put)(struct gathered *s, const struct nb_tree *t, uint32_t i, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += LANES) {
        const uint32_t to = s->count + k;
        *(NAME(unaligned_pair) *)(s->m + to) =
            __builtin_convertvector(*(const NAME(unaligned_row) *)(MASS(t) + i + k), pair_vec);
        for (int c = 0; c < 3; c++) {
            row_vec x = *(const NAME(unaligned_row) *)(ROW(t, c) + i + k);
            if (PARTS == 2)
                x -= (ROW_TYPE)s->middle[c];
            const pair_vec upper = __builtin_convertvector(x, pair_vec);
            *(NAME(unaligned_pair) *)(s->x[c] + to) = upper;
            if (PARTS == 2)
                *(NAME(unaligned_pair) *)(s->low[c] + to) =
                    __builtin_convertvector(x - __builtin_convertvector(upper, row_vec), pair_vec);
        }
    }
    for (uint32_t k = 0; k < count && s->body; k++)
        s->body[s->count + k] = i + k;
    s->count += count;
}

/* Fills the last vector of the sources with bodies of mass 0, at a distant position where no target is. */
INLINE void NAME(fill_up)(struct gathered *s, PAIR elsewhere)
{
    for (; s->count % LANES; s->count++) {
        s->m[s->count] = 0;
        if (s->body)
            s->body[s->count] = NB_TREE_NO_BODY;
        for (int c = 0; c < 3; c++) {
            s->x[c][s->count] = c ? 0 : elsewhere;
            if (PARTS == 2)
                s->low[c][s->count] = 0;
        }
    }
}

/* Appends the sources in leaf v. Skips target points that are not bodies: their mass is 0, but if such a point is at
 * distance 0 from a target, the sum may become NaN. */
INLINE void NAME(put_leaf)(struct gathered *s, const struct nb_tree *t, uint32_t v)
{
    const struct nb_tree_node *node = &t->node[v];
    if (t->sources == t->bodies)
        NAME(put)(s, t, node->body_begin, node->body_end - node->body_begin);
    else
        for (uint32_t i = node->body_begin; i < node->body_end; i++)
            if (t->order[i] < t->sources)
                NAME(put)(s, t, i, 1);
}

static bool NAME(reserve)(struct gathered *s, struct nb_tree_scratch *scratch, size_t bodies, bool noted)
{
    const size_t row = (bodies + 3 * LANES + 15) / 16 * 16, bytes = row * (ROWS + 1) * sizeof(PAIR);
    if (bytes > scratch->body_bytes) {
        free(scratch->bodies);
        scratch->bodies = aligned_alloc(NB_ALIGN, 2 * ((bytes + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN));
        scratch->body_bytes = scratch->bodies ? 2 * bytes : 0;
    }
    s->m = scratch->bodies;
    for (int c = 0; c < 3; c++) {
        s->x[c] = s->m + row * (size_t)(1 + c);
        s->low[c] = s->m + row * (size_t)(PARTS == 2 ? 4 + c : 0);
    }
    s->body = noted ? (uint32_t *)(s->m + row * ROWS) : NULL;
    return scratch->bodies != NULL;
}

static bool NAME(gather)(struct gathered *s, const struct nb_tree_walk *w, struct nb_tree_scratch *scratch,
                         uint32_t leaf)
{
    const struct nb_tree *t = w->t;
    const struct nb_tree_list *near = &scratch->near;
    const struct nb_tree_node *node = &t->node[leaf];
    size_t bodies = node->body_end - node->body_begin;
    for (size_t k = 0; k < near->count; k++)
        bodies += t->node[near->id[k]].body_end - t->node[near->id[k]].body_begin;
    /* `bodies` is less than 2^31, because nb_tree_reserve limits the number of bodies of a tree. */
    if (!NAME(reserve)(s, scratch, bodies, w->close > 0))
        return false;
    memcpy(s->middle, t->ball[leaf].c, sizeof s->middle);
    const PAIR elsewhere = PARTS == 2 ? ELSEWHERE : (PAIR)t->ball[leaf].c[0] + ELSEWHERE;
    s->count = 0;
    s->own_begin = node->body_begin;
    NAME(put_leaf)(s, t, leaf);
    NAME(fill_up)(s, elsewhere);
    s->own = s->count;
    for (size_t k = 0; k < near->count; k++)
        NAME(put_leaf)(s, t, near->id[k]);
    NAME(fill_up)(s, elsewhere);
    return true;
}

/* Adds the forces of sources [j0, j1) to the group's sums. with_self: true if these sources can contain the targets;
 * then the pair of a target with itself is left out. If `hits` is not NULL, pairs with a squared distance below
 * hits->reach2 are listed in *hits, and their forces are not added. */
INLINE void NAME(add)(struct group *g, const struct gathered *s, PAIR eps2, uint32_t j0, uint32_t j1, bool with_self,
                      bool want_phi, struct hits *hits)
{
    pair_vec a[NB_VECTORS][3] = {{{0}}}, phi[NB_VECTORS] = {{0}};
    mask_vec number;
    const PAIR reach2 = hits ? hits->reach2 : 0;
    size_t count = 0;
    for (int lane = 0; lane < LANES; lane++)
        number[lane] = lane;
    for (uint32_t j = j0; j < j1; j += LANES) {
        const pair_vec m = *(const pair_vec *)(s->m + j);
        UNROLL(4)
        for (int u = 0; u < NB_VECTORS; u++) {
            pair_vec d[3], w, p = {0};
            UNROLL(3)
            for (int c = 0; c < 3; c++) {
                d[c] = *(const pair_vec *)(s->x[c] + j) - g->x[u][c];
                if (PARTS == 2)
                    d[c] += *(const pair_vec *)(s->low[c] + j) - g->low[u][c];
            }
            const pair_vec r2 = d[0] * d[0] + (d[1] * d[1] + (d[2] * d[2] + eps2));
            NAME(pair_weight)(r2, m, &w, &p, want_phi);
            if (hits) {
                mask_vec within = r2 < reach2;
                w = (pair_vec)((mask_vec)w & ~within);
                if (with_self)
                    within &= number + (INDEX)j != g->self[u];
                const unsigned bits = BITS((bits_vec)within);
                hits->hit[count] = (struct hit){(uint32_t)u, j, bits};
                count += bits != 0;
            } else if (with_self) {
                const mask_vec other = number + (INDEX)j != g->self[u];
                w = (pair_vec)((mask_vec)w & other);
                p = (pair_vec)((mask_vec)p & other);
            }
            UNROLL(3)
            for (int c = 0; c < 3; c++)
                a[u][c] += w * d[c];
            if (want_phi)
                phi[u] -= p;
        }
    }
    if (hits)
        hits->count = count;
    for (int u = 0; u < NB_VECTORS; u++) {
        for (int c = 0; c < 3; c++)
            g->a[u][c] += __builtin_convertvector(a[u][c], sum_vec);
        if (want_phi)
            g->phi[u] += __builtin_convertvector(phi[u], sum_vec);
    }
}

INLINE uint32_t NAME(block_end)(uint32_t j, uint32_t end)
{
    return end - j < SUM_BLOCK ? end : j + SUM_BLOCK;
}

INLINE void NAME(add_all)(struct group *g, const struct gathered *s, PAIR eps2, bool want_phi)
{
    NAME(add)(g, s, eps2, 0, s->own, true, want_phi, NULL);
    for (uint32_t j = s->own; j < s->count; j += SUM_BLOCK)
        NAME(add)(g, s, eps2, j, NAME(block_end)(j, s->count), false, want_phi, NULL);
}

#include "force/tree/cpu/tree_simd_far_part.h"

INLINE double NAME(total)(const sum_vec *v)
{
    double lane[LANES];
    memcpy(lane, v, sizeof *v);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

/* Loads sorted body i as target u of the group. If the tree contains target points that are not bodies, only these
 * points are targets. They are not sources, so self[u] is -1. */
INLINE void NAME(load_target)(struct group *g, int u, const struct gathered *s, const struct nb_tree *t, uint32_t i)
{
    for (int c = 0; c < 3; c++) {
        const double x = PARTS == 2 ? (double)ROW(t, c)[i] - s->middle[c] : (double)ROW(t, c)[i];
        g->x[u][c] = (PAIR)x - (pair_vec){0};
        g->low[u][c] = (PAIR)(x - (double)(PAIR)x) - (pair_vec){0};
        g->a[u][c] = (sum_vec){0};
    }
    g->phi[u] = (sum_vec){0};
    g->self[u] = (mask_vec){0} + (t->sources == t->bodies ? (INDEX)(i - s->own_begin) : -1);
}

INLINE void NAME(store_target)(const struct group *g, int u, struct nb_tree *t, uint32_t i, bool want_phi)
{
    for (int c = 0; c < 3; c++)
        nb_tree_sum_set(t, t->a[c], i, nb_tree_sum_get(t, t->a[c], i) + NAME(total)(&g->a[u][c]));
    if (want_phi)
        nb_tree_sum_set(t, t->phi, i, nb_tree_sum_get(t, t->phi, i) + NAME(total)(&g->phi[u]));
}

static bool NAME(pairs)(const struct nb_tree_walk *w, struct nb_tree_scratch *scratch, uint32_t leaf)
{
    struct nb_tree *t = w->t;
    const PAIR eps2 = (PAIR)(w->softening * w->softening);
    const uint32_t end = t->node[leaf].body_end;
    struct gathered s;
    struct group g;
    if (!NAME(gather)(&s, w, scratch, leaf))
        return false;
    for (uint32_t i = nb_tree_next_target(w, t->node[leaf].body_begin, end); i < end;) {
        for (g.count = 0; g.count < NB_VECTORS && i < end; i = nb_tree_next_target(w, i + 1, end))
            g.target[g.count++] = i;
        for (uint32_t u = 0; u < NB_VECTORS; u++)
            NAME(load_target)(&g, (int)u, &s, t, g.target[u < g.count ? u : g.count - 1]);
        if (w->far.outer > 0) {
            if (!NAME(add_far_part)(&g, &s, w, scratch))
                return false;
        } else if (w->want_phi)
            NAME(add_all)(&g, &s, eps2, true);
        else
            NAME(add_all)(&g, &s, eps2, false);
        for (uint32_t u = 0; u < g.count; u++)
            NAME(store_target)(&g, (int)u, t, g.target[u], w->want_phi);
    }
    return true;
}

#undef pair_vec
#undef mask_vec
#undef sum_vec
#undef row_vec
#undef gathered
#undef group
#undef hit
#undef hits
#undef ROWS
#undef SUM_BLOCK
#undef ELSEWHERE
#undef PRECISION
#undef PAIR
#undef INDEX
#undef ROW
#undef ROW_TYPE
#undef MASS
#undef PARTS
#undef LANES
#undef ESTIMATE
#undef TERMS
#undef BITS
