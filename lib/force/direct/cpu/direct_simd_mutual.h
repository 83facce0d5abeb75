/* direct_simd_mutual.h - forces of two blocks of bodies on each other, each pair computed once with Newton's third law.
 * Included by direct_simd_kernel.h, whose macros it uses.
 *
 * A packet is LANES bodies, one in each vector lane. Each packet of the first block is combined with each packet of the
 * second block. The two bodies in the same lane form a pair. Then the lanes of one packet are rotated by one, which
 * gives LANES new pairs. LANES rotations give all LANES^2 pairs. The code computes the pairs of ROTATIONS rotations at
 * the same time.
 *
 * In most models, all bodies of a block have the same mass. The sums are then computed without masses. At the
 * end, they are multiplied by the mass of a body of the other block. This saves two operations per pair of vectors. */

#define packet          NAME(packet)
#define block           NAME(mutual_block)
#define rotated         NAME(rotated)
#define PACKETS         (NB_MUTUAL_BLOCK / LANES)
#define ROTATIONS       (NB_ROTATIONS < LANES ? NB_ROTATIONS : LANES)
#define UNALIGNED(type) __attribute__((aligned(sizeof(type)), may_alias))
/* Rotates the lanes of v by k: lane l of the result is lane (l + k) mod LANES of v. In unrolled loops k is a constant,
 * and the compiler removes the comparisons in ROTATE. */
#define AHEAD(lane, k)  (((lane) + (k)) & (LANES - 1))
#define ROTATE_BY(v, k) SHUFFLE(v, v, INDICES(AHEAD, k))
#define ROTATE(v, k)    ((k) == 0 ? (v) : (k) == 1 ? ROTATE_BY(v, 1) : (k) == 2 ? ROTATE_BY(v, 2) : ROTATE_BY(v, 3))
#define ROTATE_BACK(v, k) \
    ((k) == 0 ? (v) : (k) == 1 ? ROTATE_BY(v, -1) : (k) == 2 ? ROTATE_BY(v, -2) : ROTATE_BY(v, -3))

typedef state_vec NAME(unaligned_state) UNALIGNED(STATE);
typedef sum_vec NAME(unaligned_sum) UNALIGNED(double);

struct packet { /* LANES bodies, and the sums of the forces on them */
    state_vec x, y, z;
    pair_vec m, ax, ay, az, phi;
};

struct block {
    uint64_t count; /* number of packets */
    bool equal;     /* whether all bodies have the same mass and the last packet is full */
    PAIR mass;      /* mass of the first body */
    struct packet packets[PACKETS];
};

struct rotated { /* ROTATIONS copies of a packet; copy u is rotated by u lanes */
    state_vec x[ROTATIONS], y[ROTATIONS], z[ROTATIONS];
    pair_vec m[ROTATIONS], ax[ROTATIONS], ay[ROTATIONS], az[ROTATIONS], phi[ROTATIONS];
};

INLINE void NAME(rotate)(struct rotated *t, const struct packet *c)
{
    UNROLL(4)
    for (int u = 0; u < ROTATIONS; u++) {
        t->x[u] = ROTATE(c->x, u);
        t->y[u] = ROTATE(c->y, u);
        t->z[u] = ROTATE(c->z, u);
        t->m[u] = ROTATE(c->m, u);
        t->ax[u] = t->ay[u] = t->az[u] = t->phi[u] = (pair_vec){0};
    }
}

INLINE void NAME(rotate_back)(struct packet *c, const struct rotated *t, unsigned want)
{
    UNROLL(4)
    for (int u = 0; u < ROTATIONS; u++) {
        if (want & NB_WANT_ACC) {
            c->ax += ROTATE_BACK(t->ax[u], u);
            c->ay += ROTATE_BACK(t->ay[u], u);
            c->az += ROTATE_BACK(t->az[u], u);
        }
        if (want & NB_WANT_PHI)
            c->phi += ROTATE_BACK(t->phi[u], u);
    }
}

/* Rotates the packet and its sums by ROTATIONS lanes; LANES / ROTATIONS calls restore the order. */
INLINE void NAME(rotate_further)(struct packet *c)
{
    c->x = ROTATE_BY(c->x, ROTATIONS);
    c->y = ROTATE_BY(c->y, ROTATIONS);
    c->z = ROTATE_BY(c->z, ROTATIONS);
    c->m = ROTATE_BY(c->m, ROTATIONS);
    c->ax = ROTATE_BY(c->ax, ROTATIONS);
    c->ay = ROTATE_BY(c->ay, ROTATIONS);
    c->az = ROTATE_BY(c->az, ROTATIONS);
    c->phi = ROTATE_BY(c->phi, ROTATIONS);
}

/* Computes w = r2^(-3/2) and, if want_phi is true, p = r2^(-1/2) for rotation u (weight.h). If there is a second
 * estimate of 1/sqrt (SECOND), odd rotations use it: alternating between two estimates is faster (vectors.h). The
 * blocks are the same for any number of threads, so a pair always uses the same estimate. */
INLINE void NAME(rotation_weight)(int u, pair_vec r2, pair_vec *w, pair_vec *p, bool want_phi)
{
    const pair_vec one = (pair_vec){0} + (PAIR)1;
#ifdef SECOND
    const pair_vec y = SECOND(r2);
    const bits_vec good = (bits_vec)((PAIR)1 - r2 * (y * y) < (PAIR)0x1p-9); /* false in a lane where y is wrong */
    if (u % 2 == 1 && __builtin_expect(bits_double(good) == (1u << LANES) - 1, true)) {
        NAME(weight_from)(y, SECOND_TERMS, r2, one, w, p, want_phi);
        return;
    }
#endif
    (void)u;
    const int terms = TERMS < MUTUAL_TERMS ? TERMS : MUTUAL_TERMS;
    /* If terms are omitted, w is too small by 1e-7 on average, so it is multiplied by `correction`. p has all its
     * terms, so it is divided by it. */
    const PAIR correction = (PAIR)(terms < TERMS ? 1 + 0x1p-23 : 1);
    NAME(weight_from)(NAME(estimate)(r2), terms, r2, one * correction, w, p, want_phi);
    *p *= 2 - correction;
}

/* Adds the forces between packet c and each rotation of packet t to the sums of both. If `equal` is true, computes the
 * forces without masses; add_block later multiplies the sums by the mass. */
INLINE void NAME(add_packet_pair)(struct rotated *t, struct packet *c, PAIR eps2, bool equal, unsigned want)
{
    pair_vec ax = c->ax, ay = c->ay, az = c->az, phi = {0};
    UNROLL(4)
    for (int u = 0; u < ROTATIONS; u++) {
        pair_vec dx = __builtin_convertvector(c->x - t->x[u], pair_vec);
        pair_vec dy = __builtin_convertvector(c->y - t->y[u], pair_vec);
        pair_vec dz = __builtin_convertvector(c->z - t->z[u], pair_vec);
        pair_vec r2 = dx * dx + (dy * dy + (dz * dz + eps2)), w, p = {0};
        NAME(rotation_weight)(u, r2, &w, &p, want & NB_WANT_PHI);
        const pair_vec to_rotated = equal ? w : w * c->m, to_packet = equal ? w : w * t->m[u];
        if (want & NB_WANT_ACC) {
            t->ax[u] += to_rotated * dx;
            t->ay[u] += to_rotated * dy;
            t->az[u] += to_rotated * dz;
            ax -= to_packet * dx;
            ay -= to_packet * dy;
            az -= to_packet * dz;
        }
        if (want & NB_WANT_PHI) {
            t->phi[u] -= equal ? p : p * c->m;
            phi -= equal ? p : p * t->m[u];
        }
    }
    c->ax = ax;
    c->ay = ay;
    c->az = az;
    if (want & NB_WANT_PHI)
        c->phi += phi;
}

INLINE void NAME(add_packets)(struct block *first, struct block *second, PAIR eps2, bool equal, unsigned want)
{
    for (uint64_t i = 0; i < first->count; i++)
        for (int k = 0; k < LANES; k += ROTATIONS) {
            struct rotated t;
            NAME(rotate)(&t, &first->packets[i]);
            for (uint64_t j = 0; j < second->count; j++)
                NAME(add_packet_pair)(&t, &second->packets[j], eps2, equal, want);
            NAME(rotate_back)(&first->packets[i], &t, want);
            NAME(rotate_further)(&first->packets[i]);
        }
}

INLINE void NAME(add_block_pair)(struct block *first, struct block *second, PAIR eps2, unsigned want)
{
    if (first->equal && second->equal)
        NAME(add_packets)(first, second, eps2, true, want);
    else
        NAME(add_packets)(first, second, eps2, false, want);
}

/* Loads bodies [i0, i1) as a block, with scaled positions and masses. The remaining lanes of the last packet repeat the
 * last body, with mass 0. */
static void NAME(gather)(struct block *b, const struct nb_sources *s, const struct nb_direct_scale *scale, uint64_t i0,
                         uint64_t i1)
{
    const STATE *m = s->m, *x = s->x, *y = x + s->stride, *z = y + s->stride;
    const STATE length = (STATE)scale->length, mass = (STATE)scale->mass;
    b->count = (i1 - i0 + LANES - 1) / LANES;
    b->mass = (PAIR)(m[i0] * mass);
    b->equal = (i1 - i0) % LANES == 0;
    for (uint64_t i = i0; i < i1; i++)
        b->equal &= m[i] == m[i0];
    for (uint64_t k = 0; k < b->count; k++) {
        const uint64_t i = i0 + k * LANES;
        struct packet *c = &b->packets[k];
        *c = (struct packet){0};
        if (i1 - i >= LANES) {
            c->x = *(const NAME(unaligned_state) *)(x + i) * length;
            c->y = *(const NAME(unaligned_state) *)(y + i) * length;
            c->z = *(const NAME(unaligned_state) *)(z + i) * length;
            c->m = __builtin_convertvector(*(const NAME(unaligned_state) *)(m + i) * mass, pair_vec);
            continue;
        }
        for (uint64_t lane = 0; lane < LANES; lane++) {
            const uint64_t from = i + lane < i1 ? i + lane : i1 - 1;
            c->x[lane] = x[from] * length;
            c->y[lane] = y[from] * length;
            c->z[lane] = z[from] * length;
            c->m[lane] = i + lane < i1 ? (PAIR)(m[from] * mass) : 0;
        }
    }
}

INLINE void NAME(add_vector)(double *sums, pair_vec v, double factor, uint64_t count)
{
    if (count >= LANES)
        *(NAME(unaligned_sum) *)sums += __builtin_convertvector(v, sum_vec) * factor;
    else
        for (uint64_t lane = 0; lane < count; lane++)
            sums[lane] += (double)v[lane] * factor;
}

/* Adds the sums in block b, multiplied by `mass`, to the sums of bodies [i0, i1), which the block contains. The sums in
 * b are the effect of a second block on these bodies. If they were computed without masses, `mass` is the scaled mass
 * that all bodies of the second block have. Otherwise `mass` is 1. */
static void NAME(add_block)(const struct nb_direct_sums *sums, const struct nb_direct_scale *scale,
                            const struct block *b, double mass, uint64_t i0, uint64_t i1)
{
    const double to_phi = scale->length / scale->mass * mass, to_a = to_phi * scale->length;
    for (uint64_t k = 0; k < b->count; k++) {
        const struct packet *c = &b->packets[k];
        const uint64_t i = i0 + k * LANES;
        if (sums->a[0]) {
            NAME(add_vector)(sums->a[0] + i, c->ax, to_a, i1 - i);
            NAME(add_vector)(sums->a[1] + i, c->ay, to_a, i1 - i);
            NAME(add_vector)(sums->a[2] + i, c->az, to_a, i1 - i);
        }
        if (sums->phi)
            NAME(add_vector)(sums->phi + i, c->phi, to_phi, i1 - i);
    }
}

/* Adds the forces among bodies [i0, i1) without Newton's third law: each body is a target, and all others are its
 * sources. */
static void NAME(add_self_pairs)(const struct nb_sources *s, const struct nb_direct_scale *scale,
                                 const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1)
{
    const double to_phi = scale->length / scale->mass, to_a = to_phi * scale->length;
    const uint64_t n = i1 - i0;
    STATE m[NB_MUTUAL_BLOCK], x[3 * NB_MUTUAL_BLOCK];
    const struct nb_sources sources = {
        .n = n, .stride = NB_MUTUAL_BLOCK, .m = m, .x = x, .G = 1, .softening = s->softening * scale->length};
    const struct nb_targets targets = {.n = n, .stride = NB_MUTUAL_BLOCK, .x = x};
    for (uint64_t i = 0; i < n; i++) {
        m[i] = ((const STATE *)s->m)[i0 + i] * (STATE)scale->mass;
        for (uint64_t k = 0; k < 3; k++)
            x[k * NB_MUTUAL_BLOCK + i] = ((const STATE *)s->x)[k * s->stride + i0 + i] * (STATE)scale->length;
    }
    for (uint64_t k = 0; k < n; k += WIDTH) {
        const uint64_t end = n - k < WIDTH ? n : k + WIDTH;
        struct sums sum;
        NAME(sum_some)(&sources, &targets, sums->a[0], sums->phi, k, end, NB_VECTORS, &sum);
        for (uint64_t i = k; i < end; i++) {
            if (sums->a[0]) {
                sums->a[0][i0 + i] += sum.ax.lane[i - k] * to_a;
                sums->a[1][i0 + i] += sum.ay.lane[i - k] * to_a;
                sums->a[2][i0 + i] += sum.az.lane[i - k] * to_a;
            }
            if (sums->phi)
                sums->phi[i0 + i] += sum.phi.lane[i - k] * to_phi;
        }
    }
}

static void NAME(block_pair)(const struct nb_sources *s, const struct nb_direct_scale *scale,
                             const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1, uint64_t j0, uint64_t j1)
{
    const double eps = s->softening * scale->length;
    struct block first, second;
    if (i0 == j0) {
        NAME(add_self_pairs)(s, scale, sums, i0, i1);
        return;
    }
    NAME(gather)(&first, s, scale, i0, i1);
    NAME(gather)(&second, s, scale, j0, j1);
    if (sums->phi && sums->a[0])
        NAME(add_block_pair)(&first, &second, (PAIR)(eps * eps), NB_WANT_ACC | NB_WANT_PHI);
    else if (sums->phi)
        NAME(add_block_pair)(&first, &second, (PAIR)(eps * eps), NB_WANT_PHI);
    else
        NAME(add_block_pair)(&first, &second, (PAIR)(eps * eps), NB_WANT_ACC);
    const bool equal = first.equal && second.equal;
    NAME(add_block)(sums, scale, &first, equal ? (double)second.mass : 1, i0, i1);
    NAME(add_block)(sums, scale, &second, equal ? (double)first.mass : 1, j0, j1);
}

#undef packet
#undef block
#undef rotated
#undef PACKETS
#undef ROTATIONS
#undef UNALIGNED
#undef AHEAD
#undef ROTATE_BY
#undef ROTATE
#undef ROTATE_BACK
