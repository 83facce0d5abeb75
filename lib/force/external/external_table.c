/* external_table.c - interpolates between the rows of a table with cubic polynomials. Declared in external_table.h. */
#include "force/external/external_table.h"

#include <math.h>
#include <stdlib.h>

void nb_external_table_free(struct nb_external_table *t)
{
    free(t->time);
    free(t->value);
    free(t->slope);
    *t = (struct nb_external_table){0};
}

/* Returns the k for which the time lies between rows k and k + 1. Returns the first interval for a time before the
 * first row, and the last interval for a time after the last row. */
static size_t interval_of(const struct nb_external_table *t, double time)
{
    size_t low = 0, high = t->rows - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Computes the cubic Hermite polynomial of column c between rows k and j: p[0] + p[1] s + p[2] s^2 + p[3] s^3, with s
 * from 0 at row k to 1 at row j. */
static void cubic_of(const struct nb_external_table *t, int c, size_t k, size_t j, double p[4])
{
    const double *value = t->value + (size_t)c * t->rows, *slope = t->slope + (size_t)c * t->rows;
    const double h = t->time[j] - t->time[k], rise = value[j] - value[k];
    p[0] = value[k];
    p[1] = h * slope[k];
    p[2] = 3 * rise - h * (2 * slope[k] + slope[j]);
    p[3] = h * (slope[k] + slope[j]) - 2 * rise;
}

static double cubic_at(const double p[4], double s)
{
    return p[0] + s * (p[1] + s * (p[2] + s * p[3]));
}

#define LARGEST 1e150 /* maximum absolute value of a coefficient; the square of such a coefficient is finite */

size_t nb_external_table_first_bad(const struct nb_external_table *t)
{
    for (size_t k = 0; k + 1 < t->rows; k++)
        for (int c = 0; c < t->columns; c++) {
            double p[4];
            cubic_of(t, c, k, k + 1, p);
            for (int i = 0; i < 4; i++)
                if (!(fabs(p[i]) <= LARGEST) || !(fmax(fabs(t->time[k]), fabs(t->time[k + 1])) <= LARGEST))
                    return k;
        }
    return t->rows;
}

void nb_external_table_at(const struct nb_external_table *t, double time, double *values)
{
    const size_t k = interval_of(t, time);
    const double s = (time - t->time[k]) / (t->time[k + 1] - t->time[k]);
    for (int c = 0; c < t->columns; c++) {
        double p[4];
        cubic_of(t, c, k, k + 1, p);
        values[c] = cubic_at(p, s);
    }
}

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

void nb_external_table_range(const struct nb_external_table *t, int c, double range[2])
{
    range[0] = INFINITY, range[1] = -INFINITY;
    for (size_t k = 0; k < t->rows; k++)
        widen(range, t->value[(size_t)c * t->rows + k]);
    for (size_t k = 0; k + 1 < t->rows; k++) {
        double p[4];
        cubic_of(t, c, k, k + 1, p);
        /* Roots of the derivative p1 + 2 p2 s + 3 p3 s^2. */
        const double root = p[2] * p[2] - 3 * p[1] * p[3], q = -(p[2] + copysign(sqrt(fmax(root, 0)), p[2]));
        const double s[2] = {q / (3 * p[3]), p[1] / q};
        for (int i = 0; i < 2 && root >= 0; i++)
            if (s[i] > 0 && s[i] < 1)
                widen(range, cubic_at(p, s[i]));
    }
}

/* ---- time scale of a table ---- */

/* Tolerance of a column: PART * (largest value - smallest value) + DIGIT * (largest absolute value) */
#define PART  1e-4
#define DIGIT 1e-12

/* Returns whether the cubics through rows k and j agree with the values in all rows between them. allowed[c]: tolerance
 * of column c. */
static bool follows(const struct nb_external_table *t, const double *allowed, size_t k, size_t j)
{
    for (int c = 0; c < t->columns; c++) {
        double p[4];
        cubic_of(t, c, k, j, p);
        for (size_t i = k + 1; i < j; i++)
            if (fabs(cubic_at(p, (t->time[i] - t->time[k]) / (t->time[j] - t->time[k])) -
                     t->value[(size_t)c * t->rows + i]) > allowed[c])
                return false;
    }
    return true;
}

static double allowed_of(const struct nb_external_table *t, int c, size_t first, size_t last)
{
    double range[2] = {INFINITY, -INFINITY};
    for (size_t k = first; k <= last; k++)
        widen(range, t->value[(size_t)c * t->rows + k]);
    return PART * (range[1] - range[0]) + DIGIT * fmax(fabs(range[0]), fabs(range[1]));
}

double nb_external_table_grain(const struct nb_external_table *t, double begin, double end)
{
    double least = INFINITY, allowed[NB_EXTERNAL_COLUMNS];
    if (t->rows == 0)
        return INFINITY;
    const size_t first = interval_of(t, fmin(begin, end)), last = interval_of(t, fmax(begin, end)) + 1;
    for (int c = 0; c < t->columns; c++)
        allowed[c] = allowed_of(t, c, first, last);
    for (size_t k = first, step; k < last; k += step) {
        for (step = 1; k + step < last && follows(t, allowed, k, k + 2 * step < last ? k + 2 * step : last);)
            step *= 2;
        /* The last interval is ignored. Its end is the last row, not a row at which the cubic becomes inaccurate. */
        if (k + step < last)
            least = fmin(least, t->time[k + step] - t->time[k]);
    }
    return least;
}
