/* whfast_simd.c - the kernels of whfast.h for one instruction set, selected by the compiler's flags. Each lane of a
 * vector holds one planet. */
#include "step/whfast.h"

#include "simd/vectors.h"
#include "step/kepler.h"

#define SET       PASTE(nb_whfast_, SET_WORD)
#define PRECISION double
#define PAIR      double
#define pair_vec  vec
#define LANES     LANES_double
#define TERMS     TERMS_double
#define ESTIMATE  estimate_double

typedef VECTOR(double, LANES) vec __attribute__((may_alias)); /* may_alias, because rows of double are read and written
                                                                 as vectors */
typedef VECTOR(int64_t, LANES) mask_vec;

#include "simd/weight.h"

#define ALL_LANES ((1u << LANES) - 1)

INLINE vec load(const double *row, uint64_t i)
{
    return *(const vec *)(row + i);
}

INLINE void store(double *row, uint64_t i, vec x)
{
    *(vec *)(row + i) = x;
}

INLINE vec fill(double x)
{
    return (vec){0} + x;
}

INLINE vec magnitude(vec x)
{
    return (vec)((mask_vec)x & INT64_MAX);
}

/* Returns 1/sqrt(x) to double precision. */
INLINE vec inverse_root(vec x)
{
    const vec y = estimate_double(x);
    if (TERMS_double == 0)
        return y;
    const vec e = 1 - x * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * (0.3125 + e * 0.2734375)));
}

/* ---- Kepler motion ---- */

#define Z_MOST 1 /* maximum |z| for the series of c_2(z) and c_3(z), which are defined in kepler.h */

/* The rounding errors of 1/6 and 1/120: (exact value) - (value in double precision). Without these corrections, G_3
 * (kepler.h) would be too small in every step, and the energy would drift. */
#define REST_6   0x1.5555555555555p-57
#define REST_120 0x1.1111111111111p-63

struct universal { /* G_0 to G_3 (kepler.h) */
    vec g0, g1, g2, g3;
};

INLINE struct universal universal_at(vec beta, vec x)
{
    const vec x2 = x * x, z = beta * x2;
    const vec z2 = z * z; /* most terms below are added in pairs, with z2, so that more operations run in parallel */
    vec c2 = (1.0 / 87178291200 - z * (1.0 / 20922789888000)) + z2 * (1.0 / 6402373705728000),
        c3 = (1.0 / 1307674368000 - z * (1.0 / 355687428096000)) + z2 * (1.0 / 121645100408832000); /* coefficients
                                                                                                       1/14! to 1/19! */
    c2 = (1.0 / 3628800 - z * (1.0 / 479001600)) + z2 * c2, c3 = (1.0 / 39916800 - z * (1.0 / 6227020800)) + z2 * c3;
    c2 = (1.0 / 720 - z * (1.0 / 40320)) + z2 * c2, c3 = (1.0 / 5040 - z * (1.0 / 362880)) + z2 * c3;
    c2 = 1.0 / 24 + (REST_6 / 4 - z * c2), c3 = 1.0 / 120 + (REST_120 - z * c3);
    c2 = 1.0 / 2 - z * c2, c3 = 1.0 / 6 + (REST_6 - z * c3);
    struct universal g = {.g2 = x2 * c2, .g3 = x2 * x * c3};
    g.g0 = 1 - beta * g.g2;
    g.g1 = x - beta * g.g3;
    return g;
}

/* For an orbit about a body with G * mass = mu, where x is the position and v the velocity:
 * r = |x|, rinv = 1 / r, eta = x . v, zeta = mu - beta r, beta = 2 mu / r - v^2 */
struct orbits {
    vec r, rinv, eta, zeta, beta;
};

/* Solves Kepler's equation for the unknown X (kepler.h) in all lanes by iterations of fourth order (Danby 1987, Celest.
 * Mech. 40, 303). The first estimate of X is a series in h. The last iteration changes X, so *g is then computed again
 * for the final, rounded X. A correction of the old *g by a series would have a systematic error. Returns a mask of the
 * lanes without a solution: their planets have a long step or pass close to the central body. */
INLINE unsigned solve(const struct orbits *o, double h, struct universal *g)
{
    const vec t = h * o->rinv, a2 = -0.5 * o->eta * o->rinv;
    vec x = t * (1 + t * (a2 - t * o->rinv * (o->eta * a2 + o->zeta * (1.0 / 6))));
    unsigned solved = 0;
    for (int k = 0; k < 5 && solved != ALL_LANES; k++) {
        *g = universal_at(o->beta, x);
        const vec f = o->r * x + (o->eta * g->g2 + (o->zeta * g->g3 - h)), f1 = o->r + o->eta * g->g1 + o->zeta * g->g2;
        const vec f2 = o->eta * g->g0 + o->zeta * g->g1, f3 = o->zeta * g->g0 - o->beta * o->eta * g->g1;
        const vec inverse = 1 / f1, s = f * inverse, b = 0.5 * f2 * inverse, c = (1.0 / 6) * f3 * inverse;
        const vec d = -s * (1 + s * (b + s * (2 * b * b - c)));
        const mask_vec good = (magnitude(d) <= 1e-5 * magnitude(x)) & (magnitude(o->beta * x * x) <= Z_MOST);
        solved = bits_double((bits_vec)good);
        x += d;
    }
    *g = universal_at(o->beta, x);
    return ALL_LANES & ~solved;
}

struct body { /* position and velocity relative to the attracting centre */
    vec x[3], v[3];
};

INLINE unsigned increments(vec mu, double h, const struct body *from, struct body *d)
{
    struct orbits o;
    struct universal g;
    const vec *x = from->x, *v = from->v, r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    o.rinv = inverse_root(r2);
    o.r = r2 * o.rinv;
    o.eta = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    o.beta = 2 * mu * o.rinv - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    o.zeta = mu - o.beta * o.r;
    const unsigned left = solve(&o, h, &g);
    const vec end = 1 / (o.r + o.eta * g.g1 + o.zeta * g.g2), mu2 = -mu * g.g2;
    const vec f1 = mu2 * o.rinv, gt = h - mu * g.g3, df = -mu * g.g1 * o.rinv * end, dg1 = mu2 * end;
    for (int k = 0; k < 3; k++) {
        d->x[k] = f1 * x[k] + gt * v[k];
        d->v[k] = df * x[k] + dg1 * v[k];
    }
    return left;
}

/* Computes the increments d of position and velocity with nb_kepler_advance, one lane after the other. Only for the
 * lanes whose bits are set in `left`. */
static __attribute__((noinline)) void increments_one_by_one(unsigned left, vec mu, double h, const struct body *from,
                                                            struct body *d)
{
    for (int lane = 0; lane < LANES; lane++) {
        double x[3], v[3], dx[3], dv[3];
        if (!(left >> lane & 1))
            continue;
        for (int k = 0; k < 3; k++)
            x[k] = from->x[k][lane], v[k] = from->v[k][lane];
        nb_kepler_advance(mu[lane], h, x, v, dx, dv);
        for (int k = 0; k < 3; k++)
            d->x[k][lane] = dx[k], d->v[k][lane] = dv[k];
    }
}

/* Adds low + d to `row`; `low` becomes the rounding error of this sum (Knuth's two-sum). */
INLINE void add(double *row, double *low, uint64_t i, vec d)
{
    const vec base = load(row, i), y = load(low, i) + d, sum = base + y, added = sum - base;
    store(row, i, sum);
    store(low, i, (base - (sum - added)) + (y - added));
}

INLINE void drift_range(const struct nb_planets *p, double h, uint64_t i0, uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i += LANES) {
        const vec mu = p->G * (p->centre + load(p->m, i));
        struct body from, d;
        for (uint64_t k = 0; k < 3; k++) {
            const uint64_t at = k * p->stride + i;
            from.x[k] = load(p->q, at) + load(p->q_low, at);
            from.v[k] = load(p->v, at) + load(p->v_low, at);
        }
        const unsigned left = increments(mu, h, &from, &d);
        if (__builtin_expect(left != 0, 0))
            increments_one_by_one(left, mu, h, &from, &d);
        for (uint64_t k = 0; k < 3; k++) {
            add(p->q, p->q_low, k * p->stride + i, d.x[k]);
            add(p->v, p->v_low, k * p->stride + i, d.v[k]);
        }
    }
}

/* Copies the last planet to the unused lanes of its SIMD vector, because these lanes must contain valid values. Does
 * nothing if the range does not end with the last planet (i1 = n). Only this planet can be copied: other threads may be
 * moving the planets of other ranges. */
INLINE void fill_lanes(const struct nb_planets *p, uint64_t i1)
{
    double *const rows[] = {p->q, p->v, p->q_low, p->v_low};
    for (uint64_t i = p->n; i1 == p->n && i % LANES != 0; i++)
        for (int r = 0; r < 4; r++)
            for (uint64_t k = 0; k < 3; k++)
                rows[r][k * p->stride + i] = rows[r][k * p->stride + p->n - 1];
}

static void drift(const struct nb_planets *p, double h, uint64_t i0, uint64_t i1)
{
    fill_lanes(p, i1);
    drift_range(p, h, i0, i1);
}

/* ---- kicks ---- */

#define ROOM (NB_WHFAST_FEW + LANES) /* number of elements of a row, with padding; a multiple of LANES */

/* Returns the reduced masses mu (whfast.h) of planets i to i + LANES - 1. */
INLINE vec reduced_mass(const struct nb_planets *p, uint64_t i)
{
    const vec m = load(p->m, i);
    return m / (1 + m * (1 / p->centre));
}

INLINE double sum_lanes(vec v)
{
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += v[lane];
    return sum;
}

/* Applies the jump term of whfast.h for a time h: changes the position of each planet by (total momentum of the other
 * planets) * h / (mass of the central body). The change is added to q_low. */
INLINE void jump(const struct nb_planets *p, const vec *mu, double h)
{
    for (uint64_t k = 0; k < 3; k++) {
        const uint64_t row = k * p->stride;
        vec momentum = fill(0);
        for (uint64_t i = 0; i < p->n; i += LANES)
            momentum += mu[i / LANES] * (load(p->v, row + i) + load(p->v_low, row + i));
        const double sum = sum_lanes(momentum);
        for (uint64_t i = 0; i < p->n; i += LANES) {
            const vec own = mu[i / LANES] * (load(p->v, row + i) + load(p->v_low, row + i));
            store(p->q_low, row + i, load(p->q_low, row + i) + h / p->centre * (sum - own));
        }
    }
}

struct rows { /* x, y and z of a quantity of all planets, with padding for entire SIMD vectors */
    _Alignas(64) double row[3][ROOM];
};

INLINE void places(const struct nb_planets *p, struct rows *q)
{
    for (uint64_t k = 0; k < 3; k++)
        for (uint64_t i = 0; i < p->n; i += LANES)
            store(q->row[k], i, load(p->q, k * p->stride + i) + load(p->q_low, k * p->stride + i));
}

/* Index of the planet in each lane. `pull` uses it to exclude the force of a planet on itself. Lanes after the last
 * planet have the index of the last planet. */
struct self {
    mask_vec lanes[ROOM / LANES];
};

INLINE void number_lanes(uint64_t n, struct self *self)
{
    for (uint64_t i = 0; i < n; i += LANES)
        for (uint64_t lane = 0; lane < LANES; lane++)
            self->lanes[i / LANES][lane] = (int64_t)(i + lane < n ? i + lane : n - 1);
}

/* Computes (acceleration / G) of planets i to i + LANES - 1 due to n bodies. m: masses of the bodies; at: positions. */
INLINE void pull(uint64_t n, const double *m, const struct rows *at, const struct self *self, uint64_t i, vec a[3])
{
    const double *const x = at->row[0], *const y = at->row[1], *const z = at->row[2];
    vec unused;
    a[0] = a[1] = a[2] = fill(0);
    for (uint64_t j = 0; j < n; j++) {
        const vec dx = x[j] - load(x, i), dy = y[j] - load(y, i), dz = z[j] - load(z, i);
        const mask_vec same = self->lanes[i / LANES] == (int64_t)j;
        const vec mass = (vec)((mask_vec)fill(m[j]) & ~same);
        const vec r2 = dx * dx + dy * dy + dz * dz + (vec)((mask_vec)fill(1) & same);
        vec w;
        pair_weight_double(r2, mass, &w, &unused, false);
        a[0] += w * dx, a[1] += w * dy, a[2] += w * dz;
    }
}

/* Kicks the planets by their mutual forces for a time h. Adds the changes of velocity to v_low, which the next drift
 * includes in the velocity. */
INLINE void interact(const struct nb_planets *p, const struct self *self, double h)
{
    struct rows q;
    places(p, &q);
    for (uint64_t i = 0; i < p->n; i += LANES) {
        vec a[3];
        pull(p->n, p->m, &q, self, i, a);
        const vec impulse = h * p->G * (1 + load(p->m, i) * (1 / p->centre));
        for (uint64_t k = 0; k < 3; k++)
            store(p->v_low, k * p->stride + i, load(p->v_low, k * p->stride + i) + impulse * a[k]);
    }
}

static void steps(const struct nb_planets *p, double first, double drift_h, double kick, uint64_t count)
{
    vec mu[ROOM / LANES];
    struct self self;
    number_lanes(p->n, &self);
    for (uint64_t i = 0; i < p->n; i += LANES)
        mu[i / LANES] = reduced_mass(p, i);
    fill_lanes(p, p->n);
    for (uint64_t k = 0; k < count; k++) {
        drift_range(p, k == 0 ? first : drift_h, 0, p->n);
        jump(p, mu, kick / 2);
        interact(p, &self, kick);
        jump(p, mu, kick / 2);
    }
}

/* ---- Jacobi coordinates ---- */

struct jacobi { /* data of the n planets; all elements from index n on are 0 */
    _Alignas(64) double m[ROOM];
    double share[ROOM];  /* element i: (mass of planet i) / (total mass of the central body and planets 0 to i) */
    double before[ROOM]; /* element i: 1 / (total mass of the central body and planets 0 to i - 1) */
};

/* Used in SHUFFLE(zeros, v, INDICES(BEFORE, k)), which moves the lanes of v up by k and sets the first k lanes to 0.
 * BEFORE gives the index of the source of each lane: 0 to LANES - 1 for the lanes of `zeros`, LANES to 2 LANES - 1 for
 * the lanes of v */
#define BEFORE(lane, k) ((lane) < (k) ? (lane) : LANES + (lane) - (k))

/* Returns in each lane the sum of *carry and all lanes of v before this lane. *carry becomes the sum of *carry and all
 * lanes of v. */
INLINE vec sum_before(vec v, double *carry)
{
    const vec none = {0};
    vec sum = SHUFFLE(none, v, INDICES(BEFORE, 1));
    sum += SHUFFLE(none, sum, INDICES(BEFORE, 1));
#if LANES > 2
    sum += SHUFFLE(none, sum, INDICES(BEFORE, 2));
#endif
#if LANES > 4
    sum += SHUFFLE(none, sum, INDICES(BEFORE, 4));
#endif
    sum += *carry;
    *carry = sum[LANES - 1] + v[LANES - 1];
    return sum;
}

/* Computes x, the positions relative to the central body, from the Jacobi coordinates q. Lanes after the last planet
 * have the position of the last planet and mass 0. */
INLINE void from_centre(const struct nb_planets *p, const struct jacobi *w, const struct rows *q, struct rows *x)
{
    for (uint64_t k = 0; k < 3; k++) {
        double carry = 0; /* position of the centre of mass of the central body and planets 0 to i - 1, relative to the
                             central body */
        for (uint64_t i = 0; i < p->n; i += LANES) {
            const vec at = load(q->row[k], i);
            store(x->row[k], i, at + sum_before(load(w->share, i) * at, &carry));
        }
    }
}

INLINE vec inverse_cube(const struct rows *at, uint64_t i)
{
    const vec x = load(at->row[0], i), y = load(at->row[1], i), z = load(at->row[2], i);
    vec w, unused;
    pair_weight_double(x * x + y * y + z * z, fill(1), &w, &unused, false);
    return w;
}

/* Kicks the planets for a time h by all forces except those of the Kepler motions. Adds the changes of velocity to
 * v_low, which the next drift includes in the velocity. */
INLINE void jacobi_kick(const struct nb_planets *p, const struct jacobi *w, const struct self *self, double h)
{
    struct rows q, x, a;
    double force[3] = {0}; /* total force on the central body and planets 0 to i - 1 */
    places(p, &q);
    from_centre(p, w, &q, &x);
    for (uint64_t i = 0; i < p->n; i += LANES) {
        const vec cube = inverse_cube(&x, i) * p->centre;
        vec by_planets[3];
        pull(p->n, w->m, &x, self, i, by_planets);
        for (uint64_t k = 0; k < 3; k++) {
            const vec toward = cube * load(x.row[k], i);
            store(a.row[k], i, by_planets[k] - toward);
            force[k] += sum_lanes(load(w->m, i) * toward);
        }
    }
    for (uint64_t i = 0; i < p->n; i += LANES) {
        const vec kepler = inverse_cube(&q, i) * (p->centre + load(p->m, i));
        for (uint64_t k = 0; k < 3; k++) {
            const vec own = load(a.row[k], i), before = sum_before(load(w->m, i) * own, &force[k]) * load(w->before, i);
            const vec all = own - before + kepler * load(q.row[k], i);
            store(p->v_low, k * p->stride + i, load(p->v_low, k * p->stride + i) + h * p->G * all);
        }
    }
}

static void jacobi_steps(const struct nb_planets *p, const double *own, double first, double drift_h, double kick,
                         uint64_t count)
{
    struct jacobi w = {{0}, {0}, {0}};
    struct self self;
    double before = p->centre;
    for (uint64_t i = 0; i < p->n; i++) {
        w.m[i] = own[i + 1];
        w.share[i] = own[i + 1] / (p->centre + p->m[i]);
        w.before[i] = 1 / before;
        before = p->centre + p->m[i];
    }
    number_lanes(p->n, &self);
    fill_lanes(p, p->n);
    for (uint64_t k = 0; k < count; k++) {
        drift_range(p, k == 0 ? first : drift_h, 0, p->n);
        jacobi_kick(p, &w, &self, kick);
    }
}

extern const struct nb_whfast_set SET;
const struct nb_whfast_set SET = {.drift = drift, .steps = steps, .jacobi_steps = jacobi_steps};
