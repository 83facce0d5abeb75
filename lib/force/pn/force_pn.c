/* force_pn.c - post-Newtonian terms as an entry of the table of forces: `--force pn:1`, in addition to the bodies'
 * gravity. The terms are computed only for pairs in which at least one body is a black hole. This takes O(n * number of
 * black holes) operations.
 *
 * The CPU computes the sums. If the device has its own memory, rows are copied to the host and results are copied
 * back. */
#include "force/pn/pn.h"

#include "base/error.h"
#include "base/memory.h"
#include "device/timing.h"
#include "force/put.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* number of bodies per partial sum. It is fixed, because it affects rounding: results must be the same for any number
 * of threads */
#define BLOCK 1024

static const struct nb_force_kind kinds[] = {
    {"1", "first post-Newtonian order", NULL, 0},
    {"2", "first and second order", NULL, 0},
    {"2.5", "first and second order, and gravitational waves", NULL, NB_OPEN},
    {0},
};

static const int orders[] = {2, 4, 5}; /* for each kind, the highest power of 1/c of its terms */

enum { M, HOLE, X, V, INDEX, A, PHI, ROWS };

struct work {
    struct nb_pn pn;
    struct {
        char *data;
        size_t size_bytes;
    } copy[ROWS]; /* copies of the device's rows in host memory */
    uint64_t *hole;
    uint64_t hole_room;
    double (*block)[4]; /* for each block of bodies, the sums that add_pair computes over the bodies of the block */
    uint64_t block_room;
};

/* ---- rows in host memory ---- */

struct view { /* arguments of an evaluation, with all rows in host memory */
    struct nb_pn pn;
    bool single;
    uint64_t n, stride; /* number of sources, and stride of their rows */
    const void *row[ROWS];
    const uint64_t *hole;
    uint64_t holes;
    struct nb_field out;
};

static size_t rows_bytes(enum nb_precision precision, uint64_t n, uint64_t stride, int rows)
{
    return ((uint64_t)(rows - 1) * stride + n) * nb_precision_size(precision);
}

/* Returns d if host and device share memory, otherwise a copy in host memory. Returns NULL after nb_fail. */
static const void *here(struct nb_device *device, struct work *w, int row, const void *d, size_t size_bytes)
{
    if (nb_device_is_host(device))
        return d;
    if (w->copy[row].size_bytes < size_bytes) {
        free(w->copy[row].data);
        w->copy[row].data = malloc(size_bytes);
        w->copy[row].size_bytes = w->copy[row].data ? size_bytes : 0;
    }
    if (!w->copy[row].data)
        return nb_null(nb_fail("no memory for post-Newtonian terms"));
    return nb_device_from(device, w->copy[row].data, d, size_bytes) ? NULL : w->copy[row].data;
}

static int read_sources(struct nb_device *device, struct work *w, enum nb_precision precision,
                        const struct nb_sources *s, const void *v, struct view *o)
{
    const void *const d[] = {[M] = s->m, [HOLE] = s->hole, [X] = s->x, [V] = v};
    static const int rows[] = {[M] = 1, [HOLE] = 1, [X] = 3, [V] = 3};
    for (int k = M; k <= V; k++)
        if (!(o->row[k] = here(device, w, k, d[k], rows_bytes(precision, s->n, s->stride, rows[k]))))
            return -1;
    return 0;
}

/* Sets o->out to `out`. If the device has its own memory, o->out points to copies of the arrays in host memory. The
 * contents are copied because the results may be added to them. */
static int read_results(struct nb_device *device, struct work *w, enum nb_precision precision, uint64_t n,
                        const struct nb_field *out, struct view *o)
{
    o->out = *out;
    if (out->a && !(o->out.a = (void *)here(device, w, A, out->a, rows_bytes(precision, n, out->stride, 3))))
        return -1;
    if (out->phi && !(o->out.phi = (void *)here(device, w, PHI, out->phi, rows_bytes(precision, n, out->stride, 1))))
        return -1;
    return 0;
}

static int write_results(struct nb_device *device, enum nb_precision precision, uint64_t n, const struct nb_field *out,
                         const struct view *o)
{
    if (nb_device_is_host(device))
        return 0;
    if (out->a && nb_device_to(device, out->a, o->out.a, rows_bytes(precision, n, out->stride, 3)))
        return -1;
    return out->phi ? nb_device_to(device, out->phi, o->out.phi, rows_bytes(precision, n, out->stride, 1)) : 0;
}

static int find_holes(struct work *w, struct view *o)
{
    o->holes = 0;
    for (uint64_t i = 0; i < o->n; i++) {
        if (nb_field_get(o->row[HOLE], o->single, i) == 0)
            continue;
        if (o->holes == w->hole_room) {
            const uint64_t room = 2 * w->hole_room + 16;
            uint64_t *more = realloc(w->hole, room * sizeof *more);
            if (!more)
                return nb_fail("no memory for the list of black holes (post-Newtonian terms)");
            w->hole = more;
            w->hole_room = room;
        }
        w->hole[o->holes++] = i;
    }
    o->hole = w->hole;
    return 0;
}

static struct nb_pn_body body_of(const struct view *o, uint64_t i, double x[3])
{
    struct nb_pn_body b = {.m = nb_field_get(o->row[M], o->single, i)};
    for (uint64_t k = 0; k < 3; k++) {
        x[k] = nb_field_get(o->row[X], o->single, k * o->stride + i);
        b.v[k] = nb_field_get(o->row[V], o->single, k * o->stride + i);
    }
    return b;
}

/* Computes the post-Newtonian acceleration of body i due to body j, and adds it to sum[0], sum[1] and sum[2]. If the
 * potential is wanted, adds nb_pn_energy of the pair to sum[3]. */
static void add_pair(const struct view *o, uint64_t i, uint64_t j, double sum[4])
{
    double x[3], d[3];
    const struct nb_pn_body other = body_of(o, j, x), self = body_of(o, i, d);
    if (i == j || other.m == 0)
        return;
    for (int k = 0; k < 3; k++)
        d[k] -= x[k];
    nb_pn_add(&o->pn, &self, &other, d, sum);
    if (o->out.phi)
        sum[3] += nb_pn_energy(&o->pn, &self, &other, d);
}

static void put(const struct view *o, uint64_t place, uint64_t i, const double sum[4])
{
    double x[3];
    const struct nb_pn_body self = body_of(o, i, x);
    nb_field_put_sums(&o->out, o->single, 1, place, sum, sum[3] + (o->out.phi ? nb_pn_kinetic(&o->pn, self.v) : 0));
}

static bool is_hole(const struct view *o, uint64_t i)
{
    return nb_field_get(o->row[HOLE], o->single, i) != 0;
}

static uint64_t body_at(const struct view *o, const struct nb_targets *t, uint64_t place)
{
    return o->row[INDEX] ? ((const uint32_t *)o->row[INDEX])[place] : (uint64_t)t->self + place;
}

static void sum_over_holes(const struct view *o, const struct nb_targets *t)
{
#pragma omp parallel for schedule(static) if (t->n * o->holes > 2000)
    for (uint64_t place = 0; place < t->n; place++) {
        const uint64_t i = body_at(o, t, place);
        double sum[4] = {0};
        if (is_hole(o, i))
            continue;
        for (uint64_t k = 0; k < o->holes; k++)
            add_pair(o, i, o->hole[k], sum);
        put(o, place, i, sum);
    }
}

/* Computes the post-Newtonian acceleration and energy of black hole i in the field of all bodies, and stores them as
 * the results of target number `place`. Sums over blocks of bodies first, then over the blocks. */
static void sum_over_all(const struct view *o, uint64_t place, uint64_t i, double (*block)[4])
{
    const uint64_t blocks = (o->n + BLOCK - 1) / BLOCK;
    double all[4] = {0};
#pragma omp parallel for schedule(static) if (blocks > 2)
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t end = b + 1 < blocks ? (b + 1) * BLOCK : o->n;
        memset(block[b], 0, sizeof block[b]);
        for (uint64_t j = b * BLOCK; j < end; j++)
            add_pair(o, i, j, block[b]);
    }
    for (uint64_t b = 0; b < blocks; b++)
        for (int k = 0; k < 4; k++)
            all[k] += block[b][k];
    put(o, place, i, all);
}

static int sum_all(struct work *w, const struct view *o, const struct nb_targets *t)
{
    const uint64_t blocks = (o->n + BLOCK - 1) / BLOCK;
    if (blocks > w->block_room) {
        free(w->block);
        w->block = malloc(blocks * sizeof *w->block);
        w->block_room = w->block ? blocks : 0;
    }
    if (!w->block)
        return nb_fail("no memory for post-Newtonian terms");
    sum_over_holes(o, t);
    for (uint64_t place = 0; place < t->n; place++)
        if (is_hole(o, body_at(o, t, place)))
            sum_over_all(o, place, body_at(o, t, place), w->block);
    return 0;
}

/* Writes zeros as results, or does nothing if results are to be added (out.add). Called if there are no black holes, or
 * if the targets are points, which have no velocity. */
static void put_nothing(const struct view *o, uint64_t n)
{
    static const double none[3];
    for (uint64_t i = 0; i < n && !o->out.add; i++)
        nb_field_put_sums(&o->out, o->single, 1, i, none, 0);
}

static int field(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                 const struct nb_targets *t, const struct nb_field *out)
{
    struct work *w = work;
    struct view o = {.pn = w->pn, .single = precision == NB_SINGLE, .n = s->n, .stride = s->stride};
    /* if s->v is NULL, the targets are all sources, and t->v contains the velocities of the sources */
    const void *v = s->v ? s->v : t->v;
    const bool acts = s->hole && v && (t->self >= 0 || t->index);
    o.pn.G = s->G;
    if (out->jerk || out->snap)
        return nb_fail("jerk and snap are not available for post-Newtonian terms");
    nb_timing_stage(device, "post-Newtonian");
    if (read_results(device, w, precision, t->n, out, &o) ||
        (acts && (read_sources(device, w, precision, s, v, &o) || find_holes(w, &o))) ||
        (t->index && !(o.row[INDEX] = here(device, w, INDEX, t->index, t->n * sizeof *t->index))))
        return -1;
    if (o.holes == 0)
        put_nothing(&o, t->n);
    else if (sum_all(w, &o, t))
        return -1;
    return write_results(device, precision, t->n, out, &o);
}

/* ---- the entry ---- */

static void close_work(struct nb_device *device, void *work)
{
    struct work *w = work;
    (void)device;
    for (int k = 0; k < ROWS; k++)
        free(w->copy[k].data);
    free(w->hole);
    free(w->block);
    free(w);
}

static void *open_work(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta)
{
    (void)device;
    const double c = nb_pn_light(meta);
    if (!(c > 0))
        return nb_null(nb_fail(
            "force pn: the units of the input (%s) have no physical size, so the speed of light is unknown (nbgen "
            "--units solar or galactic; nbconv --units for a table)",
            meta->units.name));
    struct work *w = nb_memory_new(sizeof *w);
    if (w)
        w->pn = (struct nb_pn){.G = meta->G, .c = c, .order = orders[spec->kind - kinds]};
    return w;
}

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
        .method = "pn", .device = (name), .about = "post-Newtonian terms of black holes",                              \
        .flags = NB_EXACT | NB_NEEDS_VELOCITY | NB_EXTERNAL | NB_BETWEEN | NB_READS_HOLES, .kinds = kinds,             \
        .tolerance = {[NB_SINGLE] = 1e-6, [NB_MIXED] = 1e-13, [NB_DOUBLE] = 1e-13}, .field = field, .open = open_work, \
        .close = close_work,                                                                                           \
    }

extern const struct nb_force nb_force_pn_cpu, nb_force_pn_cuda;
const struct nb_force nb_force_pn_cpu = ROW("cpu"), nb_force_pn_cuda = ROW("cuda");

const struct nb_pn *nb_pn_of(const struct nb_force_set *set)
{
    for (int k = 0; k < set->count; k++)
        if (set->force[k].entry == &nb_force_pn_cpu || set->force[k].entry == &nb_force_pn_cuda)
            return &((const struct work *)set->force[k].work)->pn;
    return NULL;
}
