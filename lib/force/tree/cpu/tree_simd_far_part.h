/* tree_simd_far_part.h - computes the far parts of the forces between bodies in neighbouring leaves. The far part of a
 * force is the force times K, the changeover function (changeover.h). K differs from 1 only for pairs closer than the
 * outer distance of the changeover. The main sums skip these few pairs and list them as hits. The functions of this
 * file compute the hits. Included by tree_simd_near.h in each precision. */

#define far_part NAME(far_part)

struct far_part {
    PAIR inner2, outer2, rate;  /* inner^2, outer^2 and 1 / (outer^2 - inner^2) of the changeover */
    struct nb_tree_list *close; /* NULL: close pairs are not listed */
};

INLINE void NAME(note)(const struct far_part *far, const struct group *g, const struct gathered *s, struct hit hit)
{
    for (unsigned bits = hit.bits; bits; bits &= bits - 1) {
        far->close->id[far->close->count++] = g->target[hit.u];
        far->close->id[far->close->count++] = s->body[hit.j + (uint32_t)__builtin_ctz(bits)];
    }
}

/* Adds the far parts of the forces of a hit (one target, up to LANES sources) to the group's sums. Pairs at distances
 * up to `inner` add 0. Bodies at the same point also add 0, although the formula gives NaN. */
INLINE void NAME(add_hit)(struct group *g, const struct gathered *s, const struct far_part *far, struct hit hit)
{
    mask_vec lane, within;
    pair_vec d[3], w, none;
    for (int k = 0; k < LANES; k++)
        lane[k] = (INDEX)1 << k;
    for (int c = 0; c < 3; c++) {
        d[c] = *(const pair_vec *)(s->x[c] + hit.j) - g->x[hit.u][c];
        if (PARTS == 2)
            d[c] += *(const pair_vec *)(s->low[c] + hit.j) - g->low[hit.u][c];
    }
    const pair_vec r2 = d[0] * d[0] + (d[1] * d[1] + d[2] * d[2]);
    const mask_vec between = r2 < far->outer2;
    const pair_vec y = (r2 - far->inner2) * far->rate, k = NB_CHANGEOVER(y);
    within = ((lane & (INDEX)hit.bits) != 0) & (r2 > far->inner2);
    NAME(pair_weight)(r2, *(const pair_vec *)(s->m + hit.j), &w, &none, false);
    w = (pair_vec)(within & (((mask_vec)(w * k) & between) | ((mask_vec)w & ~between)));
    for (int c = 0; c < 3; c++)
        g->a[hit.u][c] += __builtin_convertvector(w * d[c], sum_vec);
}

static bool NAME(add_hits)(struct group *g, const struct gathered *s, const struct far_part *far,
                           const struct hits *hits)
{
    if (far->close && !nb_tree_list_reserve(far->close, 2 * LANES * hits->count))
        return false;
    for (size_t k = 0; k < hits->count; k++) {
        NAME(add_hit)(g, s, far, hits->hit[k]);
        if (far->close && hits->hit[k].u < g->count)
            NAME(note)(far, g, s, hits->hit[k]);
    }
    return true;
}

/* Returns the squared distance below which a pair becomes a hit. If close pairs are listed (w->close > 0), the distance
 * is slightly larger than w->close, so that rounding errors hide no close pair. Otherwise it is the outer distance of
 * the changeover. */
INLINE PAIR NAME(reach2_of)(const struct nb_tree_walk *w)
{
    /* rounding error of a position, which is stored as x + low */
    const double rounding = PARTS == 2 ? NB_TREE_BOX * 0x1p-46 : 0;
    const double reach = w->close * (1 + 0x1p-18) + rounding;
    return (PAIR)(w->close > 0 ? reach * reach : w->far.outer * w->far.outer);
}

/* Adds the far parts of the forces of all sources on the group's targets to the group's sums. If close pairs are
 * listed, appends possible close pairs to scratch->close. Returns false if there is no memory. */
static bool NAME(add_far_part)(struct group *g, const struct gathered *s, const struct nb_tree_walk *w,
                               struct nb_tree_scratch *scratch)
{
    const double inner2 = w->far.inner * w->far.inner, outer2 = w->far.outer * w->far.outer;
    const struct far_part far = {(PAIR)inner2, (PAIR)outer2, (PAIR)(1 / (outer2 - inner2)),
                                 w->close > 0 ? &scratch->close : NULL};
    struct hits hits;
    bool good = true;
    hits.reach2 = NAME(reach2_of)(w);
    for (uint32_t j = 0; j < s->own; j += SUM_BLOCK) {
        NAME(add)(g, s, 0, j, NAME(block_end)(j, s->own), true, false, &hits);
        good = good && NAME(add_hits)(g, s, &far, &hits);
    }
    for (uint32_t j = s->own; j < s->count; j += SUM_BLOCK) {
        NAME(add)(g, s, 0, j, NAME(block_end)(j, s->count), false, false, &hits);
        good = good && NAME(add_hits)(g, s, &far, &hits);
    }
    return good;
}

#undef far_part
