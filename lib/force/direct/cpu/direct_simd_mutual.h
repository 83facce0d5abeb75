/* Two blocks of bodies that act on each other, each pair computed once: what one does to the other is, but for the
 * masses, what the other does to it. Part of direct_simd_kernel.h, with the same parameters.
 *
 * LANES bodies of the first block, a cell, meet every cell of the second lane by lane. Turned by one lane they meet it
 * again, until each has met each; NB_TURNS turns are in flight. */

#define cell        NAME(cell)
#define block       NAME(mutual_block)
#define turned      NAME(turned)
#define CELLS       (NB_MUTUAL_BLOCK / LANES)
#define TURNS       (NB_TURNS < LANES ? NB_TURNS : LANES)
#define LOOSE(type) __attribute__((aligned(sizeof(type)), may_alias))
/* Lane l of the result is lane l + k of v. Of TURN the compiler keeps one case, for k is known in a loop that it has
 * unrolled. */
#define BEHIND(lane, k) (((lane) + (k)) & (LANES - 1))
#define TURN_BY(v, k)   SHUFFLE(v, v, INDICES(BEHIND, k))
#define TURN(v, k)      ((k) == 0 ? (v) : (k) == 1 ? TURN_BY(v, 1) : (k) == 2 ? TURN_BY(v, 2) : TURN_BY(v, 3))
#define TURN_BACK(v, k) ((k) == 0 ? (v) : (k) == 1 ? TURN_BY(v, -1) : (k) == 2 ? TURN_BY(v, -2) : TURN_BY(v, -3))

typedef state_vec NAME(loose_state) LOOSE(STATE);
typedef sum_vec NAME(loose_sum) LOOSE(double);

struct cell { /* LANES bodies and what was done to them */
    state_vec x, y, z;
    pair_vec m, ax, ay, az, phi;
};

struct block {
    uint64_t count; /* of its cells */
    struct cell cells[CELLS];
};

struct turned { /* a cell in TURNS positions */
    state_vec x[TURNS], y[TURNS], z[TURNS];
    pair_vec m[TURNS], ax[TURNS], ay[TURNS], az[TURNS], phi[TURNS];
};

INLINE void NAME(turn)(struct turned *t, const struct cell *c)
{
    UNROLL(4)
    for (int u = 0; u < TURNS; u++) {
        t->x[u] = TURN(c->x, u);
        t->y[u] = TURN(c->y, u);
        t->z[u] = TURN(c->z, u);
        t->m[u] = TURN(c->m, u);
        t->ax[u] = t->ay[u] = t->az[u] = t->phi[u] = (pair_vec){0};
    }
}

INLINE void NAME(turn_back)(struct cell *c, const struct turned *t, bool want_phi)
{
    UNROLL(4)
    for (int u = 0; u < TURNS; u++) {
        c->ax += TURN_BACK(t->ax[u], u);
        c->ay += TURN_BACK(t->ay[u], u);
        c->az += TURN_BACK(t->az[u], u);
        if (want_phi)
            c->phi += TURN_BACK(t->phi[u], u);
    }
}

/* To the next TURNS positions, with its sums; after LANES / TURNS times it is where it was. */
INLINE void NAME(turn_on)(struct cell *c)
{
    c->x = TURN_BY(c->x, TURNS);
    c->y = TURN_BY(c->y, TURNS);
    c->z = TURN_BY(c->z, TURNS);
    c->m = TURN_BY(c->m, TURNS);
    c->ax = TURN_BY(c->ax, TURNS);
    c->ay = TURN_BY(c->ay, TURNS);
    c->az = TURN_BY(c->az, TURNS);
    c->phi = TURN_BY(c->phi, TURNS);
}

INLINE void NAME(meet_cell)(struct turned *t, struct cell *c, PAIR eps2, bool want_phi)
{
    const pair_vec one = (pair_vec){0} + (PAIR)1;
    pair_vec ax = c->ax, ay = c->ay, az = c->az, phi = {0};
    UNROLL(4)
    for (int u = 0; u < TURNS; u++) {
        pair_vec dx = __builtin_convertvector(c->x - t->x[u], pair_vec);
        pair_vec dy = __builtin_convertvector(c->y - t->y[u], pair_vec);
        pair_vec dz = __builtin_convertvector(c->z - t->z[u], pair_vec);
        pair_vec r2 = dx * dx + (dy * dy + (dz * dz + eps2)), w, p = {0};
        NAME(pair_weight)(r2, one, &w, &p, want_phi);
        const pair_vec to_turned = w * c->m, to_cell = w * t->m[u];
        t->ax[u] += to_turned * dx;
        t->ay[u] += to_turned * dy;
        t->az[u] += to_turned * dz;
        ax -= to_cell * dx;
        ay -= to_cell * dy;
        az -= to_cell * dz;
        if (want_phi) {
            t->phi[u] -= p * c->m;
            phi -= p * t->m[u];
        }
    }
    c->ax = ax;
    c->ay = ay;
    c->az = az;
    if (want_phi)
        c->phi += phi;
}

INLINE void NAME(meet_blocks)(struct block *first, struct block *second, PAIR eps2, bool want_phi)
{
    for (uint64_t i = 0; i < first->count; i++)
        for (int k = 0; k < LANES; k += TURNS) {
            struct turned t;
            NAME(turn)(&t, &first->cells[i]);
            for (uint64_t j = 0; j < second->count; j++)
                NAME(meet_cell)(&t, &second->cells[j], eps2, want_phi);
            NAME(turn_back)(&first->cells[i], &t, want_phi);
            NAME(turn_on)(&first->cells[i]);
        }
}

/* Bodies [i0, i1) as a block, to scale. Lanes that are left over repeat the last body without its mass. */
static void NAME(gather)(struct block *b, const struct nb_sources *s, const struct nb_direct_scale *scale, uint64_t i0,
                         uint64_t i1)
{
    const STATE *m = s->m, *x = s->x, *y = x + s->stride, *z = y + s->stride;
    const STATE length = (STATE)scale->length, mass = (STATE)scale->mass;
    b->count = (i1 - i0 + LANES - 1) / LANES;
    for (uint64_t k = 0; k < b->count; k++) {
        const uint64_t i = i0 + k * LANES;
        struct cell *c = &b->cells[k];
        *c = (struct cell){0};
        if (i1 - i >= LANES) {
            c->x = *(const NAME(loose_state) *)(x + i) * length;
            c->y = *(const NAME(loose_state) *)(y + i) * length;
            c->z = *(const NAME(loose_state) *)(z + i) * length;
            c->m = __builtin_convertvector(*(const NAME(loose_state) *)(m + i) * mass, pair_vec);
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
        *(NAME(loose_sum) *)sums += __builtin_convertvector(v, sum_vec) * factor;
    else
        for (uint64_t lane = 0; lane < count; lane++)
            sums[lane] += (double)v[lane] * factor;
}

static void NAME(add_block)(const struct nb_direct_sums *sums, const struct nb_direct_scale *scale,
                            const struct block *b, uint64_t i0, uint64_t i1)
{
    const double to_phi = scale->length / scale->mass, to_a = to_phi * scale->length;
    for (uint64_t k = 0; k < b->count; k++) {
        const struct cell *c = &b->cells[k];
        const uint64_t i = i0 + k * LANES;
        NAME(add_vector)(sums->a[0] + i, c->ax, to_a, i1 - i);
        NAME(add_vector)(sums->a[1] + i, c->ay, to_a, i1 - i);
        NAME(add_vector)(sums->a[2] + i, c->az, to_a, i1 - i);
        if (sums->phi)
            NAME(add_vector)(sums->phi + i, c->phi, to_phi, i1 - i);
    }
}

/* Bodies [i0, i1) among themselves, each as a target of all. */
static void NAME(meet_self)(const struct nb_sources *s, const struct nb_direct_scale *scale,
                            const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1)
{
    const double to_phi = scale->length / scale->mass, to_a = to_phi * scale->length;
    const uint64_t n = i1 - i0;
    STATE m[NB_MUTUAL_BLOCK], x[3 * NB_MUTUAL_BLOCK];
    const struct nb_sources sources = {n, NB_MUTUAL_BLOCK, m, x, 1, s->softening * scale->length, NULL};
    const struct nb_targets targets = {.n = n, .stride = NB_MUTUAL_BLOCK, .x = x};
    for (uint64_t i = 0; i < n; i++) {
        m[i] = ((const STATE *)s->m)[i0 + i] * (STATE)scale->mass;
        for (uint64_t k = 0; k < 3; k++)
            x[k * NB_MUTUAL_BLOCK + i] = ((const STATE *)s->x)[k * s->stride + i0 + i] * (STATE)scale->length;
    }
    for (uint64_t k = 0; k < n; k += WIDTH) {
        const uint64_t end = n - k < WIDTH ? n : k + WIDTH;
        struct group g;
        struct sums sum = {0};
        NAME(load)(&g, &targets, k, end);
        if (sums->phi)
            NAME(all)(&sources, &g, &sum, true);
        else
            NAME(all)(&sources, &g, &sum, false);
        for (uint64_t i = k; i < end; i++) {
            sums->a[0][i0 + i] += sum.ax.lane[i - k] * to_a;
            sums->a[1][i0 + i] += sum.ay.lane[i - k] * to_a;
            sums->a[2][i0 + i] += sum.az.lane[i - k] * to_a;
            if (sums->phi)
                sums->phi[i0 + i] += sum.phi.lane[i - k] * to_phi;
        }
    }
}

static void NAME(meet)(const struct nb_sources *s, const struct nb_direct_scale *scale,
                       const struct nb_direct_sums *sums, uint64_t i0, uint64_t i1, uint64_t j0, uint64_t j1)
{
    const double eps = s->softening * scale->length;
    struct block first, second;
    if (i0 == j0) {
        NAME(meet_self)(s, scale, sums, i0, i1);
        return;
    }
    NAME(gather)(&first, s, scale, i0, i1);
    NAME(gather)(&second, s, scale, j0, j1);
    if (sums->phi)
        NAME(meet_blocks)(&first, &second, (PAIR)(eps * eps), true);
    else
        NAME(meet_blocks)(&first, &second, (PAIR)(eps * eps), false);
    NAME(add_block)(sums, scale, &first, i0, i1);
    NAME(add_block)(sums, scale, &second, j0, j1);
}

#undef cell
#undef block
#undef turned
#undef CELLS
#undef TURNS
#undef LOOSE
#undef BEHIND
#undef TURN_BY
#undef TURN
#undef TURN_BACK
