/* direct_plain_type.h - the direct sum in plain C for one type of state. Define STATE, REAL (of the pairs and sums),
 * RSQRT, LANES (targets side by side) and NAME, then include; no guard, since each type includes it. */

static inline void PASTE(put, NAME)(void *row, bool add, uint64_t i, REAL value)
{
    STATE *to = row;
    if (to)
        to[i] = (STATE)((add ? to[i] : 0) + value);
}

/* Targets [i0, i0 + LANES); those beyond the end repeat the last one and are not stored. */
static inline __attribute__((always_inline)) void PASTE(group, NAME)(const struct nb_sources *s,
                                                                     const struct nb_targets *t,
                                                                     const struct nb_field *out, uint64_t i0,
                                                                     const bool with_jerk)
{
    const STATE *restrict xs = s->x, *restrict vs = s->v, *restrict m = s->m, *xt = t->x, *vt = t->v;
    const REAL eps2 = (REAL)s->softening * (REAL)s->softening;
    REAL x[3][LANES], v[3][LANES], a[3][LANES] = {{0}}, jerk[3][LANES] = {{0}}, phi[LANES] = {0};
    int64_t own[LANES];
    for (uint64_t l = 0; l < LANES; l++) {
        const uint64_t i = i0 + l < t->n ? i0 + l : t->n - 1;
        const uint64_t at = t->index ? t->index[i] : i;
        own[l] = t->index ? (int64_t)at : t->self < 0 ? -1 : t->self + (int64_t)i;
        for (uint64_t k = 0; k < 3; k++) {
            x[k][l] = xt[k * t->stride + at];
            v[k][l] = with_jerk ? vt[k * t->stride + at] : 0;
        }
    }
    for (uint64_t j = 0; j < s->n; j++) {
        const REAL xj = xs[j], yj = xs[j + s->stride], zj = xs[j + 2 * s->stride], mj = m[j];
        const REAL uj = with_jerk ? vs[j] : 0, vj = with_jerk ? vs[j + s->stride] : 0,
                   wj = with_jerk ? vs[j + 2 * s->stride] : 0;
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
                jerk[0][l] += weight * (du - closing * dx);
                jerk[1][l] += weight * (dv - closing * dy);
                jerk[2][l] += weight * (dw - closing * dz);
            }
        }
    }
    for (uint64_t l = 0; l < LANES && i0 + l < t->n; l++) {
        for (uint64_t k = 0; k < 3; k++) {
            PASTE(put, NAME)(out->a, out->add, k * out->stride + i0 + l, s->G * a[k][l]);
            PASTE(put, NAME)(out->jerk, out->add, k * out->stride + i0 + l, s->G * jerk[k][l]);
        }
        PASTE(put, NAME)(out->phi, out->add, i0 + l, s->G * phi[l]);
    }
}

static void PASTE(field, NAME)(const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out)
{
#pragma omp parallel for schedule(dynamic) if (s->n * t->n * sizeof(REAL) > PARALLEL_BYTES)
    for (uint64_t i = 0; i < t->n; i += LANES)
        if (out->jerk)
            PASTE(group, NAME)(s, t, out, i, true);
        else
            PASTE(group, NAME)(s, t, out, i, false);
}

#undef STATE
#undef REAL
#undef RSQRT
#undef LANES
#undef NAME
