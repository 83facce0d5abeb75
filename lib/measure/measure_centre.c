/* measure_centre.c - computes the density centre and the core radius from the nearest neighbours of each body. Declared
 * in measure.h and measure_cluster.h. */
#include "base/error.h"
#include "base/sum.h"
#include "measure/measure_blocks.h"
#include "measure/measure_cluster.h"
#include "measure/measure_near.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define PARALLEL ((size_t)1 << 13)   /* with more than PARALLEL bodies, several threads are used */
#define SAMPLE   ((uint64_t)1 << 20) /* maximum number of bodies that are used to find the centre and core radius */

/* The neighbourhood of one point. */
struct density {
    double r2;     /* squared distance to neighbour k, counted from the nearest one (find_densities chooses k) */
    double within; /* mass of the point plus the masses of all points that are closer than neighbour k */
};

static struct density density_at(const struct nb_near *t, size_t i, int count)
{
    struct nb_near_found near;
    nb_near_find(t, i, count, &near);
    struct density d = {.r2 = t->n > 1 ? near.r2[count - 1] : 0, .within = t->points[i].mass};
    for (int k = 0; k < count && near.r2[k] < d.r2; k++)
        d.within += t->points[near.at[k]].mass;
    return d;
}

/* Returns the index of the point with the largest weight m * rho. m is the mass of the point. rho is the density at the
 * point, proportional to `within` / r2^(3/2). */
static size_t find_first(const struct nb_near *t, const struct density *d)
{
    double most = -INFINITY;
    size_t first = 0;
#pragma omp parallel if (t->n > PARALLEL)
    {
        double own_most = -INFINITY;
        size_t own_first = 0;
#pragma omp for schedule(static)
        for (size_t i = 0; i < t->n; i++) {
            const double w = log(t->points[i].mass) + log(d[i].within) - 1.5 * log(d[i].r2);
            own_first = w > own_most ? i : own_first;
            own_most = fmax(w, own_most);
        }
#pragma omp critical(nb_densest)
        if (own_most > most || (own_most == most && own_first < first)) {
            most = own_most;
            first = own_first;
        }
    }
    return first;
}

/* Returns the weight m rho of point i, divided by the weight of the point `first`. Returns 0 if the quotient is not a
 * positive finite number. If `first` has infinite density (r2 = 0), points of finite density get weight 0. */
static double weight_of(const struct nb_near *t, const struct density *d, size_t first, size_t i)
{
    const double q = d[first].r2 > 0 ? d[first].r2 / d[i].r2 : d[i].r2 == 0;
    const double w = t->points[i].mass / t->points[first].mass * (d[i].within / d[first].within) * (q * sqrt(q));
    return w > 0 && isfinite(w) ? w : 0;
}

/* Points and their weights m rho, mass times the density at the point. `first`: the point with the largest weight. */
struct weighting {
    const struct nb_near *t;
    const struct density *d;
    size_t first;
    double centre[3]; /* set by find_mean */
};

/* Sums for sum_moments: weight, and weight times the position relative to point `first`. */
enum { WEIGHT, MOMENT, MOMENTS = MOMENT + 3 };

static void sum_moments(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct weighting *of = context;
    const double *origin = of->t->points[of->first].x;
    for (uint64_t i = i0; i < i1; i++) {
        const double w = weight_of(of->t, of->d, of->first, i), *x = of->t->points[i].x;
        if (w == 0)
            continue;
        nb_sum_add(&s[WEIGHT], w);
        for (int k = 0; k < 3; k++)
            nb_sum_add(&s[MOMENT + k], w * (x[k] - origin[k]));
    }
}

/* Sums for sum_distances: weight, and weight times the distance from the centre. */
enum { DISTANCE = WEIGHT + 1, DISTANCES };

static void sum_distances(const void *context, uint64_t i0, uint64_t i1, struct nb_sum *s)
{
    const struct weighting *of = context;
    const double *c = of->centre;
    for (uint64_t i = i0; i < i1; i++) {
        const double w = weight_of(of->t, of->d, of->first, i), *x = of->t->points[i].x;
        const double dx = x[0] - c[0], dy = x[1] - c[1], dz = x[2] - c[2];
        if (w == 0)
            continue;
        nb_sum_add(&s[WEIGHT], w);
        nb_sum_add(&s[DISTANCE], w * sqrt(dx * dx + dy * dy + dz * dz));
    }
}

/* Sets of->centre to the mean position of the points, weighted with m rho. Returns -1 after nb_fail. */
static int find_mean(struct weighting *of)
{
    struct nb_sum sums[MOMENTS] = {{0}};
    if (nb_measure_blocks(of->t->n, NB_SUM_BLOCK, MOMENTS, sum_moments, of, sums))
        return -1;
    for (int k = 0; k < 3; k++)
        of->centre[k] = of->t->points[of->first].x[k] + nb_sum_value(&sums[MOMENT + k]) / nb_sum_value(&sums[WEIGHT]);
    return 0;
}

/* Computes the mean distance of the points from of->centre, weighted with m rho. Returns -1 after nb_fail. */
static int find_distance(const struct weighting *of, double *distance)
{
    struct nb_sum sums[DISTANCES] = {{0}};
    if (nb_measure_blocks(of->t->n, NB_SUM_BLOCK, DISTANCES, sum_distances, of, sums))
        return -1;
    *distance = nb_sum_value(&sums[DISTANCE]) / nb_sum_value(&sums[WEIGHT]);
    return 0;
}

static void find_densities(const struct nb_near *t, struct density *d)
{
    const size_t half = (t->n - 1) / 2;
    const int count = half < 1 ? 1 : half < NB_NEAR_MOST ? (int)half : NB_NEAR_MOST;
#pragma omp parallel for schedule(dynamic, 1024) if (t->n > PARALLEL)
    for (size_t i = 0; i < t->n; i++)
        d[i] = density_at(t, i, count);
}

/* Computes the density centre. If `core` is not NULL, first sets all masses to 1, and also computes the core radius
 * *core: the mean distance of the points from the centre, weighted with the number density. Returns -1 after
 * nb_fail. */
static int find_centre(struct nb_near *t, struct density *d, double centre[3], double *core)
{
    for (size_t i = 0; core && i < t->n; i++)
        t->points[i].mass = 1;
    const int octaves = nb_near_sort(t);
    find_densities(t, d);
    struct weighting of = {.t = t, .d = d, .first = find_first(t, d)};
    if (find_mean(&of) || (core && find_distance(&of, core)))
        return -1;
    if (core)
        *core = ldexp(*core, octaves);
    for (int k = 0; k < 3; k++)
        centre[k] = ldexp(of.centre[k], octaves);
    return 0;
}

static int measure_centre(const struct nb_bodies *b, double centre[3], double *core)
{
    const uint64_t stride = (b->n - 1) / SAMPLE + 1, most = (b->n - 1) / stride + 1;
    struct nb_near t;
    struct density *d = NULL;
    int status = nb_near_open(&t, most);
    if (status == 0 && !(d = malloc(most * sizeof *d)))
        status = nb_fail("no memory for the density of %" PRIu64 " bodies", b->n);
    for (int k = 0; k < 3; k++)
        centre[k] = NAN;
    if (status == 0)
        nb_near_fill(&t, b, stride);
    if (status == 0 && t.n > 0)
        status = find_centre(&t, d, centre, core);
    free(d);
    nb_near_free(&t);
    return status;
}

int nb_measure_centre(const struct nb_bodies *b, double centre[3])
{
    return measure_centre(b, centre, NULL);
}

int nb_measure_core(const struct nb_bodies *b, double *radius)
{
    double centre[3];
    *radius = NAN;
    return measure_centre(b, centre, radius);
}
