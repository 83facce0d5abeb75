/* measure_centre.c - computes the density centre and the core radius from the nearest neighbours of each body. Declared
 * in measure.h and measure_cluster.h. */
#include "base/error.h"
#include "base/sum.h"
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
    for (size_t i = 0; i < t->n && most < INFINITY; i++) {
        const double w = log(t->points[i].mass) + log(d[i].within) - 1.5 * log(d[i].r2);
        first = w > most ? i : first;
        most = fmax(w, most);
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

/* Computes the mean position of the points. The weight of a point is m rho, its mass times the density at the point. */
static void find_mean(const struct nb_near *t, const struct density *d, size_t first, double centre[3])
{
    struct nb_sum weight = {0}, sum[3] = {{0}};
    const struct nb_near_point *origin = &t->points[first];
    for (size_t i = 0; i < t->n; i++) {
        const double w = weight_of(t, d, first, i);
        if (w == 0)
            continue;
        nb_sum_add(&weight, w);
        for (int k = 0; k < 3; k++)
            nb_sum_add(&sum[k], w * (t->points[i].x[k] - origin->x[k]));
    }
    for (int k = 0; k < 3; k++)
        centre[k] = origin->x[k] + nb_sum_value(&sum[k]) / nb_sum_value(&weight);
}

/* Returns the mean distance of the points from `centre`. The weight of a point is m rho, its mass times the density at
 * the point. */
static double find_distance(const struct nb_near *t, const struct density *d, size_t first, const double centre[3])
{
    struct nb_sum weight = {0}, sum = {0};
    for (size_t i = 0; i < t->n; i++) {
        const double w = weight_of(t, d, first, i), *x = t->points[i].x;
        const double dx = x[0] - centre[0], dy = x[1] - centre[1], dz = x[2] - centre[2];
        if (w == 0)
            continue;
        nb_sum_add(&weight, w);
        nb_sum_add(&sum, w * sqrt(dx * dx + dy * dy + dz * dz));
    }
    return nb_sum_value(&sum) / nb_sum_value(&weight);
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
 * *core: the mean distance of the points from the centre, weighted with the number density. */
static void find_centre(struct nb_near *t, struct density *d, double centre[3], double *core)
{
    for (size_t i = 0; core && i < t->n; i++)
        t->points[i].mass = 1;
    const int octaves = nb_near_sort(t);
    find_densities(t, d);
    const size_t first = find_first(t, d);
    find_mean(t, d, first, centre);
    if (core)
        *core = ldexp(find_distance(t, d, first, centre), octaves);
    for (int k = 0; k < 3; k++)
        centre[k] = ldexp(centre[k], octaves);
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
        find_centre(&t, d, centre, core);
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
