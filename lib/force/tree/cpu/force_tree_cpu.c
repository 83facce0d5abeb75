/* The tree force on the CPU as a row of the table of forces. */
#include "device/timing.h"
#include "error.h"
#include "force/tree/cpu/tree_simd.h"
#include "force/tree/tree.h"

#include <math.h>
#include <stdlib.h>

struct tree_work {
    struct nb_force_options options;
    struct nb_tree tree;
    struct nb_tree_team team;
    uint32_t *wanted;
    uint64_t wanted_room;
    bool ordered;
    unsigned age; /* accelerations that this order of the bodies has served */
};

#define SET(name)    nb_tree_##name
#define SET_OF(name) &SET(name)
extern const struct nb_tree_set NB_SIMD_EACH(SET);
const struct nb_tree_set *const nb_tree_sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

static bool all_on_all(const struct nb_sources *s, const struct nb_targets *t)
{
    return t->self == 0 && t->n == s->n;
}

static struct nb_tree_input input_of(enum nb_precision precision, const struct nb_sources *s,
                                     const struct nb_targets *t)
{
    const size_t size = nb_precision_size(precision);
    struct nb_tree_input in = {precision == NB_SINGLE, s->n, s->n + (t->self < 0 ? t->n : 0), s->m, {0}, {0}};
    for (size_t k = 0; k < 3; k++) {
        in.x[k] = (const char *)s->x + k * s->stride * size;
        in.point[k] = (const char *)t->x + k * t->stride * size;
    }
    return in;
}

/* ---- the order of the bodies ---- */

/* Potentials alone, as for an output, take the order that there is and do not age it: a run does not depend on its
 * outputs. */
static bool order_serves(const struct tree_work *w, const struct nb_tree_input *in, bool ages)
{
    return w->ordered && w->options.rebuild > 1 && (!ages || w->age < w->options.rebuild) && in->sources == in->bodies;
}

static int new_order(struct nb_tree *t, const struct nb_tree_input *in, const struct nb_tree_box *box)
{
    nb_tree_keys(t, in, box);
    nb_timing_stage("sort");
    if (nb_tree_sort(in->bodies, t->keys, t->order, t->spare_keys, t->spare_order))
        return -1;
    nb_tree_gather(t, in, 0, in->bodies);
    nb_timing_stage("build");
    return nb_tree_build(t, in);
}

static int arrange(struct tree_work *w, const struct nb_tree_input *in, const struct nb_tree_box *box, bool ages)
{
    if (order_serves(w, in, ages))
        nb_tree_gather(&w->tree, in, 0, in->bodies);
    else {
        w->ordered = new_order(&w->tree, in, box) == 0;
        w->age = 0;
    }
    w->age += ages;
    return w->ordered ? 0 : -1;
}

/* ---- which bodies are targets ---- */

static const uint32_t *count_wanted(struct tree_work *w, uint64_t first, uint64_t count)
{
    const uint64_t n = w->tree.bodies;
    if (w->wanted_room <= n) {
        free(w->wanted);
        w->wanted = malloc((n + 1) * sizeof *w->wanted);
        w->wanted_room = w->wanted ? n + 1 : 0;
    }
    if (!w->wanted) {
        nb_fail("no memory");
        return NULL;
    }
    w->wanted[0] = 0;
    for (uint64_t k = 0; k < n; k++)
        w->wanted[k + 1] = w->wanted[k] + (w->tree.order[k] - first < count);
    return w->wanted;
}

/* ---- results ---- */

static void put(void *row, bool single, uint64_t i, double value)
{
    if (single)
        ((float *)row)[i] = (float)value;
    else
        ((double *)row)[i] = value;
}

/* Of input bodies [first, first + count), in the caller's units. */
static void store(const struct nb_tree *t, bool single, double G, uint64_t first, uint64_t count,
                  const struct nb_field *out)
{
    const double length = t->length, factor = G / t->mass;
    const size_t row = out->stride * (single ? sizeof(float) : sizeof(double));
#pragma omp parallel for schedule(static) if (t->bodies > 10000)
    for (uint64_t k = 0; k < t->bodies; k++) {
        const uint64_t i = t->order[k] - first;
        if (i >= count)
            continue;
        for (size_t c = 0; c < 3 && out->a; c++)
            put((char *)out->a + c * row, single, i, t->a[c][k] * length * length * factor);
        if (out->phi)
            put(out->phi, single, i, t->phi[k] * length * factor);
    }
}

/* Where a coordinate is not a number or infinite nothing can be said. */
static int not_finite(bool single, uint64_t count, const struct nb_field *out)
{
    const size_t row = out->stride * (single ? sizeof(float) : sizeof(double));
    for (uint64_t i = 0; i < count; i++) {
        for (size_t c = 0; c < 3 && out->a; c++)
            put((char *)out->a + c * row, single, i, NAN);
        if (out->phi)
            put(out->phi, single, i, NAN);
    }
    return 0;
}

/* ---- the row ---- */

static int evaluate(struct tree_work *w, enum nb_precision precision, double softening, bool want_phi,
                    const uint32_t *wanted)
{
    struct nb_tree *t = &w->tree;
    const bool deep = t->divided_on || t->small, in_double = precision == NB_DOUBLE || deep;
    const struct nb_tree_set *set = nb_tree_sets[nb_simd_in_use()];
    struct nb_tree_walk walk = {t, nb_tree_opening(w->options.theta), softening * t->length, want_phi, wanted, NULL};
    nb_timing_stage("moments");
    if (nb_tree_moments(&walk, set, in_double))
        return -1;
    nb_timing_stage("walk");
    if (nb_tree_far(&walk, &w->team, set, in_double))
        return -1;
    nb_timing_stage("near");
    return nb_tree_pairs(&walk, &w->team, set, deep ? NB_DOUBLE : precision);
}

static int tree_field(void *work, enum nb_precision precision, const struct nb_sources *s, const struct nb_targets *t,
                      const struct nb_field *out)
{
    struct tree_work *w = work;
    const struct nb_tree_input in = input_of(precision, s, t);
    const uint64_t first = t->self < 0 ? s->n : (uint64_t)t->self;
    const uint32_t *wanted = NULL;
    struct nb_tree_box box;
    double largest_mass;
    nb_timing_stage("keys");
    w->ordered = w->ordered && in.bodies == w->tree.bodies && in.sources == w->tree.sources;
    if (nb_tree_reserve(&w->tree, &in))
        return -1;
    if (!nb_tree_extent(&in, &box, &largest_mass))
        return not_finite(in.single, t->n, out);
    nb_tree_units(&w->tree, &box, largest_mass, s->softening);
    if (arrange(w, &in, &box, out->a != NULL))
        return -1;
    if (!all_on_all(s, t) && !(wanted = count_wanted(w, first, t->n)))
        return -1;
    if (evaluate(w, precision, s->softening, out->phi != NULL, wanted))
        return -1;
    store(&w->tree, in.single, s->G, first, t->n, out);
    return 0;
}

static const char *tree_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & NB_WANT_JERK ? "a tree gives no jerk" : NULL;
}

static void *tree_open(const struct nb_force_options *options)
{
    struct tree_work *w = NULL;
    if (nb_tree_check(options->theta, options->rebuild))
        return NULL;
    if (!(w = calloc(1, sizeof *w)))
        nb_fail("no memory");
    if (w)
        w->options = *options;
    return w;
}

static void tree_close(void *work)
{
    struct tree_work *w = work;
    nb_tree_team_free(&w->team);
    nb_tree_free(&w->tree);
    free(w->wanted);
    free(w);
}

/* Rows of bodies; and for each of about 0.4 nodes a body its place, box, ball, record, sphere and near leaves. */
static double tree_work_bytes(enum nb_precision precision, uint64_t n)
{
    const double number = precision == NB_DOUBLE ? sizeof(double) : sizeof(float);
    const double body = 2 * (sizeof(uint32_t) + sizeof(uint64_t)) + 8 * sizeof(double) + 4 * sizeof(float);
    const double node = sizeof(struct nb_tree_node) + sizeof(struct nb_tree_box) + sizeof(struct nb_tree_ball) +
                        (NB_TREE_RECORD + 4) * number + 200;
    return (double)n * (body + 0.4 * node);
}

extern const struct nb_force nb_force_tree_cpu;
const struct nb_force nb_force_tree_cpu = {
    .method = "tree",
    .device = "cpu",
    .about = "binary tree, fast multipoles of order 5, SIMD over sources (" NB_SIMD_ABOUT ")",
    .tolerance = {[NB_SINGLE] = 1e-3, [NB_MIXED] = 1e-3, [NB_DOUBLE] = 1e-3},
    .refuse = tree_refuse,
    .field = tree_field,
    .open = tree_open,
    .close = tree_close,
    .work_bytes = tree_work_bytes,
};
