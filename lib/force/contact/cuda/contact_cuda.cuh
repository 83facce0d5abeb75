/* contact_cuda.cuh - shared by all contact forces on the GPU (contact.h): types for each precision, contact law, walls
 * and counters. Each of these forces has its own search for partners. */
#pragma once

#include "device/cuda/cuda.cuh"
#include "force/contact/contact.h"

#define CONTACT_CALL static __device__ inline
#include "force/contact/contact_flow.h"
#include "force/contact/contact_walls.h"

#define REAL             float
#define CONTACT(word)    contact_single_##word
#define CONTACT_SQRT(x)  sqrtf(x)
#define CONTACT_RINT(x)  rintf(x)
#define CONTACT_EXPM1(x) expm1f(x)
#include "force/contact/contact_law.h"
#define REAL             double
#define CONTACT(word)    contact_double_##word
#define CONTACT_SQRT(x)  sqrt(x)
#define CONTACT_RINT(x)  rint(x)
#define CONTACT_EXPM1(x) expm1(x)
#include "force/contact/contact_law.h"

/* ---- types for each precision: state and sums, arithmetic of a pair, and the law in both ---- */

struct contact_single {
    static constexpr bool own = false;    /* true: each disk has its own radius */
    static constexpr bool damped = false; /* true: there is damping; kernels without it need fewer registers */
    typedef float state, real;
    typedef float2 point;
    typedef contact_single_law space, law;
    typedef contact_single_sum sum, pair;
};

struct contact_mixed {
    static constexpr bool own = false, damped = false;
    typedef double state;
    typedef float real;
    typedef double2 point;
    typedef contact_double_law space;
    typedef contact_single_law law;
    typedef contact_double_sum sum;
    typedef contact_single_sum pair;
};

struct contact_double {
    static constexpr bool own = false, damped = false;
    typedef double state, real;
    typedef double2 point;
    typedef contact_double_law space, law;
    typedef contact_double_sum sum, pair;
};

template <typename P> using contact_same = P;

template <typename P> struct contact_own : P {
    static constexpr bool own = true;
};

template <typename P> struct contact_damped : P {
    static constexpr bool damped = true;
};

/* Calls the lambda f, declared as []<typename P>(), and returns its result. P is contact_single, contact_mixed or
 * contact_double, changed by the template `kind`: contact_own sets own = true, contact_damped sets damped = true,
 * contact_same changes nothing. */
template <template <typename> class kind, typename F>
static inline auto contact_for_precision(enum nb_precision precision, const F &f)
{
    switch (precision) {
    case NB_SINGLE: return f.template operator()<kind<contact_single>>();
    case NB_MIXED: return f.template operator()<kind<contact_mixed>>();
    default: return f.template operator()<kind<contact_double>>();
    }
}

template <typename P> using contact_own_damped = contact_own<contact_damped<P>>;

template <typename F>
static inline auto contact_for(const struct nb_contact &contact, enum nb_precision precision, const F &f)
{
    if (contact.scene.damping > 0)
        return contact.own_radii ? contact_for_precision<contact_own_damped>(precision, f)
                                 : contact_for_precision<contact_damped>(precision, f);
    return contact.own_radii ? contact_for_precision<contact_own>(precision, f)
                             : contact_for_precision<contact_same>(precision, f);
}

static __device__ __forceinline__ float contact_shortest(const contact_single_law &law, int axis, float d)
{
    return contact_single_shortest(&law, axis, d);
}

static __device__ __forceinline__ double contact_shortest(const contact_double_law &law, int axis, double d)
{
    return contact_double_shortest(&law, axis, d);
}

static __device__ __forceinline__ void contact_add(const contact_single_law &law, float reach, float dx, float dy,
                                                   float d2, bool damped, float dvx, float dvy, float inverse_mass,
                                                   bool first, contact_single_sum *sum)
{
    contact_single_add(&law, reach, dx, dy, d2, damped, dvx, dvy, inverse_mass, first, sum);
}

static __device__ __forceinline__ void contact_add(const contact_double_law &law, double reach, double dx, double dy,
                                                   double d2, bool damped, double dvx, double dvy, double inverse_mass,
                                                   bool first, contact_double_sum *sum)
{
    contact_double_add(&law, reach, dx, dy, d2, damped, dvx, dvy, inverse_mass, first, sum);
}

template <typename T> struct contact_vector {
    T x, y;
};

/* Returns a - b for the nearest periodic images of a and b. */
template <typename space, typename point>
static __device__ __forceinline__ auto contact_difference(const space &s, const point &a, const point &b)
{
    return contact_vector<decltype(a.x)>{contact_shortest(s, 0, a.x - b.x), contact_shortest(s, 1, a.y - b.y)};
}

/* ---- counters on the device ---- */

struct contact_counters {            /* in device memory; initially all zeros except step */
    unsigned long long step;         /* number of the next step, incremented by apply_boundary */
    unsigned long long builds;       /* number of times that lists were built, for tests and benchmarks */
    unsigned long long fastest2;     /* largest squared speed, as bits of a double (integers with the same order) */
    unsigned long long least_mass;   /* least mass, as bits of a double */
    unsigned long long least_radius; /* least radius, as bits of a double */
    unsigned long long deep;         /* 1 + index of a disk that is deep inside a wall; 0: none */
    double deep_at[2];               /* position of the disk that is deep inside a wall */
    /* To detect too many overlaps: number of pairs of disks that the last build of the lists examined (an upper
     * limit), plus the number that one evaluation examines for disks with too many partners for a list. If `looks` is
     * above GRID_LOOKS, `crowded` is set to 1. */
    unsigned long long looks;
    struct nb_contact_tally tally; /* counts since the last report; the forces in `wall` are not yet included */
    unsigned long long counted[2]; /* masses of the disks in chamber and entry (contact_stock), from apply_boundary */
    unsigned int done;             /* number of blocks of apply_boundary that have finished */
    unsigned int build;            /* not 0: lists must be rebuilt */
    /* 1: too many disks overlap; the forces between disks are then zero until the error is reported */
    unsigned int crowded;
    long long wall[2 * NB_WALLS_MAX]; /* forces on walls in the last evaluation, in units of contact_base.unit */
};

/* ---- first member of the forces' working memory ---- */

struct contact_base {
    struct nb_contact contact; /* must be the first member, because nb_contact_flags reads it */
    struct nb_device *device;
    cudaStream_t stream;
    double unit;                     /* unit of wall forces (contact_counters.wall) */
    struct nb_contact_walls walls;   /* in host memory */
    struct nb_contact_walls d_walls; /* the same walls; the pointers are device pointers into `table` */
    nb_cuda_buffer table;
    nb_cuda_buffer counters; /* one struct contact_counters */
    /* number of the next step. A step that replays a CUDA graph increments contact_counters.step, but not this number,
     * which can therefore be too small. It is set to contact_counters.step when a checkpoint is loaded */
    uint64_t number;
    /* known: the masses in the inlet have been measured in at least one step. counted: the last step has measured
     * them */
    bool known, counted;
};

static inline contact_counters *contact_counters_of(const contact_base *w)
{
    return (contact_counters *)w->counters.d;
}

/* Initialises *w: reads the header, and allocates the walls' table and the counters. On failure, frees all memory and
 * returns -1 after nb_fail. */
int contact_base_open(contact_base *w, struct nb_device *device, const struct nb_force_spec *spec,
                      const struct nb_meta *meta);
void contact_base_close(contact_base *w);
/* These functions implement members of nb_force. They do not use lists of partners. */
int contact_longest_step(struct nb_device *device, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                         double *h);
int contact_boundary(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked);
int contact_report(struct nb_device *device, void *work, struct nb_meta *meta);
extern const struct nb_force_counts nb_contact_counts_cuda;
int contact_carry(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);

/* Checks that contact forces support these sources and targets. If not, returns -1 after nb_fail. */
int contact_check(const contact_base *w, const nb_sources *s, const nb_targets *t);

/* Returns whether the reported forces on walls include the forces of this evaluation. */
static inline bool contact_is_counted(const nb_sources *s, const nb_targets *t, const nb_field *out)
{
    return out->a && !out->aside && (t->share || nb_targets_are_all(t, s));
}

/* Returns the contact law for a kick of duration `kick` (nb_sources.kick). All members have the type of L::reach. */
template <typename L> static inline L contact_law(const nb_scene *s, double kick)
{
    typedef decltype(L::reach) real;
    L law = {(real)s->stiffness, (real)s->damping, (real)(2 * s->radius), {0, 0}, {0, 0}, (real)kick};
    for (int k = 0; k < 2; k++)
        if (s->periodic[k]) {
            law.length[k] = (real)(s->high[k] - s->low[k]);
            law.inverse_length[k] = 1 / law.length[k];
        }
    return law;
}

struct contact_walled { /* data that a kernel needs for the forces of walls */
    struct nb_contact_walls table;
    contact_double_law law;
    double radius, unit;
};

static inline contact_walled contact_walled_of(const contact_base *w, double kick)
{
    const nb_scene *s = &w->contact.scene;
    return {w->d_walls, contact_law<contact_double_law>(s, kick), s->radius, w->unit};
}

/* Returns whether a disk can touch or overlap a wall when its centre is within distance `way` of the point (x, y). */
static __device__ inline bool contact_near_wall(const nb_contact_walls &t, double x, double y, double way)
{
    const double at[2] = {x, y};
    int first[2], last[2];
    if (t.segments == 0 || !(x == x && y == y))
        return false;
    for (int k = 0; k < 2; k++) { /* range of cells; contact_cell has the same formula for the cell of a point */
        const double from = (at[k] - way - t.low[k]) * t.inverse_cell, to = (at[k] + way - t.low[k]) * t.inverse_cell;
        if (t.outside && !(from >= 0 && to < t.cells[k]))
            return true;
        first[k] = (int)fmin(fmax(from, 0.0), (double)t.cells[k]);
        last[k] = to >= 0 ? (int)fmin(to, t.cells[k] - 1.0) : -1;
    }
    for (int j = first[1]; j <= last[1]; j++)
        for (int i = first[0]; i <= last[0]; i++) {
            const size_t cell = (size_t)j * t.cells[0] + i;
            if (t.solid[cell] || t.begin[cell] < t.begin[cell + 1])
                return true;
        }
    return false;
}

/* ---- forces on a disk ---- */

/* data that all kernels of contact forces need; pointers are device pointers */
template <typename P> struct contact_view {
    typename P::space space;
    typename P::law law;
    contact_walled walls;
    /* m: masses of all disks. v: velocities of all disks, used only with P::damped; vy begins at v + stride */
    const typename P::state *m, *v;
    uint64_t stride;
    unsigned int *crowded; /* device pointer to contact_counters.crowded, set to 1 if too many disks overlap */
    const typename P::state *radius; /* radii of all disks; used only with P::own */
};

template <typename P>
static inline contact_view<P> contact_view_of(const contact_base *w, const nb_sources *s, const nb_targets *t)
{
    typedef typename P::state T;
    const nb_scene *scene = &w->contact.scene;
    return {contact_law<typename P::space>(scene, s->kick),
            contact_law<typename P::law>(scene, s->kick),
            contact_walled_of(w, s->kick),
            (const T *)s->m,
            (const T *)(s->v ? s->v : t->v),
            s->stride,
            &contact_counters_of(w)->crowded,
            (const T *)s->radius};
}

/* Returns the distance at which disks i and j touch. */
template <typename P>
static __device__ __forceinline__ typename P::real contact_reach(const contact_view<P> &c, uint64_t i, uint64_t j)
{
    if constexpr (P::own)
        return (typename P::real)(c.radius[i] + c.radius[j]);
    return c.law.reach;
}

template <typename P> static __device__ __forceinline__ double contact_radius(const contact_view<P> &c, uint64_t i)
{
    if constexpr (P::own)
        return (double)c.radius[i];
    return c.walls.radius;
}

/* Returns whether the squared distance of disk positions `me` and `other` is below reach2. */
template <typename P>
static __device__ __forceinline__ bool contact_near(const contact_view<P> &c, const typename P::point &me,
                                                    const typename P::point &other, typename P::real reach2)
{
    typedef typename P::real real;
    const auto d = contact_difference(c.space, me, other);
    const real dx = (real)d.x, dy = (real)d.y;
    return dx * dx + dy * dy < reach2;
}

/* Adds the force of disk j (at `other`) on disk i (at `me`) to *sum if the disks touch. */
template <typename P>
static __device__ __forceinline__ void contact_add_disk(const contact_view<P> &c, uint64_t i, uint64_t j,
                                                        const typename P::point &me, const typename P::point &other,
                                                        typename P::sum *sum)
{
    typedef typename P::real real;
    const auto d = contact_difference(c.space, me, other);
    const real dx = (real)d.x, dy = (real)d.y, d2 = dx * dx + dy * dy;
    const real reach = contact_reach(c, i, j);
    real dvx = 0, dvy = 0, inverse_mass = 0;
    if (!(d2 < reach * reach))
        return;
    if constexpr (P::damped) {
        dvx = (real)(c.v[i] - c.v[j]);
        dvy = (real)(c.v[i + c.stride] - c.v[j + c.stride]);
        inverse_mass = 1 / (real)c.m[i] + 1 / (real)c.m[j];
    }
    typename P::pair pair = {};
    contact_add(c.law, reach, dx, dy, d2, P::damped, dvx, dvy, inverse_mass, i < j, &pair);
    sum->force[0] += pair.force[0];
    sum->force[1] += pair.force[1];
    sum->energy += pair.energy;
    sum->push += pair.push;
}

#define CONTACT_PARTNERS 16 /* maximum number of partners (disks that may touch a disk) stored by one search */

/* result of a search: number of partners, and the CONTACT_PARTNERS smallest indices of partners, ascending */
struct contact_found {
    uint32_t count;
    uint32_t number[CONTACT_PARTNERS];
};

static __device__ __forceinline__ uint32_t contact_held(uint32_t count)
{
    return min(count, (uint32_t)CONTACT_PARTNERS);
}

static __device__ __forceinline__ void contact_note(contact_found *found, uint32_t number)
{
    uint32_t at = min(found->count, CONTACT_PARTNERS - 1u);
    if (found->count++ >= CONTACT_PARTNERS && number > found->number[at])
        return;
    for (; at > 0 && found->number[at - 1] > number; at--)
        found->number[at] = found->number[at - 1];
    found->number[at] = number;
}

/* Returns `sum` plus the forces of walls on disk i at p. Adds the opposite forces, on the walls, to `counters` unless
 * it is NULL. `sum` is passed by value, so that it stays in registers. */
template <typename P>
static __device__ __noinline__ typename P::sum contact_add_walls(const contact_view<P> &c, uint64_t i,
                                                                 typename P::point p, typename P::sum sum,
                                                                 contact_counters *counters)
{
    const contact_walled &w = c.walls;
    const double radius = contact_radius(c, i);
    uint32_t at, end;
    bool deep = contact_cell(&w.table, p.x, p.y, &at, &end);
    while (at < end) {
        nb_contact_hit hit;
        contact_nearest(&w.table, &at, end, p.x, p.y, &hit);
        deep |= hit.s < -radius;
        if (!(hit.s < radius))
            continue;
        const double overlap = radius - hit.s;
        double f = w.law.stiffness * overlap;
        if constexpr (P::damped)
            f -= contact_double_pull(&w.law, 1 / (double)c.m[i], overlap,
                                     (double)c.v[i] * hit.n[0] + (double)c.v[i + c.stride] * hit.n[1]);
        sum.energy += (typename P::state)(w.law.stiffness * overlap * overlap);
        sum.push += (typename P::state)fabs(f);
        for (int axis = 0; axis < 2; axis++) {
            sum.force[axis] += (typename P::state)(f * hit.n[axis]);
            if (counters)
                atomicAdd((unsigned long long *)&counters->wall[2 * hit.wall + axis],
                          (unsigned long long)-contact_units(f * hit.n[axis], w.unit));
        }
    }
    if (deep && counters && atomicCAS(&counters->deep, 0ull, (unsigned long long)i + 1) == 0)
        counters->deep_at[0] = p.x, counters->deep_at[1] = p.y;
    return sum;
}

/* Moves the forces on walls from counters->wall to the tally. Called by all NB_BLOCK threads of a block, before each
 * evaluation whose forces on walls are reported (contact_is_counted). */
static __device__ __forceinline__ void contact_begin(contact_counters *counters)
{
    static_assert(2 * NB_WALLS_MAX <= NB_BLOCK, "a thread a component");
    if (threadIdx.x < 2 * NB_WALLS_MAX && counters->wall[threadIdx.x] != 0) {
        nb_contact_units_add(&counters->tally.walls[threadIdx.x], counters->wall[threadIdx.x]);
        counters->wall[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0)
        counters->tally.evaluations++;
}

/* Writes acceleration, potential and pressure of disk i to element k of the rows of `out`, or adds them if out.add. */
template <typename P>
static __device__ __forceinline__ void contact_put(const contact_view<P> &c, uint64_t i, uint64_t k,
                                                   const typename P::sum &sum, const nb_field &out)
{
    typedef typename P::state T;
    T *a = (T *)out.a, *phi = (T *)out.phi, *pressure = (T *)out.pressure;
    const T inverse = 1 / c.m[i], around = (T)(1 / (2 * M_PI * contact_radius(c, i)));
    for (int axis = 0; axis < 2 && a; axis++) {
        const T own = sum.force[axis] * inverse;
        a[axis * out.stride + k] = out.add ? a[axis * out.stride + k] + own : own;
    }
    if (a && !out.add)
        a[2 * out.stride + k] = 0;
    if (phi)
        phi[k] = (out.add ? phi[k] : 0) + sum.energy * inverse;
    if (pressure)
        pressure[k] = (out.add ? pressure[k] : 0) + sum.push * around;
}

static __device__ __forceinline__ uint64_t contact_disk(const nb_targets &t, uint64_t k)
{
    return t.index ? t.index[k] : (uint64_t)t.self + k;
}
