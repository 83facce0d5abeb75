/* direct_pairs.h - direct summation of accelerations, jerks and snaps, in loops that the compiler vectorises. Included
 * once for each precision, after simd/vectors.h. The including file defines these macros:
 *
 *   PRECISION       name of the precision
 *   STATE           type of positions and results
 *   REAL            type of the numbers in the computation of pairs and sums
 *   RSQRT           function for 1/sqrt
 *   LANES           number of targets in a vector
 *   PARALLEL_PAIRS  maximum number of pairs for a single thread */

static inline void NAME(put)(void *row, bool add, uint64_t i, REAL value)
{
    STATE *to = row;
    if (to)
        to[i] = (STATE)((add ? to[i] : 0) + value);
}

/* Copies the vectors of targets [i0, i0 + LANES) from `rows` (positions, velocities or accelerations) to `to`. Lanes
 * after the last target repeat the last target. */
static inline void NAME(load)(const STATE *rows, const struct nb_targets *t, uint64_t i0, REAL to[3][LANES])
{
    for (uint64_t l = 0; l < LANES; l++) {
        const uint64_t i = i0 + l < t->n ? i0 + l : t->n - 1;
        for (uint64_t k = 0; k < 3; k++)
            to[k][l] = rows[k * t->stride + (t->index ? t->index[i] : i)];
    }
}

struct NAME(triple) {
    REAL x, y, z;
};

/* Returns the vector of body i (its position, velocity or acceleration). */
INLINE struct NAME(triple) NAME(at)(const STATE *restrict rows, uint64_t stride, uint64_t i)
{
    return (struct NAME(triple)){rows[i], rows[i + stride], rows[i + 2 * stride]};
}

struct NAME(pull) { /* acceleration, its time derivatives, and potential of a target, without G */
    struct NAME(triple) a, jerk, snap;
    REAL phi;
};

/* Returns the contribution of a source of mass m to a target. d, w and b: position, velocity and acceleration of the
 * source relative to the target. */
INLINE struct NAME(pull) NAME(pair)(REAL m, bool is_self, REAL eps2, struct NAME(triple) d, struct NAME(triple) w,
                                    struct NAME(triple) b, const int derivatives)
{
    const REAL rinv = RSQRT(d.x * d.x + d.y * d.y + d.z * d.z + eps2);
    const REAL p = is_self ? 0 : m * rinv, rinv2 = is_self ? 0 : rinv * rinv, weight = p * rinv2;
    struct NAME(pull) q = {.a = {weight * d.x, weight * d.y, weight * d.z}, .phi = -p};
    if (derivatives > 0) {
        const REAL closing = 3 * (d.x * w.x + d.y * w.y + d.z * w.z) * rinv2;
        const struct NAME(triple) j = {w.x - closing * d.x, w.y - closing * d.y, w.z - closing * d.z};
        q.jerk = (struct NAME(triple)){weight * j.x, weight * j.y, weight * j.z};
        if (derivatives > 1) {
            const REAL bend = 3 * (w.x * w.x + w.y * w.y + w.z * w.z + d.x * b.x + d.y * b.y + d.z * b.z) * rinv2 +
                              closing * closing / 3;
            q.snap.x = weight * (b.x - 2 * closing * j.x - bend * d.x);
            q.snap.y = weight * (b.y - 2 * closing * j.y - bend * d.y);
            q.snap.z = weight * (b.z - 2 * closing * j.z - bend * d.z);
        }
    }
    return q;
}

/* Writes G times *q, the results for target i, to the rows of `out`. If out->add is true, adds the results to these
 * rows. */
static inline void NAME(finish)(const struct nb_field *out, const struct NAME(pull) * q, REAL G, uint64_t i)
{
    const struct NAME(triple) *const from[] = {&q->a, &q->jerk, &q->snap};
    void *const to[] = {out->a, out->jerk, out->snap};
    for (int k = 0; k < 3; k++) {
        NAME(put)(to[k], out->add, i, G * from[k]->x);
        NAME(put)(to[k], out->add, i + out->stride, G * from[k]->y);
        NAME(put)(to[k], out->add, i + 2 * out->stride, G * from[k]->z);
    }
    NAME(put)(out->phi, out->add, i, G * q->phi);
}

/* Returns the index of target i among the sources, or -1 if it is not a source. */
static inline int64_t NAME(own)(const struct nb_targets *t, uint64_t i)
{
    return t->index ? (int64_t)t->index[i] : t->self < 0 ? -1 : t->self + (int64_t)i;
}

/* Computes the results of targets [i0, i0 + LANES), one target per lane. derivatives: 0 (none), 1 (jerk), 2 (jerk and
 * snap). */
INLINE void NAME(group)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out, uint64_t i0,
                        const int derivatives)
{
    const STATE *restrict xs = s->x, *restrict vs = s->v, *restrict as = s->a, *restrict m = s->m;
    const REAL eps2 = (REAL)s->softening * (REAL)s->softening;
    const struct NAME(triple) none = {0, 0, 0};
    REAL x[3][LANES], v[3][LANES] = {{0}}, b[3][LANES] = {{0}}; /* position, velocity and acceleration (t->a) of each
                                                                   target */
    REAL a[3][LANES] = {{0}}, jerk[3][LANES] = {{0}}, snap[3][LANES] = {{0}}, phi[LANES] = {0};
    int64_t own[LANES];
    for (uint64_t l = 0; l < LANES; l++)
        own[l] = NAME(own)(t, i0 + l < t->n ? i0 + l : t->n - 1);
    NAME(load)(t->x, t, i0, x);
    if (derivatives > 0)
        NAME(load)(t->v, t, i0, v);
    if (derivatives > 1)
        NAME(load)(t->a, t, i0, b);
    for (uint64_t j = 0; j < s->n; j++) {
        const REAL mj = m[j];
        const struct NAME(triple) from = NAME(at)(xs, s->stride, j);
        const struct NAME(triple) speed = derivatives > 0 ? NAME(at)(vs, s->stride, j) : none;
        const struct NAME(triple) bent = derivatives > 1 ? NAME(at)(as, s->stride, j) : none;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            const struct NAME(triple) d = {from.x - x[0][l], from.y - x[1][l], from.z - x[2][l]};
            const struct NAME(triple) w = {speed.x - v[0][l], speed.y - v[1][l], speed.z - v[2][l]};
            const struct NAME(triple) c = {bent.x - b[0][l], bent.y - b[1][l], bent.z - b[2][l]};
            const struct NAME(pull) q = NAME(pair)(mj, own[l] == (int64_t)j, eps2, d, w, c, derivatives);
            a[0][l] += q.a.x, a[1][l] += q.a.y, a[2][l] += q.a.z;
            jerk[0][l] += q.jerk.x, jerk[1][l] += q.jerk.y, jerk[2][l] += q.jerk.z;
            snap[0][l] += q.snap.x, snap[1][l] += q.snap.y, snap[2][l] += q.snap.z;
            phi[l] += q.phi;
        }
    }
    for (uint64_t l = 0; l < LANES && i0 + l < t->n; l++) {
        const struct NAME(pull) sum = {{a[0][l], a[1][l], a[2][l]},
                                       {jerk[0][l], jerk[1][l], jerk[2][l]},
                                       {snap[0][l], snap[1][l], snap[2][l]},
                                       phi[l]};
        NAME(finish)(out, &sum, s->G, i0 + l);
    }
}

/* Computes the results of target i. The vector lanes process different sources. */
INLINE void NAME(single)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out, uint64_t i,
                         const int derivatives)
{
    const STATE *restrict xs = s->x, *restrict vs = s->v, *restrict as = s->a, *restrict m = s->m;
    const REAL eps2 = (REAL)s->softening * (REAL)s->softening;
    const int64_t own = NAME(own)(t, i), n = (int64_t)s->n;
    const uint64_t from = t->index ? t->index[i] : i, stride = s->stride;
    const struct NAME(triple) none = {0, 0, 0}, x = NAME(at)(t->x, t->stride, from);
    const struct NAME(triple) v = derivatives > 0 ? NAME(at)(t->v, t->stride, from) : none;
    const struct NAME(triple) b = derivatives > 1 ? NAME(at)(t->a, t->stride, from) : none;
    REAL ax = 0, ay = 0, az = 0, jx = 0, jy = 0, jz = 0, sx = 0, sy = 0, sz = 0, phi = 0;
#pragma omp simd reduction(+ : ax, ay, az, jx, jy, jz, sx, sy, sz, phi)
    for (int64_t j = 0; j < n; j++) {
        const struct NAME(triple) d = {xs[j] - x.x, xs[j + stride] - x.y, xs[j + 2 * stride] - x.z};
        struct NAME(triple) w = none, c = none;
        if (derivatives > 0)
            w.x = vs[j] - v.x, w.y = vs[j + stride] - v.y, w.z = vs[j + 2 * stride] - v.z;
        if (derivatives > 1)
            c.x = as[j] - b.x, c.y = as[j + stride] - b.y, c.z = as[j + 2 * stride] - b.z;
        const struct NAME(pull) q = NAME(pair)(m[j], own == j, eps2, d, w, c, derivatives);
        ax += q.a.x, ay += q.a.y, az += q.a.z;
        jx += q.jerk.x, jy += q.jerk.y, jz += q.jerk.z;
        sx += q.snap.x, sy += q.snap.y, sz += q.snap.z;
        phi += q.phi;
    }
    NAME(finish)(out, &(struct NAME(pull)){{ax, ay, az}, {jx, jy, jz}, {sx, sy, sz}, phi}, s->G, i);
}

INLINE void NAME(task)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out, uint64_t i,
                       const int derivatives)
{
    if (t->n < LANES)
        NAME(single)(s, t, out, i, derivatives);
    else
        NAME(group)(s, t, out, i, derivatives);
}

/* Computes the results of all targets, LANES targets at a time. If there are fewer targets than LANES, computes them
 * one by one. */
static void NAME(field)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
    const uint64_t step = t->n < LANES ? 1 : LANES;
#pragma omp parallel for schedule(dynamic) if (s->n * t->n > PARALLEL_PAIRS)
    for (uint64_t i = 0; i < t->n; i += step)
        if (out->snap)
            NAME(task)(s, t, out, i, 2);
        else if (out->jerk)
            NAME(task)(s, t, out, i, 1);
        else
            NAME(task)(s, t, out, i, 0);
}

#undef STATE
#undef REAL
#undef RSQRT
#undef LANES
#undef PARALLEL_PAIRS
#undef PRECISION
