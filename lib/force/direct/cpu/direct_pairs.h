/* direct_pairs.h - the direct sum with all derivatives for one precision, in loops over LANES targets that the compiler
 * makes vectors of. Include simd/vectors.h, define PRECISION, STATE, REAL (of the pairs and sums), RSQRT and LANES,
 * then include; no guard, since each precision includes it. */

static inline void NAME(put)(void *row, bool add, uint64_t i, REAL value)
{
    STATE *to = row;
    if (to)
        to[i] = (STATE)((add ? to[i] : 0) + value);
}

/* Rows of vectors, of targets [i0, i0 + LANES); those beyond the end repeat the last one. */
static inline void NAME(load)(const STATE *rows, const struct nb_targets *t, uint64_t i0, REAL to[3][LANES])
{
    for (uint64_t l = 0; l < LANES; l++) {
        const uint64_t i = i0 + l < t->n ? i0 + l : t->n - 1;
        for (uint64_t k = 0; k < 3; k++)
            to[k][l] = rows[k * t->stride + (t->index ? t->index[i] : i)];
    }
}

/* Targets [i0, i0 + LANES); `derivatives` of the acceleration: 0, 1 (jerk), 2 (snap too). */
INLINE void NAME(group)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out, uint64_t i0,
                        const int derivatives)
{
    const bool with_jerk = derivatives > 0, with_snap = derivatives > 1;
    const STATE *restrict xs = s->x, *restrict vs = s->v, *restrict as = s->a, *restrict m = s->m;
    const uint64_t y = s->stride, z = 2 * s->stride;
    const REAL eps2 = (REAL)s->softening * (REAL)s->softening;
    REAL x[3][LANES], v[3][LANES] = {{0}}, b[3][LANES] = {{0}}; /* b: the accelerations given */
    REAL a[3][LANES] = {{0}}, jerk[3][LANES] = {{0}}, snap[3][LANES] = {{0}}, phi[LANES] = {0};
    int64_t own[LANES];
    for (uint64_t l = 0; l < LANES; l++) {
        const uint64_t i = i0 + l < t->n ? i0 + l : t->n - 1;
        own[l] = t->index ? (int64_t)t->index[i] : t->self < 0 ? -1 : t->self + (int64_t)i;
    }
    NAME(load)(t->x, t, i0, x);
    if (with_jerk)
        NAME(load)(t->v, t, i0, v);
    if (with_snap)
        NAME(load)(t->a, t, i0, b);
    for (uint64_t j = 0; j < s->n; j++) {
        const REAL xj = xs[j], yj = xs[j + y], zj = xs[j + z], mj = m[j];
        const REAL uj = with_jerk ? vs[j] : 0, vj = with_jerk ? vs[j + y] : 0, wj = with_jerk ? vs[j + z] : 0;
        const REAL aj = with_snap ? as[j] : 0, bj = with_snap ? as[j + y] : 0, cj = with_snap ? as[j + z] : 0;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            const REAL dx = xj - x[0][l], dy = yj - x[1][l], dz = zj - x[2][l];
            const REAL rinv = RSQRT(dx * dx + dy * dy + dz * dz + eps2);
            const REAL p = own[l] == (int64_t)j ? 0 : mj * rinv, rinv2 = own[l] == (int64_t)j ? 0 : rinv * rinv,
                       weight = p * rinv2;
            phi[l] -= p;
            a[0][l] += weight * dx, a[1][l] += weight * dy, a[2][l] += weight * dz;
            if (with_jerk) {
                const REAL du = uj - v[0][l], dv = vj - v[1][l], dw = wj - v[2][l];
                const REAL closing = 3 * (dx * du + dy * dv + dz * dw) * rinv2;
                const REAL ju = du - closing * dx, jv = dv - closing * dy, jw = dw - closing * dz;
                jerk[0][l] += weight * ju, jerk[1][l] += weight * jv, jerk[2][l] += weight * jw;
                if (with_snap) {
                    const REAL da = aj - b[0][l], db = bj - b[1][l], dc = cj - b[2][l];
                    const REAL bend =
                        3 * (du * du + dv * dv + dw * dw + dx * da + dy * db + dz * dc) * rinv2 + closing * closing / 3;
                    snap[0][l] += weight * (da - 2 * closing * ju - bend * dx);
                    snap[1][l] += weight * (db - 2 * closing * jv - bend * dy);
                    snap[2][l] += weight * (dc - 2 * closing * jw - bend * dz);
                }
            }
        }
    }
    for (uint64_t l = 0; l < LANES && i0 + l < t->n; l++) {
        for (uint64_t k = 0; k < 3; k++) {
            NAME(put)(out->a, out->add, k * out->stride + i0 + l, s->G * a[k][l]);
            NAME(put)(out->jerk, out->add, k * out->stride + i0 + l, s->G * jerk[k][l]);
            NAME(put)(out->snap, out->add, k * out->stride + i0 + l, s->G * snap[k][l]);
        }
        NAME(put)(out->phi, out->add, i0 + l, s->G * phi[l]);
    }
}

static void NAME(field)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
#pragma omp parallel for schedule(dynamic) if (s->n * t->n * sizeof(REAL) > NB_DIRECT_PARALLEL_BYTES)
    for (uint64_t i = 0; i < t->n; i += LANES)
        if (out->snap)
            NAME(group)(s, t, out, i, 2);
        else if (out->jerk)
            NAME(group)(s, t, out, i, 1);
        else
            NAME(group)(s, t, out, i, 0);
}

#undef STATE
#undef REAL
#undef RSQRT
#undef LANES
#undef PRECISION
