/* force_tree_cpu.c - the tree force on the CPU: the entry of the table of forces. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pack.h"
#include "device/timing.h"
#include "force/put.h"
#include "force/tree/cpu/tree_simd.h"
#include "force/tree/tree.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct tree_work {
    struct nb_device *device;
    double theta, rebuild;
    struct nb_tree tree;
    struct nb_tree_team team;
    /* targets_before: n + 1 elements (n: number of bodies); element k is the number of targets among the first k sorted
     * bodies. place: n elements, index of each body's result (struct places). Used only if some bodies are not
     * targets */
    uint32_t *targets_before, *place;
    uint64_t wanted_capacity, place_capacity;
    bool ordered;
    unsigned age; /* number of evaluations of the acceleration with the present order of the bodies */
    /* duration of the last call of nb_tree_visit, in seconds. Several devices balance their work by this time, because
     * only this call takes longer if a device has more targets */
    double targets_s;
};

#define SET(name)    nb_tree_##name
#define SET_OF(name) &SET(name)
extern const struct nb_tree_set NB_SIMD_EACH(SET);
const struct nb_tree_set *const nb_tree_sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

static struct nb_tree_input input_of(enum nb_precision precision, const struct nb_sources *s,
                                     const struct nb_targets *t)
{
    const size_t size = nb_precision_size(precision);
    struct nb_tree_input in = {
        precision == NB_SINGLE, s->n, s->n + (t->self < 0 && !t->index ? t->n : 0), s->m, {0}, {0}};
    for (size_t k = 0; k < 3; k++) {
        in.x[k] = (const char *)s->x + k * s->stride * size;
        in.point[k] = (const char *)t->x + k * t->stride * size;
    }
    return in;
}

/* ---- order of the bodies ---- */

/* Returns whether this evaluation can use the sorted order of the bodies from an earlier evaluation. ages: true if this
 * evaluation computes accelerations. Only such evaluations increase w->age. When a run writes a frame, it evaluates
 * only the potential. Results of the run therefore do not depend on the number of frames. */
static bool order_serves(const struct tree_work *w, const struct nb_tree_input *in, bool ages)
{
    return w->ordered && w->rebuild > 1 && (!ages || w->age < w->rebuild) && in->sources == in->bodies;
}

static int new_order(struct tree_work *w, const struct nb_tree_input *in, const struct nb_tree_box *box)
{
    struct nb_tree *t = &w->tree;
    if (nb_tree_keys(t, in, box))
        return -1;
    nb_timing_stage(w->device, "sort");
    if (nb_tree_sort(in->bodies, t->keys, t->order, t->spare_keys, t->spare_order))
        return -1;
    nb_tree_gather(t, in, 0, in->bodies);
    nb_timing_stage(w->device, "build");
    return nb_tree_build(t, in);
}

static int arrange(struct tree_work *w, const struct nb_tree_input *in, const struct nb_tree_box *box, bool ages)
{
    if (order_serves(w, in, ages))
        nb_tree_gather(&w->tree, in, 0, in->bodies);
    else {
        w->ordered = new_order(w, in, box) == 0;
        w->age = 0;
    }
    w->age += ages;
    return w->ordered ? 0 : -1;
}

/* ---- targets and their results ---- */

struct places {
    uint64_t first, count; /* targets are bodies [first, first + count) */
    /* if not NULL: place[i] is the index of the result of body i, or ~0 if body i is no target; `first` is not used */
    const uint32_t *place;
};

static uint64_t place_of(const struct places *to, uint32_t body)
{
    return to->place ? to->place[body] : body - to->first; /* `count` or more: the body is no target */
}

/* Makes *array at least n elements long; its contents may be lost. */
static uint32_t *reserve(uint32_t **array, uint64_t *capacity, uint64_t n)
{
    if (*capacity < n) {
        free(*array);
        *array = malloc(n * sizeof **array);
        *capacity = *array ? n : 0;
    }
    if (!*array)
        nb_fail("no memory");
    return *array;
}

static int note_places(struct tree_work *w, const struct nb_targets *t, struct places *to)
{
    const uint64_t n = w->tree.bodies;
    uint32_t *place = reserve(&w->place, &w->place_capacity, n);
    if (!place)
        return -1;
    memset(place, 0xff, n * sizeof *place);
    for (uint64_t k = 0; k < t->n; k++)
        place[t->index[k]] = (uint32_t)k;
    to->place = place;
    return 0;
}

/* The sorted bodies [first, end): all bodies, or the share of one device. The field is computed at the targets among
 * these bodies. */
struct range {
    uint64_t first, end;
};

static bool is_in(const struct range *r, uint64_t k)
{
    return k >= r->first && k < r->end;
}

static const uint32_t *count_targets(struct tree_work *w, const struct places *to, const struct range *share)
{
    const uint64_t n = w->tree.bodies;
    uint32_t *targets_before = reserve(&w->targets_before, &w->wanted_capacity, n + 1);
    if (!targets_before)
        return NULL;
    targets_before[0] = 0;
    for (uint64_t k = 0; k < n; k++)
        targets_before[k + 1] = targets_before[k] + (is_in(share, k) && place_of(to, w->tree.order[k]) < to->count);
    return targets_before;
}

/* number of bodies per partial sum; fixed, because it affects the rounding, and results must not depend on the
 * machine */
#define BLOCK 1024

struct momentum_sum { /* p: sum of m a; size: sum of m |a| */
    double p[3], size;
};

static double length_of(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

static void acceleration(const struct nb_tree *t, uint64_t i, double a[3])
{
    for (int c = 0; c < 3; c++)
        a[c] = nb_tree_sum_get(t, t->a[c], i);
}

/* Computes the vector k = (sum of m a) / (sum of m |a|), or k = 0 if both sums are 0. store() uses k to correct the
 * accelerations, so that the total momentum is conserved (see "momentum" in tree.h). */
static int find_excess(const struct nb_tree *t, double k[3])
{
    const uint64_t blocks = (t->bodies + BLOCK - 1) / BLOCK;
    struct momentum_sum all = {{0}, 0}, *part = malloc(blocks * sizeof *part);
    if (!part)
        return nb_fail("no memory");
#pragma omp parallel for schedule(static) if (blocks > 16)
    for (uint64_t b = 0; b < blocks; b++) {
        struct momentum_sum sum = {{0}, 0};
        for (uint64_t i = b * BLOCK; i < t->bodies && i < (b + 1) * BLOCK; i++) {
            double a[3];
            const double m = nb_tree_m(t, i);
            acceleration(t, i, a);
            for (int c = 0; c < 3; c++)
                sum.p[c] += m * a[c];
            sum.size += m * length_of(a[0], a[1], a[2]);
        }
        part[b] = sum;
    }
    for (uint64_t b = 0; b < blocks; b++) {
        for (int c = 0; c < 3; c++)
            all.p[c] += part[b].p[c];
        all.size += part[b].size;
    }
    /* If two bodies are at the same point without softening, their accelerations are not finite. k is then set to 0, so
     * that the accelerations of the other bodies stay correct. */
    for (int c = 0; c < 3; c++)
        k[c] = all.size > 0 && isfinite(all.size) ? all.p[c] / all.size : 0;
    free(part);
    return 0;
}

/* Stores the results of the targets in `share` in the arrays of `out`, in the caller's units. If out->add is set, adds
 * them to the old values. Each acceleration a is first replaced by a - k |a|, where k is the vector excess[]. */
static void store(const struct nb_tree *t, bool single, double G, const struct places *to, const struct range *share,
                  const double excess[3], const struct nb_field *out)
{
    const double length = t->length, factor = G / t->mass;
#pragma omp parallel for schedule(static) if (t->bodies > 10000)
    for (uint64_t k = 0; k < t->bodies; k++) {
        const uint64_t i = place_of(to, t->order[k]);
        if (i >= to->count || !is_in(share, k))
            continue;
        double a[3];
        acceleration(t, k, a);
        const double size = length_of(a[0], a[1], a[2]);
        for (size_t c = 0; c < 3; c++)
            a[c] = (a[c] - excess[c] * size) * length * length * factor;
        nb_field_put_sums(out, single, 1, i, a, out->phi ? nb_tree_sum_get(t, t->phi, k) * length * factor : 0);
    }
}

/* ---- the entry ---- */

/* Minimum of nb_changeover.inner, in internal units, if near pairs are computed in single precision. At this distance r
 * of two bodies, r^-3 is 2^90, which a float can hold. If `inner` is smaller, near pairs are computed in double
 * precision. */
#define INNER_LEAST 0x1p-30

static struct nb_tree_walk walk_of(struct tree_work *w, const struct nb_sources *s, const struct nb_field *out)
{
    const double length = w->tree.length;
    struct nb_tree_walk walk = {.t = &w->tree,
                                .opening = nb_tree_opening(w->theta),
                                .softening = s->softening * length,
                                .far = {s->far.inner * length, s->far.outer * length},
                                .close = out->close ? out->close->reach * length : 0,
                                .want_phi = out->phi != NULL};
    walk.opening.reach = nb_tree_reach(s, out) * length;
    return walk;
}

static int evaluate(struct tree_work *w, enum nb_precision precision, const struct nb_sources *s,
                    const uint32_t *targets_before, const struct nb_field *out)
{
    struct nb_tree *t = &w->tree;
    struct nb_tree_walk walk = walk_of(w, s, out);
    const bool deep = t->divided_on || t->small, in_double = precision == NB_DOUBLE || deep;
    const bool pairs_in_double = deep || (walk.far.outer > 0 && walk.far.inner < INNER_LEAST);
    const struct nb_tree_set *set = nb_tree_sets[nb_simd_in_use()];
    walk.targets_before = targets_before;
    nb_timing_stage(w->device, "moments");
    if (nb_tree_reserve_sums(t, deep || pairs_in_double) || nb_tree_moments(&walk, set, in_double))
        return -1;
    nb_timing_stage(w->device, "walk");
    const double begin_s = omp_get_wtime();
    if (nb_tree_visit(&walk, &w->team, set, in_double, pairs_in_double ? NB_DOUBLE : precision))
        return -1;
    w->targets_s = omp_get_wtime() - begin_s;
    nb_timing_share(w->device, "near", nb_tree_near_share(&w->team));
    if (!out->close)
        return 0;
    nb_timing_stage(w->device, "close");
    return nb_tree_close(&walk, &w->team, precision == NB_SINGLE, out);
}

/* Computes the field at the targets among the sorted bodies with indices from share[0] * n to share[1] * n - 1, where n
 * is the number of bodies. If `share` is NULL, computes the field at all targets. If `share` is NULL and all sources
 * are targets, also corrects the accelerations, so that the total momentum is conserved. */
static int field_of_share(struct nb_device *device, struct tree_work *w, enum nb_precision precision,
                          const struct nb_sources *s, const struct nb_targets *t, const double *share,
                          const struct nb_field *out)
{
    const struct nb_tree_input in = input_of(precision, s, t);
    struct places to = {t->self < 0 ? s->n : (uint64_t)t->self, t->n, NULL};
    const uint32_t *targets_before = NULL;
    double largest_mass, excess[3] = {0};
    struct nb_tree_box box;
    nb_timing_stage(device, "keys");
    w->ordered = w->ordered && in.bodies == w->tree.bodies && in.sources == w->tree.sources;
    if (nb_tree_reserve(&w->tree, &in))
        return -1;
    if (!nb_tree_extent(&in, &box, &largest_mass)) {
        nb_field_put_nan(out, in.single, t->n);
        return 0;
    }
    nb_tree_units(&w->tree, &box, largest_mass, s->softening);
    if (arrange(w, &in, &box, out->a != NULL) || (t->index && note_places(w, t, &to)))
        return -1;
    const double n = (double)w->tree.bodies;
    const struct range range = {share ? (uint64_t)(share[0] * n) : 0,
                                share ? (uint64_t)(share[1] * n) : w->tree.bodies};
    if ((share || !nb_targets_are_all(t, s)) && !(targets_before = count_targets(w, &to, &range)))
        return -1;
    if (evaluate(w, precision, s, targets_before, out))
        return -1;
    if (out->a && !share && nb_targets_are_all(t, s) && find_excess(&w->tree, excess))
        return -1;
    store(&w->tree, in.single, s->G, &to, &range, excess, out);
    return 0;
}

static int tree_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                      const struct nb_targets *t, const struct nb_field *out)
{
    return field_of_share(device, work, precision, s, t, NULL, out);
}

static int share_field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                       const double share[2], const struct nb_field *out, double *seconds)
{
    const struct nb_targets all = {.n = s->n, .stride = s->stride, .x = s->x};
    struct tree_work *w = work;
    w->targets_s = 0; /* stays 0 if a position or mass is not finite, because then nothing is computed */
    const int status = field_of_share(device, w, precision, s, &all, share, out);
    *seconds = w->targets_s;
    return status;
}

static int share_sum(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                     const void *m, const void *own, double sum[4])
{
    const bool single = precision == NB_SINGLE;
    (void)device, (void)work;
    for (uint64_t i = 0; i < n; i++) {
        const double mass = nb_field_get(m, single, i), x = nb_field_get(own, single, i),
                     y = nb_field_get(own, single, own_stride + i), z = nb_field_get(own, single, 2 * own_stride + i);
        sum[0] += mass * x;
        sum[1] += mass * y;
        sum[2] += mass * z;
        sum[3] += mass * length_of(x, y, z);
    }
    return 0;
}

static int share_finish(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n,
                        uint64_t own_stride, const void *own, const double sum[4], const struct nb_field *out)
{
    const bool single = precision == NB_SINGLE, good = sum[3] > 0 && isfinite(sum[3]);
    const size_t row = out->stride * nb_precision_size(precision);
    (void)device, (void)work;
    for (uint64_t i = 0; i < n; i++) {
        const double a[3] = {nb_field_get(own, single, i), nb_field_get(own, single, own_stride + i),
                             nb_field_get(own, single, 2 * own_stride + i)};
        const double size = length_of(a[0], a[1], a[2]);
        for (size_t c = 0; c < 3; c++)
            nb_field_put((char *)out->a + c * row, single, out->add, i, a[c] - (good ? sum[c] / sum[3] * size : 0));
    }
    return 0;
}

static const struct nb_force_shares shares = {NULL, share_field, share_sum, share_finish};

static void *tree_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    const double theta = spec->value[NB_TREE_THETA], rebuild = spec->value[NB_TREE_REBUILD];
    (void)meta;
    if (nb_tree_check(theta, rebuild))
        return NULL;
    struct tree_work *w = nb_memory_new(sizeof *w);
    if (w)
        *w = (struct tree_work){.device = device, .theta = theta, .rebuild = rebuild};
    return w;
}

static void tree_close(struct nb_device *device, void *work)
{
    struct tree_work *w = work;
    (void)device;
    nb_tree_team_free(&w->team);
    nb_tree_free(&w->tree);
    free(w->targets_before);
    free(w->place);
    free(w);
}

/* Saves or loads the sorted order of the bodies with the tree, if this order is used for several evaluations. If the
 * bodies are sorted for every evaluation, the tree is not saved. */
static int tree_carry(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k)
{
    struct tree_work *w = work;
    bool kept = w->ordered && w->rebuild > 1 && w->tree.bodies == n && w->tree.sources == n;
    uint64_t age = w->age;
    (void)device;
    if (nb_pack_flag(k, &kept) || nb_pack_unsigned(k, &age, UINT_MAX) || (kept && nb_tree_pack(&w->tree, n, k)))
        return -1;
    if (k->way == NB_PACK_LOAD) {
        w->ordered = kept;
        w->age = (unsigned)age;
    }
    return 0;
}

static double tree_work_bytes(enum nb_precision precision, uint64_t n)
{
    return nb_tree_bytes(precision, n, NB_TREE_USUAL_SHAPE);
}

static struct nb_force_shape shape_of(const void *work)
{
    const struct tree_work *w = work;
    const double bodies = (double)w->tree.bodies;
    return (struct nb_force_shape){w->tree.nodes / bodies, nb_tree_team_bytes(&w->team) / bodies};
}

static const struct nb_force_shaping shaping = {.get = shape_of, .bytes = nb_tree_bytes};

extern const struct nb_force nb_force_tree_cpu;
const struct nb_force nb_force_tree_cpu = {
    .method = "tree",
    .device = "cpu",
    .flags = NB_FAR_PART,
    .about = "binary tree, fast multipoles of order 5, SIMD over sources (" NB_SIMD_ABOUT ")",
    .kinds = nb_tree_kinds,
    .tolerance = {[NB_SINGLE] = 1e-3, [NB_MIXED] = 1e-3, [NB_DOUBLE] = 1e-3},
    .refuse = nb_tree_refuse,
    .field = tree_field,
    .open = tree_open,
    .close = tree_close,
    .carry = tree_carry,
    .work_bytes = tree_work_bytes,
    .shaping = &shaping,
    .shares = &shares,
};
