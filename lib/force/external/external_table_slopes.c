/* external_table_slopes.c - slopes of a table's columns. They are the slopes of a cubic spline through the rows, and
 * can be limited to avoid overshoot. Declared in external_table_read.h. */
#include "force/external/external_table_read.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static double rate(const double *time, const double *value, size_t k)
{
    return (value[k + 1] - value[k]) / (time[k + 1] - time[k]);
}

/* Computes the slopes for a table of three rows (from a parabola) or two rows (from a straight line). */
static void few(size_t rows, const double *time, const double *value, double *slope)
{
    const double first = rate(time, value, 0), last = rate(time, value, rows - 2);
    const double bend = rows == 3 ? (last - first) / (time[2] - time[0]) : 0;
    for (size_t k = 0; k < rows; k++)
        slope[k] = k == 0 ? first - bend * (time[1] - time[0]) : first + bend * (2 * time[k] - time[0] - time[1]);
}

/* Not-a-knot condition for one end of a table of four or more rows: the spline has the same third derivative in the two
 * intervals next to this end. The condition is the equation slope[end] + part * slope[next] = right. Computes *part and
 * *right.
 * - h, first: duration and difference quotient of the interval at the end.
 * - g, second: duration and difference quotient of the next interval. */
static void end_equation(double h, double g, double first, double second, double *part, double *right)
{
    *part = (h + g) / g;
    *right = ((h + 2 * (h + g)) * g * first + h * h * second) / ((h + g) * g);
}

/* Computes the slopes slope[rows] of the cubic spline through the values of all rows. The second derivative of the
 * spline is continuous. Solves a tridiagonal system by elimination. upper: work space of `rows` elements; upper[k]
 * becomes the coefficient of slope[k + 1] in equation k. */
static void many(size_t rows, const double *time, const double *value, double *slope, double *upper)
{
    const size_t n = rows - 1;
    double part, right;
    end_equation(time[1] - time[0], time[2] - time[1], rate(time, value, 0), rate(time, value, 1), &upper[0],
                 &slope[0]);
    for (size_t k = 1; k < n; k++) {
        const double h = time[k] - time[k - 1], g = time[k + 1] - time[k];
        const double pivot = 2 * (h + g) - g * upper[k - 1];
        upper[k] = h / pivot;
        slope[k] = (3 * (g * rate(time, value, k - 1) + h * rate(time, value, k)) - g * slope[k - 1]) / pivot;
    }
    end_equation(time[n] - time[n - 1], time[n - 1] - time[n - 2], rate(time, value, n - 1), rate(time, value, n - 2),
                 &part, &right);
    slope[n] = (right - part * slope[n - 1]) / (1 - part * upper[n - 1]);
    for (size_t k = n; k-- > 0;)
        slope[k] -= upper[k] * slope[k + 1];
}

/* Limits the slopes so that the cubic between two rows stays between the values of these rows (Hyman 1983, SIAM J. Sci.
 * Stat. Comput. 4, 645). A slope has at most three times the magnitude of each of the two difference quotients next to
 * its row. It becomes 0 if its sign differs from the sign of these quotients, or if the row is a local maximum or
 * minimum. */
static void limit(size_t rows, const double *time, const double *value, double *slope)
{
    for (size_t k = 0; k < rows; k++) {
        const double before = rate(time, value, k > 0 ? k - 1 : 0), after = rate(time, value, k + 1 < rows ? k : k - 1);
        const double most = 3 * fmin(fabs(before), fabs(after));
        slope[k] = fmax(-most, fmin(most, slope[k]));
        if (before * after <= 0 || slope[k] * after < 0)
            slope[k] = 0;
    }
}

int nb_external_table_slopes(struct nb_external_table *t, const char *file, bool monotone)
{
    double *upper = malloc(t->rows * sizeof *upper);
    if (!upper)
        return nb_fail("%s: no memory for the table", file);
    for (int c = 0; c < t->columns; c++) {
        const double *value = t->value + (size_t)c * t->rows;
        double *slope = t->slope + (size_t)c * t->rows;
        if (t->rows < 4)
            few(t->rows, t->time, value, slope);
        else
            many(t->rows, t->time, value, slope, upper);
        if (monotone)
            limit(t->rows, t->time, value, slope);
    }
    free(upper);
    return 0;
}
