#include "step/p3t/extent.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLE    512 /* bodies */
#define NEIGHBOUR 8   /* the density by the distance to so many others of them */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double *values, uint64_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Some of the bodies, which tell how dense and how deep the system is, be it in several parts. */
struct sample {
    uint64_t m;
    double x[3][SAMPLE];
};

static double squared_distance(const struct sample *s, uint64_t i, uint64_t j)
{
    const double x = s->x[0][i] - s->x[0][j], y = s->x[1][i] - s->x[1][j], z = s->x[2][i] - s->x[2][j];
    return x * x + y * y + z * z;
}

/* The square of the distance from a body to the k-th nearest other one, k up to NEIGHBOUR. */
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

/* The mean of 1 / r to another body, none of which counts as nearer than `least`. */
static double mean_inverse(const struct sample *s, double least)
{
    double sum = 0;
    for (uint64_t i = 0; i < s->m; i++)
        for (uint64_t j = 0; j < i; j++)
            sum += 1 / fmax(sqrt(squared_distance(s, i, j)), least);
    return 2 * sum / (double)(s->m * (s->m - 1));
}

void nb_p3t_measure(const struct nb_p3t *w, double all, double *distance, double *speed)
{
    struct sample s = {.m = w->n < SAMPLE ? w->n : SAMPLE};
    const uint64_t k = s.m > NEIGHBOUR ? NEIGHBOUR : s.m - 1;
    double r2[SAMPLE];
    *distance = *speed = 1;
    if (w->n == 1)
        return;
    for (uint64_t d = 0; d < 3; d++)
        for (uint64_t i = 0; i < s.m; i++)
            s.x[d][i] = w->x[d * w->stride + i * w->n / s.m];
    for (uint64_t i = 0; i < s.m; i++)
        r2[i] = near_neighbour(&s, i, k);
    const double middle2 = middle(r2, s.m), near = sqrt(middle2 > 0 ? middle2 : r2[s.m - 1]);
    *distance = near * cbrt(4 * M_PI / 3 / (double)k * (double)s.m / (double)w->n);
    *speed = sqrt(all / 2 * mean_inverse(&s, near));
}
