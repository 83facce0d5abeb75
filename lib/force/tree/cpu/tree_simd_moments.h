/* tree_simd_moments.h - boxes, centres of mass, radii and moments of the nodes in one precision, from the leaves up.
 * Included by tree_simd.c, with the macros of tree_simd_vectors.h. */

INLINE double NAME(distance)(const double *d)
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Returns the distance from c to the farthest corner of the box. */
INLINE double NAME(corner)(const struct nb_tree_box *box, const double *c)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = fmax(box->hi[k] - c[k], c[k] - box->lo[k]);
    return NAME(distance)(d);
}

INLINE void NAME(middle)(const struct nb_tree_box *box, double *c)
{
    for (int k = 0; k < 3; k++)
        c[k] = box->lo[k] + (box->hi[k] - box->lo[k]) / 2;
}

INLINE ELEMENT *NAME(multipole)(const struct nb_tree *t, uint32_t v)
{
    return (ELEMENT *)t->multipole + (size_t)v * NB_TREE_MULTIPOLE;
}

/* Converts x >= 0 to ELEMENT. Rounds up if ELEMENT has fewer digits than double. */
INLINE ELEMENT NAME(up)(double x)
{
    return (ELEMENT)(x * (1 + (sizeof(ELEMENT) < sizeof x ? 0x1p-23 : 0)));
}

INLINE void NAME(write_box)(const struct nb_tree_box *box, const double *c, ELEMENT *multipole)
{
    for (int k = 0; k < 3; k++) {
        multipole[NB_MOMENTS + 6 + k] = NAME(up)(c[k] - box->lo[k]);
        multipole[NB_MOMENTS + 9 + k] = NAME(up)(box->hi[k] - c[k]);
    }
}

INLINE void NAME(join_box)(const struct nb_tree *t, uint32_t child, struct nb_tree_box *box)
{
    const ELEMENT *reaches = NAME(multipole)(t, child) + NB_MOMENTS + 6;
    const double *c = t->ball[child].c;
    for (int k = 0; k < 3; k++) {
        box->lo[k] = fmin(box->lo[k], c[k] - (double)reaches[k]);
        box->hi[k] = fmax(box->hi[k], c[k] + (double)reaches[3 + k]);
    }
}

static void NAME(leaf_ball)(const struct nb_tree *t, uint32_t v, struct nb_tree_box *box)
{
    const struct nb_tree_node *node = &t->node[v];
    struct nb_tree_ball *ball = &t->ball[v];
    double sum[3] = {0}, middle[3];
    ball->m = 0;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = node->body_begin; i < node->body_end; i++) {
            const double x = nb_tree_x(t, k, i);
            box->lo[k] = x < box->lo[k] ? x : box->lo[k];
            box->hi[k] = x > box->hi[k] ? x : box->hi[k];
        }
    NAME(middle)(box, middle);
    for (uint32_t i = node->body_begin; i < node->body_end; i++) {
        const double m = nb_tree_m(t, i);
        ball->m += m;
        for (int k = 0; k < 3; k++)
            sum[k] += m * (nb_tree_x(t, k, i) - middle[k]);
    }
    for (int k = 0; k < 3; k++)
        ball->c[k] = ball->m > 0 ? middle[k] + sum[k] / ball->m : middle[k];
    ball->r = NAME(corner)(box, ball->c);
}

static void NAME(inner_ball)(const struct nb_tree *t, uint32_t v, struct nb_tree_box *box)
{
    const uint32_t child = t->node[v].first_child;
    const struct nb_tree_ball *p = &t->ball[child], *q = p + 1;
    struct nb_tree_ball *ball = &t->ball[v];
    double to_p[3], to_q[3];
    NAME(join_box)(t, child, box);
    NAME(join_box)(t, child + 1, box);
    ball->m = p->m + q->m;
    NAME(middle)(box, ball->c);
    for (int k = 0; k < 3; k++) {
        /* computed from the centre of the heavier child, because this gives the smaller rounding error */
        if (ball->m > 0)
            ball->c[k] = p->m > q->m ? p->c[k] + (q->c[k] - p->c[k]) * (q->m / ball->m)
                                     : q->c[k] + (p->c[k] - q->c[k]) * (p->m / ball->m);
        to_p[k] = p->c[k] - ball->c[k];
        to_q[k] = q->c[k] - ball->c[k];
    }
    ball->r = fmin(NAME(corner)(box, ball->c), fmax(NAME(distance)(to_p) + p->r, NAME(distance)(to_q) + q->r));
}

static void NAME(leaf_moments)(const struct nb_tree *t, uint32_t v, ELEMENT *q)
{
    const double *c = t->ball[v].c;
    for (uint32_t i = t->node[v].body_begin; i < t->node[v].body_end; i++)
        NAME(one_moments_add)
    (q, (ELEMENT)nb_tree_m(t, i), (ELEMENT)(c[0] - nb_tree_x(t, 0, i)), (ELEMENT)(c[1] - nb_tree_x(t, 1, i)),
     (ELEMENT)(c[2] - nb_tree_x(t, 2, i)));
}

static void NAME(inner_moments)(const struct nb_tree *t, uint32_t v, ELEMENT *q)
{
    const double *c = t->ball[v].c;
    for (uint32_t child = t->node[v].first_child; child < t->node[v].first_child + 2; child++) {
        const double *from = t->ball[child].c;
        NAME(one_moments_shift)
        (q, NAME(multipole)(t, child), (ELEMENT)(c[0] - from[0]), (ELEMENT)(c[1] - from[1]), (ELEMENT)(c[2] - from[2]));
    }
}

/* Writes the centre of node v and its data for the opening criterion. The radius is rounded up. */
static void NAME(write_centre)(const struct nb_tree *t, uint32_t v, ELEMENT *multipole)
{
    const struct nb_tree_ball *ball = &t->ball[v];
    ELEMENT *criterion = (ELEMENT *)t->criterion + NB_TREE_CRITERION * (size_t)v;
    for (int k = 0; k < 3; k++) {
        const double c = ball->c[k] - t->origin[k];
        multipole[NB_MOMENTS + k] = criterion[k] = (ELEMENT)c;
        multipole[NB_MOMENTS + 3 + k] = (ELEMENT)(c - (double)(ELEMENT)c);
    }
    criterion[3] = (ELEMENT)(ball->r * (1 + 0x1p-22));
    criterion[3] = t->node[v].first_child ? criterion[3] : -criterion[3];
    criterion[4] = (ELEMENT)ball->m;
    const uint32_t bodies = t->node[v].body_end - t->node[v].body_begin;
    memcpy(criterion + 6, &t->node[v].first_child, sizeof(uint32_t));
    memcpy(criterion + 7, &bodies, sizeof bodies);
}

static void NAME(moments)(struct nb_tree *t, uint32_t v0, uint32_t v1)
{
    for (uint32_t v = v0; v < v1; v++) {
        struct nb_tree_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        ELEMENT *multipole = NAME(multipole)(t, v);
        memset(multipole, 0, NB_TREE_MULTIPOLE * sizeof *multipole);
        if (t->node[v].first_child) {
            NAME(inner_ball)(t, v, &box);
            NAME(inner_moments)(t, v, multipole);
        } else {
            NAME(leaf_ball)(t, v, &box);
            NAME(leaf_moments)(t, v, multipole);
        }
        NAME(write_box)(&box, t->ball[v].c, multipole);
        NAME(write_centre)(t, v, multipole);
    }
}

/* ---- estimate of the acceleration ---- */

#ifndef LEAST
#define LEAST 0x1p-60 /* minimum squared length, which avoids division by zero */
#endif

/* The siblings of a node and of its ancestors. From them, estimate_f computes f, the estimate of the acceleration in
 * the node (tree.h). Rows are padded to whole vectors. */
struct NAME(siblings) {
    ELEMENT row[5][NB_TREE_DEPTH + LANES] __attribute__((aligned(64))); /* rows: x, y, z, radius, mass */
    int count;
};

INLINE void NAME(gather_siblings)(const struct nb_tree *t, uint32_t v, struct NAME(siblings) * siblings)
{
    for (siblings->count = 0; v > 0 && siblings->count < NB_TREE_DEPTH; v = t->node[v].parent) {
        /* two siblings have an odd index and the next even index, because the root is node 0 */
        const uint32_t sibling = v % 2 ? v + 1 : v - 1;
        const ELEMENT *criterion = (const ELEMENT *)t->criterion + NB_TREE_CRITERION * (size_t)sibling;
        for (int k = 0; k < 5; k++)
            siblings->row[k][siblings->count] = criterion[k];
        siblings->count++;
    }
    for (int pad = 0; pad < LANES; pad++) /* padding: far away, mass 0 */
        for (int k = 0; k < 5; k++)
            siblings->row[k][siblings->count + pad] = k == 4 ? 0 : (ELEMENT)(16 * NB_TREE_BOX);
}

static void NAME(estimate_f)(struct nb_tree *t, double softening, double tolerance, uint32_t v0, uint32_t v1)
{
    const ELEMENT eps2 = (ELEMENT)(softening * softening), three = (ELEMENT)0.3;
    const ELEMENT heavy = (ELEMENT)(NB_TREE_HEAVY * t->ball[0].m / (double)t->sources);
    struct NAME(siblings) siblings;
    for (uint32_t v = v0; v < v1; v++) {
        ELEMENT *me = (ELEMENT *)t->criterion + NB_TREE_CRITERION * (size_t)v;
        NAME(vec) sum = {0}, a[3] = {{0}};
        NAME(gather_siblings)(t, v, &siblings);
        for (int k = 0; k < siblings.count; k += LANES) {
            const NAME(vec) r = *(NAME(unaligned_vec) *)&siblings.row[3][k],
                            m = *(NAME(unaligned_vec) *)&siblings.row[4][k];
            NAME(vec) d[3], q2 = three * r * r;
            for (int c = 0; c < 3; c++) {
                d[c] = *(NAME(unaligned_vec) *)&siblings.row[c][k] - me[c];
                q2 += d[c] * d[c];
            }
            const NAME(vec) rinv = NAME(rsqrt)(q2 + eps2 + (ELEMENT)LEAST), f = m * rinv * rinv * rinv;
            sum += f * q2 * NAME(rsqrt)(q2 + (ELEMENT)LEAST);
            for (int c = 0; c < 3; c++)
                a[c] += f * d[c];
        }
        const ELEMENT x = NAME(sum)(a[0]), y = NAME(sum)(a[1]), z = NAME(sum)(a[2]), q2 = three * me[3] * me[3];
        const ELEMENT s2 = q2 + eps2 + (ELEMENT)LEAST, own = me[4] * SQRT(q2) / (2 * s2 * SQRT(s2));
        const ELEMENT one = SQRT(x * x + y * y + z * z), crude = (ELEMENT)0.2 * (NAME(sum)(sum) + own);
        const ELEMENT light = heavy * (ELEMENT)(t->node[v].body_end - t->node[v].body_begin);
        me[5] = (ELEMENT)tolerance * (one > crude ? one : crude) * (me[4] > light ? light / me[4] : 1);
    }
}
