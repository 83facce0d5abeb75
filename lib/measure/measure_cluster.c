/* measure_cluster.c - computes the relaxation time and the mass segregation of a star cluster. Declared in
 * measure_cluster.h. */
#include "measure/measure_cluster.h"

#include "base/error.h"
#include "base/memory.h"
#include "measure/measure_structure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAVIEST 10 /* the heaviest stars are the fraction 1 / HEAVIEST of all stars */

double nb_measure_relaxation(uint64_t n, double mass, double half_mass_radius, double G)
{
    const double count = (double)n, r = half_mass_radius;
    return 0.11 * count > 1 ? 0.138 * count * r * sqrt(r) / (sqrt(G * mass) * log(0.11 * count)) : (double)NAN;
}

struct star {
    double mass, r;
};

static int by_mass(const void *a, const void *b)
{
    const double x = ((const struct star *)a)->mass, y = ((const struct star *)b)->mass;
    return (x < y) - (x > y); /* descending */
}

static int by_distance(const void *a, const void *b)
{
    const double x = ((const struct star *)a)->r, y = ((const struct star *)b)->r;
    return (x > y) - (x < y);
}

/* Returns the number of heaviest stars: at most n / HEAVIEST. The n stars are sorted by descending mass. Of stars with
 * equal mass, all or none are counted. If this gives 0, returns the number of stars with the largest mass. */
static uint64_t count_heaviest(const struct star *stars, uint64_t n)
{
    const uint64_t most = n / HEAVIEST;
    uint64_t count = most;
    while (count > 0 && stars[count].mass == stars[count - 1].mass)
        count--;
    while (count == 0 || (count < n && stars[count].mass == stars[0].mass))
        count++;
    return count;
}

/* Sorts the stars by distance, and returns the radius of the sphere that contains half of them. */
static double half_radius(struct star *stars, uint64_t n)
{
    qsort(stars, n, sizeof *stars, by_distance);
    return stars[(n - 1) / 2].r;
}

int nb_measure_segregation(const struct nb_bodies *b, const double centre[3], double *ratio)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    struct nb_pose pose = {0};
    *ratio = NAN;
    memcpy(pose.centre, centre, sizeof pose.centre);
    if (!isfinite(centre[0] + centre[1] + centre[2]))
        return 0;
    struct star *stars = nb_memory_check(b->n, (double)b->n * sizeof *stars) ? NULL : malloc(b->n * sizeof *stars);
    if (!stars)
        return nb_fail("no memory for the masses of %" PRIu64 " bodies", b->n);
    for (uint64_t i = 0; i < b->n; i++) {
        double x[3], d[3];
        nb_column_get_f64(pos, i, i + 1, x);
        stars[i] = (struct star){nb_column_get(mass, i, 0), nb_pose_distance(&pose, NB_SPHERICAL, x, d)};
    }
    qsort(stars, b->n, sizeof *stars, by_mass);
    const uint64_t heaviest = count_heaviest(stars, b->n);
    const double radius = half_radius(stars, heaviest);
    *ratio = radius / half_radius(stars, b->n);
    free(stars);
    return 0;
}
