/* extent.c - density and potential depth of a system of bodies. Declared in extent.h. */
#include "step/p3t/extent.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SAMPLE    512 /* maximum number of bodies in the sample */
#define NEIGHBOUR 8   /* the density follows from the distance to the NEIGHBOUR-th nearest body of the sample */
/* A sampled body represents many bodies of the same mass, and its weight is this mass. But a heavy body may be the only
 * one of its mass. The weight is therefore at most HEAVY times the mean mass of all bodies. */
#define HEAVY 4
/* The weight of a sampled body is its mass, limited by HEAVY. If the mean weight is below LACKING times the mean
 * mass, a few heavy bodies have most of the mass. All weights are then set to 1. */
#define LACKING 0.1
#define DEEP    0.9  /* the mean speed is computed from this quantile of the potential depths of the bodies */
#define FASTER  1.25 /* (speed computed from quantile DEEP) / (mean speed) in a Plummer sphere */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values and returns their quantile `share` (0.5: the median). */
static double quantile(double *values, uint64_t n, double share)
{
    const double place = share * (double)(n - 1);
    const uint64_t below = (uint64_t)place, above = below + 1 < n ? below + 1 : below;
    qsort(values, n, sizeof *values, by_value);
    return values[below] + (place - (double)below) * (values[above] - values[below]);
}

struct sample {
    uint64_t m;
    double x[3][SAMPLE];
    double weight[SAMPLE]; /* G times mass, limited by HEAVY; all 1 if a few bodies have most of the mass (LACKING) */
};

static double squared_distance(const struct sample *s, uint64_t i, uint64_t j)
{
    const double x = s->x[0][i] - s->x[0][j], y = s->x[1][i] - s->x[1][j], z = s->x[2][i] - s->x[2][j];
    return x * x + y * y + z * z;
}

/* Returns the squared distance from a body to its k-th nearest neighbour, k up to NEIGHBOUR. */
static double near_neighbour(const struct sample *s, uint64_t i, uint64_t k)
{
    double nearest[NEIGHBOUR + 1];
    uint64_t count = 0;
    for (uint64_t j = 0; j < s->m; j++) {
        const double r2 = j == i ? INFINITY : squared_distance(s, i, j);
        uint64_t place = count;
        if (count == k && !(r2 < nearest[k - 1]))
            continue;
        for (; place > 0 && r2 < nearest[place - 1]; place--)
            nearest[place] = nearest[place - 1];
        nearest[place] = r2;
        count += count < k;
    }
    return nearest[k - 1];
}

/* Returns the index, among all n bodies, of body i of a sample of m bodies. The body is chosen pseudorandomly among
 * n/m consecutive bodies. Reason: if the types of bodies alternate regularly, equal spacing could choose bodies of one
 * type only. */
static uint64_t place_of(uint64_t i, uint64_t m, uint64_t n)
{
    const uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u >> 32;
    return i * n / m + mixed % (n / m);
}

/* Returns the weighted mean of 1 / max(r, least) over the distances r from body i to the other bodies of the sample. */
static double mean_inverse(const struct sample *s, uint64_t i, double least)
{
    double sum = 0, weights = 0;
    for (uint64_t j = 0; j < s->m; j++)
        if (j != i && s->weight[j] > 0) {
            sum += s->weight[j] / fmax(sqrt(squared_distance(s, i, j)), least);
            weights += s->weight[j];
        }
    return weights > 0 ? sum / weights : 0;
}

/* Fills the sample s from the bodies of w. all: G times their total mass. *lacking: set to true if the sample lacks
 * most of the mass (LACKING), otherwise to false. */
static void take(struct sample *s, const struct nb_p3t *w, double all, bool *lacking)
{
    const double mean = all / (double)w->n;
    double sum = 0;
    s->m = w->n < SAMPLE ? w->n : SAMPLE;
    for (uint64_t i = 0; i < s->m; i++) {
        const uint64_t place = place_of(i, s->m, w->n);
        sum += s->weight[i] = fmin(w->gm[place], HEAVY * mean);
        for (uint64_t d = 0; d < 3; d++)
            s->x[d][i] = w->x[d * w->stride + place];
    }
    *lacking = sum < LACKING * mean * (double)s->m;
    for (uint64_t i = 0; i < s->m && *lacking; i++)
        s->weight[i] = 1;
}

void nb_p3t_measure(const struct nb_p3t *w, double all, double *distance, double *speed)
{
    struct sample s;
    double r2[SAMPLE], sorted[SAMPLE], inverse[SAMPLE];
    bool lacking;
    *distance = *speed = 1;
    if (w->n == 1)
        return;
    take(&s, w, all, &lacking);
    const uint64_t k = s.m > NEIGHBOUR ? NEIGHBOUR : s.m - 1;
    for (uint64_t i = 0; i < s.m; i++)
        sorted[i] = r2[i] = near_neighbour(&s, i, k);
    const double middle2 = quantile(sorted, s.m, 0.5), near = sqrt(middle2 > 0 ? middle2 : sorted[s.m - 1]);
    for (uint64_t i = 0; i < s.m; i++)
        inverse[i] = mean_inverse(&s, i, lacking ? fmax(sqrt(r2[i]), near) : sqrt(r2[i]));
    *distance = near * cbrt(4 * M_PI / 3 / (double)k * (double)s.m / (double)w->n);
    *speed = sqrt(all / 2 * quantile(inverse, s.m, DEEP)) / FASTER;
}
