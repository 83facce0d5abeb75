/* measure_pairs.c - finds bound pairs, triples and quadruples of stars. Declared in measure_cluster.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/sum.h"
#include "measure/measure_cluster.h"
#include "measure/measure_near.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* number of searches: the first joins stars to pairs, the second joins these pairs and the remaining stars to triples
 * and quadruples */
#define PASSES   2
#define PARALLEL ((size_t)1 << 13) /* with more than PARALLEL systems, several threads are used */

struct system { /* a star, or the centre of mass of a bound pair */
    double m, x[3], v[3];
    uint64_t body;
    int stars;
};

#define NONE UINT64_MAX

struct search {
    double G, eps2;
    struct system *systems;
    uint64_t n;
    struct nb_near near; /* k-d tree of the systems; the number of a point is the index of its system */
    uint64_t *partner;   /* partner that each system chose, or NONE */
    struct nb_pairs *pairs;
};

/* ---- orbits ---- */

struct orbit {
    double gm, r, s, v2, axis;
    double rv; /* scalar product of relative position and velocity */
};

/* Computes the relative orbit of two systems. The semi-major axis is positive and finite if they are bound. */
static struct orbit orbit_of(const struct search *s, const struct system *a, const struct system *b)
{
    struct orbit o = {.gm = s->G * (a->m + b->m)};
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        const double x = b->x[k] - a->x[k], v = b->v[k] - a->v[k];
        r2 += x * x;
        o.v2 += v * v;
        o.rv += x * v;
    }
    o.r = sqrt(r2);
    o.s = sqrt(r2 + s->eps2);
    o.axis = 1 / (2 / o.s - o.v2 / o.gm);
    return o;
}

static bool is_bound(const struct orbit *o)
{
    return o->gm > 0 && o->s > 0 && o->axis > 0 && isfinite(o->axis);
}

/* Computes the orbital elements of a pair. The eccentricity e is computed from e cos E and e sin E (E: eccentric
 * anomaly). A formula with the angular momentum would lose digits to cancellation for a nearly circular orbit. */
static struct nb_pair pair_of(const struct search *s, const struct system *a, const struct system *b)
{
    const struct orbit o = orbit_of(s, a, b);
    const double from_axis = 1 - o.s / o.axis, e2 = from_axis * from_axis + o.rv / o.axis * (o.rv / o.gm);
    return (struct nb_pair){
        .body = {a->body, b->body},
        .stars = a->stars + b->stars,
        .mass = {a->m, b->m},
        .distance = o.r,
        .axis = o.axis,
        .eccentricity = sqrt(e2),
        .period = 2 * M_PI * o.axis * sqrt(o.axis / o.gm),
        .energy = s->G * a->m * b->m / (2 * o.axis),
    };
}

/* ---- partners ---- */

/* Chooses the partner of the system at point p. Computes the orbits with its NB_NEAR_MOST nearest neighbours, and
 * chooses the bound orbit with the smallest semi-major axis. Sets the partner to NONE if no orbit is bound. */
static void choose(const struct search *s, size_t p)
{
    const struct nb_near *t = &s->near;
    const int count = t->n - 1 < NB_NEAR_MOST ? (int)(t->n - 1) : NB_NEAR_MOST;
    const uint64_t self = t->points[p].number;
    struct nb_near_found found;
    double least = INFINITY;
    s->partner[self] = NONE;
    nb_near_find(t, p, count, &found);
    for (int k = 0; k < count; k++) {
        const uint64_t other = t->points[found.at[k]].number;
        const uint64_t first = self < other ? self : other, second = self < other ? other : self;
        const struct orbit o = orbit_of(s, &s->systems[first], &s->systems[second]);
        if (is_bound(&o) && (o.axis < least || (o.axis == least && other < s->partner[self]))) {
            least = o.axis;
            s->partner[self] = other;
        }
    }
}

static void choose_all(struct search *s)
{
    s->near.n = s->n;
    for (uint64_t i = 0; i < s->n; i++) {
        memcpy(s->near.points[i].x, s->systems[i].x, sizeof s->systems[i].x);
        s->near.points[i].number = i;
    }
    nb_near_sort(&s->near);
#pragma omp parallel for schedule(dynamic, 1024) if (s->n > PARALLEL)
    for (size_t p = 0; p < s->near.n; p++)
        choose(s, p);
}

/* ---- systems ---- */

static struct system joined(const struct system *a, const struct system *b)
{
    struct system both = {.m = a->m + b->m, .body = a->body, .stars = a->stars + b->stars};
    const double share = b->m / both.m;
    for (int k = 0; k < 3; k++) {
        both.x[k] = a->x[k] + share * (b->x[k] - a->x[k]);
        both.v[k] = a->v[k] + share * (b->v[k] - a->v[k]);
    }
    return both;
}

static int add_pair(struct search *s, const struct system *heavier, const struct system *lighter)
{
    struct nb_pairs *pairs = s->pairs;
    struct nb_pair *of = nb_memory_grow(pairs->of, pairs->count, sizeof *of);
    if (!of)
        return nb_fail("no memory for the pairs of %" PRIu64 " systems", s->n);
    pairs->of = of;
    of[pairs->count++] = pair_of(s, heavier, lighter);
    return 0;
}

/* If systems i < j have chosen each other, replaces system i by the pair, and removes system j. The order of the
 * systems does not change. Returns -1 on error. */
static int join_all(struct search *s)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        const uint64_t j = s->partner[i];
        const bool mutual = j != NONE && s->partner[j] == i;
        if (mutual && j < i)
            continue;
        struct system result = s->systems[i];
        if (mutual) {
            const bool swapped = s->systems[j].m > s->systems[i].m;
            const struct system *a = &s->systems[swapped ? j : i], *b = &s->systems[swapped ? i : j];
            if (add_pair(s, a, b))
                return -1;
            result = joined(a, b);
        }
        s->systems[left++] = result; /* left <= i: overwrites only systems that are not read any more */
    }
    s->n = left;
    return 0;
}

static void fill(struct search *s, const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    const struct nb_column *vel = nb_bodies_find(b, "vel");
    for (uint64_t i = 0; i < b->n; i++) {
        struct system *star = &s->systems[s->n];
        *star = (struct system){.m = nb_column_get(mass, i, 0), .body = i, .stars = 1};
        nb_column_get_f64(pos, i, i + 1, star->x);
        nb_column_get_f64(vel, i, i + 1, star->v);
        s->n += star->m > 0;
    }
}

static double mean_kinetic(const struct search *s)
{
    struct nb_sum mass = {0}, momentum[3] = {{0}}, twice = {0};
    double v[3];
    for (uint64_t i = 0; i < s->n; i++) {
        nb_sum_add(&mass, s->systems[i].m);
        for (int k = 0; k < 3; k++)
            nb_sum_add(&momentum[k], s->systems[i].m * s->systems[i].v[k]);
    }
    for (int k = 0; k < 3; k++)
        v[k] = nb_sum_value(&momentum[k]) / nb_sum_value(&mass);
    /* A single star has no kinetic energy relative to the mean velocity. The sum would only contain rounding errors. */
    for (uint64_t i = 0; s->n > 1 && i < s->n; i++)
        for (int k = 0; k < 3; k++)
            nb_sum_add(&twice, s->systems[i].m * (s->systems[i].v[k] - v[k]) * (s->systems[i].v[k] - v[k]));
    return s->n > 0 ? nb_sum_value(&twice) / 2 / (double)s->n : (double)NAN;
}

static int find(struct search *s, const struct nb_bodies *b)
{
    fill(s, b);
    for (int pass = 0; pass < PASSES && s->n > 1; pass++) {
        choose_all(s);
        if (join_all(s))
            return -1;
    }
    s->pairs->kinetic = mean_kinetic(s);
    for (uint64_t k = 0; k < s->pairs->count; k++)
        s->pairs->of[k].hardness = s->pairs->of[k].energy / s->pairs->kinetic;
    return 0;
}

static int make_room(struct search *s, uint64_t n)
{
    if (nb_memory_check(n, (double)n * (sizeof *s->systems + sizeof *s->partner)) || nb_near_open(&s->near, n))
        return -1;
    s->systems = malloc(n * sizeof *s->systems);
    s->partner = malloc(n * sizeof *s->partner);
    return s->systems && s->partner ? 0 : nb_fail("no memory for the pairs of %" PRIu64 " bodies", n);
}

int nb_pairs_find(const struct nb_bodies *b, struct nb_pairs *pairs)
{
    struct search s = {.G = b->meta.G, .pairs = pairs};
    double softening;
    *pairs = (struct nb_pairs){0};
    if (nb_bodies_softening(b, &softening))
        return -1;
    s.eps2 = softening * softening;
    const int status = make_room(&s, b->n) || find(&s, b) ? -1 : 0;
    free(s.systems);
    free(s.partner);
    nb_near_free(&s.near);
    return status;
}

void nb_pairs_free(struct nb_pairs *pairs)
{
    free(pairs->of);
    *pairs = (struct nb_pairs){0};
}
